// Puts the parts together.
import { Analysis } from "./analysis.js";
import { ask } from "./api.js";
import { Board } from "./board.js";
import { aboutAgent, leaveFor, load, offerFitting } from "./choosing.js";
import { showCounted } from "./counting.js";
import { End } from "./end.js";
import { Figures } from "./figures.js";
import { agreesWith, mayLeave } from "./keeping.js";
import "./keys.js";
import { t, useLanguage, wanted } from "./language.js";
import { MoveList } from "./movelist.js";
import { draw, first, goTo, hint, last, make, putUp, redo, turn, undo, why } from "./moves.js";
import { agrees } from "./question.js";
import { Review } from "./review.js";
import { openSheet, useSettings } from "./settings.js";
import { endRace, race, tellRace } from "./race.js";
import "./sharing.js";
import { Shelf, wantedDeal } from "./shelf.js";
import { $, attempt, game, parts, say, second, state } from "./state.js";
import { buttons, show, showMoves, titleOfTable } from "./table.js";
import { Tally } from "./tally.js";
import { Watch } from "./watch.js";

parts.board = new Board($("board"), { turn, play: make, putUp, say, why });
parts.board2 = new Board($("board-2"));
parts.rulesBoard = new Board($("rules-table"));
parts.analysis = new Analysis({ on: $("analysis"), solver: $("solver"), agent: $("agent"), objective: $("objective"), cancel: $("cancel"), out: $("analysis-out"), verdict: $("verdict-out") }, parts.board);
parts.review = new Review({ graph: $("graph"), here: $("review-here"), lost: $("lost"), note: $("review-note"), cancel: $("review-cancel") },
  attempt(async (count, line) => { if (agreesWith(line) || await mayLeave()) await game.goTo(count, line); }), () => showMoves());
parts.moveList = new MoveList($("played"), count => goTo(count));
parts.tally = new Tally({ out: $("tally"), forget: $("forget"), clock: $("clock"), minutes: $("minutes"), time: $("time") });
parts.figures = new Figures({
  dialog: $("figures"), open: $("figures-open"), close: $("figures-close"), tables: $("figures-tables"), heading: $("figures-heading"),
  facts: $("figures-facts"), graphs: $("figures-graphs"), save: $("figures-save"), load: $("figures-load"), said: $("figures-said"),
}, () => ({ env: game.env, options: game.options }), () => parts.tally.show());
parts.shelf = new Shelf({
  dialog: $("new-game"), open: $("new"), close: $("new-close"), search: $("search"), list: $("shelf"), chosen: $("chosen"), about: $("chosen-about"), options: $("options"), difficulty: $("difficulty"), deal: $("deal"), go: $("go"),
  random: $("random"), daily: $("daily"), said: $("new-said"),
}, () => game, chosen => leaveFor(chosen));
parts.end = new End({ card: $("end"), heading: $("end-title"), facts: $("end-facts"), note: $("end-note"), close: $("end-close") }, $("board"));
const seats = [{ agent: $("watch-1"), game, panel: $("seat-1") }, { agent: $("watch-2"), game: second, panel: $("seat-2") }];
parts.watch = new Watch(seats, $("speed"), () => { $("watch").textContent = t("Watch"); if (game.position) show(game, ""); });

parts.rival = new Watch([{ agent: { value: "" }, game: second, panel: $("seat-2") }], $("speed"), tellRace);

game.watchers.push(show);
second.watchers.push(() => parts.board2.show(second.position, `${t("Beside it.")} ${titleOfTable(second)}`, false));

Object.assign($("draw"), { onclick: draw });
Object.assign($("up"), { onclick: () => turn(putUp) });
Object.assign($("undo"), { onclick: undo });
Object.assign($("redo"), { onclick: redo });
Object.assign($("first"), { onclick: first });
Object.assign($("back"), { onclick: undo });
Object.assign($("forward"), { onclick: redo });
Object.assign($("last"), { onclick: last });
$("hint").onclick = hint;
$("restart").onclick = async () => {
  if (await agrees(t("Go back to the start of this deal? Redo plays your moves again."), t("Restart"), t("Go on playing"))) first();
};
$("again").onclick = $("play-deal").onclick = () => leaveFor({ deck: game.deck });
$("next").onclick = async () => leaveFor({ deal: await wantedDeal(state.environment, game.options) });
$("end-review").onclick = () => { openSheet(true); $("review").click(); $("review-part").scrollIntoView(); };
$("analysis").onchange = $("solver").onchange = () => { parts.analysis.show(game); game.hinted ||= $("analysis").checked; };
$("objective").onchange = () => { state.fitting = offerFitting(game.options); parts.analysis.show(game); };
$("agent").onchange = () => { aboutAgent(); parts.analysis.show(game); };
$("player").onchange = () => showCounted();
$("review").onclick = () => {
  if (!game.over) game.hinted = true;
  parts.review.show(game, state.judge, $("objective").value);
};

async function watchNow(once) {
  const { env, options, deal, deck, moves } = game, beside = Boolean($("watch-2").value);
  parts.analysis.stop();
  endRace();
  Object.assign(game, { own: false, shared: false, touched: false });
  if (beside && (!once || $("other").hidden)) await second.set({ env, options, deal, deck, moves });
  $("other").hidden = !beside;
  if (!once) $("watch").textContent = t("Stop");
  parts.watch.start($("objective").value, once);
  buttons();
}
$("watch").onclick = () => parts.watch.running ? parts.watch.stop() : watchNow(false);
$("race").onclick = attempt(race);
$("step").onclick = () => { if (!parts.watch.running) watchNow(true); };

const about = await ask(`about?${new URLSearchParams({ languages: wanted() })}`);
Object.assign(state, { environments: about.environments, daily: about.daily });
parts.figures.environments = state.environments;
useLanguage(about, $("language"));
parts.shelf.use(about);
$("daily").title = `${state.daily.date}: ${t("Deal {deal}", { deal: state.daily.deal })}`;
useSettings();
await load();
