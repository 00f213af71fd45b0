// The pages of `traffic` and of `distance --trajectory` in a real browser. Skipped, and said, where no Chromium starts.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";

import { launch, opened } from "./browser.mjs";

const program = resolve(process.env.PATHPROOF ?? "target/debug/pathproof");
const folder = mkdtempSync(join(tmpdir(), "others-"));
// Traffic needs no WebGL; what is 3-D says so where there is none.
const { browser, why } = await launch();
const { browser: plain } = browser ? await launch(["--disable-3d-apis"]) : {};
if (!browser) console.log(`skipped the pages of traffic and distance in a browser: ${why}`);
const skip = !browser;

const HOSTILE = "<img src=x onerror=alert(1)>";
const ROAD = {
  agents: [
    { name: "crossing", shape: { box: [4.5, 2] }, poses: [[3, 0, -20, 1.57], [5, 0, 20, 1.57]] },
    { name: HOSTILE, pose: [12, 6, 0], shape: { parts: [{ box: [9, 2.5] }, { disc: 1, at: [6, 0, 0] }] } },
  ],
  ego: { shape: { box: [4.5, 2] } },
};
const FAN = "candidate,t,x,y,theta\nwait,3,-20,0,0\nwait,4,-15,0,0.1\nwait,5,-12,0,0.1\ngo,3,-20,0,0\ngo,5,20,0,0\n";

before(() => {
  writeFileSync(join(folder, "road.json"), JSON.stringify(ROAD));
  writeFileSync(join(folder, "fan.csv"), FAN);
  const rows = Array.from({ length: 30 }, (_, i) => `${0.4 + 0.05 * i},0.1,0,0,0,${0.1 * i}`);
  writeFileSync(join(folder, "poses.csv"), `x,y,z,r,p,y\n${rows.join("\n")}\n`);
  const run = (...words) => execFileSync(program, words, { cwd: folder });
  run("traffic", "road.json", "--ego", "fan.csv", "--report", "traffic.html", "--time-gap", "0.2");
  run("distance", "box:1,1,1", "sphere:0.2", "--trajectory", "poses.csv", "--report", "rows.html");
});
after(async () => {
  for (const one of [browser, plain]) await one?.close();
  rmSync(folder, { recursive: true });
});

const place = (tab) => tab.inputValue("#cursor").then(Number);
// Pixels that changed since the last look, and those of the two colours of a pair.
function look(tab) {
  return tab.evaluate(() => {
    const { stage } = globalThis.pathproofPage;
    stage.render();
    const { data } = stage.context.getImageData(0, 0, stage.canvas.width, stage.canvas.height);
    const last = globalThis.lastLook ?? data;
    globalThis.lastLook = data;
    const seen = { changed: 0, orange: 0, blue: 0 };
    for (let i = 0; i < data.length; i += 4) {
      if ([0, 1, 2].some((k) => Math.abs(data[i + k] - last[i + k]) > 8)) seen.changed++;
      const is = (r, g, b) => data[i] === r && data[i + 1] === g && data[i + 2] === b;
      if (is(0xe6, 0x9f, 0x00)) seen.orange++;
      if (is(0x00, 0x72, 0xb2)) seen.blue++;
    }
    return seen;
  });
}

test("traffic plays, and a click on a finding goes to its time and colours the pair", { skip }, async (test) => {
  const { tab, trouble } = await opened(plain, test, join(folder, "traffic.html"));
  assert.equal((await tab.textContent("#verdict")).trim(), "1 of 2 free");
  assert.equal(await tab.locator("#subjects button").count(), 2);
  await tab.keyboard.press("Home");
  assert.deepEqual(await look(tab), { changed: 0, orange: 0, blue: 0 });
  await tab.click("#play");
  await tab.waitForFunction(() => Number(document.getElementById("cursor").value) > 0.3);
  await tab.click("#play");
  assert.ok((await look(tab)).changed > 100, "the car moved");
  // The other trajectory collides, and its page opens at the finding.
  await tab.locator("#subjects button").nth(1).click();
  assert.ok((await tab.textContent("#facts")).includes("go"));
  const finding = await tab.evaluate(() => globalThis.pathproofPage.subject.findings[0].rows);
  const time = Number(Object.fromEntries(finding).Time.split(" ")[0]);
  await tab.keyboard.press("Home");
  assert.equal(await place(tab), 0);
  await tab.locator("#findings button").first().click();
  // The axis starts at 3 s.
  assert.ok(Math.abs((await place(tab)) + 3 - time) < 1e-4);
  assert.ok((await tab.textContent("#clock")).startsWith(time.toFixed(2)));
  const { orange, blue } = await look(tab);
  assert.ok(orange > 50 && blue > 20, `${orange}, ${blue}`);
  await tab.focus("#canvas");
  await tab.keyboard.press("ArrowLeft");
  await tab.keyboard.press("+");
  assert.ok((await look(tab)).changed > 100, "the view moved");
  await tab.keyboard.press("f");
  assert.ok((await look(tab)).orange > orange, "closer");
  assert.equal(await tab.locator("img").count(), 0);
  assert.ok((await tab.textContent("#pairs")).includes(HOSTILE));
  assert.deepEqual(trouble, []);
});

test("traffic on a phone in the dark: fingers move and zoom it, and nothing is wider than the screen", { skip }, async (test) => {
  const { tab, trouble } = await opened(plain, test, join(folder, "traffic.html"), {
    viewport: { width: 360, height: 740 }, colorScheme: "dark", hasTouch: true, isMobile: true,
  });
  assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  const scale = () => tab.evaluate(() => globalThis.pathproofPage.stage.scale);
  const before = await scale();
  const point = (id, type, clientX, clientY) => tab.dispatchEvent("#canvas", type, { pointerId: id, pointerType: "touch", clientX, clientY, isPrimary: id === 1 });
  // Two fingers that go apart; capture needs a real pointer, which these are not.
  await tab.evaluate(() => (document.getElementById("canvas").setPointerCapture = () => {}));
  const { x, y } = await tab.locator("#canvas").boundingBox();
  await point(1, "pointerdown", x + 150, y + 100);
  await point(2, "pointerdown", x + 170, y + 100);
  await point(2, "pointermove", x + 210, y + 100);
  await point(1, "pointerup", x + 150, y + 100);
  await point(2, "pointerup", x + 210, y + 100);
  assert.ok(Math.abs((await scale()) / before - 3) < 1e-6);
  await tab.tap("#all");
  assert.equal(await scale(), before);
  assert.deepEqual(trouble, []);
});

test("rows of a distance are shown one by one, with the two points", { skip }, async (test) => {
  const { tab, trouble } = await opened(browser, test, join(folder, "rows.html"));
  assert.equal((await tab.textContent("#verdict")).trim(), "contact");
  assert.equal(await place(tab), 0, "the first row in contact");
  await tab.keyboard.press("Escape");
  await tab.keyboard.press("End");
  assert.equal(await place(tab), 29);
  await tab.keyboard.press("ArrowLeft");
  assert.equal(await place(tab), 28);
  const text = await tab.textContent("#readout");
  assert.ok(text.startsWith("row 28 · proven: at least ") && text.includes("measured: "), text);
  await tab.locator("#pairs button", { hasText: /^row 20$/ }).click();
  assert.equal(await place(tab), 20);
  const gap = await tab.evaluate(() => globalThis.pathproofPage.stage.gap.visible);
  assert.ok(gap && (await tab.textContent("#legend")).includes("B, sphere:0.2"));
  // Between two rows there is nothing to see.
  await tab.evaluate(() => globalThis.pathproofPage.seekX(20.4));
  assert.equal(await tab.evaluate(() => globalThis.pathproofPage.sample), 20);
  assert.deepEqual(trouble, []);
});
