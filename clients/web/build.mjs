// Bundles the page into a folder: an index.html whose script and style sheets have a hash of their content in their names.
//
//   node build.mjs FOLDER [--watch]

import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { context } from "esbuild";

const [folder = "dist", watching] = process.argv.slice(2);
const assets = join(folder, "assets");

const index = {
  name: "index",
  setup(build) {
    build.onEnd(async (result) => {
      if (result.errors.length) return;
      const paths = Object.keys(result.metafile.outputs);
      await Promise.all(paths.filter((path) => path.endsWith(".js")).map(insist));
      const names = paths.map((path) => basename(path));
      const html = await readFile("src/index.html", "utf8");
      const named = html.replace(/(main|screens)\.(js|css)/g, (_, name, ending) =>
        names.find((one) => one.startsWith(`${name}-`) && one.endsWith(`.${ending}`)),
      );
      await writeFile(join(folder, "index.html"), named);
      await cp("src/icon.svg", join(folder, "icon.svg"));
    });
  },
};

/** Let a script ask again for what it imports, as src/service/files.ts does: browsers remember an import that has failed. */
async function insist(path) {
  const script = await readFile(path, "utf8");
  await writeFile(path, script.replace(/\bimport(\("\.\/[\w-]+\.js"\))/g, "globalThis.importFile$1"));
}

await rm(folder, { recursive: true, force: true });
await mkdir(assets, { recursive: true });
const bundle = await context({
  entryPoints: ["src/main.tsx", "src/screens.css"],
  outdir: assets,
  bundle: true,
  splitting: true,
  format: "esm",
  charset: "utf8",
  target: "es2022",
  minify: !watching,
  jsx: "automatic",
  jsxImportSource: "preact",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  metafile: true,
  legalComments: "none",
  plugins: [index],
  logLevel: "warning",
});
if (watching) await bundle.watch();
else {
  await bundle.rebuild();
  await bundle.dispose();
}
