// Several positions in one call, at a real server; prints what the test looks at as JSON.
import { Client } from "@clerestory/client";

declare const process: { argv: [string, string, string] };
const client = new Client(process.argv[2], { slack: 120_000 });
const { referee } = await client.rules.startPosition({ game: "duel", seats: 2, seed: 7n });
const { position } = await client.rules.observePosition(referee ? { referee, seat: 0 } : {});
const question = { position, iterations: 300n, seed: 1n, ...{ earlyStop: false } };

async function* queries() {
  for (const number of [0, 1, 2, 3]) {
    const wrong = number === 1 ? { considerActions: ["x"] } : {};
    yield { number, question: { ...question, ...wrong } };
  }
}

async function* broken() {
  yield { number: 0, question };
  throw new Error("no more");
}

const answers: [number, string][] = [];
let together = "";
for await (const { number, result } of client.advisor.batchRecommend(queries())) {
  const error = result.case === "error" ? result.value : undefined;
  answers.push([number, error ? `${error.reason} ${error.violations[0]?.field}` : ""]);
  if (result.case === "recommendation") together = result.value.lines.map((line) => `${line.visits}`).join();
}
const single = await client.advisor.recommendMove(question);
const alone = single.lines.map((line) => `${line.visits}`).join();
let left = 0;
for await (const _ of client.advisor.batchRecommend(queries())) if (++left) break;
let failure = "";
try {
  for await (const _ of client.advisor.batchRecommend(broken()));
} catch (error) {
  failure = (error as Error).message;
}
console.log(JSON.stringify({ answers, alone, together, left, broken: failure }));
