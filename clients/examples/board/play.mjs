// A game with hints of the engine in this browser, or of a server that allows this page: ?server=http://127.0.0.1:8080
import "@clerestory/board";
import { JsonClient } from "@clerestory/client/json";
import { Engine } from "@clerestory/engine";

async function inBrowser() {
  const engine = await Engine.load("duel");
  const now = engine.newGame({ seats: 2 });
  const seen = () => now.observe(Math.max(now.turn, 0)); // by the seat to move; by the first one at the end
  const look = () => ({ seat: now.turn, position: seen(), actions: now.legalActions() });
  const ask = async () => (await engine.recommend(now, { timeMs: 500 })).lines;
  return { look, ask, play: (text) => now.play(text) };
}

async function onServer(address) {
  const { advisor, rules } = new JsonClient(address);
  let position = { referee: (await rules.startPosition({ game: "duel", seats: 2 })).referee };
  const play = async (...actions) => ({ position } = await rules.applyActions({ position, actions, draw: true }));
  const look = async () => {
    const { turn, actions = [] } = await rules.listActions({ position });
    const seat = turn.seat ?? 0;
    return { seat, actions, ...(await rules.observePosition({ ...position, seat })) };
  };
  await play(); // the chance events of the opening
  return { look, play, ask: async (seen) => (await advisor.recommendMove({ position: seen, timeBudget: "0.5s" })).lines };
}

const board = document.querySelector("clerestory-board");
const server = new URLSearchParams(location.search).get("server");
const game = await (server ? onServer(server) : inBrowser());

async function show() {
  const { position, seat, actions } = await game.look();
  Object.assign(board, { previous: board.position, position, viewer: seat, actions, hints: [] });
  const lines = actions.length ? await game.ask(position) : [];
  const hints = lines.slice(0, 3).map(({ action, winShares }) => ({ action: action.text ?? action, share: winShares[seat] }));
  if (board.position === position) board.hints = hints; // unless something was played in the meantime
}
board.addEventListener("action", ({ detail }) => Promise.resolve(game.play(detail)).then(show));
await show();
