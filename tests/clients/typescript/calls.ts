// Errors, deadlines and streams, at a real server; prints what the test looks at as JSON.
import { bot, CallError, Client, milliseconds, open, person } from "@clerestory/client";

declare const process: { argv: [string, string, string] };
const address = process.argv[2];
const client = new Client(address, { language: "de", slack: 120_000 });

async function failure(call: () => Promise<unknown>): Promise<CallError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
  throw new Error("the call did not fail");
}

const wrong = await failure(() => client.createGame("chess", [person()]));
const game = await client.createGame("toy", [person(), person()]);
await game.look();
const old = client.openGame(game.gameId, game.keys);
await old.look();
await game.play(game.seen?.actions[0] ?? "");
const stale = await failure(() => old.play(old.seen?.actions[1] ?? ""));
const stranger = await failure(() => client.openGame(game.gameId, { tokens: { 0: "x".repeat(40) } }).look());
const position = old.seen?.view?.position;
const endless = { question: { position, timeBudget: milliseconds(600_000) }, updateInterval: milliseconds(20) };

const tables: number[] = [];
for await (const { sequence } of client.advisor.analyze(endless)) {
  tables.push(sequence);
  if (tables.length === 3) break; // which ends the search: there is one worker, and the next call needs it
}
const { best } = await client.advisor.recommendMove({ position, timeBudget: milliseconds(20) });

const stop = new AbortController();
const aborted = await failure(async () => {
  for await (const _ of client.advisor.analyze(endless, { signal: stop.signal })) stop.abort();
});
const late = await failure(async () => {
  for await (const _ of client.advisor.analyze(endless, { timeoutMs: 1 }));
});
const trio = await client.createGame("toy", [person(), person(), person()]);
const hook = "http://127.0.0.1:9/";
const secrets = [await trio.addWebhook(hook), await trio.addWebhook(hook, 0), await trio.addWebhook(hook, 1)];
await trio.removeWebhook(hook, 1);
const hooked = [await trio.hasWebhook(hook), await trio.hasWebhook(hook, 1)];
const misplaced = await failure(() => trio.addWebhook("ftp://127.0.0.1:9/"));
for (const _ of [1, 2]) await trio.resign(1);
const resigned = (await trio.look()).game.seats.map((seat) => seat.bot !== undefined);
const lost = { ...trio.keys.tokens };
await trio.setSeat(2, open());
trio.keys.tokens = lost; // as if the answer had not come, and the call were made again
await trio.setSeat(2, open());
const opened = [Object.keys(trio.keys.tokens ?? {}), (await trio.look()).game.seats[2]?.kind];
const overtaken = await failure(() => trio.setSeat(2, bot(), 0)); // as if a guest had sat down meanwhile
await client.joinGame(trio.gameId, "Eve", 2);
await trio.setSeat(0, person("Ann")); // whose answer is not a look at the other seat
const seated = await failure(() => trio.setSeat(2, bot()));
const limits: (string | null)[] = [];
const unsent: typeof fetch = (_, init) => {
  limits.push(new Headers(init?.headers).get("connect-timeout-ms"));
  return Promise.reject(new TypeError("not sent"));
};
const { annotation } = new Client(address, { retries: false, fetch: unsent });
const times = { timeBudget: milliseconds(60_000) };
for (const asked of [times, { ...times, deepBudget: milliseconds(10_000) }, { iterations: 50 }])
  await failure(async () => {
    for await (const _ of annotation.annotateGame(asked));
  });
const odd = milliseconds(1000 / 3);
const { advisor } = new Client(address, { retries: false, fetch: unsent });
for (const timeBudget of [odd, { seconds: 1n, nanos: 1 }])
  await failure(() => advisor.recommendMove({ position, timeBudget }));
for (const timeoutMs of [1500.5, Number.POSITIVE_INFINITY])
  await failure(() => advisor.recommendMove({ position }, { timeoutMs }));
const { rules } = new Client(address, { fetch: unsent });
const unfit = [];
for (const call of [
  () => rules.startPosition({ game: "toy", seats: -1 }),
  () => rules.startPosition({ game: "toy", seats: 1.5, seed: -1n }),
  () => client.openGame(game.gameId, game.keys).look(-1),
  () => advisor.recommendMove({ position, timeBudget: "1s" as unknown as object }),
  () => advisor.analyze({ question: { position, level: -1 } })[Symbol.asyncIterator]().next(),
]) {
  const { kind, violations } = await failure(call);
  unfit.push([kind, violations[0]?.field, violations[0]?.description]);
}
const uncallable = [];
for (const options of [{ timeoutMs: Number.NaN }, { timeoutMs: -1 }, { signal: 5 as never }]) {
  const calls = [() => rules.listGames({}, options), () => advisor.analyze({}, options)[Symbol.asyncIterator]().next()];
  for (const call of calls) uncallable.push((await failure(call)).violations[0]?.field);
}
const unusable = [
  () => milliseconds("1s" as unknown as number),
  () => new Client("localhost:8080"),
  () => new Client("http://ann:secret@127.0.0.1"),
  () => new Client("grpc://127.0.0.1:50051"),
  () => new Client(address, { token: "two\nlines" }),
  () => new Client(address, { slack: Number.NaN }),
  () => new Client(address, { language: "日本" }),
  () => new Client(address, { fetch: {} as never }),
].map((make) => {
  try {
    return String(make());
  } catch (error) {
    return String(error);
  }
});
const leave = new AbortController();
const left = await failure(async () => {
  const gone = new Client("http://127.0.0.1:1", { retries: false }).openGame(game.gameId, game.keys);
  for await (const _ of gone.watch(leave.signal, () => setTimeout(() => leave.abort("left"), 20)));
});
const nowhere = await failure(() => new Client("http://127.0.0.1:1", { retries: false }).rules.listGames({}));

console.log(
  JSON.stringify({
    wrong: [wrong.kind, wrong.reason, wrong.violations.length > 0, wrong.told?.locale],
    stale: [stale.kind, stale.reason, Number(stale.metadata["version"]) === game.seen?.game.version, stale.violations[0]?.field],
    stranger: [stranger.kind, stranger.reason, stranger.violations[0]?.field],
    tables: tables.length,
    best: Boolean(best),
    aborted: aborted.kind,
    late: late.kind,
    left: left.kind,
    resigned,
    opened,
    overtaken: [overtaken.reason, overtaken.violations[0]?.field],
    seated: seated.reason,
    hooked,
    webhooks: [secrets[0]?.length, secrets[0] === secrets[1], secrets[0] === secrets[2], misplaced.reason],
    limits,
    unfit,
    uncallable,
    unusable,
    odd: [Number(odd.seconds), odd.nanos],
    nowhere: [nowhere.kind, nowhere.passing, nowhere.message],
  }),
);
