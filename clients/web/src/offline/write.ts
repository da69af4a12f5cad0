// Positions, actions and games as messages, as seats may know them.

import { fromJson, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Engine, Position } from "@clerestory/engine";
import type { ActionSchema } from "../gen/clerestory/v1/advisor_pb.ts";
import {
  EndReason,
  type GameEndSchema,
  type GameEntrySchema,
  type GameSchema,
  type GameSeatSchema,
  GameStatus,
  type GameViewSchema,
  SeatKind,
} from "../gen/clerestory/v1/games_pb.ts";
import { type Position as PositionMessage, PositionSchema } from "../gen/clerestory/v1/position_pb.ts";
import {
  type AppliedActionSchema,
  type LegalActionSchema,
  type OutcomeSchema,
  TurnKind,
  type TurnSchema,
} from "../gen/clerestory/v1/rules_pb.ts";
import { failure } from "./failure.ts";
import type { Entry, Holder, HostedGame, Move } from "./hosted.ts";
import type { Words } from "./words.ts";

const NATURE = -1;

// -- positions -----------------------------------------------------------------------------------------------------

/** The position of a message. Throws BAD_POSITION. */
export function readPosition(engine: Engine, message: PositionMessage): Position {
  try {
    const json = toJson(PositionSchema, message, { useProtoFieldName: true, alwaysEmitImplicit: true });
    return engine.position(json);
  } catch (error) {
    throw failure("BAD_POSITION", String(error), { field: "position" });
  }
}

/** A position, which the caller has observed. */
export const writePosition = (seen: Position): PositionMessage => fromJson(PositionSchema, seen.toJSON());

export function writeTurn(turn: number): MessageInitShape<typeof TurnSchema> {
  if (turn >= 0) return { kind: TurnKind.SEAT, seat: turn };
  return { kind: turn === NATURE ? TurnKind.NATURE : TurnKind.OVER };
}

export const writeAction = (text: string, words: Words): MessageInitShape<typeof ActionSchema> => ({
  text,
  label: words.label(text),
});

export function writeActions(seen: Position, words: Words): MessageInitShape<typeof LegalActionSchema>[] {
  const odds = seen.turn === NATURE ? seen.odds() : [];
  return seen.legalActions().map(({ text }, index) => {
    const [kind = "", ...named] = text.split(" ");
    const probability = odds[index];
    return {
      action: writeAction(text, words),
      kind,
      arguments: named,
      ...(probability !== undefined && { probability }),
    };
  });
}

/** An action, and what it changed for a viewer, whose views from before and after it are given, if they are known. */
export const writeApplied = (
  text: string,
  turn: number,
  words: Words,
  views?: readonly [Position, Position],
): MessageInitShape<typeof AppliedActionSchema> => ({
  action: writeAction(text, words),
  turn: writeTurn(turn),
  changes: views ? words.changes(...views) : [],
});

/** Who has won; undefined before the end. */
export function writeOutcome(position: Position): MessageInitShape<typeof OutcomeSchema> | undefined {
  if (!position.over) return undefined;
  const tieBreak = position.tieBreak();
  return {
    winShares: position.winShares(),
    margins: marginsOf(position.scores()),
    scores: scoresOf(position),
    ...(tieBreak && { tieBreak: { code: tieBreak.code, values: [...tieBreak.values] } }),
  };
}

/** The scores with their sources, which only servers know card by card. */
function scoresOf(position: Position) {
  const sources = position.pointSources();
  return position.scores().map((score, seat) => {
    const parts = Object.entries(sources[seat] ?? {}).map(([source, points]) => ({ source, points }));
    return { seat, score, parts };
  });
}

/** The score of each seat less the best other one, rounded to 9 decimals as by servers. */
export function marginsOf(scores: readonly number[]): number[] {
  const best = (seat: number) => Math.max(...scores.filter((_, other) => other !== seat));
  return scores.map((score, seat) => Number((score - best(seat)).toFixed(9)));
}

// -- games -----------------------------------------------------------------------------------------------------------

export function writeGame(game: HostedGame): MessageInitShape<typeof GameSchema> {
  const { id, game: name, rules, options, created, entries } = game.stored;
  const [revision = "", catalogue = ""] = rules.split(" ");
  return {
    gameId: id,
    game: name,
    rulesRevision: Number(revision),
    catalogue,
    options,
    seats: game.seats.map(writeSeat),
    status: statusOf(game),
    version: game.version,
    ply: game.ply,
    ...(game.turn !== undefined && { turn: writeTurn(game.turn) }),
    ...(game.over && { end: writeEnd(game) }),
    created: timestampFromMs(created),
    updated: timestampFromMs(entries.at(-1)?.time ?? created),
    frozenReason: game.frozen,
  };
}

function statusOf(game: HostedGame): GameStatus {
  if (game.over) return GameStatus.OVER;
  return game.frozen ? GameStatus.FROZEN : GameStatus.RUNNING;
}

export function writeSeat(holder: Holder, seat: number): MessageInitShape<typeof GameSeatSchema> {
  const { kind, name, token, level, thinkMs } = holder;
  if (kind === "person") return { seat, kind: SeatKind.PERSON, name, hasToken: token !== "" };
  const bot = { timeBudget: durationFromMs(thinkMs), ...(level && { level }) };
  return { seat, kind: SeatKind.BOT, bot, hasToken: token !== "" };
}

function writeEnd(game: HostedGame): MessageInitShape<typeof GameEndSchema> {
  const { ended } = game;
  const position = game.at();
  if (!ended) {
    const outcome = writeOutcome(position);
    return { reason: EndReason.PLAYED, ...(outcome && { outcome }) };
  }
  if (ended.reason !== EndReason.RESIGNED) return { reason: ended.reason };
  const winShares = game.seats.map((_, seat) => Number(seat !== ended.seat));
  return { reason: ended.reason, seat: ended.seat, outcome: { winShares, scores: scoresOf(position) } };
}

/** The views of seats at a ply: the public one first, unless there is just one seat. */
export function writeViews(game: HostedGame, seats: readonly number[], ply: number, words: Words) {
  const position = game.at(ply);
  const viewers = seats.length === 1 ? seats : [NATURE, ...seats];
  return viewers.map((viewer) => writeView(game, position, viewer, ply, words));
}

function writeView(game: HostedGame, position: Position, viewer: number, ply: number, words: Words) {
  const seen = position.observe(viewer);
  const acts = ply === game.ply && game.turn === viewer && viewer !== NATURE;
  const view: MessageInitShape<typeof GameViewSchema> = {
    position: writePosition(seen),
    actions: acts ? writeActions(seen, words) : [],
    points: seen.scores(),
    ...(viewer !== NATURE && { seat: viewer }),
  };
  return view;
}

type EntryMessage = MessageInitShape<typeof GameEntrySchema>;

/** The moves of the current line between two plies, both included, as seats know them. */
export const writeLine = (
  game: HostedGame,
  seats: readonly number[],
  first: number,
  last: number,
  words: Words,
): EntryMessage[] =>
  game.line.slice(first - 1, last).map((move, index) => ({
    version: move.version,
    ply: first + index,
    ...writeMove(game, move, move.version, seats, words),
  }));

/** The entries after a version, as seats know them. */
export const writeEntries = (game: HostedGame, seats: readonly number[], from: number, words: Words): EntryMessage[] =>
  game.stored.entries.slice(from).map((entry, index) => {
    const version = from + index + 1;
    const ply = game.plies[version - 1] ?? 0;
    if (isMove(entry)) return { version, ply, ...writeMove(game, entry, version, seats, words) };
    return { version, ply, ...writeEntry(game, entry, game.plies[version - 2] ?? 0) };
  });

const isMove = (entry: Entry): entry is Move => "text" in entry;

function writeEntry(game: HostedGame, entry: Exclude<Entry, Move>, fromPly: number): EntryMessage {
  const time = timestampFromMs(entry.time);
  if (entry.kind === "back") return { time, what: { case: "takenBack", value: { seat: entry.seat, fromPly } } };
  if (entry.kind === "seated") return { time, what: { case: "seat", value: writeSeat(entry.holder, entry.seat) } };
  return { time, what: { case: "end", value: writeEnd(game) } };
}

/** A move, with its changes unless it was taken back. */
function writeMove(
  game: HostedGame,
  { kind, seat, text, time }: Move,
  version: number,
  seats: readonly number[],
  words: Words,
): EntryMessage {
  const ply = game.frozen ? -1 : game.line.findIndex((move) => move.version === version);
  const eyes = seats.length === 1 ? (seats[0] ?? NATURE) : NATURE;
  const view = (at: number) => game.at(at).observe(eyes);
  const applied =
    ply < 0 ? writeApplied(text, seat, words) : writeApplied(text, seat, words, [view(ply), view(ply + 1)]);
  const value = { ...applied, drawn: kind === "drawn" };
  return { time: timestampFromMs(time), forced: kind === "forced", what: { case: "applied", value } };
}
