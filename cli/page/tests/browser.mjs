// A headless Chromium for tests and pictures: the one that PATHPROOF_CHROMIUM names, one that is installed, or the one that
// npm has (Linux on x86-64 or ARM). `null`, and why, where there is none.

import { createRequire } from "node:module";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

const packages = process.env.PATHPROOF_NODE_MODULES;
const INSTALLED = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
// Software rendering, so that no machine needs a graphics card.
const FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars"];

function installed() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const file of folders.flatMap((folder) => INSTALLED.map((name) => join(folder, name)))) {
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The next one.
    }
  }
  return null;
}

async function unpacked() {
  const file = createRequire(join(packages, "x.js")).resolve("@sparticuz/chromium");
  const { default: chromium } = await import(pathToFileURL(file));
  return chromium.executablePath();
}

export async function launch(more = []) {
  const { chromium } = createRequire(join(packages, "x.js"))("playwright-core");
  const given = process.env.PATHPROOF_CHROMIUM ?? installed();
  try {
    const executablePath = given ?? (await unpacked());
    return { browser: await chromium.launch({ executablePath, args: [...FLAGS, ...more] }) };
  } catch (error) {
    return { browser: null, why: `no Chromium starts here: ${error.message.split("\n")[0]}` };
  }
}

// Software rendering on a busy machine is slow; nothing here depends on how slow.
export const PATIENCE = 180_000;

// Opens a page and fails where it says anything on the console, throws, or asks for anything but itself.
export async function opened(browser, test, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 640, height: 480 }, ...options });
  test.after(() => context.close());
  const tab = await context.newPage();
  tab.setDefaultTimeout(PATIENCE);
  const trouble = [];
  tab.on("console", (message) => {
    // Tests read pixels, and Chromium says that this is slow.
    const isSlowness = /GPU stall|willReadFrequently/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isSlowness) trouble.push(message.text());
  });
  tab.on("pageerror", (error) => trouble.push(error.message));
  tab.on("request", (request) => {
    if (request.url() !== pathToFileURL(file).href) trouble.push(`asked for ${request.url()}`);
  });
  await tab.goto(pathToFileURL(file).href);
  await tab.waitForSelector("html[data-ready]");
  return { tab, trouble };
}
