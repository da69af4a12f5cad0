// The labels of actions, which the service gives in English, with the names of cards as the reader knows them.

let renamed: readonly (readonly [string, string])[] = [];

/** Say how cards are called: in English, and to the reader. */
export function rename(names: Iterable<readonly [string, string]>): void {
  const other = [...names].filter(([english, own]) => english !== own);
  renamed = other.sort(([one], [two]) => two.length - one.length); // "Master woodworker" before "Woodworker"
}

/** The label of an action. */
export function labelOf(action: { label: string } | undefined): string {
  return renamed.reduce((label, [english, own]) => label.replaceAll(english, own), action?.label ?? "");
}
