// The words beside the picture: lists of findings and pairs, the key of the plot, and what differs between pages of a path,
// of the rows of a distance, and of traffic.

const SPOKEN = { collision: "✕ collision", too_close: "▲ too close" };

export const KINDS = {
  path: {
    key: { lower: "proven: nothing is nearer than this", upper: "measured: the nearest pair", pair: "the chosen pair", asked: "asked for", found: "finding" },
    place: ({ segment, t }) => [`segment ${segment}, t = ${t.toFixed(4)}`],
    pair: (page, bodies) => bodies.map((body) => page.name(body)).join(" – "),
    nobody: "nothing is checked here",
    name: () => {},
  },
  rows: {
    key: { lower: "proven at the row", upper: "measured at the row", found: "contact" },
    place: ({ segment, t }) => [`row ${segment + Math.round(t)}`],
    pair: (page, bodies) => bodies.map((body) => page.name(body)).join(" – "),
    startsAtNearest: true,
    name: ($) => {
      $("h-pairs").textContent = "Rows by distance";
      $("pair-column").textContent = "Row";
      $("h-findings").textContent = "Rows in contact";
      $("plot").setAttribute("aria-label", "Distance at each row");
    },
  },
  traffic: {
    key: { lower: "proven: nobody is nearer in this stretch", upper: "measured: the nearest agent", pair: "the chosen agent", found: "finding" },
    place: (_, time) => [time],
    pair: (page, bodies) => page.name(bodies[1]),
    nobody: "nobody is there",
    name: ($) => {
      $("h-pairs").textContent = "Agents by least distance";
      $("pair-column").textContent = "Agent";
      $("plot").setAttribute("aria-label", "Distance to the nearest agent over time");
      $("stage").dataset.kind = "traffic";
    },
  },
};

export function make(tag, attributes, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

export function define(list, rows) {
  list.replaceChildren(...rows.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)]));
}

// Fills what belongs to one subject; the buttons, for whoever marks the chosen one.
export function fillLists($, page, subject) {
  define($("facts"), subject.facts);
  $("findings-section").hidden = !subject.findings.length;
  $("pairs-section").hidden = !subject.pairs.length;
  $("next").disabled = $("previous").disabled = !subject.findings.length;
  const findingButtons = subject.findings.map((finding, number) => {
    const button = make("button", { type: "button", "aria-pressed": "false", class: finding.kind });
    const spoken = finding.word ? `✕ ${finding.word}` : SPOKEN[finding.kind];
    const names = finding.word ? finding.place : page.kind.pair(page, finding.bodies);
    button.append(make("span", { class: "kind" }, spoken), ` ${names}`);
    button.append(make("small", {}, `${finding.word ? "" : `${finding.place}, `}distance ${finding.distance}`));
    button.addEventListener("click", () => page.chooseFinding(number));
    return button;
  });
  $("findings").replaceChildren(...findingButtons.map((button) => make("li", {}, button)));
  const pairButtons = subject.pairs.map((pair, number) => {
    const button = make("button", { type: "button", "aria-pressed": "false" }, pair.label ?? page.kind.pair(page, pair.bodies));
    button.addEventListener("click", () => page.choosePair(number));
    return button;
  });
  $("pairs").replaceChildren(...pairButtons.map((button, number) => {
    const { lower, upper, state } = subject.pairs[number];
    const row = make("tr", state === "found" ? { class: "found-too" } : {});
    row.append(make("td", {}, button), make("td", {}, lower), make("td", {}, upper));
    return row;
  }));
  fillKey($("key"), page, subject);
  return { findingButtons, pairButtons };
}

// Only what is in the plot is in its key.
function fillKey(list, page, subject) {
  const { clearance, findings } = subject;
  const is = {
    lower: clearance.lower.some((value) => !Number.isNaN(value)),
    upper: clearance.upper.some(Number.isFinite),
    pair: clearance.lines.length > 0,
    asked: Boolean(page.data.asked),
    found: findings.length > 0,
  };
  const shown = Object.entries(page.kind.key).filter(([name]) => is[name]);
  list.replaceChildren(...shown.map(([name, text]) => make("li", { class: `k-${name}` }, text)));
  if (is.found) list.querySelector(".k-found").classList.toggle("too_close", findings.every((f) => f.kind === "too_close"));
  if (page.data.kind === "rows") list.querySelector(".k-upper")?.classList.add("k-dot");
  list.querySelector(".k-pair")?.setAttribute("hidden", "");
  if (subject.gaps) list.append(make("li", { class: "k-gap" }, "below: how long after each other a place is shared, proven and found"));
}
