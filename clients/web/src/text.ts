// Everything the page says, in one place, so that it can be said in another language. What the service says (labels of
// actions, reasons, errors) comes in English from there.

const signed = new Intl.NumberFormat("en", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero", // of what is shown: -0.04 is "0.0"
});

export const text = {
  title: "Clerestory",
  games: { cathedral: "The Pillars of the Earth", duel: "Builders Duel", toy: "Toy" } as Record<string, string>,
  colours: ["Red", "Blue", "Green", "Yellow"],
  nature: "Luck",
  you: "you",
  onlooker: "Onlooker",
  yourTurn: "Your turn",
  levels: ["Beginner", "Novice", "Casual", "Average", "Good", "Strong", "Expert", "Master"],
  fullStrength: "Full strength",
  share: (value: number) => `${(100 * value).toFixed(1)} %`,
  points: (value: number) => signed.format(value),
  ply: (ply: number) => `Move ${ply}`,
  moves: (count: number) => (count === 1 ? "1 move" : `${count} moves`),
};

/** Languages in which names of cards are known, beside English, by the value of the catalogue that holds them. */
export const LANGUAGES: Record<string, string> = { de: "name_de" };

/** The language of the page's reader, as far as cards have names in it. */
export function language(): string {
  const chosen = localStorage.getItem("language") ?? navigator.language.slice(0, 2);
  return chosen in LANGUAGES ? chosen : "en";
}

/** What a level is called. */
export function levelName(level: number | undefined): string {
  return level === undefined ? text.fullStrength : `Level ${level}, ${text.levels[level - 1]?.toLowerCase()}`;
}
