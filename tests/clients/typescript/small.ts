// The client without the protobuf library, at a real server; prints what the test looks at as JSON.
import { JsonCallError, JsonClient } from "@clerestory/client/json";

declare const process: { argv: [string, string, string] };
const client = new JsonClient(process.argv[2], { language: "de" });

async function failure(call: () => Promise<unknown>): Promise<JsonCallError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof JsonCallError) return error;
    throw error;
  }
  throw new Error("the call did not fail");
}

const person = { kind: "SEAT_KIND_PERSON" } as const;
const made = await client.games.createGame({ game: "toy", seats: [person, person], requestId: crypto.randomUUID() });
const keys = { gameId: made.game?.gameId ?? "", tokens: made.seatTokens?.map((one) => one.token ?? "") ?? [] };
let moves = 0;
let shares: unknown[] = [];
for await (const { game, views } of client.games.watchGame(keys)) {
  shares = game?.end?.outcome?.winShares ?? shares;
  const view = views?.find((one) => one.actions?.length);
  if (!view?.position) continue;
  const { best } = await client.advisor.recommendMove({ position: view.position, iterations: "50", seed: "1" });
  await client.games.playAction({ ...keys, version: game?.version ?? 0, action: best?.text ?? "" });
  moves++;
}
const { referee } = await client.rules.startPosition({ game: "duel", seats: 2, seed: "7" });
const { position } = await client.rules.observePosition(referee ? { referee, seat: 0 } : {});
const question = { ...(position && { position }), timeBudget: "600s" };
let tables = 0;
for await (const { sequence } of client.advisor.analyze({ question, updateInterval: "0.02s" }))
  if ((tables = sequence ?? 0) >= 3) break; // which ends the search: there is one worker, and the next call needs it
const wrong = await failure(() => client.advisor.recommendMove({ ...question, considerActions: ["x"] }));
const ended = await failure(() => client.advisor.recommendMove(question, { signal: AbortSignal.timeout(50) }));
const late = await failure(() => client.advisor.recommendMove(question, { timeoutMs: 1 }));
const nobody = new JsonClient("http://127.0.0.1:1");
const away = await failure(() => nobody.rules.listGames({}, { timeoutMs: 60_000 }));
const local = "http://127.0.0.1:8080";
const unusable = [
  () => new JsonClient("http://advice.example", { token: "x" }),
  () => new JsonClient("localhost:8080"),
  () => new JsonClient("http://ann:secret@127.0.0.1"),
  () => new JsonClient(`${local}?a=1`),
  () => new JsonClient(local, { token: "a\r\nsecret" }),
  () => new JsonClient(local, { language: "日本" }),
  () => new JsonClient(local, { fetch: "node-fetch" as never }),
].map((make) => {
  try {
    return `${make()}`;
  } catch (error) {
    return (error as Error).message;
  }
});
const same = (await Promise.resolve(client.advisor)) === client.advisor;
const errors = [wrong, ended, late, away].map(({ kind, reason, violations }) => [kind, reason, violations[0]?.field]);
console.log(JSON.stringify({ moves, shares, tables, errors, away: away.message, unusable, same }));
