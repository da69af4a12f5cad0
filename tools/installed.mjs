// Plays with the installed npm packages: a game of the engine alone, and one on the server at CLERESTORY_URL.
import { Client, person } from "@clerestory/client";
import { Engine } from "@clerestory/engine";

const engine = await Engine.load("duel");
const position = engine.newGame({ seats: 2, seed: 7 });
let plies = 0;
for (; !position.over; plies++) position.play((await engine.recommend(position, { iterations: 50, seed: 1 })).best);
engine.close();
console.log(`with the engine in Node: a game of ${plies} decisions`);

const game = await new Client(process.env.CLERESTORY_URL).createGame("duel", [person(), person()]);
let seen = await game.look();
while (seen.actions.length) seen = await game.play(seen.actions[0]);
console.log(`with the client in Node: a game of ${seen.game.ply} plies`);
