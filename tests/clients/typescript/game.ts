// A whole game against a bot, through connections that may break; prints what the test looks at as JSON.
import { bot, Client, milliseconds, person, type Seen } from "@clerestory/client";

declare const process: { argv: [string, string, string] };
const client = new Client(process.argv[2], { slack: 120_000 });
const game = await client.createGame("toy", [person("Ann"), bot(1)], { playForced: true }, 7n);
const troubles: string[] = [];
const versions: number[] = [];
let moves = 0;
let last: Seen | undefined;
for await (const seen of game.watch(undefined, (error) => troubles.push(error.kind))) {
  last = seen;
  versions.push(seen.game.version);
  const [action] = seen.actions;
  const position = seen.view?.position;
  if (!action || !position) continue;
  const { best } = await client.advisor.recommendMove({ position, timeBudget: milliseconds(20) });
  await game.play(best?.text ?? action);
  moves += 1;
}
const again = client.openGame(game.gameId, game.keys);
const { entries } = await again.look(undefined, 1);
const forced = entries.filter((entry) => entry.playedOn || entry.what.case === "applied").length;
console.log(
  JSON.stringify({
    shares: last?.game.end?.outcome?.winShares,
    rising: versions.every((version, at) => at === 0 || version >= (versions[at - 1] ?? 0)),
    moves,
    forced,
    troubles,
    record: (await again.record()).split("\n").length,
  }),
);
