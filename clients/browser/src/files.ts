// The files of the package beside this one: fetched in browsers, read in Node.

import type { Parts } from "./core.ts";
import type { GameData } from "./data.ts";
import { BadOption, EngineError, quoted } from "./errors.ts";

interface Files {
  readonly module: () => URL;
  /** The binary files, by learned value. */
  readonly contents: Readonly<Record<string, () => URL>>;
  readonly data: () => Promise<{ default: unknown }>;
}

// Each address is written out, so that bundlers find the files.
const GAMES: Record<string, Files> = {
  cathedral: {
    module: () => new URL("./cathedral.wasm", import.meta.url),
    contents: {
      "net-2": () => new URL("./cathedral-2.bin", import.meta.url),
      "net-3": () => new URL("./cathedral-3.bin", import.meta.url),
      "net-4": () => new URL("./cathedral-4.bin", import.meta.url),
    },
    // @ts-expect-error: written by the build
    data: () => import("./cathedral.js"),
  },
  duel: {
    module: () => new URL("./duel.wasm", import.meta.url),
    contents: { net: () => new URL("./duel.bin", import.meta.url) },
    // @ts-expect-error: written by the build
    data: () => import("./duel.js"),
  },
};
const NODE_FILES: string = "node:fs/promises"; // not written where it is imported: bundlers would look for it

/** Load what a game needs. Throws BadOption for an unknown game. */
export async function loadParts(name: string): Promise<Parts> {
  const game = Object.hasOwn(GAMES, name) ? GAMES[name] : undefined;
  if (game === undefined) {
    throw new BadOption("game", `${quoted(name)} is not one of ${Object.keys(GAMES).join(", ")}`);
  }
  const compiled = read(game.module()).then((bytes) => WebAssembly.compile(bytes));
  const loaded = Object.entries(game.contents).map(async ([value, address]) => [value, await read(address())] as const);
  const [module, contents, data] = await Promise.all([compiled, Promise.all(loaded), game.data()]);
  return { module, data: data.default as GameData, contents: Object.fromEntries(contents) };
}

async function read(address: URL): Promise<Uint8Array<ArrayBuffer>> {
  if (address.protocol === "file:") {
    const { readFile } = await import(NODE_FILES);
    return new Uint8Array(await readFile(address));
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new EngineError(`${address}: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}
