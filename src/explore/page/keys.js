// The keyboard. Letters a to l are pits, so that all other commands have keys after l.

/** Controls that need these keys for themselves. */
function isTaken(event) {
  const target = event.target;
  if (!(target instanceof Element)) return false;
  if (target.closest("dialog[open]")) return true;
  if (target.matches("select, input[type=text], textarea")) return true;
  const arrows = /^(Arrow|Home|End|Page)/.test(event.key);
  if (target.matches("input[type=range]")) return arrows;
  // On a pit the space bar plays the best move like everywhere on the board; Enter plays the pit.
  if (target.matches("button, a, [role=button]")) {
    if (event.key === "Enter") return true;
    return event.key === " " && !target.closest(".board");
  }
  return false;
}

/** Calls `commands[key]`, or `letter(key)` for a pit; `first(event)` may take a key before. */
export function listen(commands, letter, first) {
  const pressed = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    if (first(event)) {
      event.preventDefault();
      return;
    }
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (Object.hasOwn(commands, key)) {
      event.preventDefault();
      commands[key]();
    } else if (/^[a-l]$/i.test(event.key)) {
      event.preventDefault();
      letter(event.key);
    }
  };
  document.addEventListener("keydown", pressed);
  // Firefox presses a button when the space bar goes up.
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target instanceof Element && event.target.closest(".board")) event.preventDefault();
  });
}
