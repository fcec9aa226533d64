// The list of moves, best first, and the line of best play.

import { bestOf, standoff } from "./board.js";
import { finalStores, isWhole, plural, range } from "./values.js";

const LINE_SHOWN = 40;

function cell(row, text, className) {
  const made = row.insertCell();
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** How the game ends with this value. */
function ends(legal, { bounds: [lower, upper] }) {
  if (lower !== upper || !isWhole(legal)) return "";
  const { south, north } = finalStores(legal, lower);
  return `${south}–${north}`;
}

function kind({ bounds: [lower, upper] }) {
  if (lower > 0) return "win";
  if (upper < 0) return "loss";
  return lower === upper ? "draw" : "open";
}

/** Fills the table. `play(letter)` is called for a move that is chosen, `point(letter or null)` for one that is looked at. */
export function showMoves(table, legal, known, play, point) {
  const body = table.tBodies[0];
  const focused = body.contains(document.activeElement) ? document.activeElement.dataset.move : null;
  const rows = [];
  const listed = known?.moves ?? legal.moves.map((move) => ({ ...move, bounds: [-legal.seeds, legal.seeds], exact: false }));
  // Bounds come in the order of pits: the list is in the order of what is proven.
  const moves = [...listed].sort((a, b) => (known?.searching || !known ? b.bounds[0] - a.bounds[0] || b.bounds[1] - a.bounds[1] : 0));
  const best = known ? bestOf(known) : [];
  for (const move of moves) {
    const more = legal.moves.find((other) => other.move === move.move) ?? move;
    const row = document.createElement("tr");
    row.className = kind(move);
    row.dataset.move = move.move;
    row.classList.toggle("best", best.includes(move.move));
    const head = document.createElement("th");
    head.scope = "row";
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.move = move.move;
    button.textContent = move.move === "-" ? "pass" : move.move;
    button.setAttribute("aria-label", move.move === "-" ? "Pass" : `Play ${move.move}`);
    button.addEventListener("click", () => play(move.move));
    head.append(button);
    row.append(head);
    const value = cell(row, range(move.bounds), "value");
    if (!move.exact) value.title = "Proven so far";
    if (move.standoff) {
      const mark = document.createElement("span");
      mark.className = "mark";
      mark.textContent = "stand-off";
      mark.title = standoff(move);
      value.append(" ", mark);
    }
    cell(row, more.captured || "–");
    const laps = cell(row, more.laps.toLocaleString("en"));
    if (more.again) {
      const mark = document.createElement("span");
      mark.className = "mark";
      mark.textContent = "again";
      mark.title = "An extra turn";
      laps.append(" ", mark);
    }
    cell(row, ends(legal, move), "ends");
    row.addEventListener("pointerenter", () => point(move.move));
    row.addEventListener("pointerleave", () => point(null));
    rows.push(row);
  }
  for (const refused of legal.illegal) {
    const row = document.createElement("tr");
    row.className = "refused";
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = refused.move;
    row.append(head);
    const reason = cell(row, refused.endless ? "never ends, so it is illegal" : "does not feed the opponent, so it is illegal", "reason");
    reason.colSpan = 4;
    reason.title = refused.reason;
    rows.push(row);
  }
  body.replaceChildren(...rows);
  if (focused) body.querySelector(`button[data-move="${CSS.escape(focused)}"]`)?.focus();
}

/** The line of best play, in words that say how sure it is. */
export function showLine(line, source, legal, { known, final }) {
  if (legal.over || !known || known.searching) {
    line.textContent = "";
    source.textContent = known?.searching && !final ? searchSaid(known) : "";
    return;
  }
  const letters = [...(known.line ?? "")];
  const more = letters.length > LINE_SHOWN ? ` and ${letters.length - LINE_SHOWN} more` : "";
  line.textContent = letters.length ? `${known.exact ? "Best play" : "Best so far"}: ${letters.slice(0, LINE_SHOWN).join("")}${more}` : "";
  const took = known.time_ms < 1000 ? `${Math.max(1, Math.round(known.time_ms))} ms` : `${(known.time_ms / 1000).toFixed(1)} s`;
  const from = known.source === "table" ? "From a solved tier" : known.source === "rules" ? "By the rules" : `Searched, ${plural(known.nodes, "node")}`;
  const distance = known.distance ? ` The value is converted in ${plural(known.distance, "sowing")}.` : "";
  source.textContent = `${from}, ${took}.${distance}`;
}

function searchSaid({ waiting, tier, open }) {
  if (waiting) return "Waiting for another search to end …";
  if (tier !== null && tier !== undefined) return `Solving the tier of ${plural(tier, "seed")} …`;
  if (open === 0) return "All values are proven; looking for best play …";
  return `Searching: ${plural(open, "move")} still open …`;
}
