// Bundles the gallery of boards into a folder: a page for tests and pictures, not shipped.
//
//   node gallery.mjs FOLDER

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const [folder] = process.argv.slice(2);
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="gallery.css"><body></body><script src="gallery.js"></script></html>`;

await build({
  entryPoints: ["src/gallery.tsx"],
  outdir: folder,
  bundle: true,
  format: "iife",
  define: { "import.meta.url": "location.href", OFFLINE: "false" }, // scripts of one file have no address of their own
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
await writeFile(join(folder, "gallery.html"), page);
