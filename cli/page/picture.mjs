// A picture of a page: node cli/page/picture.mjs PAGE.html OUT.png [width] [height] [light|dark] [close]
// Run through scripts/picture-view, which installs what is needed.

import { pathToFileURL } from "node:url";
import { launch } from "./tests/browser.mjs";

const [page, out, width = "1280", height = "800", scheme = "light", close] = process.argv.slice(2);
const { browser, why } = await launch();
if (!browser) {
  console.error(why);
  process.exit(1);
}
const tab = await browser.newPage({ viewport: { width: Number(width), height: Number(height) }, colorScheme: scheme });
tab.setDefaultTimeout(300_000);
tab.on("console", (message) => console.log("console:", message.text()));
tab.on("pageerror", (error) => console.log("error:", error.message));
await tab.goto(pathToFileURL(page).href);
await tab.waitForSelector("html[data-ready]");
if (close === "close") await tab.keyboard.press("f");
if (close === "whole") await tab.keyboard.press("Escape");
await tab.waitForTimeout(500);
await tab.screenshot({ path: out, timeout: 300_000 });
await browser.close();
