// Makes one call and one stream to a server that fails as instructed; prints the results.
import { CallError, Client } from "@clerestory/client";

declare const process: { argv: [string, string, string, string] };
const [, , address, retries] = process.argv;
const client = new Client(address, { slack: 60_000, retries: retries === "true" });
const pauses: unknown[] = [];
const later = globalThis.setTimeout;
globalThis.setTimeout = ((call: () => void, time: number) => {
  if (time < 300) pauses.push(time); // those of `fetch` and of the deadline are longer
  return later(call, time);
}) as typeof setTimeout;
Math.random = () => 0.75;
try {
  const { games } = await client.rules.listGames({});
  console.log(JSON.stringify({ games: games.length, pauses }));
} catch (error) {
  const { kind, reason, retryAfter } = CallError.from(error);
  console.log(JSON.stringify({ kind, reason, retryAfter }));
}
