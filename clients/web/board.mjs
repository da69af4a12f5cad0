// Bundles <clerestory-board> into a folder, as a module that loads what it needs later from beside it.
//
//   node board.mjs FOLDER

import { build } from "esbuild";

const [folder] = process.argv.slice(2);
const both = {
  bundle: true,
  charset: "utf8",
  target: "es2022",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
};
const sheet = await build({ ...both, entryPoints: ["src/element/element.css"], write: false });

await build({
  ...both,
  entryPoints: { index: "src/element/index.tsx" },
  outdir: folder,
  splitting: true,
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  chunkNames: "[name]-[hash]",
  external: ["./*.catalogue.js"],
  define: { STYLE: JSON.stringify(sheet.outputFiles[0].text), OFFLINE: "false" },
});
