// The page in a real browser, opened from disk: it draws, plays, jumps to findings, and asks the network for nothing.
// Skipped, and said, where no Chromium starts.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { PATIENCE, launch, opened } from "./browser.mjs";

const program = resolve(process.env.PATHPROOF ?? "target/debug/pathproof");
const folder = mkdtempSync(join(tmpdir(), "view-"));
const { browser, why } = await launch();
if (!browser) console.log(`skipped the page in a browser: ${why}`);
const skip = !browser;
const others = [];
const open = (test, file, options) => opened(browser, test, file, options);

// A two-joint arm beside a wall and a post; names as hostile as a file may have them.
const HOSTILE = "<script>alert(1)<img src=x onerror=alert(1)>";
const URDF = `<robot name="r"><link name="base"/>
  <link name="upper"><collision><origin xyz="0.25 0 0"/><geometry><box size="0.5 0.08 0.08"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0.2 0 0"/><geometry><cylinder radius="0.04" length="0.3"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.55 0 0.1"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>`;
const SCENE = `[[robots]]\nname = "arm"\nurdf = "r.urdf"\n
[[obstacles]]\nname = "wall"\nbox = [0.05, 1, 1]\nxyz = [0, 0.9, 0]\n
[[obstacles]]\nname = ${JSON.stringify(HOSTILE)}\nsphere = 0.1\nxyz = [0.9, -0.7, 0.1]\n`;
const PATHS = {
  free: "shoulder,elbow\n-0.2,0\n0.3,0.4\n0.6,0\n",
  collision: "shoulder,elbow\n0,0\n0.8,0.2\n1.6,0.1\n",
  timed: "time,shoulder,elbow\n0,0,0\n2,0.8,0.2\n5,1.6,0.1\n",
};

const written = new Map();
function page(path) {
  if (!written.has(path)) {
    const out = join(folder, `${path}.html`);
    execFileSync(program, ["view", "cell.toml", `${path}.csv`, "-o", out], { cwd: folder });
    written.set(path, out);
  }
  return written.get(path);
}

// What is on the screen: drawn and read at once, before the browser clears it. Counts pixels that differ from the last look, and
// pixels that are clearly orange or blue, as the two bodies of a finding are and nothing else.
function look(tab) {
  return tab.evaluate(() => {
    const { renderer, scene, camera } = globalThis.pathproofPage.stage;
    renderer.render(scene, camera);
    const gl = renderer.getContext();
    const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    const pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const last = globalThis.lastLook ?? pixels;
    globalThis.lastLook = pixels;
    const seen = { changed: 0, orange: 0, blue: 0 };
    for (let i = 0; i < pixels.length; i += 4) {
      const [r, g, b] = pixels.subarray(i, i + 3);
      if (Math.max(Math.abs(r - last[i]), Math.abs(g - last[i + 1]), Math.abs(b - last[i + 2])) > 8) seen.changed++;
      const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
      if (most - least < 70) continue;
      const hue = most === r ? (g - b) / (most - least) : most === g ? 2 + (b - r) / (most - least) : 4 + (r - g) / (most - least);
      if (60 * hue > 32 && 60 * hue < 48) seen.orange++;
      if (60 * hue > 195 && 60 * hue < 212) seen.blue++;
    }
    return seen;
  });
}
const place = (tab) => tab.inputValue("#cursor").then(Number);

before(() => {
  writeFileSync(join(folder, "r.urdf"), URDF);
  writeFileSync(join(folder, "cell.toml"), SCENE);
  for (const [name, text] of Object.entries(PATHS)) writeFileSync(join(folder, `${name}.csv`), text);
});
after(async () => {
  for (const open of [browser, ...others]) await open?.close();
  rmSync(folder, { recursive: true });
});

test("playing moves the robot, and the cursor with it", { skip }, async (test) => {
  const { tab, trouble } = await open(test, page("free"));
  assert.equal(await tab.textContent("#verdict"), "free");
  await look(tab);
  assert.deepEqual(await look(tab), { changed: 0, orange: 0, blue: 0 }, "nothing moves by itself");
  assert.equal(await place(tab), 0);
  await tab.selectOption("#speed", "5");
  await tab.locator("#speed").blur();
  await tab.keyboard.press("Space");
  await tab.waitForFunction(() => Number(document.getElementById("cursor").value) > 0.1);
  await tab.keyboard.press("Space");
  const { changed } = await look(tab);
  assert.ok(changed > 200, `${changed} pixels changed`);
  const paused = await place(tab);
  await tab.waitForTimeout(300);
  assert.equal(await place(tab), paused);
  await tab.click("#play");
  await tab.waitForFunction(() => !("playing" in document.getElementById("play").dataset));
  const length = Number(await tab.getAttribute("#cursor", "max"));
  assert.equal(await place(tab), length, "it ends at the end");
  await tab.click("#play");
  await tab.waitForFunction((most) => Number(document.getElementById("cursor").value) < most / 2, length);
  assert.deepEqual(trouble, []);
});

test("a click on a finding goes there and shows the pair in its colours", { skip }, async (test) => {
  const file = page("timed");
  const { tab, trouble } = await open(test, file);
  assert.equal(await tab.textContent("#verdict"), "collision");
  await tab.keyboard.press("Escape");
  await tab.keyboard.press("Home");
  assert.equal((await look(tab)).orange, 0);
  await tab.locator("#findings button").last().click();
  const data = JSON.parse(/id="data">(.*?)<\/script>/s.exec(readFileSync(file, "utf8"))[1]);
  const rows = Object.fromEntries(data.findings.at(-1).rows);
  const time = Number(rows.Time.split(" ")[0]);
  assert.ok(time > 0 && Math.abs((await place(tab)) - time) < 1e-4, `${rows.Time}`);
  const [first, second] = await tab.locator("#legend li").allTextContents();
  assert.ok(rows["Point of first"].endsWith(first) && rows["Point of second"].endsWith(second));
  const { orange, blue } = await look(tab);
  assert.ok(orange > 100 && blue > 100, `${orange}, ${blue}`);
  assert.ok((await tab.textContent("#finding")).includes(rows.Distance));
  assert.deepEqual(trouble, []);
});

test("keys, the plot and the lists lead to the same places", { skip }, async (test) => {
  const { tab, trouble } = await open(test, page("collision"));
  const pressed = () => tab.locator("#findings [aria-pressed=true]").count();
  assert.equal(await pressed(), 1);
  const start = await place(tab);
  await tab.keyboard.press("n");
  await tab.keyboard.press("End");
  assert.ok((await place(tab)) > start);
  await tab.keyboard.press("Escape");
  assert.equal(await pressed(), 0);
  await look(tab);
  await tab.focus("#canvas");
  await tab.keyboard.press("ArrowLeft");
  assert.ok((await look(tab)).changed > 200, "the camera turned");
  await tab.focus("#pairs button");
  await tab.keyboard.press("Enter");
  assert.equal(await tab.locator("#pairs [aria-pressed=true]").count(), 1);
  assert.ok((await tab.getAttribute("path.of-pair", "d")).length > 20, "the pair has its line");
  await tab.locator("#plot").scrollIntoViewIfNeeded();
  const box = await tab.locator("#plot").boundingBox();
  await tab.mouse.move(box.x + 60, box.y + 40);
  await tab.mouse.down();
  await tab.mouse.move(box.x + box.width - 5, box.y + 40, { steps: 3 });
  await tab.mouse.up();
  assert.equal(await place(tab), Number(await tab.getAttribute("#cursor", "max")));
  // The last mark lies above the others.
  await tab.locator("path.found").last().click({ force: true });
  assert.equal(await tab.locator("#findings li:last-child [aria-pressed=true]").count(), 1);
  assert.deepEqual(trouble, []);
});

test("on a phone in the dark nothing is wider than the screen, names from files are words, and nothing else gets in", { skip }, async (test) => {
  const { tab, trouble } = await open(test, page("collision"), {
    viewport: { width: 360, height: 740 }, colorScheme: "dark", hasTouch: true, isMobile: true,
  });
  const [wide, screen, above, back] = await tab.evaluate(() => [
    document.documentElement.scrollWidth, innerWidth, scrollY, getComputedStyle(document.body).backgroundColor,
  ]);
  assert.ok(wide <= screen, `${wide} of ${screen}`);
  // No label of the plot is cut off.
  const cut = await tab.locator("#plot text").evaluateAll((all) => all.filter((text) => {
    const [box, frame] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
    return box.left < frame.left || box.right > frame.right + 1;
  }).map((text) => text.textContent));
  assert.deepEqual(cut, []);
  assert.deepEqual([above, back], [0, "rgb(20, 23, 28)"]);
  // A finger on the plot is a place on the path.
  await tab.locator("#plot").scrollIntoViewIfNeeded();
  const plot = await tab.locator("#plot").boundingBox();
  await tab.touchscreen.tap(plot.x + plot.width - 14, plot.y + 30);
  assert.ok((await place(tab)) > 0.9 * Number(await tab.getAttribute("#cursor", "max")));
  await tab.keyboard.press("Home");
  await tab.tap("#play");
  await tab.waitForFunction(() => Number(document.getElementById("cursor").value) > 0);
  assert.equal(await tab.locator("img").count(), 0);
  assert.ok((await tab.textContent("#pairs")).includes(HOSTILE));
  assert.deepEqual(trouble, []);
  const refused = await tab.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.slipped = true";
    document.body.append(script);
    const image = new Promise((done) => {
      const element = new Image();
      element.onload = () => done(false);
      element.onerror = () => done(true);
      element.src = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
    });
    return Promise.all([fetch("data:text/plain,x").then(() => false, () => true), image, !globalThis.slipped]);
  });
  assert.deepEqual(refused, [true, true, true]);
});

test("without WebGL the plot and the lists stay", { skip }, async (test) => {
  const { browser: plain } = await launch(["--disable-3d-apis"]);
  others.push(plain);
  const tab = await plain.newPage();
  const trouble = [];
  tab.on("pageerror", (error) => trouble.push(error.message));
  await tab.goto(pathToFileURL(page("collision")).href);
  await tab.waitForSelector("html[data-ready]", { timeout: PATIENCE });
  assert.ok(await tab.isVisible("#no-scene"));
  await tab.locator("#findings button").first().click();
  assert.ok((await tab.getAttribute("path.upper", "d")).length > 100);
  assert.ok((await tab.textContent("#readout")).includes("proven here"));
  assert.deepEqual(trouble, []);
});

test("without a script the answer is there as text", { skip }, async (test) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const tab = await context.newPage();
  await tab.goto(pathToFileURL(page("collision")).href);
  assert.ok((await tab.textContent("pre")).includes("collision: "));
  assert.ok(await tab.isVisible("#verdict"));
  await context.close();
});

test("a filter shows the pairs with the world or the links of one robot alone", { skip }, async (test) => {
  writeFileSync(join(folder, "both.urdf"), `<robot name="r">
    <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
    <link name="mid"/>
    <link name="tip"><collision><origin xyz="0 0 0.122"/><geometry><sphere radius="0.05"/></geometry></collision></link>
    <joint name="turn" type="revolute"><parent link="base"/><child link="mid"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
    <joint name="spin" type="revolute"><parent link="mid"/><child link="tip"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  </robot>`);
  writeFileSync(join(folder, "both.toml"), `clearance = 0.2\n[[robots]]\nname = "arm"\nurdf = "both.urdf"\n[[obstacles]]\nname = "shelf"\nbox = [1, 1, 0.1]\nxyz = [0, 0, 0.622]\n`);
  writeFileSync(join(folder, "both.csv"), "turn,spin\n0,0\n1,1\n");
  const out = join(folder, "both.html");
  execFileSync(program, ["view", "both.toml", "both.csv", "-o", out], { cwd: folder });
  const { tab, trouble } = await open(test, out);
  const shown = () => tab.locator("#pairs tr:visible").allTextContents();
  const high = () => tab.evaluate(() => globalThis.pathproofPage.plot.high);
  assert.equal((await shown()).length, 2);
  assert.match(await tab.textContent("#readout"), /arm\/tip/);
  await tab.check('input[name="kind"][value="world"]');
  assert.deepEqual((await shown()).map((row) => row.includes("shelf")), [true]);
  assert.match(await tab.textContent("#readout"), /proven here: at least 399/);
  assert.ok((await high()) > 0.4);
  await tab.check('input[name="kind"][value="self"]');
  assert.deepEqual((await shown()).map((row) => row.includes("shelf")), [false]);
  assert.ok((await high()) < 0.05, "the plot is scaled to what it shows");
  await tab.check('input[name="kind"][value=""]');
  assert.equal((await shown()).length, 2);
  const alone = await open(test, page("free"));
  assert.equal(await alone.tab.isVisible("#kinds"), false);
  assert.deepEqual(trouble, []);
});
