// The tables that there are: tiers, sizes, wins, draws and losses, how often each value comes, and positions to look at.

import { ask } from "./api.js";
import { plural, signed } from "./values.js";

const $ = (id) => document.getElementById(id);

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const count = (number) => number.toLocaleString("en");

function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let unit = -1;
  let number = bytes;
  do {
    number /= 1024;
    unit += 1;
  } while (number >= 1024 && unit < units.length - 1);
  return `${number.toPrecision(3)} ${units[unit]}`;
}

/** A link to the board. */
function link(profile, position, text) {
  const made = element("a", "", text);
  made.href = `/?${new URLSearchParams({ profile, position })}`;
  return made;
}

/** Wins, draws and losses as parts of one bar. */
function parts({ wins, draws, losses, positions }) {
  const bar = element("div", "parts");
  bar.setAttribute("role", "img");
  const percent = (number) => `${((100 * number) / positions).toFixed(1)} %`;
  bar.setAttribute("aria-label", `${percent(wins)} won, ${percent(draws)} drawn, ${percent(losses)} lost`);
  bar.title = bar.getAttribute("aria-label");
  for (const [kind, number] of [["win", wins], ["draw", draws], ["loss", losses]]) {
    const part = element("span", kind);
    part.style.flexGrow = number / positions;
    bar.append(part);
  }
  return bar;
}

/** How often each value comes, each with a position that has it. */
function histogram(table) {
  const box = element("div", "histogram");
  const most = Math.max(...table.values.map(({ positions }) => positions));
  for (const { number, positions, example } of [...table.values].reverse()) {
    const row = element("div", "bar");
    const name = link(table.profile, example, signed(number));
    name.title = "A position of this value";
    const track = element("span", "track");
    const filled = element("span", number > 0 ? "win" : number < 0 ? "loss" : "draw");
    // By logarithms: rare values could not be seen otherwise.
    filled.style.width = `${(100 * Math.log1p(positions)) / Math.log1p(most)}%`;
    track.append(filled);
    const share = (100 * positions) / table.positions;
    row.append(name, track, element("span", "often", `${count(positions)}  (${share >= 0.01 ? share.toFixed(2) : "< 0.01"} %)`));
    box.append(row);
  }
  return box;
}

function details(table) {
  const box = element("div", "details");
  box.append(element("h3", "", `${plural(table.seeds, "seed")}: how often each value comes`));
  box.append(element("p", "hint", "For the side to move, bars by logarithms. A value links to a position that has it."));
  box.append(histogram(table));
  const examples = element("p", "examples");
  const deepest = table.distances.filter(({ number }) => number !== null).pop();
  if (deepest) examples.append(link(table.profile, deepest.example, `The deepest: ${plural(deepest.number, "sowing")} until its value is converted`));
  if (table.standoff_example) examples.append(" ", link(table.profile, table.standoff_example, "A stand-off"));
  box.append(examples);
  return box;
}

function section(profile, tables) {
  const box = element("section", "card");
  box.dataset.profile = profile;
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  box.append(element("h2", "", profile));
  box.append(element("p", "hint", `Rules ${tables[0].rules}. ${plural(tables.length, "tier")}, ${size(bytes)}.`));
  const scroll = element("div", "scroll");
  const list = element("table", "tiers");
  const head = list.createTHead().insertRow();
  for (const title of ["Seeds", "Positions", "Won, drawn, lost", "Stand-offs", "Deepest", "Size", "Bits a position"]) {
    const cell = element("th", "", title);
    cell.scope = "col";
    head.append(cell);
  }
  const body = list.createTBody();
  const place = element("div");
  const choose = (table, row) => {
    for (const other of body.rows) other.classList.toggle("chosen", other === row);
    for (const button of body.querySelectorAll("button")) button.setAttribute("aria-expanded", String(row.contains(button)));
    place.replaceChildren(details(table));
  };
  for (const table of tables) {
    const row = body.insertRow();
    const seeds = element("button", "", table.seeds);
    seeds.type = "button";
    seeds.setAttribute("aria-label", `${plural(table.seeds, "seed")}: show how often each value comes`);
    seeds.addEventListener("click", () => choose(table, row));
    row.insertCell().append(seeds);
    row.insertCell().textContent = count(table.positions);
    row.insertCell().append(parts(table));
    row.insertCell().textContent = table.standoffs === null ? "–" : count(table.standoffs);
    row.insertCell().textContent = table.deepest ?? "–";
    row.insertCell().textContent = size(table.bytes);
    const { values, distances, forced } = table.bits;
    row.insertCell().textContent = (values + distances + (forced ?? 0)).toFixed(2);
  }
  scroll.append(list);
  box.append(scroll, place);
  choose(tables[tables.length - 1], body.rows[body.rows.length - 1]);
  return box;
}

ask("/api/tables").then(
  ({ directory, tables }) => {
    const profiles = new Map();
    for (const table of tables) profiles.set(table.profile, [...(profiles.get(table.profile) ?? []), table]);
    $("about").textContent = tables.length
      ? `${plural(tables.length, "table")} in ${directory}. Wins and losses are those of the side to move, from the position on.`
      : `There are no tables${directory ? ` in ${directory}` : ""}: “oju build” makes them. Small positions are solved without, when they are asked for.`;
    $("tables").replaceChildren(...[...profiles].map(([profile, of]) => section(profile, of)));
    document.body.dataset.state = "ready";
  },
  (error) => {
    $("problem").hidden = false;
    $("problem").textContent = error.message;
    $("about").textContent = "";
    document.body.dataset.state = "failed";
  },
);
