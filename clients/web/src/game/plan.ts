// The plan of a seat's conversions, or of what it discards: how often each is used, in any order. The service finds the
// order, and says what it brings.

import { computed, signal } from "@preact/signals";
import { browser, store, stored } from "../browser/storage.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { AnyPosition, LegalAction, PlanConversionsResponse } from "../gen/clerestory/v1/rules_pb.ts";
import { rules, wordsOf } from "../service/api.ts";
import { again, insist, mayPass } from "../service/insist.ts";
import { Series } from "../service/newest.ts";
import { inside } from "./inside.ts";

const PREFIX = "plan:";
const PLANNED = ["convert", "discard"];

/** The games in which the service was asked for a plan and plans nothing. */
const unplanned = new Set<string | undefined>();

/** The actions of the plan that is being made; none where none is. */
export const planned = signal<readonly string[]>([]);

/** Those of the plan that was filled in; none where none was. */
export const filledIn = signal<readonly string[]>([]);

/** Whether actions are planned rather than chosen one by one, as far as is known. */
export const isPlanned = (position: Position, actions: readonly LegalAction[]): boolean =>
  !unplanned.has(position.game.case) && actions.some((action) => PLANNED.includes(action.kind));

/** Keep a plan no longer, by the name of what is planned: it has been played. */
export const forget = (name: string): void => browser.remove(PREFIX + name);

export class Plan {
  readonly answer = signal<PlanConversionsResponse | undefined>(undefined);
  /** Why the service is asked again; empty if it is not. */
  readonly trouble = signal("");
  /** Why there is no plan at all; empty if there is. */
  readonly refused = signal("");
  readonly busy = signal(true);
  /** Why something cannot be used at all, by item: what must be held is not. */
  readonly idle = signal<ReadonlyMap<string, string>>(new Map());
  /** Whether the service plans here; without it, actions are chosen one by one. */
  readonly open = computed(() => !this.refused.value && this.answer.value?.possible.length !== 0);
  /** The planned number of uses of each item, before and after the answer of the service. */
  readonly uses = signal<Readonly<Record<string, number>>>({});
  readonly #position: AnyPosition;
  readonly #key: string;
  #own: boolean; // whether a person has chosen something in it
  readonly #calls = new Series();
  #closed = false;
  #answered: Promise<void>;

  /** A plan in a position, as a tab left it that had the same name for it. */
  constructor(position: AnyPosition, name: string) {
    this.#position = position;
    this.#key = PREFIX + name;
    this.uses.value = stored(this.#key, {});
    this.#own = browser.get(this.#key) !== null;
    this.#answered = this.#ask();
    void this.#askIdle();
  }

  /** The actions of all that is planned, also where the service is still to answer. */
  async actions(): Promise<string[]> {
    await this.#settled();
    if (this.#closed || this.refused.value) return [];
    return this.answer.value?.actions.map((action) => action.text) ?? [];
  }

  /** Wait until the service has answered the last question about the plan. */
  async #settled(): Promise<void> {
    do await this.#answered;
    while (this.busy.value);
  }

  /** Stop asking: the task has changed. */
  close(): void {
    this.#closed = true;
  }

  /** Begin with some uses, unless a person has already chosen some. */
  suggest(uses: Readonly<Record<string, number>>): void {
    if (this.#own || !Object.keys(uses).length) return;
    this.uses.value = uses;
    this.#answered = this.#ask(true);
  }

  /** Plan how often something is used. */
  set(item: string, times: number): void {
    this.#own = true;
    this.uses.value = { ...this.uses.value, [item]: times };
    store(this.#key, this.uses.value);
    this.#answered = this.#ask();
  }

  /** Plan what an action does, as far as it is one of this plan: `convert mason_1 2`, `discard wood`. */
  take({ kind, arguments: [item = "", times] }: LegalAction): boolean {
    if (!PLANNED.includes(kind)) return false;
    this.set(item, times === undefined ? (this.uses.value[item] ?? 0) + 1 : Number(times));
    return true;
  }

  async #ask(fills = false): Promise<void> {
    const newest = this.#calls.next();
    const wanted = () => newest() && !this.#closed;
    this.busy.value = true;
    try {
      const answer = await this.#plan(this.uses.value, wanted);
      if (!wanted()) return;
      if (this.#drop(answer)) return await this.#ask(fills);
      if (!answer.possible.length) unplanned.add(inside(this.#position)?.game.case);
      this.answer.value = answer;
      planned.value = answer.actions.map((action) => action.text);
      if (fills) filledIn.value = planned.value;
    } catch (error) {
      if (wanted()) this.refused.value = wordsOf(error);
    } finally {
      if (newest()) this.busy.value = false;
    }
  }

  /** Drop what cannot be used here, as another position had the same name; return whether there was any. */
  #drop({ faults }: PlanConversionsResponse): boolean {
    const unknown = new Set(faults.filter(({ code }) => code === "unknown").map(({ item }) => item));
    const left = Object.entries(this.uses.value).filter(([item]) => !unknown.has(item));
    const some = left.length < Object.keys(this.uses.value).length;
    if (some) this.uses.value = Object.fromEntries(left);
    return some;
  }

  /** Ask why things cannot be used at all. What must be held does not change while a plan is made, so once is enough. */
  async #askIdle(): Promise<void> {
    await this.#settled();
    const unused = this.answer.value?.possible.filter((one) => !one.most && !one.planned) ?? [];
    if (!unused.length || !unused.every((one) => one.kind === "convert")) return;
    const uses = Object.fromEntries(unused.map((one) => [one.item, 1]));
    const answer = await this.#plan(uses, () => !this.#closed).catch(() => undefined);
    const needs = answer?.faults.filter((fault) => fault.code === "needs") ?? [];
    this.idle.value = new Map(needs.map((fault) => [fault.item, fault.text]));
  }

  /** Ask what a plan brings until there is an answer, or it is wanted no longer. */
  #plan(planned: Readonly<Record<string, number>>, wanted: () => boolean): Promise<PlanConversionsResponse> {
    const uses = Object.entries(planned).map(([item, times]) => ({ item, times }));
    const ask = () => rules.planConversions({ position: this.#position, uses, finish: true });
    return insist(ask, { wanted, told: again(this.trouble), passes: mayPass });
  }
}
