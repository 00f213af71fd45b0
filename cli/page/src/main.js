// Puts the page together: what the program computed is drawn, listed and played.

import { inflate, view } from "./data.js";
import { atLeast, atMost, seconds } from "./numbers.js";
import { Plot } from "./plot.js";
import { Stage, canDraw } from "./scene.js";
import { Timeline, firstAbove, stretchAt } from "./timeline.js";

const $ = (id) => document.getElementById(id);
const SPOKEN = { collision: "✕ collision", too_close: "▲ too close" };

class Page {
  constructor(data, buffer) {
    this.data = data;
    this.timeline = new Timeline(view(buffer, data.track.along), data.axis.waypoints);
    const arrays = data.clearance;
    this.clearance = { lines: arrays.lines.map(([pair, section]) => [pair, view(buffer, section)]) };
    for (const name of ["until", "lower", "pair", "measured", "upper", "nearest"]) {
      this.clearance[name] = view(buffer, arrays[name]);
    }
    this.pairBodies = new Map(data.pairs.map((pair) => [pair.pair, pair.bodies]));
    this.sample = 0;
    this.speed = 1;
    this.fill();
    const actions = { onSeek: (x) => this.seekX(x), onFinding: (number) => this.chooseFinding(number) };
    this.plot = new Plot($("plot"), data, this.timeline, this.clearance, actions);
    this.plot.draw();
    this.startScene(buffer);
    this.listen();
    if (data.findings.length) this.chooseFinding(Math.max(0, data.findings.findIndex((f) => f.kind === data.verdict)));
    else this.seek(0);
  }

  startScene(buffer) {
    if (canDraw()) {
      this.stage = new Stage($("canvas"), this.data, buffer);
      this.stage.onPick = (name) => ($("picked").textContent = name);
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

  names(bodies) {
    return bodies.map((body) => this.name(body)).join(" – ");
  }

  fill() {
    const { data } = this;
    define($("facts"), data.facts);
    define($("about"), data.about);
    for (const warning of data.warnings) $("warnings").append(make("li", {}, `Warning: ${warning}`));
    for (const note of data.notes) $("warnings").append(make("li", {}, `Note: ${note}`));
    $("findings-section").hidden = !data.findings.length;
    $("pairs-section").hidden = !data.pairs.length;
    this.findingButtons = data.findings.map((finding, number) => {
      const button = make("button", { type: "button", "aria-pressed": "false", class: finding.kind });
      button.append(make("span", { class: "kind" }, SPOKEN[finding.kind]), ` ${this.names(finding.bodies)}`);
      button.append(make("small", {}, `${finding.place}, distance ${finding.distance}`));
      button.addEventListener("click", () => this.chooseFinding(number));
      $("findings").append(make("li", {}, button));
      return button;
    });
    this.pairButtons = data.pairs.map((pair, number) => {
      const button = make("button", { type: "button", "aria-pressed": "false" }, this.names(pair.bodies));
      button.addEventListener("click", () => this.choosePair(number));
      const row = make("tr", pair.state === "found" ? { class: "found-too" } : {});
      row.append(make("td", {}, button), make("td", {}, pair.lower), make("td", {}, pair.upper));
      $("pairs").append(row);
      return button;
    });
    $("next").disabled = $("previous").disabled = !data.findings.length;
    $("cursor").max = this.timeline.length;
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
    if (on === "SELECT" || (on === "BUTTON" && (event.key === " " || event.key === "Enter"))) return;
    const by = (share) => this.seekX(this.timeline.x(this.sample) + share * this.timeline.length);
    const actions = {
      " ": () => this.toggle(),
      ArrowRight: () => (event.shiftKey ? this.seek(Math.floor(this.sample) + 1) : by(0.01)),
      ArrowLeft: () => (event.shiftKey ? this.seek(Math.ceil(this.sample) - 1) : by(-0.01)),
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
    this.stage?.show(this.sample);
    this.plot.moveTo(x);
    $("cursor").value = x;
    this.say();
  }

  seekX(x) {
    this.seek(this.timeline.sampleAtX(x));
    this.x = Math.min(Math.max(x, 0), this.timeline.length);
  }

  say() {
    const { segment, t } = this.timeline.place(this.sample);
    const place = `segment ${segment}, t = ${t.toFixed(4)}`;
    const time = this.data.axis.timed ? `${seconds(this.timeline.x(this.sample))}, ` : "";
    $("clock").textContent = this.data.axis.timed ? seconds(this.timeline.x(this.sample)) : "";
    const parts = [place];
    const along = this.timeline.along(this.sample);
    const { until, lower, measured, upper, nearest } = this.clearance;
    if (until.length) parts.push(`proven here: at least ${atLeast(lower[stretchAt(until, along)])} apart`);
    if (measured.length) {
      const after = Math.min(firstAbove(measured, along), measured.length - 1);
      const before = Math.max(after - 1, 0);
      const row = measured[after] - along < along - measured[before] ? after : before;
      const bodies = this.pairBodies.get(nearest[row]);
      const is = measured[row] === along ? "measured" : "measured nearby";
      if (Number.isFinite(upper[row])) parts.push(`nearest, ${is}: ${bodies ? `${this.names(bodies)}, ` : ""}${atMost(upper[row])}`);
    }
    const text = parts.join(" · ");
    $("readout").textContent = text;
    $("cursor").setAttribute("aria-valuetext", `${time}${text}`);
  }

  choose(chosen) {
    this.chosen = chosen;
    this.stage?.choose(chosen);
    this.findingButtons.forEach((button, i) => button.setAttribute("aria-pressed", String(chosen?.finding === i)));
    this.pairButtons.forEach((button, i) => button.setAttribute("aria-pressed", String(chosen?.row === i)));
    this.plot.chooseFinding(chosen?.finding);
    this.plot.choosePair(chosen?.pair);
    $("close-up").disabled = !chosen?.points;
    $("finding").hidden = chosen?.finding === undefined;
    $("legend").hidden = !chosen || !this.stage;
    if (!chosen) return;
    $("legend").replaceChildren(...chosen.bodies.map((body) => make("li", {}, this.name(body))));
    const { distance } = this.data.findings[chosen.finding] ?? {};
    if (distance) $("legend").append(make("li", { class: "gap" }, distance));
  }

  chooseFinding(number) {
    this.pause();
    const { bodies, points, sample, rows } = this.data.findings[number];
    const row = this.data.pairs.findIndex((pair) => pair.bodies.every((body) => bodies.includes(body)));
    this.choose({ finding: number, bodies, points, pair: this.data.pairs[row]?.pair });
    define($("finding"), rows);
    // Within the list only: the page itself stays where it is.
    const [list, item] = [$("findings"), this.findingButtons[number].parentElement];
    const above = item.getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (above < 0 || above + item.offsetHeight > list.clientHeight) list.scrollTop += above;
    this.seek(sample);
  }

  choosePair(row) {
    this.pause();
    const { pair, bodies, sample } = this.data.pairs[row];
    this.choose({ row, pair, bodies });
    this.seek(sample);
  }

  // The next finding along the path, from the chosen one or from where the cursor is.
  step(by) {
    const { findings } = this.data;
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

function make(tag, attributes, content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (content !== undefined) element.append(content);
  return element;
}

function define(list, rows) {
  list.replaceChildren(...rows.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)]));
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
