// What is shown of the position on the table.
import { shortOdds } from "./analysis.js";
import { RefusedError } from "./api.js";
import { showCounted } from "./counting.js";
import { factsOf } from "./end.js";
import { streaksOf } from "./figures.js";
import { isMine, keep, keepAddress, keepTime, seconds } from "./keeping.js";
import { capital, counted, said, t } from "./language.js";
import { drawMove, make, turn } from "./moves.js";
import { raceInWords } from "./race.js";
import { $, game, parts, say, state } from "./state.js";
import { sound } from "./sounds.js";
import { apart } from "./tally.js";
import { isStuck } from "./watch.js";
import { dealInWords, moveInWords, optionsInWords, timeInWords, titleOf } from "./words.js";

// The time of the game, and how many games in a row have been won up to it.
function showTime() {
  const { current } = streaksOf(apart(parts.tally.games)[0]), time = game.own && seconds() >= 1 ? timeInWords(seconds()) : "";
  const text = [time, current > 1 ? t("{n} won in a row", { n: current }) : ""].filter(Boolean).map(one => `\u00b7 ${one}`).join(" ");
  if ($("spent").textContent !== text) $("spent").textContent = text;
}
setInterval(() => { if (game.position) showTime(); }, 500);

export function titleOfTable(one) {
  return t("The table of {game}, {deal}", { game: titleOf(state.environment), deal: dealInWords(one, state.daily) });
}

export function buttons() {
  const { counts, over } = game, busy = parts.watch.running, draw = drawMove();
  $("draw").disabled = !draw || busy;
  $("draw").lastElementChild.textContent = capital(said(draw ?? "draw"));
  $("undo").disabled = Boolean(counts) || busy || !game.moves.length;
  $("redo").disabled = Boolean(counts) || busy || !game.future.length;
  for (const id of ["first", "back"]) $(id).disabled = Boolean(counts) || busy || !game.moves.length;
  for (const id of ["forward", "last"]) $(id).disabled = Boolean(counts) || busy || !game.future.length;
  $("restart").disabled = Boolean(counts) || busy || !game.moves.length;
  $("hint").disabled = Boolean(counts) || busy || over;
  for (const id of ["watch", "step", "race", "review"]) $(id).disabled = Boolean(counts) || (id === "review" ? !game.line.length || !state.judge : over);
  $("analysis").disabled = Boolean(counts);
  $("draw").hidden = !game.position.table.spots.some(({ place }) => place === "stock");
  $("up").disabled = busy || !game.position.safe;
  $("give-up").disabled = busy || over || !game.moves.length;
  $("moves").replaceChildren(...(busy ? [] : game.position.legal).map(({ move }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = moveInWords(move);
    button.onclick = () => turn(() => make(move));
    return button;
  }));
}

// Shows where in its moves the game stands, and what a review knows of the position.
export function showMoves() {
  parts.moveList.show(game, parts.review.lostBy(game.line));
  const line = parts.review.follow(game);
  if (!line?.best || $("analysis").checked || game.over) return;
  parts.board.tell([[line.best.move, shortOdds(line.unit, line.best.mean)]]);
  parts.board.advise(line.best.move);
}

export function show(_, text) {
  const { position } = game, had = $("moves").contains(document.activeElement);
  parts.board.show(position, titleOfTable(game), !parts.watch.running);
  buttons();
  if (had) ($("moves").firstElementChild ?? $("undo")).focus();
  if (text && $("sounds").checked) sound(position.over && position.outcome.won);
  say([text, position.over ? endInWords() : ""].filter(Boolean).join(". "));
  const rules = optionsInWords(state.environment, game.options), counts = game.counts ? [t("for the count: no undo, no analysis")] : [];
  $("deal-name").textContent = [dealInWords(game, state.daily), ...rules, ...counts].join(" \u00b7 ");
  $("deal-name").title = game.deck || t("Deal {deal}", { deal: game.deal });
  $("shared").hidden = !game.shared;
  $("shared-text").textContent = `${counted(game.moves.length, "{n} move", "{n} moves")}. ${t("Look through it with Undo and Redo, or play on from any position; it does not count.")}`;
  keepTime();
  keepAddress();
  showMoves();
  if (!parts.watch.running) parts.analysis.show(game);
  if ($("analysis").checked && !game.over) game.hinted = true;
  if (position.over) finish();
  else parts.end.hide();
  if (!parts.watch.running) seeWhetherStuck();
}

export function endInWords() {
  const { touched, shared, position } = game;
  if (position.outcome.won) return touched ? t("You have won") : shared ? t("A shared game that was won") : t("The game is won");
  return shared ? t("A shared game that is over") : t("The game is over");
}

// Asks whether any move can help. A game in which none can may go on, but it is left without a question.
export async function seeWhetherStuck() {
  const { moves } = game, asks = game.touched && !game.over && moves.length > 0;
  $("stuck").ariaBusy = asks;  // what was said stays until the answer comes: the table must not jump at each move
  if (!asks) {
    $("stuck").hidden = true;
    return;
  }
  let stuck = false;
  try {
    stuck = await isStuck(game);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;  // too much to do: it may be asked after the next move
  }
  if (moves !== game.moves || game.over) return;
  game.stuck = stuck;
  $("stuck").hidden = !stuck;
  $("stuck").ariaBusy = false;
}

export function finish() {
  const { position } = game, mine = isMine() && !game.counts, race = raceInWords();
  let note = "";
  if (game.counts) {
    game.counts = null;
    keepAddress();
    showCounted();
    buttons();
    note = t("It is kept among the games that count.");
  } else if (mine) {
    note = keep() ? "" : t("This deal counted when it was finished for the first time.");
  } else {
    note = game.own ? t("A given deck does not count.") : t("It does not count: not every move was yours.");
  }
  parts.end.show(game, {
    title: endInWords(),
    rows: factsOf(game, game.own ? seconds() : null, [...(mine ? parts.tally.blocksSoFar() : []), ...race.rows]),
    note: [race.note, note].filter(Boolean).join(" "), solver: state.environment.solver, celebrated: position.outcome.won && game.touched,
  });
  $("end-review").disabled = !state.judge || !game.line.length;
  $("review-part").open = true;
}
