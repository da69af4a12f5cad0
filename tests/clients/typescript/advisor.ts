// The small advisor of the default entry, at a real server; prints what the test looks at as JSON.
import { Advisor, JsonCallError } from "@clerestory/client";
import { Advisor as Alone } from "@clerestory/client/advisor";

declare const process: { argv: [string, string, string, string] };
const advisor = new Advisor(process.argv[2]);
const position = process.argv[3]; // the text of a position file

async function failure(call: () => Promise<unknown>): Promise<[string, string, string | undefined]> {
  try {
    await call();
  } catch (error) {
    if (error instanceof JsonCallError) return [error.kind, error.reason, error.violations[0]?.field];
    throw error;
  }
  throw new Error("the call did not fail");
}

const fixed = { iterations: 300, seed: 1n, maxLines: 2 };
const answers = [];
for (const one of [position, JSON.parse(position), { toJSON: () => JSON.parse(position) }])
  answers.push(await advisor.recommend(one, fixed));
const { best } = await advisor.client.advisor.recommendMove({
  position: JSON.parse(position),
  iterations: "300",
  seed: "1",
});
let tables = 0;
for await (const { sequence } of advisor.analyze(position, { timeMs: 600_000, everyMs: 20, observer: -1 }))
  if ((tables = sequence ?? 0) >= 3) break; // which ends the search: there is one worker, and the next call needs it
let last: { final?: boolean; iterations: string | undefined } | undefined;
for await (const { final = false, recommendation } of advisor.analyze(position, { ...fixed, maxBytes: 1 << 20 }))
  last = { final, iterations: recommendation?.statistics?.iterations };
const errors = [
  await failure(() => advisor.recommend("{", fixed)),
  await failure(() => advisor.recommend(position, { timeMs: Number.NaN })),
  await failure(() => advisor.recommend(position, { timeMs: -6000 })),
  await failure(() => advisor.recommend(position, { timeMs: 1e10 })),
  await failure(() => advisor.analyze(position, { ...fixed, everyMs: Number.POSITIVE_INFINITY }).next()),
  await failure(() => advisor.recommend(position, { timeMs: 0 })),
  await failure(() => advisor.recommend(position, { iterations: 10, maxBytes: 1 })),
  await failure(() => advisor.recommend(position, {})),
  await failure(() => advisor.recommend(position, undefined as never)),
  await failure(() => advisor.recommend(position, { ...fixed, level: Number.NaN })),
];
for (const observer of [Number.NaN, null as never, -2, 0.5])
  errors.push(await failure(() => advisor.analyze(position, { ...fixed, observer }).next()));
for (const call of [{ timeoutMs: Number.NaN }, { timeoutMs: -1 }, { timeoutMs: "5" as never }, { signal: null as never }])
  errors.push(await failure(() => advisor.recommend(position, fixed, call)));
const wrong = [{ everyMs: 1 }, { observer: 9 }, { maxBytes: 1 }];
errors.push(await failure(() => advisor.recommend(position, { ...fixed, considerActions: ["x"] })));
for (const one of wrong) errors.push(await failure(() => advisor.analyze(position, { ...fixed, ...one }).next()));
for (const timeoutMs of [1e10, Number.POSITIVE_INFINITY]) answers.push(await advisor.recommend(position, fixed, { timeoutMs }));
const bests = answers.map((one) => one.best?.text);
const lines = answers.map((one) => one.lines?.length);
console.log(JSON.stringify({ bests, lines, same: best?.text, tables, last, errors, alone: Alone === Advisor }));
