// The figures of one's reviewed games, kept in this browser, and the summary that the service makes of them.

import { create, fromJson, type JsonValue, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { createClient } from "@clerestory/client";
import { store, stored } from "../browser/storage.ts";
import {
  AnnotationService,
  PlayerFiguresSchema,
  type SeatReview,
  type SummarizeGamesResponse,
} from "../gen/clerestory/v1/annotation_pb.ts";
import { transport } from "../service/api.ts";
import { playedGames } from "./progress.ts";

const service = createClient(AnnotationService, transport);

const MOST_GAMES = 100; // in a summary

/** The figures of a game. */
export interface Figures {
  id: string;
  /** PlayerFigures as JSON. */
  figures: JsonValue;
}

/** The figures of the reviewed games, those reviewed last at the end. */
export const figuresOf = (game: string): readonly Figures[] => stored(`figures:${game}`, []);

/** Add the figures of games, in place of earlier ones of the same games. */
export function addFigures(game: string, more: readonly Figures[]): void {
  const known = new Map([...figuresOf(game), ...more].map((one) => [one.id, one]));
  store(`figures:${game}`, [...known.values()].slice(-MOST_GAMES));
}

/** Keep the figures of one's own seat in a game. */
export function keepFigures(game: string, id: string, review: SeatReview | undefined): void {
  if (!review?.groups.length) return;
  const { groups, patterns, level } = review;
  const figures: MessageInitShape<typeof PlayerFiguresSchema> = { groups, patterns, ...(level ? { level } : {}) };
  addFigures(game, [{ id, figures: toJson(PlayerFiguresSchema, create(PlayerFiguresSchema, figures)) }]);
}

/** Whether a value can be the figures of a game. */
export function isFigures(value: unknown): boolean {
  const { id, figures } = (value ?? {}) as Partial<Figures>;
  try {
    fromJson(PlayerFiguresSchema, figures ?? null);
  } catch {
    return false;
  }
  return typeof id === "string";
}

/** The summary of the kept figures of a game, in the order in which the games were played. */
export async function summary(game: string): Promise<SummarizeGamesResponse | undefined> {
  const times = new Map(playedGames(game).map(({ id, time }) => [id, time]));
  const when = ({ id }: Figures) => times.get(id) ?? Number.POSITIVE_INFINITY;
  const kept = [...figuresOf(game)].sort((one, other) => (when(one) < when(other) ? -1 : 1));
  if (!kept.length) return undefined;
  return service.summarizeGames({ game, games: kept.map(({ figures }) => fromJson(PlayerFiguresSchema, figures)) });
}
