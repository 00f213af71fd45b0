// Traffic from above: bodies where they are at a time, ways, and the pair of a finding in colour. Outlines come from the
// program, in the world; here they are only put on the screen. Needs no WebGL.

import { between } from "./timeline.js";
import { view } from "./data.js";
import { niceStep } from "./numbers.js";

const COLOURS = { rest: "#b5a896", agent: "#8fa5c6", candidate: "#6cbf8b" };

export class TopView {
  constructor(canvas, data, buffer) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.data = data;
    this.bodies = data.bodies.map((body) => ({
      ...body,
      way: view(buffer, body.way),
      parts: body.parts.map((part) => ({ ...part, points: view(buffer, part.points), radius: view(buffer, part.radius) })),
    }));
    this.subject = data.subjects[0];
    this.sample = 0;
    this.chosen = null;
    this.pointers = new Map();
    this.measure();
    this.resize();
    this.all();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.listen();
  }

  // Corners and radius of each part at a sample, or null where the body is not there.
  outline(body, sample) {
    let at = 0;
    if (body.there) {
      const [first, count] = body.there;
      at = sample - first;
      if (at < -1e-9 || at > count - 1 + 1e-9) return null;
      at = Math.min(Math.max(at, 0), count - 1);
    }
    const last = body.there ? body.there[1] - 1 : 0;
    return body.parts.map((part) => {
      const exact = part.blends ? at : Math.round(at);
      const [i, share] = [Math.floor(exact), exact - Math.floor(exact)];
      const [from, to] = [2 * part.corners * i, 2 * part.corners * Math.min(i + 1, last)];
      const corners = [];
      for (let k = 0; k < 2 * part.corners; k++) {
        corners.push(part.points[from + k] + share * (part.points[to + k] - part.points[from + k]));
      }
      return [between(part.radius, exact), corners];
    });
  }

  // What is to be seen: the trajectories that are asked about, and who is near them.
  measure() {
    const box = () => [Infinity, Infinity, -Infinity, -Infinity];
    const grow = (into, x, y, by) => {
      into[0] = Math.min(into[0], x - by);
      into[1] = Math.min(into[1], y - by);
      into[2] = Math.max(into[2], x + by);
      into[3] = Math.max(into[3], y + by);
    };
    const all = box();
    const asked = box();
    const subjects = new Set(this.data.subjects.map((subject) => subject.body));
    this.bodies.forEach((body, number) => {
      for (const part of body.parts) {
        for (let i = 0; i < part.radius.length; i++) {
          for (let k = 0; k < part.corners; k++) {
            const [x, y] = part.points.subarray(2 * (part.corners * i + k));
            grow(all, x, y, part.radius[i]);
            if (subjects.has(number)) grow(asked, x, y, part.radius[i]);
          }
        }
      }
    });
    const room = 0.25 * Math.hypot(asked[2] - asked[0], asked[3] - asked[1]);
    this.box = [0, 1].map((i) => Math.max(all[i], asked[i] - room));
    this.box.push(...[2, 3].map((i) => Math.min(all[i], asked[i] + room)));
  }

  showSubject(subject) {
    this.subject = subject;
    this.draw();
  }

  show(sample) {
    this.sample = sample;
    this.draw();
  }

  choose(chosen) {
    this.chosen = chosen;
    this.draw();
  }

  left(x) {
    return this.width / 2 + (x - this.centre[0]) * this.scale;
  }

  top(y) {
    return this.height / 2 - (y - this.centre[1]) * this.scale;
  }

  // At most once a frame.
  draw() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      const start = performance.now();
      this.render();
      this.milliseconds = performance.now() - start;
      this.frames = (this.frames ?? 0) + 1;
    });
  }

  render() {
    const { context, width, height } = this;
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue(`--${name}`).trim();
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.drawGrid();
    this.bodies.forEach((body, number) => this.drawWay(body, number));
    const pair = this.chosen?.bodies ?? [];
    const order = this.bodies.map((_, number) => number).filter((number) => this.isShown(number));
    // The pair and the subject lie above the others.
    const rank = (number) => (pair.includes(number) ? 2 : number === this.subject.body ? 1 : 0);
    order.sort((a, b) => rank(a) - rank(b) || a - b);
    this.paths = [];
    const labels = [];
    for (const number of order) this.drawBody(number, pair.indexOf(number), labels);
    const ghost = this.data.kind === "traffic" && this.chosen?.ghost;
    if (ghost) for (const part of ghost) this.drawPart(part, null, this.colour("second"), [5, 3]);
    this.drawLabels(labels.reverse());
    this.drawRule();
  }

  // Of the candidates only the chosen one is there as a body; the others are ways.
  isShown(number) {
    return this.bodies[number].role !== "candidate" || number === this.subject.body;
  }

  drawGrid() {
    const { context, width, height, scale, centre } = this;
    this.step = niceStep(width / scale, Math.max(3, width / 110));
    context.lineWidth = 1;
    context.strokeStyle = this.colour("rule");
    context.beginPath();
    for (let x = Math.ceil((centre[0] - width / 2 / scale) / this.step); this.left(x * this.step) < width; x++) {
      context.moveTo(this.left(x * this.step), 0);
      context.lineTo(this.left(x * this.step), height);
    }
    for (let y = Math.ceil((centre[1] - height / 2 / scale) / this.step); this.top(y * this.step) > 0; y++) {
      context.moveTo(0, this.top(y * this.step));
      context.lineTo(width, this.top(y * this.step));
    }
    context.stroke();
  }

  drawWay(body, number) {
    if (body.way.length < 4) return;
    const { context } = this;
    const of = this.data.subjects.find((subject) => subject.body === number);
    const isSubject = number === this.subject.body;
    context.strokeStyle = of ? this.colour(of.verdict in VERDICTS ? of.verdict : "quiet") : this.colour("quiet");
    context.lineWidth = isSubject ? 2.5 : of ? 1.5 : 1;
    context.globalAlpha = isSubject ? 1 : of ? 0.7 : 0.45;
    context.setLineDash(of ? [] : [4, 4]);
    context.beginPath();
    for (let i = 0; i < body.way.length; i += 2) context.lineTo(this.left(body.way[i]), this.top(body.way[i + 1]));
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  drawBody(number, ofPair, labels) {
    const body = this.bodies[number];
    const parts = this.outline(body, this.sample);
    if (!parts) return;
    const own = number === this.subject.body ? COLOURS.candidate : COLOURS[body.role];
    const fill = ofPair >= 0 ? this.colour(ofPair === 0 ? "first" : "second") : own;
    const faded = this.chosen && ofPair < 0;
    const colour = mixed(fill, this.colour("scene"), body.uncertain ? 0.4 : faded ? 0.45 : 1);
    const edge = faded ? this.colour("rule") : mixed(this.colour("text"), fill, 0.6);
    // Edges of all parts below all fills: what two parts share is no edge of the body.
    for (const part of parts) this.drawPart(part, null, edge, body.uncertain ? [4, 3] : []);
    for (const part of parts) this.paths.push([this.drawPart(part, colour), body.name]);
    const corners = (axis, radius = 0) => parts.flatMap((part) => part[1].filter((_, i) => i % 2 === axis).map((at) => at + radius * part[0]));
    const xs = corners(0);
    const middle = (Math.min(...xs) + Math.max(...xs)) / 2;
    const highest = this.top(Math.max(...corners(1, 1)));
    labels.push({ text: body.name, x: this.left(middle), y: highest - 5, strong: ofPair >= 0 || number === this.subject.body });
  }

  // The hull of corners, swept by a disc: filled, or its edge.
  drawPart([radius, corners], fill, edge, dash = []) {
    const { context } = this;
    const path = new Path2D();
    const wide = radius * this.scale;
    if (corners.length === 2) path.arc(this.left(corners[0]), this.top(corners[1]), Math.max(wide, 1), 0, 2 * Math.PI);
    else {
      for (let i = 0; i < corners.length; i += 2) path.lineTo(this.left(corners[i]), this.top(corners[i + 1]));
      path.closePath();
    }
    const swept = corners.length > 2 ? 2 * wide : 0;
    context.lineJoin = "round";
    context.fillStyle = context.strokeStyle = fill ?? edge;
    context.lineWidth = fill ? swept : swept + 3;
    // A wide line would be dashed as a whole.
    context.setLineDash(swept > 1 ? [] : dash);
    if (fill) context.fill(path);
    if (!fill || swept > 1) context.stroke(path);
    context.setLineDash([]);
    return path;
  }

  // Names, the important ones first; one that would lie over another is left out.
  drawLabels(labels) {
    const { context } = this;
    const taken = [];
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    const few = labels.length <= 40;
    for (const { text, x, y, strong } of labels) {
      if (!strong && !few) continue;
      const short = text.length > 28 ? `${text.slice(0, 27)}…` : text;
      const half = context.measureText(short).width / 2 + 2;
      const at = Math.min(Math.max(x, half), this.width - half);
      const box = [at - half, y - 12, at + half, y + 3];
      if (box[3] < 0 || box[1] > this.height || x < 0 || x > this.width) continue;
      if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      context.lineWidth = 3;
      context.lineJoin = "round";
      context.strokeStyle = this.colour("scene");
      context.strokeText(short, at, y);
      context.fillStyle = this.colour(strong ? "text" : "quiet");
      context.fillText(short, at, y);
    }
  }

  drawRule() {
    const { context, width, height } = this;
    const long = this.step * this.scale;
    const [x, y] = [width - 14 - long, height - 14];
    context.strokeStyle = context.fillStyle = this.colour("text");
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, y - 5);
    context.lineTo(x, y);
    context.lineTo(x + long, y);
    context.lineTo(x + long, y - 5);
    context.stroke();
    context.textAlign = "center";
    context.fillText(`${Number(this.step.toPrecision(3))} m`, x + long / 2, y - 6);
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    this.ratio = Math.min(devicePixelRatio, 2);
    const before = this.width;
    Object.assign(this, { width: clientWidth, height: clientHeight });
    this.canvas.width = Math.round(clientWidth * this.ratio);
    this.canvas.height = Math.round(clientHeight * this.ratio);
    if (before === undefined || this.isWhole) this.all();
    this.draw();
  }

  look([x, y], wide, high) {
    this.centre = [x, y];
    this.scale = Math.min((this.width - 32) / Math.max(wide, 1e-3), (this.height - 48) / Math.max(high, 1e-3));
    this.isWhole = false;
    this.draw();
  }

  all() {
    const [a, b, c, d] = this.box;
    this.look([(a + c) / 2, (b + d) / 2], c - a, d - b);
    this.isWhole = true;
  }

  // The pair of the finding, with some room around.
  closeUp() {
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    const of = (number) => this.outline(this.bodies[number], this.sample) ?? [];
    for (const [radius, corners] of [...(this.chosen?.bodies ?? []).flatMap(of), ...(this.chosen?.ghost ?? [])]) {
      for (let i = 0; i < corners.length; i += 2) {
        box[0] = Math.min(box[0], corners[i] - radius);
        box[1] = Math.min(box[1], corners[i + 1] - radius);
        box[2] = Math.max(box[2], corners[i] + radius);
        box[3] = Math.max(box[3], corners[i + 1] + radius);
      }
    }
    if (box[0] > box[2]) return;
    this.look([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2], 1.4 * (box[2] - box[0]), 1.4 * (box[3] - box[1]));
  }

  // Larger or smaller, with the point under (left, top) where it is.
  zoom(by, left = this.width / 2, top = this.height / 2) {
    const x = this.centre[0] + (left - this.width / 2) / this.scale;
    const y = this.centre[1] - (top - this.height / 2) / this.scale;
    this.scale *= by;
    this.centre = [x - (left - this.width / 2) / this.scale, y + (top - this.height / 2) / this.scale];
    this.isWhole = false;
    this.draw();
  }

  pan(right, down) {
    this.centre = [this.centre[0] - right / this.scale, this.centre[1] + down / this.scale];
    this.isWhole = false;
    this.draw();
  }

  key(event) {
    const by = 0.1 * Math.min(this.width, this.height);
    const pans = { ArrowLeft: [by, 0], ArrowRight: [-by, 0], ArrowUp: [0, by], ArrowDown: [0, -by] }[event.key];
    const zoom = { "+": 1.15, "=": 1.15, "-": 1 / 1.15 }[event.key];
    if (!pans && !zoom) return;
    event.preventDefault();
    event.stopPropagation();
    if (pans) this.pan(...pans);
    else this.zoom(zoom);
  }

  // One finger or the mouse moves the plane, two fingers or the wheel zoom, a click names a body.
  listen() {
    const { canvas, pointers } = this;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let from = null;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
      from = pointers.size === 1 ? place(event) : null;
    });
    canvas.addEventListener("pointermove", (event) => {
      const last = pointers.get(event.pointerId);
      if (!last) return;
      const now = place(event);
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      pointers.set(event.pointerId, now);
      if (!other) return this.pan(now[0] - last[0], now[1] - last[1]);
      const [before, after] = [last, now].map(([x, y]) => Math.hypot(x - other[0], y - other[1]));
      if (before > 0 && after > 0) this.zoom(after / before, other[0], other[1]);
    });
    const end = (event) => {
      pointers.delete(event.pointerId);
      const [x, y] = place(event);
      if (event.type === "pointerup" && from && Math.hypot(x - from[0], y - from[1]) <= 4) this.pick(x, y);
      from = null;
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-0.0015 * event.deltaY), ...place(event));
    }, { passive: false });
  }

  pick(x, y) {
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    const [, name] = this.paths.findLast(([path]) => this.context.isPointInPath(path, x, y)) ?? [null, ""];
    this.onPick?.(name);
  }
}

const VERDICTS = { free: 1, collision: 1, too_close: 1, undecided: 1 };

// A colour with some of another in it; both as #rrggbb.
function mixed(colour, other, share) {
  const numbers = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
  const [a, b] = [numbers(colour), numbers(other)];
  return `#${a.map((value, i) => Math.round(share * value + (1 - share) * b[i]).toString(16).padStart(2, "0")).join("")}`;
}
