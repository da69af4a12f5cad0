// The games of this browser, as the service's GameService: every change is stored before anyone sees it.

import { durationMs } from "@bufbuild/protobuf/wkt";
import type { Engine, GameName } from "@clerestory/engine";
import { Code, type ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { EndReason, type GameService, SeatKind, type SeatPlan } from "../gen/clerestory/v1/games_pb.ts";
import { failure, unsupported } from "./failure.ts";
import { type Entry, type Holder, HostedGame, rulesOf, type StoredGame } from "./hosted.ts";
import { NEW, type Store } from "./store.ts";
import type { Words } from "./words.ts";
import { writeEntries, writeGame, writeLine, writeViews } from "./write.ts";

const THINK_MS = 1000; // of a bot whose plan sets no time
const NAMES: readonly string[] = ["cathedral", "duel"];
const KEEP_ALIVE_MS = 15_000;
const MAX_LISTED = 200; // games
const LOG_FULL = 4000; // entries

/** What the games are made of; tests replace it. */
export interface Parts {
  readonly store: Store;
  engine(game: GameName): Promise<Engine>;
  words(game: GameName, language: string | null): Promise<Words>;
  /** Random bytes. */
  random(count: number): Uint8Array;
  /** Milliseconds since 1970. */
  now(): number;
  /** Announces to pages in other tabs that a game has changed. */
  announce(id: string): void;
}

/** A caller: the seats of its tokens, ascending. */
interface Viewer {
  readonly seats: readonly number[];
  readonly owner: boolean;
}

type Found = { game: HostedGame; viewer: Viewer };

export class Games {
  readonly #parts: Parts;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #thinking = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The methods of the service; games among people need a server. */
  readonly service: Partial<ServiceImpl<typeof GameService>> = {
    createGame: async ({ game, seats, options, seed, requestId, beginning }) => {
      if (beginning || options?.table || options?.timePerMove) throw unsupported("a game with this option");
      if (!isGame(game)) throw failure("BAD_GAME", `no game has this name: ${game}`, { field: "game" });
      const engine = await this.#parts.engine(game);
      const known = requestId && (await this.#parts.store.all()).find((one) => one.requestId === requestId);
      const { hints = 0, takeBacks = 0, playForced = false } = options ?? {};
      const stored: StoredGame = known || {
        id: this.#token(16),
        game,
        rules: rulesOf(engine),
        seed: seed ?? random64(this.#parts.random(8)),
        requestId,
        owner: this.#token(32),
        options: { hints, takeBacks, playForced },
        seats: seats.map((plan) => this.#holder(plan)),
        created: this.#parts.now(),
        entries: [],
      };
      const made = known ? this.#hosted(known, engine) : await this.#begin(stored, engine);
      this.#wake(made);
      const seatTokens = stored.seats.flatMap(({ token }, seat) => (token ? [{ seat, token }] : []));
      return { game: writeGame(made), ownerToken: stored.owner, seatTokens };
    },

    getGame: async ({ gameId, tokens, ply, entriesFromPly }, context) => {
      const { game, viewer } = await this.#find(gameId, tokens);
      const at = ply ?? game.ply;
      if (at > game.ply) throw failure("BAD_PLY", `is ${at}; must be ${game.ply} at most`, { field: "ply" });
      this.#wake(game);
      const words = await this.#words(game, context);
      const entries = entriesFromPly ? writeLine(game, viewer.seats, entriesFromPly, at, words) : [];
      const views = game.frozen ? [] : writeViews(game, viewer.seats, at, words);
      return { game: writeGame(game), views, ply: at, entries };
    },

    listGames: async ({ tokens }) => {
      const wanted = new Set(tokens);
      const own = (await this.#parts.store.all()).filter((one) => tokensOf(one).some((token) => wanted.has(token)));
      const newest = own.sort((one, other) => other.created - one.created).slice(0, MAX_LISTED);
      return { games: await Promise.all(newest.map(async (one) => writeGame(await this.#open(one)))) };
    },

    playAction: ({ gameId, tokens, version, action, thenActions }, context) =>
      this.#answer(gameId, tokens, version, context, ({ game, viewer }) => {
        requireRunning(game);
        if (!viewer.seats.includes(game.turn ?? -1) || game.mover !== undefined)
          throw failure("NOT_SEATS_TURN", "another seat is to decide", { code: Code.FailedPrecondition });
        return game.play([action, ...thenActions]);
      }),

    takeBack: ({ gameId, tokens, version, ply }, context) =>
      this.#answer(gameId, tokens, version, context, ({ game, viewer }) => {
        requireRunning(game);
        const seat = viewer.seats.find((one) => game.seats[one]?.kind === "person");
        if (seat === undefined) throw wrongToken("none belongs to a seat of a person", "tokens");
        return game.takeBack(seat, ply);
      }),

    setSeat: async ({ gameId, tokens, seat, plan }) => {
      const { game } = await this.#change(gameId, tokens, ({ game, viewer }) => {
        requireRunning(game);
        const held = game.seats[seat];
        if (!held) throw failure("BAD_SEAT", `there is no seat ${seat}`, { field: "seat" });
        if (!viewer.owner && !viewer.seats.includes(seat)) throw wrongToken("none belongs to this seat", "tokens");
        if (!plan || (plan.kind === SeatKind.PERSON && !held.token)) throw unsupported("a seat for another person");
        const holder = { ...this.#holder(plan), token: held.token, name: plan.name || held.name };
        return game.setSeat(seat, holder);
      });
      return { game: writeGame(game) };
    },

    endGame: async ({ gameId, tokens, reason, seat }) => {
      const { game } = await this.#change(gameId, tokens, ({ game, viewer }) => {
        requireRunning(game);
        if (reason !== EndReason.RESIGNED) return game.end(reason, -1);
        const own = viewer.seats.filter((one) => game.seats[one]?.kind === "person");
        const leaves = seat ?? own.find((one) => one === game.turn) ?? own[0];
        const held = game.seats[leaves ?? -1];
        if (leaves === undefined || !held || !viewer.seats.includes(leaves))
          throw wrongToken("none is of it", "tokens");
        return game.seats.length === 2 ? game.end(reason, leaves) : game.setSeat(leaves, bot(held));
      });
      return { game: writeGame(game) };
    },

    watchGame: (request, context) => this.#watch(request, context),
  };

  /** A game has been changed by a page in another tab. */
  readonly changed = (id: string): void => {
    for (const heard of this.#listeners.get(id) ?? []) heard();
  };

  // -- games -----------------------------------------------------------------------------------------------------------

  #token(bytes: number): string {
    const text = btoa(String.fromCharCode(...this.#parts.random(bytes)));
    return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  #holder({ kind, name, bot: settings }: SeatPlan): Holder {
    if (kind !== SeatKind.PERSON && kind !== SeatKind.BOT) throw unsupported("a seat for a person elsewhere");
    const { level = 0, timeBudget } = settings ?? {};
    if (level > 8) throw failure("BAD_LEVEL", `is ${level}; must be 1 to 8`, { field: "seats.bot.level" });
    if (kind === SeatKind.BOT)
      return { kind: "bot", name: "", token: "", level, thinkMs: timeBudget ? durationMs(timeBudget) : THINK_MS };
    return { kind: "person", name, token: this.#token(32), level: 0, thinkMs: THINK_MS };
  }

  #hosted(stored: StoredGame, engine: Engine): HostedGame {
    return new HostedGame(stored, engine, this.#parts.now);
  }

  async #open(stored: StoredGame): Promise<HostedGame> {
    return this.#hosted(stored, await this.#parts.engine(stored.game));
  }

  async #begin(stored: StoredGame, engine: Engine): Promise<HostedGame> {
    const [fewest, most] = stored.game === "duel" ? [2, 2] : [2, 4];
    const { length } = stored.seats;
    if (length < fewest || length > most) throw failure("BAD_SEATS", `has ${length} seats`, { field: "seats" });
    const begun = { ...stored, entries: this.#hosted(stored, engine).begin() };
    await this.#parts.store.put(begun, NEW);
    return this.#hosted(begun, engine);
  }

  async #find(id: string, tokens: readonly string[]): Promise<Found> {
    const stored = await this.#parts.store.get(id);
    if (!stored) throw failure("NO_SUCH_GAME", `there is no game ${id}`, { code: Code.NotFound, field: "game_id" });
    const game = await this.#open(stored);
    const known = game.seats.map(({ token }) => token);
    for (const [index, token] of tokens.entries())
      if (!token || !(known.includes(token) || token === stored.owner))
        throw wrongToken("is not a token of this game", `tokens[${index}]`);
    if (!tokens.length) throw wrongToken("the game admits no onlookers", "tokens");
    const seats = known.flatMap((token, seat) => (token && tokens.includes(token) ? [seat] : []));
    return { game, viewer: { seats, owner: tokens.includes(stored.owner) } };
  }

  /** Change a game, again if a page in another tab was faster; return it once it is stored, and where its news begin. */
  async #change(
    id: string,
    tokens: readonly string[],
    act: (found: Found) => Entry[],
  ): Promise<Found & { from: number }> {
    for (;;) {
      const found = await this.#find(id, tokens);
      const { stored, version } = found.game;
      const entries = [...stored.entries, ...act(found)];
      if (entries.length === version) return { ...found, from: version };
      if (!(await this.#parts.store.put({ ...stored, entries }, version))) continue;
      const game = await this.#open({ ...stored, entries });
      this.changed(id);
      this.#parts.announce(id);
      this.#wake(game);
      return { game, viewer: found.viewer, from: version };
    }
  }

  /** Change a game at a version, and answer with what is new. */
  async #answer(
    id: string,
    tokens: readonly string[],
    version: number,
    context: HandlerContext,
    act: (found: Found) => Entry[],
  ) {
    const { game, viewer, from } = await this.#change(id, tokens, (found) => {
      if (version !== found.game.version) throw stale(found.game.version);
      if (version >= LOG_FULL) throw failure("LOG_FULL", "the game is too long", { code: Code.FailedPrecondition });
      return act(found);
    });
    const words = await this.#words(game, context);
    return {
      entries: writeEntries(game, viewer.seats, from, words),
      game: writeGame(game),
      views: writeViews(game, viewer.seats, game.ply, words),
    };
  }

  #words(game: HostedGame, { requestHeader }: HandlerContext): Promise<Words> {
    return this.#parts.words(game.stored.game, requestHeader.get("accept-language"));
  }

  // -- streams ---------------------------------------------------------------------------------------------------------

  async *#watch(
    { gameId, tokens, fromVersion }: { gameId: string; tokens: string[]; fromVersion?: number | undefined },
    context: HandlerContext,
  ) {
    const { signal } = context;
    let from = fromVersion;
    for (let first = true; !signal.aborted; first = false) {
      const change = this.#nextChange(gameId, signal);
      const { game, viewer } = await this.#find(gameId, tokens);
      const presence = first ? { presence: { seats: [...viewer.seats] } } : {};
      const news = first || game.version !== from;
      const words = await this.#words(game, context);
      const entries = writeEntries(game, viewer.seats, from ?? game.version, words);
      const views = game.frozen ? [] : writeViews(game, viewer.seats, game.ply, words);
      yield news ? { game: writeGame(game), views, entries, ...presence } : {};
      from = game.version;
      if (game.over) return;
      if (first) this.#wake(game);
      await change;
    }
  }

  /** Wait for the next change of a game, but not longer than a stream may be silent. */
  #nextChange(id: string, signal: AbortSignal): Promise<void> {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners);
    return new Promise((resolve) => {
      const heard = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", heard);
        listeners.delete(heard);
        resolve();
      };
      const timer = setTimeout(heard, KEEP_ALIVE_MS);
      signal.addEventListener("abort", heard);
      listeners.add(heard);
    });
  }

  // -- bots ------------------------------------------------------------------------------------------------------------

  /** Let bots move, if it is their turn. */
  #wake(game: HostedGame): void {
    const { id } = game.stored;
    if (game.mover === undefined || this.#thinking.has(id)) return;
    this.#thinking.add(id);
    this.#moveBots(id)
      .catch((error) => console.error(error))
      .finally(() => this.#thinking.delete(id));
  }

  async #moveBots(id: string): Promise<void> {
    for (;;) {
      const stored = await this.#parts.store.get(id);
      const game = stored && (await this.#open(stored));
      if (!stored || game?.mover === undefined) return;
      const action = await this.#choose(game, game.mover);
      const { version } = game;
      await this.#change(id, [stored.owner], (now) => (now.game.version === version ? now.game.play([action]) : []));
    }
  }

  /** The move of a bot: the only one, or one that is found from what its seat knows; a game that changes ends the search. */
  async #choose(game: HostedGame, seat: number): Promise<string> {
    const position = game.at();
    const [only, ...others] = position.legalActions();
    if (only && !others.length) return only.text;
    const { level = 0, thinkMs = THINK_MS } = game.seats[seat] ?? {};
    const changed = new AbortController();
    const left = new AbortController();
    void this.#nextChange(game.stored.id, left.signal).then(() => changed.abort());
    const limits = { timeMs: thinkMs, ...(level && { level }) };
    const engine = await this.#parts.engine(game.stored.game);
    const { best } = await engine.recommend(position, { ...limits, signal: changed.signal });
    left.abort();
    return best;
  }
}

const isGame = (game: string): game is GameName => NAMES.includes(game);

const tokensOf = ({ owner, seats }: StoredGame): string[] =>
  [owner, ...seats.map(({ token }) => token)].filter(Boolean);

/** A bot at full strength in the place of a person. */
const bot = (held: Holder): Holder => ({ ...held, kind: "bot", level: 0, thinkMs: THINK_MS });

const random64 = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

const wrongToken = (message: string, field: string): ConnectError =>
  failure("WRONG_SEAT_TOKEN", message, { code: Code.PermissionDenied, field });

const stale = (version: number): ConnectError =>
  failure("STALE_VERSION", `the game is at version ${version}`, {
    code: Code.Aborted,
    metadata: { version: `${version}` },
  });

function requireRunning(game: HostedGame): void {
  if (game.over) throw failure("GAME_OVER", "the game is over", { code: Code.FailedPrecondition });
  if (game.frozen) throw failure("FROZEN", game.frozen, { code: Code.FailedPrecondition });
}
