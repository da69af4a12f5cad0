// Plays a game against a bot by the Connect protocol, with @connectrpc/connect-node and just the .proto files:
//
//   node play.mjs http://127.0.0.1:8080 MESSAGES [GAME]        (a server with `--web 127.0.0.1:8080`)
//
// MESSAGES is made by: protoc -Iproto -Iproto/third_party --include_imports -o MESSAGES proto/clerestory/v1/*.proto
import { readFileSync } from "node:fs";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";

const [baseUrl, messages, game = "duel"] = process.argv.slice(2);
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(messages)));
const transport = createConnectTransport({ baseUrl, httpVersion: "1.1" });
const serviceOf = (name) => createClient(registry.getService(`clerestory.v1.${name}`), transport);
const [games, advisor] = ["GameService", "AdvisorService"].map(serviceOf);

const [PERSON, BOT] = [2, 3]; // of SeatKind
const made = await games.createGame({
  game,
  seats: [{ kind: PERSON }, { kind: BOT, bot: { level: 1 } }],
  requestId: crypto.randomUUID(),
});
const mine = { gameId: made.game.gameId, tokens: made.seatTokens.map((seat) => seat.token) };
for await (const seen of games.watchGame(mine)) {
  if (seen.game?.end) console.log("shares of the win:", seen.game.end.outcome.winShares.join(" to "));
  const [view] = seen.views;
  if (!view?.actions.length) continue; // over, somebody else's turn, or somebody came or left
  const { best } = await advisor.recommendMove({ position: view.position, timeBudget: { nanos: 50_000_000 } });
  console.log(best.label);
  await games.playAction({ ...mine, version: seen.game.version, action: best.text });
}
