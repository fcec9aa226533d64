// The board as it lies on the table: pits, stores, seeds, and the badges of the moves.

import { Seeds } from "./seeds.js";
import { name, number, plural, range, signed } from "./values.js";

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** The letter of a pit, given by its place in sowing order. */
export function letterOf(pit, row) {
  return String.fromCharCode(pit < row ? 65 + pit : 97 + pit - row);
}

/** The place of a letter in sowing order. */
export function pitOf(letter, row) {
  const code = letter.charCodeAt(0);
  return code < 97 ? code - 65 : code - 97 + row;
}

export class Board {
  /** `pressed(pit or "south" or "north", event)` is called for each click. */
  constructor(root, pressed) {
    this.root = root;
    this.pressed = pressed;
    this.row = 0;
    this.flipped = false;
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  /** Makes the pits of a board of so many pits a row. */
  lay({ pits: row, direction }) {
    const clockwise = direction === "clockwise";
    if (this.row === row && this.clockwise === clockwise) return;
    this.row = row;
    this.clockwise = clockwise;
    this.pits = [];
    this.stores = {};
    const pits = element("div", "pits");
    for (let pit = 0; pit < 2 * row; pit++) pits.append(this.makePit(pit));
    const ridge = element("div", "ridge");
    ridge.append(element("span", "", clockwise ? "↻ sown clockwise" : "↺ sown counterclockwise"));
    pits.append(ridge);
    this.hand = element("div", "hand");
    this.hand.setAttribute("aria-hidden", "true");
    this.hand.hidden = true;
    this.root.replaceChildren(this.makeStore("north"), pits, this.makeStore("south"), this.hand);
    this.root.style.setProperty("--row", row);
    this.root.classList.toggle("long", row > 8);
    document.body.classList.toggle("long-board", row > 8);
    this.place();
  }

  makePit(pit) {
    const button = element("button", "pit");
    button.type = "button";
    button.dataset.pit = letterOf(pit, this.row);
    const bowl = element("span", "bowl");
    const seeds = new Seeds(pit);
    bowl.append(seeds.svg);
    const badge = element("span", "badge");
    const label = element("span", "label");
    const count = element("span", "count", "0");
    label.append(element("span", "letter", letterOf(pit, this.row)), count);
    const well = element("span", "well");
    well.append(bowl, badge);
    button.append(well, label);
    button.addEventListener("click", (event) => this.pressed(pit, event));
    button.addEventListener("contextmenu", (event) => {
      if (document.body.dataset.mode === "edit") {
        event.preventDefault();
        this.pressed(pit, event);
      }
    });
    this.pits.push({ button, seeds, badge, count, bowl });
    return button;
  }

  makeStore(side) {
    const store = element("button", `store ${side}`);
    store.type = "button";
    store.dataset.store = side;
    const seeds = new Seeds(side === "south" ? 100 : 101, { store: true });
    const hollow = element("span", "hollow");
    hollow.append(seeds.svg);
    const count = element("span", "count", "0");
    const label = element("span", "label");
    label.append(element("span", "owner", name(side)), count);
    store.append(hollow, label);
    for (const kind of ["click", "contextmenu"]) {
      store.addEventListener(kind, (event) => {
        if (document.body.dataset.mode !== "edit") return;
        event.preventDefault();
        this.pressed(side, event);
      });
    }
    this.stores[side] = { button: store, seeds, count };
    return store;
  }

  /** Turns the board round, or back. */
  flip(flipped) {
    this.flipped = flipped;
    this.place();
  }

  place() {
    const row = this.row;
    this.pits.forEach(({ button }, pit) => {
      const south = pit < row;
      const fromLeft = south ? pit : 2 * row - 1 - pit;
      let column = this.clockwise ? row - 1 - fromLeft : fromLeft;
      let top = !south;
      if (this.flipped) {
        column = row - 1 - column;
        top = !top;
      }
      button.style.setProperty("--column", column + 1);
      button.classList.toggle("upper", top);
    });
    this.root.classList.toggle("flipped", this.flipped);
    // The order of reading and of the Tab key is that of the table: the upper row, then the lower one, each from the left.
    const order = [...this.pits].sort((a, b) => this.order(a.button) - this.order(b.button));
    order.forEach(({ button }) => button.parentElement.insertBefore(button, button.parentElement.querySelector(".ridge")));
  }

  order(button) {
    return Number(button.style.getPropertyValue("--column")) + (button.classList.contains("upper") ? 0 : 100);
  }

  /** Shows seeds. `dropped`: a pit that just got one. */
  seeds(counts, stores, dropped = null) {
    counts.forEach((count, pit) => {
      const shown = this.pits[pit];
      if (shown.shown === count) return;
      shown.seeds.show(count, pit === dropped);
      shown.count.textContent = count;
      shown.shown = count;
      shown.button.classList.toggle("empty", count === 0);
    });
    ["south", "north"].forEach((side, at) => {
      const store = this.stores[side];
      if (store.shown === stores[at]) return;
      store.seeds.show(stores[at], dropped !== null);
      store.count.textContent = stores[at];
      store.shown = stores[at];
      store.button.setAttribute("aria-label", `${name(side)}'s store: ${plural(stores[at], "seed")}`);
    });
  }

  /** Shows what is known of each move. `known`: an analysis, or bounds so far, or nothing yet. */
  badges(legal, known) {
    const row = this.row;
    const values = new Map((known?.moves ?? []).map((move) => [move.move, move]));
    const best = known ? bestOf(known) : [];
    const illegal = new Map(legal.illegal.map((move) => [move.move, move]));
    const legalMoves = new Map(legal.moves.map((move) => [move.move, move]));
    this.root.dataset.turn = legal.over ? "none" : legal.turn;
    this.pits.forEach(({ button, badge }, pit) => {
      const letter = letterOf(pit, row);
      const count = legal.counts[pit];
      const move = legalMoves.get(letter);
      const refused = illegal.get(letter);
      const value = values.get(letter);
      const label = [`${name(pit < row ? "south" : "north")} ${letter.toUpperCase()}: ${plural(count, "seed")}`];
      badge.className = "badge";
      badge.textContent = "";
      button.classList.toggle("legal", Boolean(move));
      button.classList.toggle("refused", Boolean(refused));
      button.classList.toggle("best", Boolean(move) && best.includes(letter));
      if (move) {
        describe(badge, value, legal.seeds);
        label.push(value ? sayValue(value) : "value not known yet");
        if (best.includes(letter)) label.push(known.exact ? "best" : "best so far");
        if (move.captured) label.push(`takes ${move.captured}`);
        if (move.again) label.push("moves again");
      } else if (refused) {
        badge.textContent = refused.endless ? "∞" : "✕";
        badge.classList.add("none");
        label.push(refused.endless ? "can not be played: the sowing never ends" : "can not be played: the opponent must be fed");
      }
      button.title = refused ? refused.reason : "";
      button.setAttribute("aria-label", label.join(", "));
      button.setAttribute("aria-disabled", move ? "false" : "true");
    });
  }

  /** No badges while seeds are sown. */
  clearBadges() {
    for (const { button, badge } of this.pits) {
      badge.className = "badge";
      badge.textContent = "";
      button.classList.remove("legal", "best", "refused");
    }
    this.root.dataset.turn = "none";
  }

  /** Shows the hand over a pit with so many seeds in it; `null` takes it away. */
  holdOver(pit, held, seconds) {
    for (const { button } of this.pits) button.classList.remove("lit");
    if (pit === null) {
      this.hand.hidden = true;
      return;
    }
    this.pits[pit].button.classList.add("lit");
    const bowl = this.pits[pit].bowl.getBoundingClientRect();
    const board = this.root.getBoundingClientRect();
    const x = bowl.left + bowl.width / 2 - board.left;
    const y = bowl.top + bowl.height / 2 - board.top;
    const moves = !this.hand.hidden && seconds > 0.03;
    this.hand.style.transitionDuration = moves ? `${Math.min(seconds * 0.8, 0.3)}s` : "0s";
    this.hand.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
    this.hand.textContent = held;
    this.hand.classList.toggle("bare", held === 0);
    this.hand.hidden = false;
  }
}

/** Letters of the moves that are the best as far as is proven. */
export function bestOf(known) {
  if (!known.moves.length) return [];
  const exact = known.moves.filter((move) => move.exact);
  const upper = Math.max(...known.moves.map((move) => move.bounds[1]));
  // Only a move that no other can surpass is the best.
  const best = exact.filter((move) => move.bounds[0] === upper);
  return best.map((move) => move.move);
}

function describe(badge, value, seeds) {
  if (!value || (value.bounds[1] >= seeds && value.bounds[0] <= -seeds)) {
    badge.textContent = "…";
    badge.classList.add("open");
    return;
  }
  const [lower, upper] = value.bounds;
  badge.classList.add(lower > 0 ? "win" : upper < 0 ? "loss" : lower === upper ? "draw" : "open");
  if (lower !== upper) {
    badge.classList.add("range");
    badge.append(element("span", "", number(lower)), element("span", "", number(upper)));
    badge.title = `Proven so far: ${range(value.bounds)}`;
    return;
  }
  badge.textContent = signed(lower);
  badge.title = "";
  if (value.standoff) {
    badge.classList.add("standoff");
    badge.title = standoff(value);
  }
}

/** What a stand-off means for a value. */
export function standoff({ forced, value }) {
  const worth = forced && forced[0] !== forced[1] ? `: ${range(forced)}, as infinite play is worth` : "";
  return `A stand-off${worth}. ${signed(value)} where it is split evenly.`;
}

function sayValue({ bounds: [lower, upper], standoff: off }) {
  if (lower !== upper) return `proven between ${lower} and ${upper}`;
  return `value ${lower > 0 ? "plus " : ""}${lower}${off ? ", a stand-off" : ""}`;
}
