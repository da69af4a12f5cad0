// A game that the server keeps, in this browser: watched while the tab is visible, polled while it is hidden.

import { alive } from "@clerestory/client";
import { computed, signal } from "@preact/signals";
import { isBot, isToMove, seatOf } from "../boards/seats.ts";
import {
  type Game,
  type GameEntry,
  type GameSeat,
  type GameView,
  Onlookers,
  type Phrase,
  SeatKind,
  TakeBacks,
} from "../gen/clerestory/v1/games_pb.ts";
import { say } from "../language/texts.ts";
import { games, refusedToken, requestName, wordsOf } from "../service/api.ts";
import { Calls, type Limit } from "../service/calls.ts";
import { longer, mayPass, SHORTEST } from "../service/insist.ts";
import { leaveStream, takeStream } from "../service/streams.ts";
import { addKeys, dropToken, type Keys, keysOf, tokensOf } from "../service/tokens.ts";
import { Pace } from "./pace.ts";
import { Heard } from "./phrases.ts";
import { RoundEnd } from "./rounds.ts";
import { declinedIn, followed, isRevealed, seatsOf, viewIn } from "./states.ts";

const UNSEEN = 3000; // milliseconds between polls without a stream: the tab is hidden, or has no token

interface State {
  game?: Game | undefined;
  views: GameView[];
  /** Those before the last change. */
  before: GameView[];
}

/** A game, from its opening in this tab until `close`. */
export class Kept {
  readonly id: string;
  readonly keys = signal<Keys>({ seats: {}, opened: 0 });
  readonly state = signal<State>({ views: [], before: [] });
  /** The actions of other players, step by step. */
  readonly pace = new Pace();
  /** What players say to each other. */
  readonly heard = new Heard();
  /** The round that has just ended, until its card is closed. */
  readonly round = new RoundEnd(this.pace, (ply) => this.#viewsAt(ply));
  /** Other windows hold all streams, so this one asks again and again. */
  readonly asking = signal(false);
  /** The actions that led to the position, by ply. */
  readonly log = signal<GameEntry[]>([]);
  /** The error of the connection to the server; empty if there is none. */
  readonly broken = signal("");
  /** Why the game cannot be shown at all. */
  readonly failed = signal("");
  readonly #calls = new Calls(() => this.#catchUp(), {
    wanted: () => !this.#closed,
    told: (why) => {
      this.broken.value = why;
    },
  });
  /** Why the last call was refused. */
  readonly refused = this.#calls.refused;
  /** A call is in progress or waiting. */
  readonly busy = this.#calls.busy;
  /** Seats with a watcher; undefined if unknown. */
  readonly present = signal<readonly number[] | undefined>(undefined);
  /** The key to subscribe to push messages of the server with; empty if there are none, undefined if unknown. */
  readonly pushKey = signal<string | undefined>(undefined);
  /** My last action is being taken back. */
  readonly takingBack = signal(false);
  /** The seat that has just declined to go back. */
  readonly declined = signal<number | undefined>(undefined);

  readonly game = computed(() => this.state.value.game);
  readonly mine = computed(() => Object.keys(this.keys.value.seats).map(Number));
  readonly turn = computed(() => seatOf(this.game.value?.turn));
  /** Seats of mine that a bot plays until I am back. */
  readonly standIns = computed(() => this.mine.value.filter((seat) => isBot(this.game.value, seat)));
  readonly myTurn = computed(() => isToMove(this.game.value, this.mine.value));
  /** The ply after the last action of a seat of mine, 0 for none. */
  readonly lastMine = computed(() => this.log.value.findLastIndex((entry) => this.#isMine(entry)) + 1);
  /** The ply after the last of them that the server did not play for want of time. */
  readonly lastMeant = computed(() => this.log.value.findLastIndex((one) => this.#isMine(one) && !one.playedOn) + 1);
  readonly mayTakeBack = computed(() => this.#mayTakeBack());
  /** Something has been revealed since my last action, so it would be refused to take it back. */
  readonly revealed = computed(() => !this.busy.value && this.#revealed());
  /** The displayed view: that of the seat to decide if it is mine, else of my first seat, else the public one. */
  readonly view = computed(() => this.viewOf(this.myTurn.value ? this.turn.value : this.mine.value[0]));

  #watching: AbortController | undefined;
  #pause = SHORTEST;
  #heard = -1; // the version of the last state that the stream has brought
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(id: string) {
    this.id = id;
    this.keys.value = keysOf(id);
    document.addEventListener("visibilitychange", this.#seen);
    addEventListener("online", this.#seen);
    void this.#begin();
  }

  /** Leave the game. */
  close(): void {
    this.#closed = true;
    this.round.stop();
    document.removeEventListener("visibilitychange", this.#seen);
    removeEventListener("online", this.#seen);
    this.#rest();
  }

  /** The view of a seat, or the public one. */
  viewOf(seat: number | undefined): GameView | undefined {
    return viewIn(this.state.value.views, seat);
  }

  get tokens(): string[] {
    return tokensOf(this.keys.value);
  }

  /** Add tokens from a link, or from joining. */
  addKeys(more: Partial<Keys>): void {
    this.keys.value = addKeys(this.id, more);
    void this.#begin(); // not the stream alone: the server says more to who holds a seat
  }

  // -- what happens ---------------------------------------------------------------------------------

  async #begin(): Promise<void> {
    const { tokens } = this;
    try {
      await this.#catchUp();
      this.#seen();
    } catch (error) {
      if (this.#dropped(error, tokens)) await this.#begin();
      else this.#trouble(error, () => void this.#begin());
    }
  }

  /** Request the state and all entries. */
  async #catchUp(): Promise<void> {
    const answer = await games.getGame({ gameId: this.id, tokens: this.tokens, entriesFromPly: 1 });
    this.broken.value = "";
    this.pushKey.value = answer.pushKey;
    if (!this.#isNews(answer.game)) return; // the stream was faster
    this.pace.skip();
    if (!this.#isNews(answer.game)) return; // and so were its steps
    this.log.value = answer.entries;
    this.#show(answer.game, answer.views);
    const first = this.keys.value.commitment ?? answer.game.commitment;
    if (this.tokens.length) this.keys.value = addKeys(this.id, { commitment: first });
  }

  async #viewsAt(ply: number): Promise<GameView[]> {
    const { views } = await games.getGame({ gameId: this.id, tokens: this.tokens, ply });
    return views;
  }

  /** Whether a call was refused for one of several tokens, which is one no longer: it is kept no longer. */
  #dropped(error: unknown, tokens: readonly string[]): boolean {
    const token = tokens[refusedToken(error)];
    if (token && tokens.length > 1) this.keys.value = dropToken(this.id, token);
    return token !== undefined && tokens.length > 1;
  }

  /** Whether a state is newer than what is known, or as new while the log lacks actions. */
  #isNews(game: Game | undefined): game is Game {
    const known = this.game.value;
    if (!game || !known) return game !== undefined;
    const lacks = this.log.value.length !== known.ply;
    return game.version > known.version || (game.version === known.version && lacks);
  }

  readonly #seen = (): void => {
    this.#rest();
    if (this.#closed || this.failed.value) return;
    if (!document.hidden && this.#mayWatch) void this.#watch();
    else if (!this.game.value?.end) this.#timer = setTimeout(() => void this.#askAgain(), UNSEEN);
  };

  /** A person without a token can see an open game, to take a seat, but not watch it. */
  get #mayWatch(): boolean {
    return this.tokens.length > 0 || this.game.value?.options?.onlookers === Onlookers.ALL;
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#watching?.abort();
    this.#watching = undefined;
    leaveStream();
  }

  async #askAgain(): Promise<void> {
    const { tokens } = this;
    try {
      await this.#catchUp();
      this.#pause = SHORTEST;
    } catch (error) {
      if (!this.#dropped(error, tokens)) return this.#trouble(error, this.#seen);
    }
    return this.#seen();
  }

  async #watch(): Promise<void> {
    const stop = new AbortController();
    this.#watching = stop;
    this.asking.value = !(await takeStream());
    if (stop.signal.aborted) return;
    if (this.asking.value) {
      this.#timer = setTimeout(() => void this.#askAgain(), UNSEEN);
      return;
    }
    const version = this.game.value?.version;
    const from = version === undefined ? {} : { fromVersion: version };
    const asked = { gameId: this.id, tokens: this.tokens, afterEnd: true, ...from };
    try {
      for await (const answer of alive((signal) => games.watchGame(asked, { signal }), stop.signal)) {
        this.broken.value = "";
        this.#pause = SHORTEST;
        if (answer.presence) this.present.value = answer.presence.seats;
        this.heard.hear(answer.phrases);
        if (answer.game) this.#arrive(answer.game, answer.views, answer.entries);
      }
      leaveStream();
      this.pace.add(() => this.game.value?.end || this.#again(say("trouble.closed")), false);
    } catch (error) {
      if (this.#dropped(error, asked.tokens)) this.#seen();
      else if (this.#watching === stop) this.#trouble(error, this.#seen);
    } finally {
      if (!this.#watching || this.#watching === stop) this.present.value = undefined;
    }
  }

  /** Whether the person of a seat is known to be away. */
  away(seat: GameSeat | undefined): boolean {
    const present = this.present.value;
    return seat?.kind === SeatKind.PERSON && present !== undefined && !present.includes(seat.seat);
  }

  #trouble(error: unknown, again: () => void): void {
    if (!mayPass(error)) this.failed.value = wordsOf(error);
    else this.#again(wordsOf(error), again);
  }

  #again(why: string, again: () => void = this.#seen): void {
    if (this.#closed) return;
    this.broken.value = why;
    this.#timer = setTimeout(again, this.#pause);
    this.#pause = longer(this.#pause);
  }

  /** Apply the events of the stream: the actions of others, one step after the other. */
  #arrive(game: Game, views: GameView[], entries: readonly GameEntry[]): void {
    const steps = entries.some((entry) => entry.version > this.#heard);
    this.#heard = Math.max(this.#heard, game.version);
    this.pace.add(() => this.#take(game, views, entries), steps);
  }

  /** Apply a state with its entries, unless there is already a newer one. */
  #take(game: Game, views: GameView[], entries: readonly GameEntry[]): void {
    const known = this.game.value?.version ?? -1;
    if (game.version < known) return;
    const fresh = entries.filter((entry) => entry.version > known);
    if (fresh.length) this.log.value = fresh.reduce(followed, this.log.value);
    this.#show(game, views, fresh);
    if (this.log.value.length !== game.ply) void this.#catchUp().catch(() => undefined);
  }

  /** Show a state. If it is shown already, its views are kept, so that they do not count as changed. */
  #show(game: Game, views: GameView[], fresh: readonly GameEntry[] = []): void {
    const { game: known, views: shown, before } = this.state.value;
    const still = game.version === known?.version;
    if (!still) this.declined.value = declinedIn(known, game, fresh);
    const same = still && seatsOf(views) === seatsOf(shown);
    if (!still) this.#closeRound(views);
    this.#heard = Math.max(this.#heard, game.version);
    this.state.value = { game, views: same ? shown : views, before: still ? before : shown };
  }

  /** Show the card of a round once a state of the next one comes. */
  #closeRound(views: readonly GameView[]): void {
    const log = this.log.value.map(({ what }) => (what.case === "applied" ? what.value : undefined));
    const seats = this.game.value?.seats.length ?? 0;
    const last = { log, seats, own: this.mine.value[0], views: this.state.value.views, ply: this.game.value?.ply };
    this.round.end(this.view.value?.position, views[0]?.position, last);
  }

  // -- actions --------------------------------------------------------------------------------------

  readonly #taken = (answer: { game?: Game | undefined; views: GameView[]; entries: GameEntry[] }): void => {
    if (!answer.game || answer.game.version <= (this.game.value?.version ?? -1)) return; // the stream was faster
    this.pace.skip();
    this.#take(answer.game, answer.views, answer.entries);
    if (!this.round.over.value) this.pace.rest();
  };

  readonly #common = () => ({ gameId: this.id, tokens: this.tokens, version: this.game.value?.version ?? 0 });

  /** Play an action in the displayed position, and more directly after it; ignored while another call is in progress. */
  async play(action: string, thenActions: string[] = []): Promise<boolean> {
    if (this.busy.value) return false;
    const last = this.entryAt(this.log.value.length);
    return this.#calls.make(() => {
      if (this.entryAt(this.log.value.length) !== last) return undefined;
      const asked = { ...this.#common(), action, thenActions };
      return (limit) => games.playAction(asked, limit);
    }, this.#taken);
  }

  /** Take back my last action, even one that is still being sent, whatever others do meanwhile. */
  async takeBack(): Promise<boolean> {
    if (this.takingBack.value) return false;
    this.takingBack.value = true;
    let mine: { ply: number; version: number | undefined } | undefined;
    const prepare = () => {
      mine ??= { ply: this.lastMine.value, version: this.entryAt(this.lastMine.value) };
      const there = mine.version !== undefined && this.entryAt(mine.ply) === mine.version;
      return there ? this.#takingBack(mine.ply - 1) : undefined;
    };
    return this.#calls.make(prepare, this.#taken).finally(() => {
      this.takingBack.value = false;
    });
  }

  /** Enter what one of my seats has been shown at the table, by the text of the outcome. */
  say(seat: number, outcome: string): Promise<boolean> {
    return this.#calls.make(() => {
      const meant = this.viewOf(seat)?.privateOutcomes.some(({ text }) => text === outcome);
      const asked = { ...this.#common(), seat, outcome };
      return meant ? (limit) => games.setPrivateOutcome(asked, limit) : undefined;
    }, this.#taken);
  }

  /** Say something to the others, from the seat to decide if it is mine, else from my first one. */
  async sendPhrase(phrase: Phrase): Promise<void> {
    const seat = this.myTurn.value ? this.turn.value : this.mine.value[0];
    try {
      await games.sendPhrase({ gameId: this.id, tokens: this.tokens, phrase, ...(seat === undefined ? {} : { seat }) });
      this.refused.value = "";
    } catch (error) {
      this.refused.value = wordsOf(error);
    }
  }

  /** Agree to the proposed take-back, or decline it; ignored while another call is in progress. */
  async answer(ply: number, decline = false): Promise<boolean> {
    if (this.busy.value) return false;
    return this.#calls.make(
      () => (this.game.value?.takeBack?.ply === ply ? this.#takingBack(ply, decline) : undefined),
      this.#taken,
    );
  }

  #takingBack(ply: number, decline = false) {
    const asked = { ...this.#common(), ply, decline };
    return (limit: Limit) => games.takeBack(asked, limit);
  }

  #mayTakeBack(): boolean {
    const game = this.game.value;
    if (!game || game.end || game.options?.takeBacks === TakeBacks.NEVER || !this.mine.value.length) return false;
    return this.lastMine.value > 0 || this.busy.value;
  }

  #revealed(): boolean {
    const { takeBacks, table } = this.game.value?.options ?? {};
    return takeBacks !== TakeBacks.ALL && !table && isRevealed(this.log.value, this.lastMine.value);
  }

  #isMine(entry: GameEntry): boolean {
    const seat = entry.what.case === "applied" ? seatOf(entry.what.value.turn) : undefined;
    return seat !== undefined && this.mine.value.includes(seat);
  }

  /** The version of the entry that led to a ply, which identifies it. */
  entryAt(ply: number): number | undefined {
    return this.log.value[ply - 1]?.version;
  }

  /** Let a bot take over a seat, or its person take it back, unless somebody else has just sat down. */
  setSeat(seat: number, kind: SeatKind, bot: { level?: number; character?: string } = {}): Promise<boolean> {
    const plan = { kind, ...(kind === SeatKind.BOT ? { bot } : {}) };
    const asked = { ...this.#common(), seat, plan };
    let wanted = true; // only as long as the seat is as the user saw it
    const prepare = () => {
      if (!wanted) return undefined;
      wanted = false;
      return (limit: Limit) => games.setSeat(asked, limit);
    };
    return this.#calls.make(prepare, () => this.#seen());
  }

  /** End the game, or resign: of my seats, for the one that is to decide now, else for the first of a person. */
  end(reason: number): Promise<boolean> {
    const seats = this.game.value?.seats ?? [];
    const own = this.mine.value.filter((seat) => seats[seat]?.kind === SeatKind.PERSON);
    const seat = own.find((one) => one === this.turn.value) ?? own[0];
    const asked = { gameId: this.id, tokens: this.tokens, reason, ...(seat === undefined ? {} : { seat }) };
    return this.#calls.make(
      () => (limit) => games.endGame(asked, limit),
      () => this.#seen(),
    );
  }

  /** Take an open seat. */
  join(seat: number | undefined, name: string): Promise<boolean> {
    const asked = { gameId: this.id, name, requestId: requestName(), ...(seat === undefined ? {} : { seat }) };
    return this.#calls.make(
      () => (limit) => games.joinGame(asked, limit),
      (answer) => {
        const token = answer.seatToken;
        if (token) this.addKeys({ seats: { [token.seat]: token.token } });
      },
    );
  }
}
