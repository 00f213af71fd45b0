// Puts the page together: what the program computed is drawn, listed and played.

import { inflate, view } from "./data.js";
import { define, fillLists, make, KINDS } from "./lists.js";
import { atLeast, atMost, seconds, secondsAtLeast, secondsAtMost, short, shortSeconds } from "./numbers.js";
import { Plot } from "./plot.js";
import { Stage, canDraw } from "./scene.js";
import { Timeline, firstAbove, stretchAt } from "./timeline.js";
import { TopView } from "./topview.js";

const $ = (id) => document.getElementById(id);

class Page {
  constructor(data, buffer) {
    this.data = data;
    this.kind = KINDS[data.kind];
    this.timeline = new Timeline(view(buffer, data.track.along), data.axis.waypoints, data.kind === "rows");
    // A path is a page of its own; of trajectories in traffic there may be several.
    this.subjects = (data.subjects ?? [data]).map((subject) => ({
      ...subject,
      clearance: arrays(subject.clearance, buffer),
      gaps: subject.gaps ? arrays(subject.gaps, buffer) : null,
      views: (subject.views ?? []).map((of) => ({ ...of, clearance: arrays(of.clearance, buffer) })),
    }));
    if (data.points) this.points = view(buffer, data.points);
    this.sample = 0;
    this.speed = 1;
    this.fill();
    const actions = { onSeek: (x) => this.seekX(x), onFinding: (number) => this.chooseFinding(number) };
    this.plot = new Plot($("plot"), data, this.timeline, short, actions);
    this.gapPlot = new Plot($("gap-plot"), { ...data, asked: null }, this.timeline, shortSeconds, actions);
    this.startScene(buffer);
    this.listen();
    this.openSubject(0);
  }

  startScene(buffer) {
    const isFlat = this.data.kind === "traffic";
    if (isFlat || canDraw()) {
      this.stage = new (isFlat ? TopView : Stage)($("canvas"), this.data, buffer);
      this.stage.onPick = (name) => ($("picked").textContent = name);
      if (isFlat) $("canvas").setAttribute("aria-label", "The traffic from above. Arrow keys move it, plus and minus zoom, R shows all of it.");
      return;
    }
    $("canvas").hidden = true;
    $("no-scene").hidden = false;
    $("scene").classList.add("is-flat");
    $("all").hidden = $("close-up").hidden = true;
  }

  name(body) {
    return this.data.bodies[body].name;
  }

  fill() {
    const { data } = this;
    define($("about"), data.about);
    for (const warning of data.warnings) $("warnings").append(make("li", {}, make("b", {}, "Warning: "), warning));
    for (const note of data.notes) $("warnings").append(make("li", {}, "Note: ", note));
    this.kind.name($);
    $("cursor").max = this.timeline.length;
    $("subjects-section").hidden = this.subjects.length < 2;
    this.subjectButtons = this.subjects.map((subject, number) => {
      const button = make("button", { type: "button", "aria-pressed": "false", class: subject.verdict });
      button.append(make("span", { class: "kind" }, (subject.verdict ?? "").replace("_", " ")), ` ${subject.name}`);
      button.addEventListener("click", () => this.openSubject(number));
      $("subjects").append(make("li", {}, button));
      return button;
    });
  }

  // Shows one of the trajectories, from its first finding on.
  openSubject(number) {
    this.pause();
    const subject = this.subjects[number];
    this.subject = subject;
    this.clearance = subject.clearance;
    this.pairBodies = new Map(subject.pairs.map((pair) => [pair.pair, pair.bodies]));
    this.subjectButtons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === number)));
    Object.assign(this, fillLists($, this, subject));
    $("gap-plot").toggleAttribute("hidden", !subject.gaps);
    this.showKinds(subject);
    this.plot.show(subject, subject.clearance);
    if (subject.gaps) this.gapPlot.show({ findings: [] }, subject.gaps);
    this.stage?.showSubject?.(subject);
    const { findings } = subject;
    if (findings.length) this.chooseFinding(Math.max(0, findings.findIndex((f) => f.kind === subject.verdict)));
    else {
      this.choose(this.data.kind === "rows" ? { bodies: [0, 1] } : null);
      this.seek(this.kind.startsAtNearest && subject.pairs.length ? subject.pairs[0].sample : 0);
    }
  }

  // Offers the kinds of pairs, where there are two; all are shown at first.
  showKinds({ views }) {
    $("kinds").hidden = !views.length;
    const choices = [{ kind: "", label: "all pairs" }, ...views];
    const radios = choices.map(({ kind, label }) => {
      const radio = make("input", { type: "radio", name: "kind", value: kind });
      radio.checked = !kind;
      radio.addEventListener("change", () => this.chooseKind(kind));
      return make("label", {}, radio, ` ${label}`);
    });
    $("kinds").replaceChildren(make("legend", {}, "Pairs"), ...(views.length ? radios : []));
  }

  // Shows the clearance of the pairs of one kind alone, or of all.
  chooseKind(kind) {
    const { subject } = this;
    const of = subject.views.find((view) => view.kind === kind) ?? { clearance: subject.clearance, asked: this.data.asked };
    this.clearance = of.clearance;
    subject.pairs.forEach((pair, row) => this.pairButtons[row].closest("tr").toggleAttribute("hidden", Boolean(kind) && pair.kind !== kind));
    if (kind && this.chosen?.row !== undefined && subject.pairs[this.chosen.row].kind !== kind) this.choose(null);
    this.plot.show(subject, of.clearance, of.asked);
    this.plot.chooseFinding(this.chosen?.finding);
    this.plot.choosePair(this.chosen?.pair);
    this.plot.moveTo(this.timeline.x(this.sample));
    this.say();
  }

  listen() {
    $("play").addEventListener("click", () => this.toggle());
    $("next").addEventListener("click", () => this.step(1));
    $("previous").addEventListener("click", () => this.step(-1));
    $("all").addEventListener("click", () => this.stage?.all());
    $("close-up").addEventListener("click", () => this.stage?.closeUp());
    $("speed").addEventListener("change", (event) => (this.speed = Number(event.target.value)));
    $("cursor").addEventListener("input", (event) => this.seekX(Number(event.target.value)));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const on = event.target.tagName;
    if (on === "SELECT" || event.target.type === "radio" || (on === "BUTTON" && (event.key === " " || event.key === "Enter"))) return;
    const by = (share) => this.seekX(this.timeline.x(this.sample) + share * this.timeline.length);
    const next = (way) => this.seek(way > 0 ? Math.floor(this.sample) + 1 : Math.ceil(this.sample) - 1);
    const go = (way) => (event.shiftKey || this.timeline.isStepped ? next(way) : by(0.01 * way));
    const actions = {
      " ": () => this.toggle(),
      ArrowRight: () => go(1),
      ArrowLeft: () => go(-1),
      Home: () => this.seek(0),
      End: () => this.seek(this.timeline.last),
      n: () => this.step(1),
      p: () => this.step(-1),
      f: () => this.stage?.closeUp(),
      r: () => this.stage?.all(),
      Escape: () => this.choose(null),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || (on === "SUMMARY" && event.key === " ")) return;
    event.preventDefault();
    action();
  }

  // To a sample or between two; the same place in every part of the page.
  seek(sample) {
    this.sample = Math.min(Math.max(sample, 0), this.timeline.last);
    const x = this.timeline.x(this.sample);
    this.x = x;
    if (this.points && this.chosen) this.showRow();
    this.stage?.show(this.sample);
    this.plot.moveTo(x);
    this.gapPlot.moveTo(x);
    $("cursor").value = x;
    this.say();
  }

  seekX(x) {
    this.seek(this.timeline.sampleAtX(x));
    this.x = Math.min(Math.max(x, 0), this.timeline.length);
  }

  // The two points of a row, where it has some.
  showRow() {
    const all = [...this.points.subarray(6 * this.sample, 6 * this.sample + 6)];
    const both = all.every(Number.isFinite) ? [all.slice(0, 3), all.slice(3)] : undefined;
    this.stage?.showPoints(both);
    $("close-up").disabled = !both;
    const upper = this.clearance.upper[this.sample];
    const gap = $("legend").querySelector(".gap");
    if (gap) gap.textContent = Number.isFinite(upper) ? atMost(upper) : "no distance";
  }

  say() {
    const { axis } = this.data;
    const x = this.timeline.x(this.sample);
    const time = axis.timed ? seconds(axis.start + x) : "";
    $("clock").textContent = time;
    const parts = this.kind.place(this.timeline.place(this.sample), time);
    const along = this.timeline.along(this.sample);
    if (this.data.kind === "rows") this.sayRow(parts);
    else this.sayClearance(parts, along);
    if (this.subject.gaps) this.sayGap(parts, along);
    const text = parts.join(" · ");
    $("readout").textContent = text;
    $("cursor").setAttribute("aria-valuetext", `${time} ${text}`);
  }

  sayRow(parts) {
    const [lower, upper] = [this.clearance.lower[this.sample], this.clearance.upper[this.sample]];
    if (lower < 0) parts.push(`proven: an overlap of at most ${atMost(-lower)}`);
    else parts.push(Number.isFinite(lower) ? `proven: at least ${atLeast(lower)} apart` : "nothing is proven from below");
    if (Number.isFinite(upper)) parts.push(upper < 0 ? `measured: an overlap of ${atLeast(-upper)}` : `measured: ${atMost(upper)}`);
  }

  sayClearance(parts, along) {
    const { from, until, lower, measured, upper, nearest } = this.clearance;
    if (until.length && along >= from && along <= until[until.length - 1]) {
      const bound = lower[stretchAt(until, along)];
      parts.push(Number.isFinite(bound) ? `proven here: at least ${atLeast(bound)} apart` : this.kind.nobody);
    }
    if (!measured.length) return;
    const after = Math.min(firstAbove(measured, along), measured.length - 1);
    const before = Math.max(after - 1, 0);
    const row = measured[after] - along < along - measured[before] ? after : before;
    const bodies = this.pairBodies.get(nearest[row]);
    const is = measured[row] === along ? "measured" : "measured nearby";
    if (Number.isFinite(upper[row])) parts.push(`nearest, ${is}: ${bodies ? `${this.kind.pair(this, bodies)}, ` : ""}${atMost(upper[row])}`);
  }

  sayGap(parts, along) {
    const { from, until, lower, upper } = this.subject.gaps;
    if (along < from || along > until[until.length - 1]) return;
    const stretch = stretchAt(until, along);
    const [least, most] = [lower[stretch], upper[2 * stretch]];
    parts.push(Number.isFinite(most) ? `time gap in this stretch: between ${secondsAtLeast(least)} and ${secondsAtMost(most)}` : "no place is shared with anybody in this stretch");
  }

  choose(chosen) {
    this.chosen = chosen;
    this.stage?.choose(chosen);
    this.findingButtons.forEach((button, i) => button.setAttribute("aria-pressed", String(chosen?.finding === i)));
    this.pairButtons.forEach((button, i) => button.setAttribute("aria-pressed", String(chosen?.row === i)));
    this.plot.chooseFinding(chosen?.finding);
    this.plot.choosePair(chosen?.pair);
    $("key").querySelector(".k-pair")?.toggleAttribute("hidden", !this.clearance.lines.some(([pair]) => pair === chosen?.pair));
    $("close-up").disabled = !chosen || (!chosen.points && this.data.kind !== "traffic");
    $("finding").hidden = chosen?.finding === undefined;
    $("legend").hidden = !chosen || !this.stage;
    if (!chosen) return;
    $("legend").replaceChildren(...chosen.bodies.map((body) => make("li", {}, this.name(body))));
    const { distance } = this.subject.findings[chosen.finding] ?? {};
    if (distance || this.points) $("legend").append(make("li", { class: "gap" }, distance ?? ""));
    if (chosen.ghost) $("legend").append(make("li", { class: "ghost" }, `${this.name(chosen.bodies[1])} at its own time`));
  }

  chooseFinding(number) {
    this.pause();
    const { bodies, points, sample, rows, ghost } = this.subject.findings[number];
    const row = this.subject.pairs.findIndex((pair) => pair.bodies.every((body) => bodies.includes(body)));
    this.choose({ finding: number, bodies, points, ghost, pair: this.subject.pairs[row]?.pair });
    define($("finding"), rows);
    // Within the list only: the page itself stays where it is.
    const [list, item] = [$("findings"), this.findingButtons[number].parentElement];
    const above = item.getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (above < 0 || above + item.offsetHeight > list.clientHeight) list.scrollTop += above;
    this.seek(sample);
  }

  choosePair(row) {
    this.pause();
    const { pair, bodies, sample } = this.subject.pairs[row];
    this.choose({ row, pair, bodies });
    this.seek(sample);
  }

  // The next finding along the path, from the chosen one or from where the cursor is.
  step(by) {
    const { findings } = this.subject;
    if (!findings.length) return;
    const at = this.chosen?.finding;
    if (at !== undefined) return this.chooseFinding((at + by + findings.length) % findings.length);
    const samples = findings.map((finding) => finding.sample);
    const after = samples.findIndex((sample) => sample > this.sample);
    this.chooseFinding(by > 0 ? Math.max(after, 0) : (after < 0 ? findings.length : after || findings.length) - 1);
  }

  toggle() {
    if (this.playing) return this.pause();
    if (this.sample >= this.timeline.last) this.seek(0);
    this.playing = true;
    this.x = this.timeline.x(this.sample);
    $("play").dataset.playing = "";
    $("play").querySelector(".word").textContent = "Pause";
    let last = performance.now();
    const rate = this.timeline.length / this.data.axis.seconds;
    const tick = (now) => {
      if (!this.playing) return;
      const x = this.x + (Math.min(now - last, 100) / 1000) * rate * this.speed;
      last = now;
      this.seekX(x);
      if (x >= this.timeline.length) return this.pause();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.playing = false;
    delete $("play").dataset.playing;
    $("play").querySelector(".word").textContent = "Play";
  }
}

function arrays(clearance, buffer) {
  const read = { from: clearance.from ?? 0, lines: clearance.lines.map(([pair, section]) => [pair, view(buffer, section)]) };
  for (const name of ["until", "lower", "pair", "measured", "upper", "nearest"]) read[name] = view(buffer, clearance[name]);
  return read;
}

async function start() {
  const data = JSON.parse($("data").textContent);
  const page = new Page(data, await inflate($("blob").textContent));
  // For tests, which look at what is shown.
  document.documentElement.dataset.ready = "";
  globalThis.pathproofPage = page;
}

start().catch((error) => {
  const notice = make("p", { class: "notice" }, `This page could not be shown here (${error.message}). The answer as text is below.`);
  document.querySelector("main").before(notice);
  throw error;
});
