// The parts of the page's script that need no browser.

import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";

import { corners, inflate, poseAt, summed, view } from "../src/data.js";
import { atLeast, atMost, marks, niceStep, short } from "../src/numbers.js";
import { Timeline, firstAbove, stretchAt } from "../src/timeline.js";

test("the three names of a place agree", () => {
  // Segments of 2, 0 and 1 seconds; a sample in the middle of the first.
  const line = new Timeline(Float64Array.of(0, 0.5, 1, 2, 3), [0, 2, 2, 3]);
  assert.deepEqual([...line.xs], [0, 1, 2, 2, 3]);
  assert.equal(line.sampleAtX(0.5), 0.5);
  assert.equal(line.x(0.5), 0.5);
  assert.equal(line.along(0.5), 0.25);
  assert.deepEqual(line.place(0.5), { segment: 0, t: 0.25 });
  assert.deepEqual(line.place(line.last), { segment: 2, t: 1 });
  for (const x of [0, 0.1, 1, 1.9, 2.4, 3]) assert.ok(Math.abs(line.x(line.sampleAtX(x)) - x) < 1e-12);
});

test("places outside of the path are its ends", () => {
  const line = new Timeline(Float64Array.of(0, 1), [0, 4]);
  assert.deepEqual([-1, 0, 4, 9, NaN].map((x) => line.sampleAtX(x)), [0, 0, 1, 1, 0]);
});

test("a configuration alone is a path of one place", () => {
  const line = new Timeline(Float64Array.of(0, 1), [0, 1]);
  assert.deepEqual(line.place(0.5), { segment: 0, t: 0.5 });
});

test("a stretch holds its end, and what is above the last is in the last", () => {
  const until = Float64Array.of(0.5, 1, 3);
  assert.deepEqual([0, 0.5, 0.6, 1, 2, 3, 4].map((along) => stretchAt(until, along)), [0, 0, 1, 1, 2, 2, 2]);
  assert.deepEqual([-1, 0.5, 3].map((x) => firstAbove(until, x)), [0, 1, 3]);
});

test("proven bounds are rounded down and measured ones up", () => {
  assert.deepEqual([atLeast(0.0123456), atMost(0.0123456)], ["12.34 mm", "12.35 mm"]);
  assert.deepEqual([atLeast(1.23456), atMost(1.23456)], ["1.234 m", "1.235 m"]);
  assert.deepEqual([atLeast(-0.0123456), atMost(-0.0123456)], ["-12.35 mm", "-12.34 mm"]);
  assert.deepEqual([atLeast(0), atMost(-1e-12)], ["0 mm", "0 mm"]);
});

test("the axis of distances always marks contact, and marks do not touch", () => {
  for (const [low, high] of [[0, 0.004], [0, 1.7], [-0.01, 0.3], [0, 25]]) {
    const chosen = marks(low, high, 6);
    assert.ok(chosen.includes(0) && chosen.length >= 2 && chosen.length <= 7, `${low} to ${high}: ${chosen}`);
    assert.ok(chosen.every((mark) => mark >= low && mark <= high));
  }
  assert.deepEqual([short(0), short(0.005), short(2)], ["0", "5 mm", "2 m"]);
  assert.equal(niceStep(9.5, 5), 2);
  assert.equal(niceStep(0.3, 3), 0.1);
});

test("what the program compressed reads back", async () => {
  const numbers = Float64Array.of(0.1, -2, 1e300);
  const buffer = await inflate(deflateSync(Buffer.from(numbers.buffer)).toString("base64"));
  assert.deepEqual(view(buffer, ["f64", 0, 3]), numbers);
});

test("differences add up in as many bits as they have", () => {
  assert.deepEqual([...summed(Uint16Array.of(65_535, 2, 65_535))], [65_535, 1, 0]);
  assert.deepEqual([...summed(Uint32Array.of(70_000, 0xffff_ffff))], [70_000, 69_999]);
  // Two corners: x 1 2, y 3 3, z 0 65535.
  const positions = corners({ origin: [10, 20, 30], step: 0.5 }, Uint16Array.of(1, 1, 3, 0, 0, 65_535));
  assert.deepEqual([...positions], [10.5, 21.5, 30, 11, 21.5, 30 + 0.5 * 65_535]);
});

test("between two poses the short way round is taken", () => {
  const half = Math.SQRT1_2;
  // One link, two places: from no turn to a quarter turn about z, written with the other sign.
  const poses = Float32Array.of(0, 2, 0, 0, 1, 1, 0, 0, 0, 0, 0, -half, 1, -half);
  const pose = poseAt({ poses, places: 2 }, 0, 0.5, new Float64Array(7));
  assert.deepEqual([...pose.slice(0, 3)], [1, 0, 1]);
  const angle = 2 * Math.atan2(pose[5], pose[6]);
  assert.ok(Math.abs(angle - Math.PI / 4) < 1e-6, `${angle}`);
});
