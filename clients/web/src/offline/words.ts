// The words of a game by language, as the build wrote them: labels of actions, and texts of changes.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GameName, Position } from "@clerestory/engine";
import type { ChangeSchema } from "../gen/clerestory/v1/rules_pb.ts";

export interface Words {
  /** The label of an action. */
  label(text: string): string;
  /** What differs between two views of one viewer. The causes are known to servers only. */
  changes(before: Position, after: Position): MessageInitShape<typeof ChangeSchema>[];
}

/** Reads a file of the build by its name: `words-duel-de.json`. */
export type ReadData = (name: string) => Promise<Uint8Array>;

type Pattern = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);

interface File {
  labels: Record<string, string>;
  /** The text of a change. */
  change: string;
  /** The fields that can change, by name, with their texts. */
  things: Record<string, Pattern>;
  /** Cards and goods. */
  names: Record<string, Pattern>;
}

const LANGUAGES = ["en", "de", "fr", "es", "it", "he"];

/** The words of a game, each language loaded once. */
export function wordsOf(read: ReadData): (game: GameName, language: string | null) => Promise<Words> {
  const loaded = new Map<string, Promise<Words>>();
  return (game, asked) => {
    const language = LANGUAGES.find((one) => one === asked) ?? "en";
    const name = `words-${game}-${language}.json`;
    const known = loaded.get(name) ?? load(read, name, language);
    loaded.set(name, known);
    known.catch(() => loaded.delete(name));
    return known;
  };
}

async function load(read: ReadData, name: string, language: string): Promise<Words> {
  const file: File = JSON.parse(new TextDecoder().decode(await read(name)));
  const plurals = new Intl.PluralRules(language);
  const form = (pattern: Pattern, amount: number): string =>
    typeof pattern === "string" ? pattern : (pattern[plurals.select(Math.abs(amount))] ?? pattern.other);
  const tell = (thing: string, item: string, amount: number): string => {
    const said = form(file.things[thing] ?? "", amount).replace("{item}", form(file.names[item] ?? item, amount));
    return file.change.replace("{amount}", `${amount > 0 ? "+" : ""}${amount}`).replace("{thing}", said.trim());
  };
  return {
    label: (text) => file.labels[text] ?? text,
    changes: (before, after) =>
      differences(before, after, file.things).map((one) => ({ ...one, text: tell(one.thing, one.item, one.amount) })),
  };
}

type Fields = Record<string, unknown>;

/** The differences of fields: first those of the position, then those of each player. */
function differences(before: Position, after: Position, things: Readonly<Record<string, Pattern>>) {
  const [old, now] = [before, after].map(
    (position) => position.toJSON()[position.game] as Fields & { players: Fields[] },
  );
  if (!old || !now) return [];
  return [old, ...old.players].flatMap((fields, index) => {
    const others = index ? now.players[index - 1] : now;
    const owner = index ? { seat: index - 1 } : {};
    return Object.keys(fields)
      .filter((thing) => Object.hasOwn(things, thing))
      .flatMap((thing) => between(fields[thing], others?.[thing]).map((one) => ({ ...owner, thing, ...one })));
  });
}

/** The differences of two values of a field: numbers, numbers by name, or lists of names. */
function between(before: unknown, after: unknown): { item: string; amount: number }[] {
  const [old, now] = [counted(before), counted(after)];
  const items = [...new Set([...now.keys(), ...old.keys()])];
  const changes = items.map((item) => ({ item, amount: (now.get(item) ?? 0) - (old.get(item) ?? 0) }));
  return changes.filter(({ amount }) => amount);
}

function counted(value: unknown): Map<string, number> {
  if (typeof value === "number") return new Map([["", value]]);
  if (!Array.isArray(value)) return new Map(Object.entries(value as Record<string, number>));
  const counts = new Map<string, number>();
  for (const one of value) counts.set(one ?? "", (counts.get(one ?? "") ?? 0) + 1);
  return counts;
}
