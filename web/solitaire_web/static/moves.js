// Moves: those of the player, hints, and the end of a game in which nothing is left to decide.
import { ask, stream } from "./api.js";
import { t } from "./language.js";
import { $, attempt, game, parts, say, state } from "./state.js";
import { moveInWords } from "./words.js";

const PAUSE = 200;  // milliseconds between moves that the page plays by itself

// Makes a move of the player's; part of a turn.
export const make = async move => {
  if (parts.watch.running) return;
  game.touched = true;
  await game.step(move);
  finishIfCertain();
};
export const turn = attempt(action => game.after(action));
export const why = attempt(async (source, target) => {
  const content = game.counts ? { game: game.counts } : game.content();
  const found = await ask("why", { ...content, source, target });
  say(t(found.why, found.values) || t("That card cannot go there."));
});
export const drawMove = () => game.position?.legal.find(({ gestures }) => gestures.some(({ source, target }) => source === "stock" && target === null))?.move;

export const hint = attempt(async () => {
  if ($("hint").disabled) return;
  const asked = game.moves;
  await state.fitting;
  const content = { ...game.content(), agent: state.adviser };
  if ($("objective").value) content.objective = $("objective").value;
  await stream("choice", content, undefined, line => {
    if (asked !== game.moves) return;
    parts.board.advise(line.move);
    game.hinted = true;
    say(t("Hint: {move}", { move: moveInWords(line.move) }));
  });
});
export const undo = attempt(() => game.undo()), redo = attempt(() => game.redo());
export const goTo = attempt(count => game.goTo(count)), first = () => goTo(0), last = () => goTo(game.line.length);
// Puts up the cards that lose nothing by it, one after the other; part of a turn.
export const putUp = async () => {
  for (let { safe } = game.position; safe && !parts.watch.running; { safe } = game.position) {
    const before = game.moves;
    await make(safe);
    if (game.moves === before) return;
    await new Promise(done => setTimeout(done, PAUSE));
  }
};
export const draw = () => turn(() => { const move = drawMove(); if (move) return make(move); });

// Plays a game to its end in which nothing is left to decide.
const finishIfCertain = attempt(async () => {
  const moves = game.position.finish;
  if (!moves?.length || !$("finish").checked) return;
  for (const [place, move] of moves.entries()) {
    const before = game.moves;
    await new Promise(done => setTimeout(done, PAUSE));
    if (game.moves !== before || parts.watch.running || game.over) return;
    await game.play(move);
    if (!game.over) say(t("Nothing is left to decide: move {number} of {total}", { number: place + 1, total: moves.length }));
  }
});
