// The game on the table: where it began, what was played, where we stand, and what is known of each position on the way.

import { ask, analyse, Problem } from "./api.js";

/** One position of the game. */
class Node {
  constructor(moves) {
    this.moves = moves;
    this.legal = null;
    /** The latest proven bounds, in the shape of an analysis. */
    this.known = null;
    /** The answer is final: exact, or as far as the time went. */
    this.final = false;
    this.problem = null;
  }

  get complete() {
    return Boolean(this.legal?.over || (this.known?.exact && this.known.moves.every((move) => move.exact)));
  }
}

export class Game {
  /** `changed(node)` is called whenever more is known of a position. */
  constructor(changed) {
    this.changed = changed;
    this.nodes = new Map();
    this.profile = "ayoayo";
    this.position = "start";
    this.moves = "";
    this.at = 0;
    this.time = "10s";
    /** The search of the position that a move leads to, begun before the move was played. */
    this.ahead = null;
  }

  /** Takes up a game: a profile, a position, moves from it, and how many of them are played. */
  async load({ profile, position, moves, at }) {
    this.stop();
    Object.assign(this, { profile, position, moves: "", at: 0 });
    this.nodes = new Map();
    let problem = null;
    const letters = [...moves].filter((letter) => !/[\s,]/.test(letter));
    let legal = letters;
    try {
      await this.legal(letters.join(""));
    } catch (error) {
      if (error.parameter !== "moves") throw error;
      // Play as far as it is right.
      problem = error;
      const wrong = Number(/move (\d+):/.exec(error.message)?.[1] ?? 1);
      legal = letters.slice(0, wrong - 1);
    }
    this.moves = legal.join("");
    this.at = Math.min(at ?? this.moves.length, this.moves.length);
    await Promise.all(this.line.map((node) => this.legal(node.moves)));
    if (problem) throw problem;
  }

  node(moves) {
    if (!this.nodes.has(moves)) this.nodes.set(moves, new Node(moves));
    return this.nodes.get(moves);
  }

  get here() {
    return this.node(this.moves.slice(0, this.at));
  }

  /** The positions of the game, from the first on. */
  get line() {
    return Array.from({ length: this.moves.length + 1 }, (_, at) => this.node(this.moves.slice(0, at)));
  }

  query(moves) {
    return { profile: this.profile, position: this.position, moves };
  }

  /** What can be played after some moves. */
  async legal(moves) {
    const node = this.node(moves);
    if (!node.legal) node.legal = await ask("/api/legal", this.query(moves));
    return node;
  }

  /** Plays a move. Gives how it went, seed by seed; what was played on after here before is forgotten. */
  async play(letter) {
    this.stop();
    const before = this.here;
    const moves = before.moves + letter;
    // The value of what comes is asked for at the same time.
    const next = this.node(moves);
    if (!next.complete && before.legal?.moves.some((move) => move.move === letter)) {
      const control = new AbortController();
      this.searching = control;
      this.ahead = { next, control, done: this.search(next, this.time, control.signal) };
    }
    const played = await ask("/api/play", { ...this.query(before.moves), move: letter });
    if (this.here !== before) return null;
    if (this.moves.slice(0, this.at + 1) !== moves) this.moves = moves;
    this.at += 1;
    this.node(moves).legal = played.after;
    return played;
  }

  /** How the move that led here went. */
  async lastPlayed() {
    const before = this.moves.slice(0, this.at - 1);
    await this.legal(before);
    return ask("/api/play", { ...this.query(before), move: this.moves[this.at - 1] });
  }

  /** Goes to the position after so many moves. */
  async go(at) {
    this.at = Math.max(0, Math.min(at, this.moves.length));
    const { moves } = this.here;
    return this.legal(moves);
  }

  /** The position here has come three times since the last capture: the game is drawn up. */
  get repeated() {
    const here = this.here.legal?.position;
    const upTo = this.line.slice(0, this.at + 1);
    return Boolean(here) && upTo.filter((node) => node.legal?.position === here).length >= 3;
  }

  /** Stops what is being found out. */
  stop() {
    this.searching?.abort();
    this.filling?.abort();
  }

  /** Finds out all about the position here, then about the others of the game. `time`: more than the usual. */
  async study(time = this.time) {
    const here = this.here;
    const { ahead } = this;
    this.ahead = null;
    let control = ahead?.control;
    if (ahead?.next === here && !control.signal.aborted) {
      await ahead.done;
    } else {
      this.stop();
      control = new AbortController();
      this.searching = control;
      if (!here.complete) await this.search(here, time, control.signal);
    }
    if (control.signal.aborted) return;
    await this.findStandoffs(here, control.signal);
    if (!control.signal.aborted) await this.fill();
  }

  async search(node, time, signal) {
    node.final = false;
    node.problem = null;
    try {
      const analysis = await analyse(
        { ...this.query(node.moves), time },
        (bounds) => {
          if (signal.aborted) return;
          node.known = { ...bounds, exact: bounds.bounds[0] === bounds.bounds[1], searching: true };
          this.changed(node);
        },
        signal,
      );
      node.known = analysis;
      node.final = true;
    } catch (error) {
      if (error.name === "AbortError") return;
      node.problem = error instanceof Problem ? error : new Problem(String(error));
      node.final = true;
    }
    if (!signal.aborted) this.changed(node);
  }

  /** Which values rest on what infinite play is worth: known from tables, else asked for once all values are. */
  async findStandoffs(node, signal) {
    const { known } = node;
    if (!known || known.over || !node.complete || known.forced_bounds) return;
    try {
      const asked = { ...this.query(node.moves), forced: "true", time: "5s" };
      const { forced, forced_bounds, standoff, moves } = await ask("/api/analyse", asked, signal);
      Object.assign(known, { forced, forced_bounds, standoff });
      for (const move of known.moves) {
        const found = moves.find((other) => other.move === move.move);
        if (found) Object.assign(move, { forced: found.forced, standoff: found.standoff });
      }
      this.changed(node);
    } catch {
      // The values stand without it.
    }
  }

  /** Finds out about the other positions of the game, for the graph. */
  async fill() {
    const control = new AbortController();
    this.filling = control;
    // From the end: what is proven of later positions makes the earlier ones easier.
    for (const node of this.line.reverse()) {
      if (control.signal.aborted) return;
      try {
        await this.legal(node.moves);
        if (node.final || node.complete) continue;
        await this.search(node, this.time, control.signal);
      } catch {
        return;
      }
    }
  }
}

/** What a move of the game gave away, in seeds of value; `null` where that is not known. */
export function lost(node, letter) {
  const known = node.known;
  const move = known?.moves?.find((found) => found.move === letter);
  if (!move || known.searching) return null;
  const best = known.bounds[0];
  if (move.bounds[1] >= best) return known.exact && move.exact ? { seeds: 0, atLeast: false } : null;
  return { seeds: best - move.bounds[1], atLeast: !(known.exact && move.exact) };
}
