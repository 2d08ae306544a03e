// Puts the parts together.
import { Analysis, shortOdds } from "./analysis.js";
import { BrokenError, RefusedError, ask, stream } from "./api.js";
import { Board } from "./board.js";
import { cardsInWords } from "./cards.js";
import { End, factsOf } from "./end.js";
import { Figures } from "./figures.js";
import { Game } from "./game.js";
import { read, write } from "./keep.js";
import { capital, counted, said, t, useLanguage, wanted } from "./language.js";
import { MoveList } from "./movelist.js";
import { NewGame, randomDeal } from "./newgame.js";
import { readAddress, writeAddress } from "./options.js";
import { agrees } from "./question.js";
import { Review } from "./review.js";
import { Tally, summary } from "./tally.js";
import { Watch } from "./watch.js";
import { dealInWords, moveInWords, optionsInWords, titleOf } from "./words.js";

const $ = id => document.getElementById(id);
const PAUSE = 200;  // milliseconds between moves that the page plays by itself
const EXAMPLE = "1000000";  // the deal beside the rules; no test deal, which may be closed
const game = new Game(), second = new Game();
let environments = [], environment = null, daily = null, judge = "", adviser = "", fitting = Promise.resolve();

const say = text => { $("said").textContent = cardsInWords(text); };
const attempt = action => async (...given) => {
  try {
    await action(...given);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    say(error.message);
  }
};
// Makes a move of the player's; part of a turn.
const make = async move => {
  if (watch.running) return;
  game.touched = true;
  await game.step(move);
  finishIfCertain();
};
const turn = attempt(action => game.after(action));
const why = attempt(async (source, target) => {
  const content = game.counts ? { game: game.counts } : game.content();
  const found = await ask("why", { ...content, source, target });
  say(t(found.why, found.values) || t("That card cannot go there."));
});
const board = new Board($("board"), { turn, play: make, say, why }), board2 = new Board($("board-2")), rulesBoard = new Board($("rules-table"));
const analysis = new Analysis({ on: $("analysis"), solver: $("solver"), agent: $("agent"), objective: $("objective"), cancel: $("cancel"), out: $("analysis-out"), verdict: $("verdict-out") }, board);
const review = new Review({ graph: $("graph"), here: $("review-here"), lost: $("lost"), note: $("review-note"), cancel: $("review-cancel") },
  attempt(async (count, line) => { if (agreesWith(line) || await mayLeave()) await game.goTo(count, line); }), () => showMoves());
const moveList = new MoveList($("played"), count => goTo(count));
const tally = new Tally({ out: $("tally"), forget: $("forget"), clock: $("clock"), minutes: $("minutes"), time: $("time") });
const figures = new Figures({
  dialog: $("figures"), open: $("figures-open"), close: $("figures-close"), tables: $("figures-tables"), heading: $("figures-heading"),
  facts: $("figures-facts"), graphs: $("figures-graphs"), save: $("figures-save"), load: $("figures-load"), said: $("figures-said"),
}, () => ({ env: game.env, options: game.options }), () => tally.show());
const newGame = new NewGame({
  dialog: $("new-game"), open: $("new"), close: $("new-close"), env: $("env"), options: $("options"), deal: $("deal"), go: $("go"),
  random: $("random"), daily: $("daily"), said: $("new-said"),
}, () => game, chosen => leaveFor(chosen));
const end = new End({ card: $("end"), heading: $("end-title"), facts: $("end-facts"), note: $("end-note"), close: $("end-close") }, $("board"));
const seats = [{ agent: $("watch-1"), game, panel: $("seat-1") }, { agent: $("watch-2"), game: second, panel: $("seat-2") }];
const watch = new Watch(seats, $("speed"), () => { $("watch").textContent = t("Watch"); if (game.position) show(game, ""); });

// --- What is shown of a position ---

function titleOfTable(one) {
  return t("The table of {game}, {deal}", { game: titleOf(environment), deal: dealInWords(one, daily) });
}

const drawMove = () => game.position?.legal.find(({ gestures }) => gestures.some(({ source, target }) => source === "stock" && target === null))?.move;

function buttons() {
  const { counts, over } = game, busy = watch.running, draw = drawMove();
  $("draw").disabled = !draw || busy;
  $("draw").textContent = capital(said(draw ?? "draw"));
  $("undo").disabled = Boolean(counts) || busy || !game.moves.length;
  $("redo").disabled = Boolean(counts) || busy || !game.future.length;
  for (const id of ["first", "back"]) $(id).disabled = Boolean(counts) || busy || !game.moves.length;
  for (const id of ["forward", "last"]) $(id).disabled = Boolean(counts) || busy || !game.future.length;
  $("restart").disabled = Boolean(counts) || busy || !game.moves.length;
  $("hint").disabled = Boolean(counts) || busy || over;
  for (const id of ["watch", "step", "review"]) $(id).disabled = Boolean(counts) || (id === "review" ? !game.line.length || !judge : over);
  $("analysis").disabled = Boolean(counts);
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
function showMoves() {
  moveList.show(game, review.lostBy(game.line));
  const line = review.follow(game);
  if (!line?.best || $("analysis").checked || game.over) return;
  board.tell([[line.best.move, shortOdds(line.unit, line.best.mean)]]);
  board.advise(line.best.move);
}

function show(_, text) {
  const { position } = game, had = $("moves").contains(document.activeElement);
  board.show(position, titleOfTable(game), !watch.running);
  buttons();
  if (had) ($("moves").firstElementChild ?? $("undo")).focus();
  say([text, position.over ? endInWords() : ""].filter(Boolean).join(". "));
  const rules = optionsInWords(environment, game.options), counts = game.counts ? [t("for the count: no undo, no analysis")] : [];
  $("deal-name").textContent = [dealInWords(game, daily), ...rules, ...counts].join(" \u00b7 ");
  $("deal-name").title = game.deck || t("Deal {deal}", { deal: game.deal });
  $("shared").hidden = !game.shared;
  $("shared-text").textContent = `${counted(game.moves.length, "{n} move", "{n} moves")}. ${t("Look through it with Undo and Redo, or play on from any position; it does not count.")}`;
  keepTime();
  keepAddress();
  showMoves();
  if (!watch.running) analysis.show(game);
  if ($("analysis").checked && !game.over) game.hinted = true;
  if (position.over) finish();
  else end.hide();
  if (!watch.running) seeWhetherStuck();
}

function endInWords() {
  const { touched, shared, position } = game;
  if (position.outcome.won) return touched ? t("You have won") : shared ? t("A shared game that was won") : t("The game is won");
  return shared ? t("A shared game that is over") : t("The game is over");
}

const isMine = () => game.own && !game.deck;

// Keeps the game on the table as it stands; returns whether it counts.
const keep = () => tally.add(game.deal, game.position.outcome, seconds(), game.hinted);

// Asks whether any move can help. A game in which none can may go on, but it is left without a question.
async function seeWhetherStuck() {
  const { moves, counts } = game;
  $("stuck").hidden = true;
  if (!game.touched || game.over || !moves.length) return;
  try {
    await stream("stuck", counts ? { game: counts } : game.content(), undefined, line => {
      if (moves !== game.moves || game.over) return;
      game.stuck = line.stuck;
      $("stuck").hidden = !line.stuck;
    });
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;  // too much to do: it may be asked after the next move
  }
}

function finish() {
  const { position } = game, mine = isMine() && !game.counts;
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
  end.show(game, {
    title: endInWords(),
    rows: factsOf(game, game.own ? seconds() : null, mine ? tally.blocksSoFar() : []),
    note, solver: environment.solver && !environment.series, celebrated: position.outcome.won && game.touched,
  });
  $("end-review").disabled = !judge || !game.line.length;
  $("review-part").open = true;
}

// Plays a game to its end in which nothing is left to decide.
const finishIfCertain = attempt(async () => {
  const moves = game.position.finish;
  if (!moves?.length || !$("finish").checked) return;
  for (const [place, move] of moves.entries()) {
    const before = game.moves;
    await new Promise(done => setTimeout(done, PAUSE));
    if (game.moves !== before || watch.running || game.over) return;
    await game.play(move);
    if (!game.over) say(t("Nothing is left to decide: move {number} of {total}", { number: place + 1, total: moves.length }));
  }
});

game.watchers.push(show);
second.watchers.push(() => board2.show(second.position, `${t("Beside it.")} ${titleOfTable(second)}`, false));

// --- Time and address: what a reload needs to go on ---

let spent = 0, since = null;  // seconds up to the last pause; when the clock was started
const seconds = () => spent + (since === null ? 0 : (performance.now() - since) / 1000);

function keepTime() {
  const runs = game.moves.length > 0 && !game.over && !document.hidden;
  if (runs === (since !== null)) return;
  spent = seconds();
  since = runs ? performance.now() : null;
}

const startOf = address => address.replace(/&moves=[^&]*/, "");
const rulesOf = address => address.replace(/&(deal|deck|moves|counts)=[^&]*/g, "");

// The first move of a game gets an entry of its own in the history, so that Back does not leave the page.
function keepAddress() {
  const address = writeAddress(game), state = { start: startOf(address), moved: game.moves.length > 0 }, here = history.state;
  const goesOn = !here || (here.start === state.start && (here.moved || !state.moved));
  history[goesOn ? "replaceState" : "pushState"](state, "", address);
  const kept = { address, seconds: seconds(), own: game.own, hinted: game.hinted, underWay: game.underWay };
  if (game.touched) for (const store of ["sessionStorage", "localStorage"]) write("game", kept, store);
}

document.addEventListener("visibilitychange", () => { if (game.position) { keepTime(); keepAddress(); } });

// --- Choosing a game ---

function choose(chosen, options) {
  environment = chosen;
  $("title").textContent = titleOf(chosen);
  $("about-game").textContent = said(chosen.about);
  document.title = `${titleOf(chosen)} \u00b7 ${t("Patience")}`;
  $("rules").replaceChildren(...chosen.rules.map(text => Object.assign(document.createElement("p"), { textContent: said(text) })));
  $("clock-row").hidden = chosen.blocks.length > 0;
  const showTable = $("rules-part").ontoggle = attempt(async () => {
    if (!$("rules-part").open) return;
    const position = await ask("position", { env: chosen.env, options, deal: EXAMPLE, moves: "" });
    if (showTable !== $("rules-part").ontoggle) return;  // other rules have been chosen meanwhile
    rulesBoard.show(position, t("The table of {game}, {deal}", { game: titleOf(chosen), deal: t("at the start") }), false);
  });
  showTable();
  tally.use(chosen.env, options, chosen.blocks);
  const objective = chosen.options.find(option => option.name === "objective");
  $("objective-label").hidden = !objective;
  const objectives = objective ? objective.choices : [{ value: "", words: "" }];
  fill($("objective"), objectives.map(({ value, words }) => [value, said(words)]), objectives.some(({ value }) => value === "win") ? "win" : "");
  offer(chosen.agents.map(agent => agent.name));
  fitting = offerFitting(options);
  showCounted();
}

function offer(names) {
  const strongest = names.includes(adviser) ? adviser : names.includes("best") ? "best" : names.at(-1);
  judge = names.includes("planner") ? "planner" : "";
  fill($("agent"), names.map(name => [name, name]), names.includes($("agent").value) ? $("agent").value : strongest);
  fill($("watch-1"), names.map(name => [name, name]), names.includes($("watch-1").value) ? $("watch-1").value : strongest);
  fill($("watch-2"), [["", t("nobody")], ...names.map(name => [name, name])], $("watch-2").value);
  aboutAgent();
}

// Leaves out the agents that do not play under the options, as the server says.
const offerFitting = attempt(async options => {
  const chosen = environment, content = { env: chosen.env, options };
  if ($("objective").value) content.objective = $("objective").value;
  let found = null;
  while (found === null) {
    await stream("agents", content, undefined, line => { found = line; }).catch(error => {
      if (!(error instanceof BrokenError)) throw error;  // else the server is asked again
    });
  }
  if (environment !== chosen) return;
  adviser = found.adviser;
  const [names, others] = [false, true].map(refused => chosen.agents.map(agent => agent.name).filter(name => Boolean(found.refusals[name]) === refused));
  offer(names);
  $("agents-left-out").textContent = others.length ? t("Not under these rules: {agents}.", { agents: others.join(", ") }) : "";
});

function fill(select, choices, chosen) {
  select.replaceChildren(...choices.map(([value, words]) => new Option(words, value, false, value === chosen)));
}

function aboutAgent() {
  $("agent-about").textContent = t(environment.agents.find(agent => agent.name === $("agent").value)?.about ?? "");
}

// known: what is remembered of the game, if it has been played here; shared: it comes from elsewhere.
const begin = async ({ env = game.env, options = game.options, deal = game.deal, deck = "", moves = [], known = null, shared = false }) => {
  if (watch.running) watch.stop();
  const { own, shared: was, touched, hinted } = game, shown = environment, time = seconds();
  choose(environments.find(one => one.env === env), options);
  [spent, since] = [known?.seconds ?? 0, null];
  Object.assign(game, { own: known?.own ?? !shared, shared, touched: Boolean(known), hinted: known?.hinted ?? false });
  try {
    await game.set({ env, options, deal, deck, moves });
  } catch (error) {  // the game on the table goes on
    Object.assign(game, { own, shared: was, touched, hinted });
    [spent, since] = [time, null];
    if (game.position) choose(shown, game.options);
    throw error;
  }
  review.clear();
  $("other").hidden = $("seat-1").hidden = true;
};
const start = attempt(begin);

// Starts another game, if the one under way may be left.
async function leaveFor(changes) {
  if (await mayLeave()) await start(changes);
}

// Whether the game on the table is a part of another one, so that nothing is lost when that one takes its place.
const agreesWith = line => game.line.every((move, place) => move === line[place]);

// A game that is left behind is lost.
async function mayLeave() {
  if (!game.underWay) return true;
  const values = { deal: dealInWords(game, daily), moves: counted(game.moves.length, "{n} move", "{n} moves") };
  const text = isMine() ? t("A game is under way: {deal}, {moves}. Leave it? It counts as lost.", values) : t("A game is under way: {deal}, {moves}. Leave it?", values);
  if (!game.stuck && !await agrees(text, t("Leave it"), t("Go on playing"))) return false;
  if (isMine()) keep();
  return true;
}

const load = attempt(async () => {
  const kept = read("game", read("game", null), "sessionStorage");
  const hash = location.hash.length > 1 || !kept ? location.hash : kept.underWay ? kept.address : rulesOf(kept.address);
  const { environment: chosen, options, deck, moves, counts, wrong, ...found } = readAddress(environments, hash), player = read("player", "");
  const { env } = chosen, deal = found.deal ?? randomDeal(), known = kept?.address === hash && moves.length ? kept : null;
  $("player").value = player;
  if (counts && player) {
    Object.assign(game, { env, options, deal });
    choose(chosen, options);
    return game.count(player);
  }
  try {
    await begin({ env, options, deal, deck, moves, known, shared: moves.length > 0 && !known });
  } catch (error) {  // a link to what cannot be: another deal, and why
    if (!(error instanceof RefusedError) || game.position) throw error;
    await start({ env, options, deal: randomDeal() });
    say(error.message);
  }
  if (wrong) say(wrong);
});

addEventListener("hashchange", async () => {
  if (location.hash === writeAddress(game)) return;
  if (await mayLeave()) return load();
  const address = writeAddress(game);
  history.pushState({ start: startOf(address), moved: true }, "", address);
});

// --- Games that count ---

const showCounted = attempt(async () => {
  const player = $("player").value.trim();
  if (!player) return;
  const { games } = await ask("count/games", { player, env: environment.env, options: game.options });
  $("counted").innerHTML = games.length ? `<h3></h3>${summary(games, environment.blocks)}` : "";
  if (games.length) $("counted").firstElementChild.textContent = t("Kept for {player}", { player });
});

$("count").onclick = attempt(async () => {
  const player = $("player").value.trim();
  if (!await mayLeave()) return;
  if (watch.running) watch.stop();
  analysis.stop();
  review.clear();
  [spent, since] = [0, null];
  Object.assign(game, { own: true, shared: false, touched: false, hinted: false });
  await game.count(player);
  write("player", player);
  $("boards").scrollIntoView();
});
$("give-up").onclick = attempt(async () => {
  const text = game.counts || !isMine() ? t("Give up? The game counts as it stands.") : t("Give up? The game counts as lost.");
  if (game.stuck || await agrees(text, t("Give up"), t("Go on playing"))) await game.giveUp();
});

// --- Buttons and keys ---

const hint = attempt(async () => {
  if ($("hint").disabled) return;
  const asked = game.moves;
  await fitting;
  const content = { ...game.content(), agent: adviser };
  if ($("objective").value) content.objective = $("objective").value;
  await stream("choice", content, undefined, line => {
    if (asked !== game.moves) return;
    board.advise(line.move);
    game.hinted = true;
    say(t("Hint: {move}", { move: moveInWords(line.move) }));
  });
});
const undo = attempt(() => game.undo()), redo = attempt(() => game.redo());
const goTo = attempt(count => game.goTo(count)), first = () => goTo(0), last = () => goTo(game.line.length);
const draw = () => turn(() => { const move = drawMove(); if (move) return make(move); });
Object.assign($("draw"), { onclick: draw });
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
$("next").onclick = () => leaveFor({ deal: randomDeal() });
$("end-review").onclick = () => { $("review").click(); $("review-part").scrollIntoView(); };
$("analysis").onchange = $("solver").onchange = () => { analysis.show(game); game.hinted ||= $("analysis").checked; };
$("objective").onchange = () => { fitting = offerFitting(game.options); analysis.show(game); };
$("agent").onchange = () => { aboutAgent(); analysis.show(game); };
$("player").onchange = () => showCounted();
$("review").onclick = () => {
  if (!game.over) game.hinted = true;
  review.show(game, judge, $("objective").value);
};
$("finish").checked = read("finish", true);
$("finish").onchange = () => write("finish", $("finish").checked);
$("letters").checked = read("letters", true);
$("letters").onchange = () => write("letters", $("letters").checked);

async function watchNow(once) {
  const { env, options, deal, deck, moves } = game, beside = Boolean($("watch-2").value);
  analysis.stop();
  Object.assign(game, { own: false, shared: false, touched: false });
  if (beside && (!once || $("other").hidden)) await second.set({ env, options, deal, deck, moves });
  $("other").hidden = !beside;
  if (!once) $("watch").textContent = t("Stop");
  watch.start($("objective").value, once);
  buttons();
}
$("watch").onclick = () => watch.running ? watch.stop() : watchNow(false);
$("step").onclick = () => { if (!watch.running) watchNow(true); };

const TYPED = "textarea, input:not([type=checkbox], [type=range], [type=file])";  // where a key is a letter
const SLID = "select, [type=range]";  // where an arrow has a meaning of its own
document.addEventListener("keydown", event => {
  const on = kind => event.target.matches(kind) && event.target.checkVisibility();  // a closed dialog's field has the focus until the next frame
  if (on(TYPED) || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const command = event.ctrlKey || event.metaKey, key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const letters = command ? { z: event.shiftKey ? redo : undo, y: redo } : $("letters").checked ? { d: draw, u: undo, r: redo, h: hint, n: () => newGame.show() } : {};
  const steps = command || event.shiftKey || on(SLID) || !game.line.length ? {} : { ArrowLeft: undo, ArrowRight: redo, Home: first, End: last };
  const action = letters[key] ?? steps[key];
  if (!action || watch.running || (event.repeat && game.waiting)) return;
  event.preventDefault();
  action();
});

// --- Sharing ---

$("copy-link").onclick = async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    say(t("The link is copied."));
  } catch {
    say(t("Copy the address of this page."));
  }
};
$("copy").onclick = attempt(async () => {
  $("transcript").value = (await ask("write", game.content())).text;
  $("transcript").select();
});
$("paste").onclick = attempt(async () => {
  const { env, options, deal = "0", deck = "", moves } = await ask("read", { text: $("transcript").value });
  const found = readAddress(environments, `#${new URLSearchParams({ env, ...options })}`), played = moves.split(" ").filter(Boolean);
  await leaveFor({ env, options: found.options, deal, deck, moves: played, shared: played.length > 0 });
});

const about = await ask(`about?${new URLSearchParams({ languages: wanted() })}`);
({ environments, daily } = about);
figures.environments = environments;
useLanguage(about, $("language"));
newGame.use(about);
$("daily").title = `${daily.date}: ${t("Deal {deal}", { deal: daily.deal })}`;
await load();
