// Setting up a position: seeds put in and taken out, running totals, and the reason where a position is not allowed.

import { ask } from "./api.js";
import { letterOf } from "./board.js";
import { name, plural } from "./values.js";

const $ = (id) => document.getElementById(id);

export class Editor {
  /** `used(text)` is called with the position that was set up, `left()` where it is not wanted. */
  constructor(board, used, left) {
    this.board = board;
    this.used = used;
    this.left = left;
    this.active = false;
    this.adds = true;
    $("edit-add").addEventListener("click", () => this.click(true));
    $("edit-remove").addEventListener("click", () => this.click(false));
    $("edit-turn").addEventListener("change", () => this.show());
    $("edit-clear").addEventListener("click", () => this.clear());
    $("edit-rest-south").addEventListener("click", () => this.rest(0));
    $("edit-rest-north").addEventListener("click", () => this.rest(1));
    $("edit-done").addEventListener("click", () => this.done());
    $("edit-cancel").addEventListener("click", () => this.close());
  }

  open(profile, legal) {
    this.active = true;
    this.profile = profile;
    this.size = legal.board;
    this.counts = [...legal.counts];
    this.stores = [...legal.stores];
    $("edit-turn").value = legal.turn;
    document.body.dataset.mode = "edit";
    this.block(true);
    $("editor").hidden = false;
    $("edit").setAttribute("aria-pressed", "true");
    this.click(true);
    this.show();
  }

  close() {
    this.shut();
    this.left();
  }

  shut() {
    this.active = false;
    document.body.dataset.mode = "play";
    this.block(false);
    // Whatever has the focus is about to be hidden, or is a pit that letters would not go to any more.
    this.board.root.focus({ preventScroll: true });
    $("editor").hidden = true;
    $("edit").setAttribute("aria-pressed", "false");
  }

  /** What belongs to the game can not be used meanwhile. */
  block(blocked) {
    for (const part of document.querySelectorAll(".panel, .game, .share")) part.inert = blocked;
  }

  /** What a click does: add, or remove. */
  click(adds) {
    this.adds = adds;
    $("edit-add").setAttribute("aria-pressed", String(adds));
    $("edit-remove").setAttribute("aria-pressed", String(!adds));
  }

  get seeds() {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  get text() {
    const turn = $("edit-turn").value === "south" ? "S" : "N";
    const whole = this.seeds + this.stores[0] + this.stores[1] === this.size.seeds;
    // Stores are left out where nobody has taken anything: the game is then the seeds on the board alone.
    const stores = whole || this.stores[0] + this.stores[1] > 0 ? this.stores : [];
    return [...this.counts, ...stores, turn].join("-");
  }

  /** A pit or a store was pressed. */
  pressed(what, event) {
    const takes = event.shiftKey || event.type === "contextmenu";
    this.change(what, this.adds !== takes ? 1 : -1);
  }

  get(what) {
    return what === "south" || what === "north" ? this.stores[what === "south" ? 0 : 1] : this.counts[what];
  }

  set(what, count) {
    const within = Math.max(0, Math.min(count, this.size.seeds));
    if (what === "south" || what === "north") this.stores[what === "south" ? 0 : 1] = within;
    else this.counts[what] = within;
    this.show();
  }

  change(what, by) {
    this.set(what, this.get(what) + by);
  }

  clear() {
    this.counts.fill(0);
    this.stores.fill(0);
    this.show();
  }

  /** What is missing goes into a store. */
  rest(store) {
    const missing = this.size.seeds - this.seeds - this.stores[0] - this.stores[1];
    this.stores[store] = Math.max(0, this.stores[store] + missing);
    this.show();
  }

  show() {
    this.board.seeds(this.counts, this.stores);
    this.board.pits.forEach(({ button }, pit) => {
      button.setAttribute("aria-label", `${name(pit < this.size.pits ? "south" : "north")} ${letterOf(pit, this.size.pits).toUpperCase()}: ${plural(this.counts[pit], "seed")}`);
      button.setAttribute("aria-disabled", "false");
      button.title = "";
    });
    const all = this.size.seeds;
    const [south, north] = this.stores;
    const taken = south + north;
    const missing = all - this.seeds - taken;
    const short = missing > 0 ? `${missing} missing` : missing < 0 ? `${-missing} too many` : "complete";
    this.total = `${this.seeds} on the board, ${south} and ${north} in the stores: ${this.seeds + taken} of ${all}, ${short}.`;
    this.judge();
  }

  /** Asks the server whether the position is allowed. */
  async judge() {
    const asked = this.text;
    this.allowed = null;
    $("edit-total").textContent = this.total;
    try {
      const legal = await ask("/api/legal", { profile: this.profile, position: asked });
      if (!this.active || asked !== this.text) return;
      this.allowed = asked;
      const over = legal.over ? " The game is over here." : "";
      $("edit-total").textContent = `${this.total} Allowed.${over}`;
    } catch (error) {
      if (!this.active || asked !== this.text) return;
      $("edit-total").textContent = `${this.total} Not allowed: ${error.message.replace(/^position: column \d+: /, "")}.`;
    }
    $("edit-total").classList.toggle("bad", this.allowed === null);
    $("edit-done").disabled = this.allowed === null;
  }

  done() {
    if (this.allowed !== this.text) return;
    this.shut();
    this.used(this.text);
  }

  /** Keys on the pit that has the focus. True where one was meant. */
  key(event) {
    const focused = document.activeElement;
    const letter = focused?.dataset?.pit;
    const pit = letter && this.board.pits.findIndex(({ button }) => button === focused);
    const what = letter ? pit : focused?.dataset?.store;
    if (event.key === "Escape") {
      this.close();
      return true;
    }
    if (/^[a-l]$/i.test(event.key)) {
      // The same letter again goes to the pit of the other side.
      const lower = event.key.toLowerCase();
      const wanted = letter === lower.toUpperCase() ? lower : letter === lower ? lower.toUpperCase() : lower.toUpperCase();
      const found = this.board.pits.find(({ button }) => button.dataset.pit === wanted);
      found?.button.focus();
      return Boolean(found);
    }
    if (what === undefined) return false;
    if (event.key === "+" || event.key === "=" || event.key === "ArrowUp") this.change(what, 1);
    else if (event.key === "-" || event.key === "ArrowDown") this.change(what, -1);
    else if (event.key === "Backspace" || event.key === "Delete") this.set(what, Math.floor(this.get(what) / 10));
    else if (letter && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      const pits = [...this.board.root.querySelectorAll(".pit")];
      pits[pits.indexOf(focused) + (event.key === "ArrowLeft" ? -1 : 1)]?.focus();
    } else if (/^\d$/.test(event.key)) {
      // A second digit typed at once belongs to the first.
      const goesOn = this.typed?.what === what && performance.now() - this.typed.at < 1200;
      this.set(what, (goesOn ? this.get(what) * 10 : 0) + Number(event.key));
      this.typed = { what, at: performance.now() };
    } else return false;
    return true;
  }
}
