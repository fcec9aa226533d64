// The value over the game, its mistakes, and its moves.

import { lost } from "./game.js";
import { margins, name, number, plural } from "./values.js";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 150;
const TOP = 14;
const BOTTOM = 20;
const LEFT = 34;

function make(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** The mistakes of a game: where, what was played, what it cost, what was best. */
export function mistakesOf(game) {
  return [...game.moves].flatMap((letter, at) => {
    const node = game.node(game.moves.slice(0, at));
    const cost = node.legal && lost(node, letter);
    if (!cost || cost.seeds <= 0) return [];
    const sign = (bounds) => (bounds[0] > 0 ? 1 : bounds[1] < 0 ? -1 : bounds[0] === bounds[1] ? 0 : null);
    const after = game.node(game.moves.slice(0, at + 1));
    const before = margins(node.legal, node.known);
    const now = after.legal && margins(after.legal, after.known);
    const turned = Boolean(before && now && sign(before) !== null && sign(now) !== null && sign(before) !== sign(now));
    return [{ at, letter, side: node.legal.turn, turned, ...cost, best: node.known.moves[0].move }];
  });
}

/** Draws the graph; `go(at)` is called for a place that is chosen. */
export function showGraph(root, game, go) {
  const line = game.line;
  const points = line.map((node, at) => ({ at, bounds: node.legal && (node.known || node.legal.over) ? margins(node.legal, node.known) : null }));
  const total = line[0].legal?.board.seeds ?? 48;
  const steps = Math.max(line.length - 1, 8);
  const width = Math.max(320, root.clientWidth || 600);
  const known = points.filter(({ bounds }) => bounds && bounds[0] === bounds[1]);
  const most = Math.max(8, ...known.map(({ bounds }) => Math.abs(bounds[0])));
  const scale = Math.min(total, Math.ceil((most + 2) / 4) * 4);
  const x = (at) => LEFT + ((width - LEFT - 12) * at) / steps;
  const y = (margin) => TOP + ((HEIGHT - TOP - BOTTOM) * (scale - Math.max(-scale, Math.min(scale, margin)))) / (2 * scale);
  const svg = make("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "group", "aria-label": "Final margin after each move" });
  svg.append(make("rect", { class: "half south", x: LEFT, y: y(scale), width: width - LEFT - 12, height: y(0) - y(scale) }));
  svg.append(make("rect", { class: "half north", x: LEFT, y: y(0), width: width - LEFT - 12, height: y(-scale) - y(0) }));
  for (const margin of [scale, 0, -scale]) {
    svg.append(make("line", { class: margin ? "rule" : "zero", x1: LEFT, x2: width - 12, y1: y(margin), y2: y(margin) }));
    svg.append(make("text", { class: "tick", x: LEFT - 6, y: y(margin) + 4, "text-anchor": "end" }, number(margin)));
  }
  svg.append(make("text", { class: "owner", x: width - 16, y: TOP + 12, "text-anchor": "end" }, "South ahead"));
  svg.append(make("text", { class: "owner", x: width - 16, y: HEIGHT - BOTTOM - 6, "text-anchor": "end" }, "North ahead"));
  const parts = [];
  let open = false;
  for (const { at, bounds } of points) {
    const exact = bounds && bounds[0] === bounds[1];
    if (exact) parts.push(`${open ? "L" : "M"}${x(at).toFixed(1)} ${y(bounds[0]).toFixed(1)}`);
    open = Boolean(exact);
    if (bounds && !exact) svg.append(make("line", { class: "between", x1: x(at), x2: x(at), y1: y(bounds[0]), y2: y(bounds[1]) }));
  }
  svg.append(make("path", { class: "value", d: parts.join(" ") }));
  const mistakes = new Map(mistakesOf(game).map((mistake) => [mistake.at + 1, mistake]));
  for (const { at, bounds } of points) {
    const mistake = mistakes.get(at);
    const middle = bounds ? (bounds[0] + bounds[1]) / 2 : 0;
    const here = at === game.at;
    if (here) svg.append(make("line", { class: "now", x1: x(at), x2: x(at), y1: TOP - 4, y2: HEIGHT - BOTTOM + 4 }));
    const kind = mistake ? (mistake.turned ? "turned" : "mistake") : bounds ? "known" : "unknown";
    const moved = at ? `after move ${at}, ${game.moves[at - 1]}` : "at the beginning";
    const worth = !bounds ? "not known yet" : bounds[0] === bounds[1] ? number(bounds[0]) : `${number(bounds[0])} to ${number(bounds[1])}`;
    const point = make("g", { class: `point ${kind}${here ? " here" : ""}`, role: "button", tabindex: "0", "data-at": at });
    point.setAttribute("aria-label", `${moved}: ${worth}${mistake ? `, a mistake: ${costs(mistake)}` : ""}`);
    // A place to click at, as high as the graph.
    point.append(make("rect", { class: "place", x: x(at) - Math.min(12, (x(1) - x(0)) / 2), y: 0, width: Math.min(24, x(1) - x(0)), height: HEIGHT }));
    point.append(make("circle", { cx: x(at), cy: y(middle), r: mistake ? 5.5 : 3.5 }));
    point.append(make("title", {}, point.getAttribute("aria-label")));
    point.addEventListener("click", () => go(at));
    point.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        event.stopPropagation();
        go(at);
      }
    });
    if (at) point.append(make("text", { class: "move", x: x(at), y: HEIGHT - 5, "text-anchor": "middle" }, steps > 60 && at % 2 ? "" : game.moves[at - 1]));
    svg.append(point);
  }
  const focused = root.contains(document.activeElement) ? document.activeElement.dataset.at : null;
  root.replaceChildren(svg);
  if (focused !== null) root.querySelector(`[data-at="${focused}"]`)?.focus();
}

function costs({ seeds, atLeast, turned, best }) {
  return `${atLeast ? "at least " : ""}${plural(seeds, "seed")} less than ${best === "-" ? "a pass" : best}${turned ? ", and it changes who wins" : ""}`;
}

/** The moves that were played, and the mistakes in words. */
export function showRecord(record, list, game, go) {
  const mistakes = mistakesOf(game);
  const marked = new Map(mistakes.map((mistake) => [mistake.at, mistake]));
  record.replaceChildren(
    ...[...game.moves].map((letter, at) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = letter === "-" ? "pass" : letter;
      button.dataset.at = at + 1;
      if (at + 1 === game.at) button.setAttribute("aria-current", "step");
      const mistake = marked.get(at);
      if (mistake) {
        button.classList.add(mistake.turned ? "turned" : "mistake");
        button.title = costs(mistake);
      }
      button.addEventListener("click", () => go(at + 1));
      item.append(button);
      return item;
    }),
  );
  list.replaceChildren(
    ...mistakes.map((mistake) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.mistake = mistake.at;
      button.className = mistake.turned ? "turned" : "mistake";
      button.textContent = `Move ${mistake.at + 1}, ${name(mistake.side)} ${mistake.letter}: ${costs(mistake)}.`;
      button.addEventListener("click", () => go(mistake.at));
      item.append(button);
      return item;
    }),
  );
}
