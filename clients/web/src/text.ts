// All texts of the page, in one place, so that they can be translated. Texts of the service (labels of
// actions, reasons, errors) are in English.

const signed = new Intl.NumberFormat("en", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero", // of what is shown: -0.04 is "0.0"
});

const unsigned = new Intl.NumberFormat("en", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "negative",
});

const exact = new Intl.NumberFormat("en", { maximumFractionDigits: 2, signDisplay: "exceptZero" });

/** An explanation of the points of a game, if they need one. */
const ABOUT_POINTS: Record<string, string> = {
  duel: "A complete section counts 10 points, a material placed 1, a gold 0.01, which breaks a tie.",
};

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
  loss: (value: number) => unsigned.format(value),
  finalPoints: (value: number) => exact.format(value),
  ply: (ply: number) => `Move ${ply}`,
  moves: (count: number) => (count === 1 ? "1 move" : `${count} moves`),
  hundredths: "0.01 point is a gold, which breaks a tie.",
  legend: (game: string) =>
    `Most visited first. Win: expected share of the win. Points: expected lead over the best other player. Loss: points below the first line. ${ABOUT_POINTS[game] ?? ""}`,
  winsLess: (label: string) =>
    `${label}: more points than the first line, but fewer wins. The first line is the one to play.`,
  triedLess: (label: string) =>
    `${label}: more points than the first line so far, but tried less, so they are less certain. The first line is the one to play.`,
};

/** Languages in which cards have names, beside English, by the value of the catalogue that holds them. */
export const LANGUAGES: Record<string, string> = {
  de: "name_de",
  it: "name_it",
  es: "name_es",
  fr: "name_fr",
  he: "name_he",
};

/** The language of the reader, if cards have names in it. */
export function language(): string {
  const chosen = localStorage.getItem("language") ?? navigator.language.slice(0, 2);
  return chosen in LANGUAGES ? chosen : "en";
}

/** The name of a level. */
export function levelName(level: number | undefined): string {
  return level === undefined ? text.fullStrength : `Level ${level}, ${text.levels[level - 1]?.toLowerCase()}`;
}
