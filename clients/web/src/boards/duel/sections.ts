// The sections of the duel's cathedral.

const PLACES = 3; // for materials

export const isComplete = (section: readonly unknown[]): boolean => section.length === PLACES;
