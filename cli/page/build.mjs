// Bundles src/ and three.js into view.min.js, the script of the page. With --check it only tells whether that is up to date.
// Run through scripts/bundle-view, which installs what is needed.

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";

const folder = dirname(fileURLToPath(import.meta.url));
// Packages are installed elsewhere: the folder of sources stays as it is in the repository.
const packages = process.env.PATHPROOF_NODE_MODULES;
const esbuild = createRequire(join(packages, "esbuild", "package.json"))("esbuild");

const bundle = await esbuild.build({
  entryPoints: [join(folder, "src", "main.js")],
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome100", "firefox113", "safari16.4"],
  charset: "utf8",
  legalComments: "inline",
  nodePaths: [packages],
  write: false,
});
const text = bundle.outputFiles[0].text;
const file = join(folder, "view.min.js");
if (!process.argv.includes("--check")) {
  await writeFile(file, text);
} else if ((await readFile(file, "utf8")) !== text) {
  console.error("cli/page/view.min.js is not what its sources make: run scripts/bundle-view and commit it");
  process.exit(1);
}
