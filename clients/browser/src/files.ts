// The files of the package beside this one: fetched in browsers, read in Node.

import type { Parts } from "./core.ts";
import type { GameData } from "./data.ts";
import { BadOption, EngineError, quoted } from "./errors.ts";

// Each address is written out, so that bundlers find the files.
const GAMES: Record<string, { content: () => URL; data: () => Promise<{ default: unknown }> }> = {
  cathedral: {
    content: () => new URL("./cathedral.bin", import.meta.url),
    // @ts-expect-error: written by the build
    data: () => import("./cathedral.js"),
  },
  duel: {
    content: () => new URL("./duel.bin", import.meta.url),
    // @ts-expect-error: written by the build
    data: () => import("./duel.js"),
  },
};
const NODE_FILES: string = "node:fs/promises"; // not written where it is imported: bundlers would look for it

let compiled: Promise<WebAssembly.Module> | undefined;

/** Load what a game needs; the module is compiled once. Throws BadOption for an unknown game. */
export async function loadParts(name: string): Promise<Parts> {
  const game = Object.hasOwn(GAMES, name) ? GAMES[name] : undefined;
  if (game === undefined) {
    throw new BadOption("game", `${quoted(name)} is not one of ${Object.keys(GAMES).join(", ")}`);
  }
  compiled ??= read(new URL("./engine.wasm", import.meta.url)).then((bytes) => WebAssembly.compile(bytes));
  const [module, content, data] = await Promise.all([compiled, read(game.content()), game.data()]);
  return { module, data: data.default as GameData, content: new Uint8Array(content) };
}

async function read(address: URL): Promise<ArrayBuffer> {
  if (address.protocol === "file:") {
    const { readFile } = await import(NODE_FILES);
    return new Uint8Array(await readFile(address)).buffer;
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new EngineError(`${address}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}
