// Keys that play, wherever the focus is.
import { draw, first, hint, last, putUp, redo, turn, undo } from "./moves.js";
import { $, game, parts } from "./state.js";

const TYPED = "textarea, input:not([type=checkbox], [type=range], [type=file])";  // where a key is a letter
const SLID = "select, [type=range]";  // where an arrow has a meaning of its own
document.addEventListener("keydown", event => {
  const on = kind => event.target.matches(kind) && event.target.checkVisibility();  // a closed dialog's field has the focus until the next frame
  if (on(TYPED) || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const command = event.ctrlKey || event.metaKey, key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const letters = command ? { z: event.shiftKey ? redo : undo, y: redo } : $("letters").checked ? { a: () => turn(putUp), d: draw, u: undo, r: redo, h: hint, n: () => parts.shelf.show() } : {};
  const steps = command || event.shiftKey || on(SLID) || !game.line.length ? {} : { ArrowLeft: undo, ArrowRight: redo, Home: first, End: last };
  const action = letters[key] ?? steps[key];
  if (!action || parts.watch.running || (event.repeat && game.waiting)) return;
  event.preventDefault();
  action();
});
