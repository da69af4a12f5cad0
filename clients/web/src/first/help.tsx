// The help in the first games: an explanation of each decision, and the loss of a move.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { filledIn, planned } from "../game/plan.ts";
import { FILES } from "../gen/table.ts";
import { capital, knows, learn, say, sayAny } from "../language/texts.ts";
import { useCatalogue } from "../service/catalogues.ts";
import { factFor } from "./facts.ts";
import { type Helped, objects } from "./index.tsx";
import { type Loss, Losses } from "./losses.ts";
import { asked, explained, explains, isExplained, wish } from "./wishes.ts";

/** Load the texts. */
export const load = (): Promise<void> => learn(FILES);

export default function Help(props: Helped) {
  return (
    <>
      <Costly {...props} />
      <Explanation {...props} />
    </>
  );
}

/** What a decision is about, when it first comes; before the very first one, what the game is about. */
function Explanation({ game, step }: Helped) {
  const decision = `first.${game}.${step}`;
  const goal = `first.${game}.goal`;
  const wanted = explains.value && knows(decision) && !isExplained(decision);
  const first = useMemo(() => !isExplained(goal), [decision]);
  const said = useRef("");
  const done = () => {
    explained(goal);
    explained(said.current);
  };
  useEffect(() => {
    if (said.current) done(); // mark it as explained after a decision, but not after leaving
    said.current = wanted ? decision : "";
  }, [decision, wanted]);
  if (!wanted) return null;
  return (
    <Notice
      words={first ? `${sayAny(goal as never)} ${sayAny(decision as never)}` : sayAny(decision as never)}
      label={say("first")}
    >
      <button type="button" onClick={done}>
        {say("first.done")}
      </button>
      <button type="button" class="plain" onClick={() => wish({ explain: false })}>
        {say("first.never")}
      </button>
    </Notice>
  );
}

const LEAST = { off: Number.POSITIVE_INFINITY, large: 0.1, all: 0.02 }; // share of a win that a move must lose before a confirmation
const LEAST_POINTS = 0.5; // fewer say less than the won games
const TWICE = 350; // milliseconds within which a second press was none

interface Asking {
  actions: readonly string[];
  loss: Loss;
  since: number;
}

/** The question about a costly move: once for each, and a second press plays it. */
function Costly({ game, question, onPlay }: Helped) {
  const catalogue = useCatalogue(game);
  const asking = useSignal<Asking | undefined>(undefined);
  const reason = useSignal("");
  const losses = useLosses(asked.value === "off" ? undefined : question);
  const explain = async (now: Asking) => {
    const tell = (words: string) => {
      if (asking.value === now) reason.value = words;
    };
    await losses?.explain(now.actions, tell).catch(() => undefined);
    const [better = "", other = ""] = [now.loss.instead[0], now.actions[0]];
    if (!reason.value && question) tell(factFor(better, other, question.position, catalogue));
  };
  useEffect(() => {
    asking.value = undefined;
    const known = new Map<string, Asking>();
    objects.value = (actions) => {
      if (actions.join() === filledIn.value.join()) return false; // the page's own advice
      const again = known.get(actions.join());
      if (again) return performance.now() - again.since < TWICE;
      const loss = losses?.of(actions);
      if (!loss || loss.share < LEAST[asked.value]) return false;
      asking.value = { actions, loss, since: performance.now() };
      reason.value = "";
      void explain(asking.value);
      known.set(actions.join(), asking.value);
      return true;
    };
    return () => {
      objects.value = () => false;
    };
  }, [losses, catalogue]);
  const now = asking.value;
  if (!now || isOutdated(now)) return null;
  const close = () => {
    asking.value = undefined;
  };
  return (
    <Notice words={told(now.loss, reason.value)} label={say("first.costly")} urgent>
      <button type="button" onClick={() => onPlay(now.actions)}>
        {say("first.play")}
      </button>
      <button type="button" class="instead" onClick={() => onPlay(now.loss.instead)}>
        {say("first.instead", { better: now.loss.better })}
      </button>
      <button type="button" onClick={close}>
        {say("first.other")}
      </button>
    </Notice>
  );
}

/** Whether another plan has been made since a question. */
const isOutdated = ({ actions }: Asking) => planned.value.length > 0 && planned.value.join() !== actions.join();

/** The known losses of the moves in a position, and of the plan in progress. */
function useLosses(question: Helped["question"]): Losses | undefined {
  const losses = useMemo(
    () => (question ? new Losses(question) : undefined),
    [question?.position, question?.seat, question?.observer?.seat],
  );
  useEffect(() => () => losses?.stop(), [losses]);
  const plan = planned.value;
  useEffect(() => {
    const timer = setTimeout(() => void losses?.weigh(plan).catch(() => undefined), TWICE);
    return () => clearTimeout(timer);
  }, [losses, plan]);
  return losses;
}

/** The better move, by how much, and why, once that is known. */
function told({ share, points, better: label }: Loss, why: string): string {
  const count = Math.round(10 * points) / 10;
  const better = capital(label);
  const what =
    count >= LEAST_POINTS
      ? say("first.points", { better, count })
      : say("first.share", { better, count: Math.round(100 * share) });
  return why ? say("first.why", { what, why }) : `${what}.`;
}

interface NoticeProps {
  words: string;
  label: string;
  /** It is said at once. */
  urgent?: boolean;
  children: ComponentChildren;
}

function Notice({ words, label, urgent, children }: NoticeProps) {
  const box = useRef<HTMLDivElement>(null);
  useRoom(urgent ? undefined : box);
  return (
    <div ref={box} class={urgent ? "notice first asking" : "notice first"} role="group" aria-label={label}>
      <p role={urgent ? "alert" : "status"}>{words}</p>
      <p class="row">{children}</p>
    </div>
  );
}

const ROOM = "--note"; // the height of what lies at the foot of the side

/** Let what lies beside the actions end above a box at its foot. */
function useRoom(box: RefObject<HTMLElement> | undefined): void {
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const grown = new ResizeObserver(() => style.setProperty(ROOM, `${box?.current?.offsetHeight ?? 0}px`));
    if (box?.current) grown.observe(box.current);
    return () => {
      grown.disconnect();
      style.removeProperty(ROOM);
    };
  }, []);
}
