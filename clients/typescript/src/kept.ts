// Games that a server keeps: to make, join, play and watch them, a program needs no rules and keeps no position.

import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type Client as Service } from "@connectrpc/connect";
import { CallError } from "./errors.ts";
import {
  EndReason,
  type Game,
  type GameEntry,
  type GameOptionsSchema,
  type GameService,
  type GameView,
  SeatKind,
  type SeatPlanSchema,
} from "./gen/clerestory/v1/games_pb.ts";
import type { LegalAction } from "./gen/clerestory/v1/rules_pb.ts";
import { alive, sleep } from "./streams.ts";

const SHORTEST = 500; // milliseconds before a broken stream is begun again, doubled each time
const LONGEST = 8000;

export type SeatPlan = MessageInitShape<typeof SeatPlanSchema>;
export type GameOptions = MessageInitShape<typeof GameOptionsSchema>;

/** A seat of the holder of its token, here the game's creator. */
export const person = (name = ""): SeatPlan => ({ kind: SeatKind.PERSON, name });
/** A seat for the first player to join. */
export const open = (): SeatPlan => ({ kind: SeatKind.OPEN });
/** A seat of a bot: of a level, 1 to 8, or at full strength. */
export const bot = (level?: number): SeatPlan => ({ kind: SeatKind.BOT, bot: level === undefined ? {} : { level } });

/** The access to a game; keep it secret: a token lets its holder play the seat. */
export interface Keys {
  /** By seat. */
  tokens?: Record<number, string>;
  owner?: string;
  onlooker?: string;
}

/** A game at a moment, as far as its holder's tokens show it. */
export interface Seen {
  game: Game;
  views: GameView[];
  /** The view of the seat to decide if its token is here, else of the first seat, else the public one. */
  view: GameView | undefined;
  /** What happened since the state before. */
  entries: GameEntry[];
  /** What may be played now from here; empty on another's turn. */
  actions: LegalAction[];
}

/** An unguessable name for a request; `crypto.randomUUID` exists only on pages with TLS. */
export function requestName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A game that a server keeps. Calls fail with a CallError. */
export class HostedGame {
  readonly gameId: string;
  readonly keys: Keys;
  /** The last state; undefined before the first. */
  seen: Seen | undefined;
  readonly #seated: Record<number, number> = {}; // by seat, the version after its last change from here
  readonly #games: Service<typeof GameService>;

  constructor(games: Service<typeof GameService>, gameId: string, keys: Keys) {
    this.#games = games;
    this.gameId = gameId;
    this.keys = keys;
  }

  /** The game as it is, with the position of a ply, and the entries from a ply on, counted from 1. */
  async look(ply?: number, entriesFromPly?: number): Promise<Seen> {
    const at = { ...(ply !== undefined && { ply }), ...(entriesFromPly !== undefined && { entriesFromPly }) };
    return this.#take(await this.#games.getGame({ ...this.#seats(), ...at }));
  }

  /** Play an action, and more directly after it; fails with reason STALE_VERSION if something else has happened. */
  async play(action: LegalAction | string, ...more: (LegalAction | string)[]): Promise<Seen> {
    const [first = "", ...thenActions] = [action, ...more].map(textOf);
    return this.#take(
      await this.#games.playAction({ ...this.#everything(), version: this.#version, action: first, thenActions }),
    );
  }

  /** Enter what a seat has been shown privately at a table. */
  async setPrivateOutcome(seat: number, outcome: string): Promise<Seen> {
    const tokens = [this.keys.tokens?.[seat] ?? this.keys.owner ?? ""];
    return this.#take(
      await this.#games.setPrivateOutcome({ gameId: this.gameId, tokens, version: this.#version, seat, outcome }),
    );
  }

  /** Go back to a ply, ask the others to agree, or answer them. */
  async takeBack(ply: number, decline = false): Promise<Seen> {
    return this.#take(await this.#games.takeBack({ ...this.#seats(), version: this.#version, ply, decline }));
  }

  /**
   * Set who holds a seat. Opened to others, it takes its token, which is then no longer valid, out of the keys.
   *
   * Fails with reason STALE_VERSION if the holder has changed since a version: the last one seen, if any.
   */
  async setSeat(seat: number, plan: SeatPlan, version = this.#seatSeen(seat)): Promise<void> {
    // The owner's token outlasts the call, which is made again where its answer is lost.
    const { gameId, tokens } = this.#everything();
    const asked = { gameId, tokens: this.keys.owner ? [this.keys.owner] : tokens, seat, plan };
    const { game } = await this.#games.setSeat({ ...asked, ...(version !== undefined && { version }) });
    if (game) this.#seated[seat] = game.version;
    if (plan.kind === SeatKind.OPEN) delete this.keys.tokens?.[seat];
  }

  #seatSeen(seat: number): number | undefined {
    const known = [this.seen?.game.version, this.#seated[seat]].filter((version) => version !== undefined);
    return known.length ? Math.max(...known) : undefined;
  }

  /**
   * Give up: with two players the other wins; with more a bot takes over.
   *
   * Without a seat: of those held here in the last state, the one to decide, else the first of a person.
   */
  async resign(seat = this.#leaving()): Promise<void> {
    const named = seat === undefined ? {} : { seat };
    await this.#games.endGame({ ...this.#everything(), reason: EndReason.RESIGNED, ...named });
  }

  #leaving(): number | undefined {
    const { seats = [], turn } = this.seen?.game ?? {};
    const own = seats.filter((one) => one.kind === SeatKind.PERSON && this.keys.tokens?.[one.seat]);
    return (own.find((one) => one.seat === turn?.seat) ?? own[0])?.seat;
  }

  /** End the game without a winner; only its owner may. */
  async abandon(): Promise<void> {
    await this.#games.endGame({ ...this.#everything(), reason: EndReason.ABANDONED });
  }

  /**
   * Let the server post a notice to a URL whenever a turn of a seat begins; returns the secret that signs them.
   *
   * Without a seat: the first of those held here. Fails with reason NOTICES_OFF if the server does not allow it.
   */
  async addWebhook(url: string, seat?: number): Promise<string> {
    return (await this.#games.addNoticeTarget(this.#target(url, seat))).webhookSecret;
  }

  /** Undo `addWebhook`. */
  async removeWebhook(url: string, seat?: number): Promise<void> {
    await this.#games.removeNoticeTarget(this.#target(url, seat));
  }

  /** Whether notices are posted to a webhook, which has not answered 410. */
  async hasWebhook(url: string, seat?: number): Promise<boolean> {
    return (await this.#games.getNoticeTarget(this.#target(url, seat))).active;
  }

  #target(url: string, seat?: number) {
    const tokens = Object.values(this.keys.tokens ?? {});
    return { gameId: this.gameId, tokens, url, ...(seat !== undefined && { seat }) };
  }

  /** The record as JSON lines, complete once the game is over. */
  async record(): Promise<string> {
    return (await this.#games.getRecord(this.#seats())).record;
  }

  /**
   * The states of the game until it is over; a stream that breaks off is begun again where it was.
   *
   * `onTrouble` receives the reason for waiting. Throws a CallError that waiting cannot cure, and once the signal is aborted.
   */
  async *watch(signal?: AbortSignal, onTrouble?: (error: CallError) => void): AsyncGenerator<Seen> {
    let from = this.seen?.game.version;
    for (let pause = SHORTEST; ; pause = Math.min(2 * pause, LONGEST)) {
      try {
        for await (const answer of alive((stop) => this.#states(from, stop), signal)) {
          pause = SHORTEST / 2;
          if (!answer.game) continue; // a player came or left, or nothing happened
          const seen = this.#take(answer);
          from = seen.game.version;
          yield seen;
          if (seen.game.end) return;
        }
        return;
      } catch (error) {
        const trouble = CallError.from(error);
        if (signal?.aborted || !(trouble.passing || trouble.kind === "busy")) throw trouble;
        onTrouble?.(trouble);
        await sleep(pause, signal).catch((reason) => {
          throw CallError.from(ConnectError.from(reason, Code.Canceled));
        });
      }
    }
  }

  #states(fromVersion: number | undefined, signal: AbortSignal) {
    const from = fromVersion === undefined ? {} : { fromVersion };
    return this.#games.watchGame({ ...this.#seats(), ...from }, { signal });
  }

  #take(answer: { game?: Game | undefined; views: GameView[]; entries: GameEntry[] }): Seen {
    const { game = this.seen?.game, views, entries } = answer;
    if (!game) throw new Error("the server sent no game");
    const view = views.find((one) => one.actions.length) ?? views.find((one) => one.seat !== undefined) ?? views[0];
    this.seen = { game, views, view, entries, actions: view?.actions ?? [] };
    return this.seen;
  }

  get #version(): number {
    return this.seen?.game.version ?? 0;
  }

  /** The game with the tokens to look through. */
  #seats() {
    const own = Object.values(this.keys.tokens ?? {});
    const tokens = own.length ? own : [this.keys.owner ?? this.keys.onlooker ?? ""].filter(Boolean);
    return { gameId: this.gameId, tokens };
  }

  /** The game with all tokens that may act in it. */
  #everything() {
    const tokens = [...Object.values(this.keys.tokens ?? {}), this.keys.owner ?? ""].filter(Boolean);
    return { gameId: this.gameId, tokens };
  }
}

function textOf(action: LegalAction | string): string {
  return typeof action === "string" ? action : (action?.action?.text ?? "");
}
