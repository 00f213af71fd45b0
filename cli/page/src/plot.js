// Distances or time gaps along the path: what is proven as a filled band, what was measured as a line, findings as marks.
// Where only single rows are known, as bars and dots.

import { bent, marks, niceStep } from "./numbers.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const EDGE = { left: 56, right: 12, top: 10, bottom: 22 };

export class Plot {
  // `short` writes a value of the axis; `onSeek` is told x, `onFinding` the number of a finding.
  constructor(svg, data, timeline, short, { onSeek, onFinding }) {
    Object.assign(this, { svg, data, timeline, short, subject: { findings: [] }, onFinding });
    new ResizeObserver(() => this.draw()).observe(svg);
    const seek = (event) => onSeek(this.xAt(event.clientX));
    svg.addEventListener("pointerdown", (event) => {
      if (event.target.dataset.finding !== undefined) return onFinding(Number(event.target.dataset.finding));
      svg.setPointerCapture(event.pointerId);
      seek(event);
    });
    svg.addEventListener("pointermove", (event) => {
      if (svg.hasPointerCapture(event.pointerId)) seek(event);
    });
  }

  // `clearance` has its arrays already; `subject` has the findings and what was left open.
  show(subject, clearance, asked = this.data.asked) {
    Object.assign(this, { subject, clearance, asked });
    const finite = (values) => values.filter(Number.isFinite);
    const wanted = asked ? asked[0] + asked[1] : 0;
    const [upper, lower] = [finite(clearance.upper), finite(clearance.lower)];
    this.high = Math.max(0.01, [...upper, ...lower, wanted].reduce((a, b) => Math.max(a, b), 0) * 1.08);
    this.low = Math.min(0, [...upper, ...lower].reduce((a, b) => Math.min(a, b), 0) * 1.1);
    this.draw();
  }

  left(x) {
    const inner = this.width - EDGE.left - EDGE.right;
    return EDGE.left + (x / this.timeline.length) * inner;
  }

  top(metres) {
    const inner = this.height - EDGE.top - EDGE.bottom;
    const share = (bent(metres) - bent(this.low)) / (bent(this.high) - bent(this.low));
    return EDGE.top + (1 - Math.min(Math.max(share, 0), 1)) * inner;
  }

  xAt(clientX) {
    const inner = this.width - EDGE.left - EDGE.right;
    const share = (clientX - this.svg.getBoundingClientRect().left - EDGE.left) / inner;
    return Math.min(Math.max(share, 0), 1) * this.timeline.length;
  }

  element(name, attributes, text) {
    const element = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    this.svg.append(element);
    return element;
  }

  draw() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !this.clearance) return;
    Object.assign(this, { width, height });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren();
    this.drawGrid();
    if (this.data.kind === "rows") this.drawRows();
    else {
      this.drawLower();
      this.drawLine(this.clearance.upper, "upper");
    }
    this.drawAsked();
    this.pairLine = this.element("path", { class: "of-pair", d: "" });
    this.drawFindings();
    this.cursor = this.element("line", { class: "cursor", y1: EDGE.top - 4, y2: this.height - EDGE.bottom });
    this.choosePair(this.pair);
    this.moveTo(this.x ?? 0);
    this.chooseFinding(this.chosen);
  }

  drawGrid() {
    for (const mark of marks(this.low, this.high, this.height / 30)) {
      const y = this.top(mark);
      this.element("line", { class: "grid", x1: EDGE.left, x2: this.width - EDGE.right, y1: y, y2: y });
      this.element("text", { x: EDGE.left - 6, y: y + 4, "text-anchor": "end" }, this.short(mark));
    }
    for (const [x, text] of this.labels()) {
      const at = this.left(x);
      const anchor = at < EDGE.left + 20 ? "start" : at > this.width - EDGE.right - 14 ? "end" : "middle";
      this.element("line", { class: "grid", x1: this.left(x), x2: this.left(x), y1: this.height - EDGE.bottom, y2: this.height - EDGE.bottom + 4 });
      this.element("text", { x: this.left(x), y: this.height - 6, "text-anchor": anchor }, text);
    }
  }

  // What stands under the axis: times, or numbers of waypoints and rows.
  labels() {
    const { timed, waypoints, start } = this.data.axis;
    const labels = [];
    if (timed) {
      const step = niceStep(this.timeline.length, Math.max(2, Math.floor(this.width / 90)));
      const end = start + this.timeline.length * (1 + 1e-9);
      for (let i = Math.ceil(start / step - 1e-9); i * step <= end; i++) {
        labels.push([Math.max(i * step - start, 0), `${Number((i * step).toPrecision(8))} s`]);
      }
      return labels;
    }
    const what = this.data.kind === "rows" ? "row" : "waypoint";
    let last = -Infinity;
    waypoints.forEach((x, number) => {
      if (number > 0 && this.left(x) - last < 46) return;
      last = this.left(x) + (number === 0 ? 7 * what.length - 16 : 0);
      labels.push([x, number === 0 ? `${what} 0` : `${number}`]);
    });
    return labels;
  }

  // Each row by itself: nothing is said about what lies between.
  drawRows() {
    const { lower, upper } = this.clearance;
    const wide = Math.min(Math.max((0.6 * (this.width - EDGE.left - EDGE.right)) / lower.length, 1), 8);
    let [bars, dots] = ["", ""];
    lower.forEach((value, row) => {
      const x = this.left(this.timeline.xOfAlong(row));
      const [zero, top] = [this.top(0), Number.isFinite(value) ? this.top(value) : this.top(0)];
      bars += `M${(x - wide / 2).toFixed(1)} ${zero.toFixed(1)}V${top.toFixed(1)}h${wide.toFixed(1)}V${zero.toFixed(1)}Z`;
      if (Number.isFinite(upper[row])) dots += `M${x.toFixed(1)} ${this.top(upper[row]).toFixed(1)}h0`;
    });
    this.element("path", { class: "lower", d: bars });
    this.element("path", { class: "upper dots", d: dots });
  }

  drawLower() {
    const { until, lower } = this.clearance;
    if (!until.length) return;
    let { from } = this.clearance;
    let d = `M${this.left(this.timeline.xOfAlong(from))} ${this.top(0)}`;
    until.forEach((end, i) => {
      const [a, b] = [from, end].map((along) => this.left(this.timeline.xOfAlong(along)).toFixed(1));
      const y = this.top(lower[i]).toFixed(1);
      d += `L${a} ${y}L${b} ${y}`;
      from = end;
    });
    this.element("path", { class: "lower", d: `${d}L${this.left(this.timeline.xOfAlong(from))} ${this.top(0)}Z` });
  }

  lineOf(values) {
    let d = "";
    let isOn = false;
    this.clearance.measured.forEach((along, i) => {
      // Where nothing was measured the line has a hole.
      const was = isOn;
      isOn = Number.isFinite(values[i]);
      if (isOn) d += `${was ? "L" : "M"}${this.left(this.timeline.xOfAlong(along)).toFixed(1)} ${this.top(values[i]).toFixed(1)}`;
    });
    return d;
  }

  drawLine(values, name) {
    this.element("path", { class: name, d: this.lineOf(values) });
  }

  drawAsked() {
    if (this.asked) {
      const y = this.top(this.asked[0]);
      this.element("line", { class: "asked", x1: EDGE.left, x2: this.width - EDGE.right, y1: y, y2: y });
    }
    if (!this.subject.open) return;
    const [from, to] = this.subject.open[0].map((along) => this.left(this.timeline.xOfAlong(along)));
    const height = this.height - EDGE.top - EDGE.bottom;
    this.element("rect", { class: "open", x: from, width: Math.max(to - from, 3), y: EDGE.top, height });
  }

  drawFindings() {
    this.marks = this.subject.findings.map((finding, number) => {
      const [x, y] = [this.left(this.timeline.x(finding.sample)), this.top(0)];
      const shape = finding.kind === "collision" ? `M${x} ${y - 8}l7 8l-7 8l-7 -8Z` : `M${x} ${y - 8}l8 13h-16Z`;
      const mark = this.element("path", { class: `found ${finding.kind}`, d: shape, "data-finding": number });
      const title = document.createElementNS(NAMESPACE, "title");
      title.textContent = `${finding.word ?? finding.kind.replace("_", " ")}: ${finding.place}`;
      mark.append(title);
      return mark;
    });
  }

  moveTo(x) {
    this.x = x;
    if (!this.cursor) return;
    const at = this.left(x).toFixed(1);
    this.cursor.setAttribute("x1", at);
    this.cursor.setAttribute("x2", at);
  }

  chooseFinding(number) {
    this.chosen = number;
    this.marks?.forEach((mark, i) => mark.classList.toggle("is-chosen", i === number));
  }

  // Draws the line of a pair, where there is one.
  choosePair(pair) {
    this.pair = pair;
    const line = this.clearance?.lines.find(([number]) => number === pair);
    this.pairLine?.setAttribute("d", line ? this.lineOf(line[1]) : "");
  }
}
