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
    /** The time of a search, in seconds, and the longest that the server allows, once it has said so. */
    this.seconds = 10;
    this.mostSeconds = null;
    /** The search of the position that a move leads to, begun before the move was played. */
    this.ahead = null;
  }

  /** Takes up a game: a profile, a position, moves from it, and how many of them are played. False where another one was taken up meanwhile. */
  async load({ profile, position, moves, at }) {
    this.stop();
    const nodes = new Map();
    Object.assign(this, { profile, position, moves: "", at: 0, nodes });
    let problem = null;
    let letters = [...moves].filter((letter) => !/[\s,]/.test(letter));
    try {
      await this.legal(letters.join(""));
    } catch (error) {
      if (error.parameter !== "moves" || this.nodes !== nodes) throw error;
      // Play as far as it is right.
      problem = error;
      const wrong = Number(/move (\d+):/.exec(error.message)?.[1] ?? 1);
      letters = letters.slice(0, wrong - 1);
    }
    if (this.nodes !== nodes) return false;
    const played = letters.join("");
    const all = Array.from({ length: played.length + 1 }, (_, length) => played.slice(0, length));
    await Promise.all(all.map((before) => this.legal(before)));
    if (this.nodes !== nodes) return false;
    this.moves = played;
    this.at = Math.min(at ?? played.length, played.length);
    if (problem) throw problem;
    return true;
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

  /** So many seconds, or fewer where the server does not allow as many. Left out, the server takes a time that it allows. */
  limit(seconds) {
    return this.mostSeconds === null ? undefined : `${Math.round(1000 * Math.min(seconds, this.mostSeconds))}ms`;
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
      this.ahead = { next, control, done: this.search(next, this.seconds, control.signal) };
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

  /** Finds out all about the position here, then about the others of the game. `seconds`: more than the usual. */
  async study(seconds = this.seconds) {
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
      if (!here.complete) await this.search(here, seconds, control.signal);
    }
    if (control.signal.aborted) return;
    await this.findStandoffs(here, control.signal);
    if (!control.signal.aborted) await this.fill();
  }

  async search(node, seconds, signal) {
    node.final = false;
    node.problem = null;
    try {
      const analysis = await analyse(
        { ...this.query(node.moves), time: this.limit(seconds) },
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
      const asked = { ...this.query(node.moves), forced: "true", time: this.limit(5) };
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
        await this.search(node, this.seconds, control.signal);
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
