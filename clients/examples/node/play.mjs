// Plays a game against a bot over gRPC, with @grpc/grpc-js and just the .proto files: node play.mjs TARGET [GAME]
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { credentials, loadPackageDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const ROOT = process.env.CLERESTORY_ROOT ?? fileURLToPath(new URL("../../..", import.meta.url));
const FILES = ["clerestory/v1/games.proto", "clerestory/v1/advisor.proto"];
const OPTIONS = { keepCase: true, longs: String, enums: String, includeDirs: [`${ROOT}/proto`, `${ROOT}/proto/third_party`] };
const { GameService, AdvisorService } = loadPackageDefinition(loadSync(FILES, OPTIONS)).clerestory.v1;

const [target, game = "duel"] = process.argv.slice(2);
const serviceOf = (Service) => new Service(target, credentials.createInsecure());
const [games, advisor] = [GameService, AdvisorService].map(serviceOf);
const unary = (client, method) => promisify(client[method]).bind(client);
const createGame = unary(games, "CreateGame");
const playAction = unary(games, "PlayAction");
const recommendMove = unary(advisor, "RecommendMove");

const made = await createGame({
  game,
  seats: [{ kind: "SEAT_KIND_PERSON" }, { kind: "SEAT_KIND_BOT", bot: { level: 1 } }],
  request_id: crypto.randomUUID(),
});
const mine = { game_id: made.game.game_id, tokens: made.seat_tokens.map((seat) => seat.token) };
for await (const { game: state, views } of games.WatchGame(mine)) {
  if (state?.end) console.log("shares of the win:", state.end.outcome.win_shares.join(" to "));
  const [view] = views ?? [];
  if (!view?.actions?.length) continue; // over, somebody else's turn, or somebody came or left
  const { best } = await recommendMove({ position: view.position, time_budget: { nanos: 50_000_000 } });
  console.log(best.label);
  await playAction({ ...mine, version: state.version, action: best.text });
}
games.close();
advisor.close();
