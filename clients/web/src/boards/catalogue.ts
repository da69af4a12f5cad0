// The cards of a game by id, with their names.

import type { CatalogueEntry } from "../gen/clerestory/v1/rules_pb.ts";
import { language } from "../language/texts.ts";
import type { Card, Catalogue } from "./types.ts";

/** The catalogue until it has been loaded. */
export const EMPTY: Catalogue = { ...catalogueOf([]), known: false, name: () => "…" };

export function catalogueOf(entries: readonly CatalogueEntry[]): Catalogue {
  const cards = new Map<string, Card>();
  const placed = new Map<string, Card>();
  for (const entry of entries) {
    const card = cardOf(entry);
    if (!cards.has(card.id)) cards.set(card.id, card);
    placed.set(`${card.section}/${card.id}`, card);
  }
  const told = (card: Card): string => {
    const translated = card.values[`name_${language.value}`];
    return typeof translated === "string" && translated ? translated : card.name;
  };
  return {
    known: true,
    card: (id) => cards.get(id),
    of: (section, id) => placed.get(`${section}/${id}`),
    all: (section) => [...placed.values()].filter((card) => card.section === section),
    name: (id) => {
      const card = cards.get(id);
      return card ? told(card) : plain(id);
    },
  };
}

function cardOf(entry: CatalogueEntry): Card {
  const values: Record<string, unknown> = {};
  for (const value of entry.values) values[value.name] = JSON.parse(value.json);
  return { id: entry.id, section: entry.section, name: entry.name, values };
}

/** An identifier in words: `mortar_mixer` is `Mortar mixer`. */
export function plain(id: string): string {
  const words = id.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
