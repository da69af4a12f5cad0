// Bundles the page into a folder: an index.html whose script and style sheets have a hash of their content in their names.
//
//   node build.mjs FOLDER [--watch] [--offline]
//
// With --offline it is the page that plays without a server: any host can serve it, in any folder.

import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { context } from "esbuild";

const [folder = "dist", ...options] = process.argv.slice(2);
const [watching, offline] = ["--watch", "--offline"].map((option) => options.includes(option));
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
      const whole = offline ? await playing(html) : html;
      const named = whole.replace(/(main|screens|worker)\.(js|css)/g, (_, name, ending) =>
        names.find((one) => one.startsWith(`${name}-`) && one.endsWith(`.${ending}`)),
      );
      await writeFile(join(folder, "index.html"), named);
      await cp("src/icon.svg", join(folder, "icon.svg"));
    });
  },
};

/** The page that plays without a server: with its worker, and with addresses relative to its folder. */
async function playing(html) {
  const head = await readFile("src/offline/head.html", "utf8");
  return html.replace("<title>", `${head}<title>`).replaceAll('"/', '"./');
}

/** Let a script ask again for what it imports, as src/service/files.ts does: browsers remember an import that has failed. */
async function insist(path) {
  const script = await readFile(path, "utf8");
  await writeFile(path, script.replace(/\bimport(\("\.\/[\w-]+\.js"\))/g, "globalThis.importFile$1"));
}

/** The engine is beside the page, as its package has it. */
const engine = {
  name: "engine",
  setup(build) {
    build.onResolve({ filter: /^@clerestory\/engine$/ }, () => ({ path: "../engine/index.js", external: true }));
  },
};

await rm(folder, { recursive: true, force: true });
await mkdir(assets, { recursive: true });
const bundle = await context({
  entryPoints: ["src/main.tsx", "src/screens.css", ...(offline ? ["src/offline/worker.ts"] : [])],
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
  define: { OFFLINE: String(offline) },
  plugins: [index, engine],
  logLevel: "warning",
});
if (watching) await bundle.watch();
else {
  await bundle.rebuild();
  await bundle.dispose();
}
