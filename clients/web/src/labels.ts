// The labels of actions, which the service gives in the language that the page asks for.

/** The label of an action. */
export const labelOf = (action: { label: string } | undefined): string => action?.label ?? "";
