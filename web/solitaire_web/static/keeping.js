// What a reload needs to go on, and what is kept of a game that ends or is left.
import { write } from "./keep.js";
import { counted, t } from "./language.js";
import { writeAddress } from "./options.js";
import { agrees } from "./question.js";
import { game, parts, state } from "./state.js";
import { dealInWords } from "./words.js";

let spent = 0, since = null;  // seconds up to the last pause; when the clock was started

// Begins to count at so many seconds.
export function setClock(seconds) { [spent, since] = [seconds, null]; }

export const seconds = () => spent + (since === null ? 0 : (performance.now() - since) / 1000);

export function keepTime() {
  const runs = game.moves.length > 0 && !game.over && !document.hidden;
  if (runs === (since !== null)) return;
  spent = seconds();
  since = runs ? performance.now() : null;
}

export const startOf = address => address.replace(/&moves=[^&]*/, "");
export const rulesOf = address => address.replace(/&(deal|deck|moves|counts)=[^&]*/g, "");

// The first move of a game gets an entry of its own in the history, so that Back does not leave the page.
export function keepAddress() {
  const address = writeAddress(game), entry = { start: startOf(address), moved: game.moves.length > 0 }, here = history.state;
  const goesOn = !here || (here.start === entry.start && (here.moved || !entry.moved));
  history[goesOn ? "replaceState" : "pushState"](entry, "", address);
  const kept = { address, seconds: seconds(), own: game.own, hinted: game.hinted, underWay: game.underWay };
  if (game.touched) for (const store of ["sessionStorage", "localStorage"]) write("game", kept, store);
}

document.addEventListener("visibilitychange", () => { if (game.position) { keepTime(); keepAddress(); } });

export const isMine = () => game.own && !game.deck;

// Keeps the game on the table as it stands; returns whether it counts.
export const keep = () => parts.tally.add(game.deal, game.position.outcome, seconds(), game.hinted);

// Whether the game on the table is a part of another one, so that nothing is lost when that one takes its place.
export const agreesWith = line => game.line.every((move, place) => move === line[place]);

// A game that is left behind is lost.
export async function mayLeave() {
  if (!game.underWay) return true;
  const values = { deal: dealInWords(game, state.daily), moves: counted(game.moves.length, "{n} move", "{n} moves") };
  const text = isMine() ? t("A game is under way: {deal}, {moves}. Leave it? It counts as lost.", values) : t("A game is under way: {deal}, {moves}. Leave it?", values);
  if (!game.stuck && !await agrees(text, t("Leave it"), t("Go on playing"))) return false;
  if (isMine()) keep();
  return true;
}
