// The labels of actions, which the service gives in the language that the page asks for.

import { computed } from "@preact/signals";
import type { Line, PlannedUse } from "../gen/clerestory/v1/advisor_pb.ts";
import { patternsOf, say } from "./texts.ts";

interface Labelled {
  label: string;
}

/** What the service adds to the names of cards that repeat from round to round. */
const rounds = computed(() =>
  patternsOf("of_round").map((pattern) => {
    const [added = ""] = pattern.split("{card}").slice(1);
    const literal = added.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
    return new RegExp(literal.replace("{round}", "\\d+"), "g");
  }),
);

/** The label of an action, without the round, which readers know. */
export const labelOf = (action: Labelled | undefined): string =>
  rounds.value.reduce((label, added) => label.replaceAll(added, ""), action?.label ?? "");

/** The label of one of several actions: with the rounds of its cards if another one is called the same without. */
export function labelAmong(action: Labelled | undefined, others: readonly (Labelled | undefined)[]): string {
  const short = labelOf(action);
  const alike = others.some((one) => one?.label !== action?.label && labelOf(one) === short);
  return alike ? (action?.label ?? "") : short;
}

/** What a line begins with, in words: its plan, or its action among those of all lines. */
export const beginningOf = ({ action, plan }: Line, lines: readonly Line[]): string =>
  planOf(plan) ||
  labelAmong(
    action,
    lines.map((line) => line.action),
  );

/** A plan of conversions or discards in words, with their numbers; empty for none. */
export const planOf = (uses: readonly PlannedUse[]): string => uses.map(({ label }) => label).join(say("between"));
