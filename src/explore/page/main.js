// The page: what is on the table, who plays, and what the buttons and keys do.

import { ask } from "./api.js";
import { Board, letterOf } from "./board.js";
import { Editor } from "./edit.js";
import { Game } from "./game.js";
import { showGraph, showRecord } from "./graph.js";
import { listen } from "./keys.js";
import { showLine, showMoves } from "./moves.js";
import { Sowing } from "./sowing.js";
import { name, number, outcome, plural, verdict } from "./values.js";

const $ = (id) => document.getElementById(id);
const still = matchMedia("(prefers-reduced-motion: reduce)");
const players = { south: "person", north: "person" };

const game = new Game(known);
const board = new Board($("board"), pressed);
const sowing = new Sowing(board, showSowing, sown);
const editor = new Editor(board, (position) => load({ position, moves: "" }), resume);

// --- What is shown ---

/** Shows the position here, and all that is known of it. */
function settle() {
  const node = game.here;
  const { legal } = node;
  if (!legal || editor.active) return;
  board.lay(legal.board);
  board.seeds(legal.counts, legal.stores);
  board.badges(legal, game.repeated ? null : node.known);
  $("board").dataset.state = "still";
  $("board").dataset.position = legal.position;
  $("board").dataset.known = node.complete ? "exact" : node.final ? "bounds" : "open";
  $("sowing").hidden = true;
  $("moves").inert = false;
  showWords(node);
  showPlace(node);
  showMoves($("moves"), legal, game.repeated ? null : node.known, play, point);
  showLine($("line"), $("source"), legal, node);
  $("longer").hidden = !node.final || node.complete || game.repeated;
}

/** Shows where in the game we are, whatever is on the board. */
function showPlace(node) {
  showControls(node);
  $("position-text").textContent = positionText(node.legal);
  showGame();
}

function showWords({ legal, known: found, problem }) {
  if (game.repeated) {
    $("verdict").textContent = `The game is drawn up. ${outcome(legal.split)}.`;
    $("remark").textContent = "This position came for the third time since the last capture: what is left is split evenly.";
    return;
  }
  const said = verdict(legal, found);
  $("verdict").textContent = legal.over ? `The game is over. ${said}` : said || (problem ? "No value is known" : "Searching …");
  const parts = [];
  if (!legal.over) {
    parts.push(`${name(legal.turn)} to move, ${plural(legal.seeds, "seed")} on the board.`);
    if (players[legal.turn] === "engine" && game.at === game.moves.length) parts.push("The engine plays.");
    if (found?.standoff && found.forced) {
      const [low, high] = found.forced;
      parts.push(`A stand-off: as infinite play is worth, the value lies in ${number(low)} to ${number(high)}; it is split evenly here.`);
    }
    if (legal.moves.length === 1 && legal.moves[0].move === "-") parts.push(`${name(legal.turn)} has nothing to sow and must pass.`);
  }
  if (problem) parts.push(`${problem.message}.`);
  $("remark").textContent = parts.join(" ");
}

function showControls({ legal, known: found, final }) {
  const over = legal.over || game.repeated;
  const mustPass = legal.moves.length === 1 && legal.moves[0].move === "-";
  $("undo").disabled = $("first").disabled = game.at === 0;
  $("redo").disabled = $("last").disabled = game.at === game.moves.length;
  $("again").disabled = game.at === 0 || game.moves[game.at - 1] === "-";
  $("best").disabled = over || !found || !(final || found.exact);
  $("pass").hidden = !mustPass;
}

function showGame() {
  showGraph($("graph"), game, go);
  showRecord($("record"), $("mistakes"), game, go);
  const query = new URLSearchParams();
  if (game.profile !== "ayoayo") query.set("profile", game.profile);
  if (game.position !== "start") query.set("position", game.position);
  if (game.moves) query.set("moves", game.moves);
  if (game.at !== game.moves.length) query.set("at", game.at);
  if (board.flipped) query.set("flip", "1");
  const text = query.toString();
  const url = text ? `/?${text}` : "/";
  if (url !== location.pathname + location.search) history.replaceState(null, "", url);
}

function point(letter) {
  for (const { button } of board.pits) button.classList.toggle("pointed", button.dataset.pit === letter);
}

/** A text that can be read again: stores are left out where they do not make up the whole game. */
function positionText(legal) {
  const whole = legal.stores[0] + legal.stores[1] + legal.seeds === legal.board.seeds;
  const turn = legal.turn === "south" ? "S" : "N";
  return [...legal.counts, ...(whole ? legal.stores : []), turn].join("-");
}

function fail(error) {
  if (error?.name === "AbortError") return;
  $("problem").hidden = false;
  $("problem").textContent = error?.message ?? String(error);
}

/** What happened last, for people who can not see the board. */
let happened = "";

function speak(text) {
  happened = text;
  announce();
}

/** Says what happened and, once it is known, what the position is worth. */
function announce() {
  const { final, legal } = game.here;
  const settled = (final || legal?.over) && !sowing.active && !editor.active;
  $("spoken").textContent = settled ? `${happened} ${$("verdict").textContent}` : happened;
}

// --- What happens ---

/** More is known of a position. */
function known(node) {
  if (node === game.here && !sowing.active && !editor.active) settle();
  else if (!editor.active && game.here.legal) showPlace(game.here);
  if (node === game.here && node.final) announce();
  engineMoves();
}

let loading = 0;

/** Puts another game on the table. */
async function load({ profile = game.profile, position = "start", moves = "", at = null }) {
  const mine = ++loading;
  if (editor.active) editor.shut();
  sowing.end();
  happened = "";
  $("problem").hidden = true;
  $("board").dataset.state = "loading";
  try {
    if (!(await game.load({ profile, position, moves, at }))) return;
  } catch (error) {
    if (mine !== loading) return;
    fail(error);
    if (!game.here.legal) {
      // What was asked for can not be set up: its start, or where not even that is there, the usual one.
      const fallback = error.parameter === "profile" ? "ayoayo" : profile;
      await game.load({ profile: fallback, position: "start", moves: "", at: null }).catch(fail);
    }
  }
  if (mine !== loading || !game.here.legal) return;
  chooseProfile(game.profile);
  settle();
  game.study().catch(fail);
}

async function play(letter) {
  if (editor.active) return;
  sowing.end();
  const { legal } = game.here;
  if (!legal || legal.over || game.repeated) return;
  $("problem").hidden = true;
  try {
    const mover = legal.turn;
    const played = await game.play(letter);
    if (!played) return;
    const laps = played.laps ? `${plural(played.laps, "lap")}, ` : "";
    const takes = played.captured ? `takes ${played.captured}` : "takes nothing";
    speak(letter === "-" ? `${name(mover)} passes.` : `${name(mover)} plays ${letter}: ${laps}${takes}${played.again && !played.after.over ? ", moves again" : ""}.`);
    watch(played, legal.stores, mover);
    game.study().catch(fail);
  } catch (error) {
    if (error.parameter === "move") refuse(letter, error);
    else fail(error);
  }
}

/** Says why a pit can not be played. */
function refuse(letter, error) {
  fail({ message: error.message.replace(/^move: /, "") });
  const pit = board.pits.find(({ button }) => button.dataset.pit === letter);
  pit?.button.classList.add("shaken");
  pit?.button.addEventListener("animationend", () => pit.button.classList.remove("shaken"), { once: true });
}

/** Shows how a move goes: at once where motion is not wanted. */
function watch(played, stores, mover, options = {}) {
  if (!played.trace.laps.length || (still.matches && !options.paused)) {
    sown();
    return;
  }
  $("verdict").textContent = `${name(mover)} sows ${played.move} …`;
  $("remark").textContent = `${plural(played.laps, "lap")}, ${played.captured ? `${plural(played.captured, "seed")} taken` : "nothing taken"}${played.trace.complete ? "" : "; the first laps are shown"}.`;
  $("sowing").hidden = false;
  // These are still the moves of the position before.
  $("moves").inert = true;
  $("line").textContent = $("source").textContent = "";
  $("longer").hidden = true;
  showPlace(game.here);
  sowing.begin(played, stores, mover, options);
}

function showSowing(now) {
  const total = now.laps === now.shown ? now.laps : `${now.laps.toLocaleString("en")}, ${now.shown.toLocaleString("en")} of them shown`;
  $("sowing-where").textContent = `Lap ${now.lap + 1} of ${total}`;
  $("pause").textContent = now.paused ? "Go on" : "Pause";
  $("scrub").max = now.length;
  $("scrub").value = now.at;
  $("scrub").setAttribute("aria-valuetext", `step ${now.at} of ${now.length}`);
}

/** A sowing has been shown. */
function sown() {
  settle();
  announce();
  engineMoves();
}

/** The editor was left, and its position is not wanted: the game goes on. */
function resume() {
  settle();
  game.study().catch(fail);
}

async function go(at) {
  if (editor.active) editor.shut();
  sowing.end();
  $("problem").hidden = true;
  try {
    await game.go(at);
    settle();
    const { legal } = game.here;
    speak(`${game.at ? `After move ${game.at}, ${game.moves[game.at - 1]}` : "The beginning"}. ${legal.over ? "The game is over" : `${name(legal.turn)} to move`}.`);
    await game.study();
  } catch (error) {
    fail(error);
  }
}

/** Undo: to the last position where a person is to move. */
function undo() {
  const people = (at) => players[game.node(game.moves.slice(0, at)).legal?.turn] !== "engine";
  let at = game.at - 1;
  while (at > 0 && !people(at)) at -= 1;
  if (at >= 0) go(at);
}

function redo() {
  if (game.at < game.moves.length) go(game.at + 1);
}

function playBest() {
  const { legal, known: found, final } = game.here;
  if (sowing.active) {
    sowing.end();
    return;
  }
  if (legal && !legal.over && found && (final || found.exact)) play(bestMove(found));
}

/** The first move of the list. Bounds that were narrowing when they came are in the order of pits: of these the one with the most proven. */
function bestMove({ searching, moves }) {
  if (!searching) return moves[0].move;
  return moves.reduce((best, move) => (move.bounds[0] - best.bounds[0] || move.bounds[1] - best.bounds[1]) > 0 ? move : best).move;
}

/** The engine plays where it is its turn, and nothing was taken back. */
function engineMoves() {
  const { legal, final, known: found } = game.here;
  if (!legal || legal.over || game.repeated || sowing.active || editor.active) return;
  if (players[legal.turn] === "engine" && game.at === game.moves.length && final && found?.moves?.length) play(bestMove(found));
}

function pressed(what, event) {
  if (editor.active) {
    editor.pressed(what, event);
    return;
  }
  if (typeof what === "number") play(letterOf(what, board.row));
}

async function watchAgain() {
  if (game.at === 0 || editor.active) return;
  sowing.end();
  try {
    const played = await game.lastPlayed();
    const before = game.node(game.moves.slice(0, game.at - 1)).legal;
    if (played.trace.laps.length) watch(played, before.stores, before.turn, { paused: still.matches });
  } catch (error) {
    fail(error);
  }
}

async function random() {
  try {
    const legal = await ask("/api/random", { profile: game.profile });
    await load({ position: positionText(legal) });
  } catch (error) {
    fail(error);
  }
}

function flip() {
  board.flip(!board.flipped);
  $("flip").setAttribute("aria-pressed", String(board.flipped));
  showGame();
}

function edit() {
  if (editor.active) {
    editor.close();
    return;
  }
  sowing.end();
  game.stop();
  board.clearBadges();
  const { legal } = game.here;
  if (!legal) return;
  $("verdict").textContent = "Set up a position";
  $("remark").textContent = "Its values are shown once you use it.";
  editor.open(game.profile, legal);
}

function togglePlayer(side) {
  const select = $(`player-${side}`);
  select.value = select.value === "engine" ? "person" : "engine";
  select.dispatchEvent(new Event("change"));
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without leave to use the clipboard: by hand of an element that is selected.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  $("copied").textContent = `${what} copied.`;
}

const copyPosition = () => copy($("position-text").textContent, "Position");
const copyLink = () => copy(location.href, "Link");
const copyJson = () => {
  const { known: found, final, legal } = game.here;
  copy(JSON.stringify(final && found ? found : legal, null, 2), "JSON");
};

function setSpeed(speed) {
  sowing.speed = Math.max(1, Math.min(8, speed));
  $("speed").value = sowing.speed;
  const said = ["2 seeds a second", "4", "7", "12", "20", "40", "120", "at once"][sowing.speed - 1];
  $("speed").setAttribute("aria-valuetext", said);
  try {
    localStorage.setItem("speed", sowing.speed);
  } catch {
    // The next visit begins with the usual speed.
  }
}

/** Only times that the server allows. */
function offerTimes(most) {
  const times = $("time");
  game.mostSeconds = most;
  for (const option of [...times.options]) if (Number(option.value) > most) option.remove();
  if (game.seconds <= most) return;
  game.seconds = most;
  times.add(new Option(`${most} s`, most, true, true));
}

function chooseProfile(profile) {
  const select = $("profile");
  if (![...select.options].some((option) => option.value === profile)) select.add(new Option(profile, profile));
  select.value = profile;
  document.title = `oju: ${profile}`;
}

// --- Buttons and keys ---

const onSowing = (act) => () => {
  if (sowing.active) act();
};
const onGame = (act) => () => {
  if (!editor.active) act();
};
const commands = {
  " ": onGame(playBest),
  "-": onGame(() => play("-")),
  ArrowLeft: onGame(undo),
  ArrowRight: onGame(redo),
  Home: onGame(() => go(0)),
  End: onGame(() => go(game.moves.length)),
  Enter: onSowing(() => sowing.pause(!sowing.paused)),
  Escape: onSowing(() => sowing.end()),
  ",": onSowing(() => sowing.seek(sowing.at - 1)),
  ".": onSowing(() => sowing.seek(sowing.at + 1)),
  n: onSowing(() => sowing.lapBy(1)),
  "[": () => setSpeed(sowing.speed - 1),
  "]": () => setSpeed(sowing.speed + 1),
  w: onGame(watchAgain),
  s: onGame(() => load({})),
  r: onGame(random),
  v: flip,
  m: edit,
  1: onGame(() => togglePlayer("south")),
  2: onGame(() => togglePlayer("north")),
  p: copyPosition,
  u: copyLink,
  o: copyJson,
  t: () => location.assign("/tables"),
  "?": () => $("keys").showModal(),
};

function onClick(id, act) {
  $(id).addEventListener("click", (event) => {
    // After a click of the mouse the space bar is for the board again.
    if (event.detail > 0) event.currentTarget.blur();
    act();
  });
}

onClick("first", () => go(0));
onClick("undo", undo);
onClick("redo", redo);
onClick("last", () => go(game.moves.length));
onClick("best", playBest);
onClick("pass", () => play("-"));
onClick("again", watchAgain);
onClick("start", () => load({}));
onClick("random", random);
onClick("flip", flip);
onClick("edit", edit);
onClick("lap-back", () => sowing.lapBy(-1));
onClick("seed-back", () => sowing.seek(sowing.at - 1));
onClick("pause", () => sowing.pause(!sowing.paused));
onClick("seed-on", () => sowing.seek(sowing.at + 1));
onClick("lap-on", () => sowing.lapBy(1));
onClick("sowing-end", () => sowing.end());
onClick("copy-position", copyPosition);
onClick("copy-link", copyLink);
onClick("copy-json", copyJson);
onClick("longer", () => game.study(game.mostSeconds ?? 60).catch(fail));
onClick("show-keys", () => $("keys").showModal());
$("scrub").addEventListener("input", (event) => sowing.seek(Number(event.target.value)));
$("speed").addEventListener("input", (event) => setSpeed(Number(event.target.value)));
$("time").addEventListener("change", (event) => {
  game.seconds = Number(event.target.value);
});
$("profile").addEventListener("change", (event) => {
  event.target.blur();
  load({ profile: event.target.value });
});
for (const side of ["south", "north"]) {
  $(`player-${side}`).addEventListener("change", (event) => {
    players[side] = event.target.value;
    if (game.here.legal && !sowing.active && !editor.active) settle();
    engineMoves();
  });
}
addEventListener("resize", () => {
  if (game.here.legal) showGraph($("graph"), game, go);
});
still.addEventListener("change", () => {
  board.still = still.matches;
});
listen(commands, (key) => {
  const turn = game.here.legal?.turn;
  if (turn) play(turn === "south" ? key.toUpperCase() : key.toLowerCase());
}, (event) => editor.active && editor.key(event));

// --- The beginning ---

try {
  setSpeed(Number(localStorage.getItem("speed")) || 4);
} catch {
  setSpeed(4);
}
const query = new URLSearchParams(location.search);
board.flipped = query.get("flip") === "1";
$("flip").setAttribute("aria-pressed", String(board.flipped));
const at = query.get("at");
load({
  profile: query.get("profile") ?? "ayoayo",
  position: query.get("position") ?? "start",
  moves: query.get("moves") ?? "",
  at: at !== null && /^\d{1,4}$/.test(at) ? Number(at) : null,
});
ask("/api/profiles").then(({ profiles, most_time_ms: most }) => {
  offerTimes(most / 1000);
  const options = profiles.map(({ name: profile, game: title, pits, differs }) => {
    const option = new Option(`${profile}: ${title} on 2×${pits}`, profile);
    option.title = differs;
    return option;
  });
  $("profile").replaceChildren(...options);
  chooseProfile(game.profile);
}, fail);
