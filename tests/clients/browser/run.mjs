// Runs one of the functions of checks.mjs on the JSON in a file, and prints what it returns: node run.mjs ENGINE CHECK FILE

import { readFileSync } from "node:fs";
import * as checks from "./checks.mjs";

const [address, check, file] = process.argv.slice(2);
const { Engine, ...errors } = await import(address);
const engines = {};
for (const game of ["cathedral", "duel"]) engines[game] = await Engine.load(game);
const found = await checks[check](engines, JSON.parse(readFileSync(file, "utf8")), { Engine, ...errors });
for (const engine of Object.values(engines)) engine.close();
console.log(JSON.stringify(found));
