#!/usr/bin/env bash
# boardgame.io 0.50.2 (npm; Node 20 and later): its MCTS bot knows what `playerView` hides, and foresees dice.
#
# Expected: a bot that plays a seat decides by what `playerView` shows to that seat, and its simulations draw their own
# dice, so that a bet which wins with probability 1/6 against a certain draw is never taken.
# Seen: `Local({ bots })` gives bots the whole state, and `MCTSBot` simulates with the game's reducer, whose random plugin
# continues the game's own generator. In 60 games the bot bets in exactly those whose next die wins; in 30 games it opens
# the one box of six that holds a hidden coin.
#
#   bets won 10, lost 0, not taken 50
#   coins found 30 of 30
#
# For Clerestory, whose search gets a position as its seat sees it, see docs/protocol.md, and tests/laws.py. Fails if
# the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund boardgame.io@0.50.2
cat > bots.cjs <<'JAVASCRIPT'
const { Client } = require("boardgame.io/client");
const { Local } = require("boardgame.io/multiplayer");
const { MCTSBot, Step } = require("boardgame.io/ai");

const endIf = ({ G }) => G.result && (G.result === "draw" ? { draw: true } : { winner: G.result });
const tally = results => result => results.filter(one => one === result).length;

// One decision: a draw, or a die that wins with a six.
const bet = {
  setup: () => ({ result: null }),
  moves: {
    draw: ({ G }) => void (G.result = "draw"),
    roll: ({ G, random }) => void (G.result = random.Die(6) === 6 ? "0" : "1"),
  },
  endIf,
  ai: { enumerate: () => [{ move: "draw" }, { move: "roll" }] },
};

async function betting(seed) {
  const client = Client({ game: { ...bet, seed }, numPlayers: 2, debug: false });
  client.start();
  await Step(client, new MCTSBot({ game: bet, enumerate: bet.ai.enumerate, iterations: 200, seed: "bot" }));
  return client.getState().G.result;
}

// Player 1 opens one of six boxes, or settles for a draw; the box with the coin is in no player's view.
const boxes = [1, 2, 3, 4, 5, 6];
const search = {
  setup: ({ random }) => ({ coin: random.Die(6), result: null }),
  playerView: ({ G }) => ({ result: G.result }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    begin: () => undefined,
    open: ({ G }, box) => void (G.coin && (G.result = box === G.coin ? "1" : "0")),
    settle: ({ G }) => void (G.result = "draw"),
  },
  endIf,
  ai: {
    enumerate: (_, { currentPlayer }) =>
      currentPlayer === "0"
        ? [{ move: "begin" }]
        : [{ move: "settle" }, ...boxes.map(box => ({ move: "open", args: [box] }))],
  },
};

class Bot extends MCTSBot {
  constructor(options) {
    super({ ...options, iterations: 300, seed: "bot" });
  }
}

async function searching(seed) {
  const options = { playerID: "0", matchID: seed, numPlayers: 2, debug: false };
  const client = Client({ ...options, game: { ...search, seed }, multiplayer: Local({ bots: { 1: Bot } }) });
  client.start();
  client.moves.begin();
  await new Promise(done => client.subscribe(state => state?.ctx.gameover && done()));
  client.stop();
  return client.getState().G.result;
}

async function all(play, count) {
  const results = [];
  for (let seed = 0; seed < count; seed++) results.push(await play(String(seed)));
  return tally(results);
}

(async () => {
  const bets = await all(betting, 60);
  console.log(`bets won ${bets("0")}, lost ${bets("1")}, not taken ${bets("draw")}`);
  const coins = await all(searching, 30);
  console.log(`coins found ${coins("1")} of 30`);
  const unchanged = bets("0") === 10 && bets("1") === 0 && coins("1") === 30;
  if (!unchanged) console.error("the behaviour has changed");
  process.exit(unchanged ? 0 : 1);
})();
JAVASCRIPT
node bots.cjs
