// Puts the parts together.
import { Analysis } from "./analysis.js";
import { RefusedError, ask } from "./api.js";
import { Board } from "./board.js";
import { Game } from "./game.js";
import { drawOptions, readAddress, writeAddress } from "./options.js";
import { Review } from "./review.js";
import { Tally, summary } from "./tally.js";
import { Watch } from "./watch.js";

const $ = id => document.getElementById(id);
const game = new Game(), second = new Game();
let environments = [], environment = null, daily = null, judge = "";

const say = text => { $("said").textContent = text; };
const attempt = action => async (...given) => {
  try {
    await action(...given);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    say(error.message);
  }
};
const play = attempt(move => watch.running ? undefined : game.play(move));
const board = new Board($("board"), play, say), board2 = new Board($("board-2"), () => {}, () => {});
const analysis = new Analysis({ on: $("analysis"), solver: $("solver"), agent: $("agent"), objective: $("objective"), cancel: $("cancel"), out: $("analysis-out"), verdict: $("verdict-out") }, board);
const review = new Review({ graph: $("graph"), lost: $("lost"), note: $("review-note"), cancel: $("review-cancel") }, count => { game.goTo(count); $("play").scrollIntoView(); });
const tally = new Tally({ out: $("tally"), forget: $("forget"), clock: $("clock"), minutes: $("minutes"), time: $("time") });
const seats = [{ agent: $("watch-1"), game, panel: $("seat-1") }, { agent: $("watch-2"), game: second, panel: $("seat-2") }];
const watch = new Watch(seats, $("speed"), () => { $("watch").textContent = "Watch"; if (game.position) show(game, ""); });

// --- What is shown of a position ---

function titleOf({ env, deal, deck, position }) {
  return `The table of ${env}, ${deck ? "a given deck" : `deal ${deal}`}: ${position.table.status}`;
}

const drawMove = () => game.position?.legal.find(([, gestures]) => gestures.some(([source, target]) => source === "stock" && target === null))?.[0];

function buttons() {
  const { counts, over } = game, busy = watch.running, draw = drawMove();
  $("draw").disabled = !draw || busy;
  $("draw").textContent = draw === undefined ? "Draw" : draw[0].toUpperCase() + draw.slice(1);
  $("undo").disabled = Boolean(counts) || busy || !game.moves.length;
  $("redo").disabled = Boolean(counts) || busy || !game.future.length;
  $("restart").disabled = Boolean(counts) || busy;
  for (const id of ["watch", "step", "review"]) $(id).disabled = Boolean(counts) || (id === "review" ? !game.moves.length || !judge : over);
  $("analysis").disabled = Boolean(counts);
  $("give-up").hidden = !counts || over;
  $("moves").replaceChildren(...(busy ? [] : game.position.legal).map(([move]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = move;
    button.onclick = () => play(move);
    return button;
  }));
}

function show(_, said) {
  const { position } = game, had = $("moves").contains(document.activeElement);
  board.show(position, titleOf(game), !watch.running);
  buttons();
  if (had) ($("moves").firstElementChild ?? $("undo")).focus();
  const ending = position.over ? (position.outcome.won ? "You have won. " : "The game is over. ") : "";
  say([said, ending + position.table.status.replace(/ {2,}/g, ", ")].filter(Boolean).join(". "));
  $("deal-name").textContent = game.deck ? "A given deck" : `Deal ${game.deal}`;
  if (game.counts) $("deal-name").textContent += ", for the count: no undo, no analysis";
  history.replaceState(null, "", writeAddress(game));
  if (!watch.running) analysis.show(game);
  if (position.over) finish();
}

function finish() {
  if (game.counts) {
    game.counts = null;
    history.replaceState(null, "", writeAddress(game));
    showCounted();
    buttons();
  } else if (game.own && !game.deck) {
    tally.add(game.deal, game.position.outcome);
  }
  $("review-part").open = true;
}

game.watchers.push(show);
second.watchers.push(() => board2.show(second.position, `Beside it. ${titleOf(second)}`, false));

// --- Choosing a game ---

function choose(chosen, options) {
  environment = chosen;
  $("env").value = chosen.env;
  $("title").textContent = chosen.title;
  document.title = `${chosen.title} Patience`;
  $("rules").textContent = chosen.rules;
  $("clock-row").hidden = chosen.blocks.length > 0;
  drawOptions($("options"), chosen, options, changed => start({ options: changed }));
  tally.use(chosen.env, options, chosen.blocks);
  const names = chosen.agents.map(agent => agent.name), adviser = names.includes("best") ? "best" : names.at(-1);
  judge = names.includes("planner") ? "planner" : "";
  fill($("agent"), names, names.includes($("agent").value) ? $("agent").value : adviser);
  fill($("watch-1"), names, adviser);
  fill($("watch-2"), ["", ...names], "");
  const objective = chosen.options.find(option => option.name === "objective");
  $("objective-label").hidden = !objective;
  fill($("objective"), objective ? objective.choices : [""], objective && objective.choices.includes("win") ? "win" : "");
  aboutAgent();
  showCounted();
}

function fill(select, names, chosen) {
  select.replaceChildren(...names.map(name => new Option(name || "nobody", name, false, name === chosen)));
}

function aboutAgent() {
  $("agent-about").textContent = environment.agents.find(agent => agent.name === $("agent").value)?.about ?? "";
}

const begin = async ({ env = game.env, options = game.options, deal = game.deal, deck = "", moves = [] }) => {
  if (watch.running) watch.stop();
  review.clear();
  $("other").hidden = $("seat-1").hidden = true;
  choose(environments.find(one => one.env === env), options);
  $("deal").value = deal;
  game.own = true;
  await game.set({ env, options, deal, deck, moves });
};
const start = attempt(begin);

const randomDeal = () => String(crypto.getRandomValues(new BigUint64Array(1))[0] >> 1n);

const load = attempt(async () => {
  const found = readAddress(environments, location.hash);
  const { environment: { env }, options, deck, moves, counts } = found, player = localStorage.getItem("solitaire-rl player");
  $("player").value = player ?? "";
  const deal = found.deal ?? randomDeal();
  if (counts && player) {
    Object.assign(game, { env, options, deal });
    choose(found.environment, options);
    return game.count(player);
  }
  try {
    await begin({ env, options, deal, deck, moves });
  } catch (error) {  // a link to what cannot be: another deal, and why
    if (!(error instanceof RefusedError) || game.position) throw error;
    await start({ env, options, deal: randomDeal() });
    say(error.message);
  }
});

// --- Games that count ---

const showCounted = attempt(async () => {
  const player = $("player").value.trim();
  if (!player) return;
  const { games } = await ask("count/games", { player, env: environment.env, options: game.options });
  $("counted").innerHTML = games.length ? `<h3></h3>${summary(games, environment.blocks)}` : "";
  if (games.length) $("counted").firstElementChild.textContent = `Kept for ${player}`;
});

$("count").onclick = attempt(async () => {
  const player = $("player").value.trim();
  if (watch.running) watch.stop();
  analysis.stop();
  review.clear();
  await game.count(player);
  localStorage.setItem("solitaire-rl player", player);
  $("play").scrollIntoView();
});
$("give-up").onclick = attempt(() => {
  if ($("give-up").dataset.sure) return game.giveUp();
  $("give-up").dataset.sure = "yes";
  $("give-up").textContent = "Really give up? It counts as it stands";
  setTimeout(() => { delete $("give-up").dataset.sure; $("give-up").textContent = "Give up"; }, 4000);
  return undefined;
});

// --- Buttons and keys ---

const undo = attempt(() => game.undo()), redo = attempt(() => game.redo());
const draw = () => { const move = drawMove(); if (move && !$("draw").disabled) play(move); };
Object.assign($("draw"), { onclick: draw });
Object.assign($("undo"), { onclick: undo });
Object.assign($("redo"), { onclick: redo });
$("restart").onclick = () => start({ deck: game.deck });
$("go").onclick = () => start({ deal: $("deal").value.trim() });
$("deal").onkeydown = event => { if (event.key === "Enter") $("go").click(); };
$("random").onclick = () => start({ deal: randomDeal() });
$("daily").onclick = () => start({ deal: daily.deal });
$("env").onchange = () => start({ env: $("env").value, options: {} });
$("analysis").onchange = $("solver").onchange = $("objective").onchange = () => analysis.show(game);
$("agent").onchange = () => { aboutAgent(); analysis.show(game); };
$("player").onchange = () => showCounted();
$("review").onclick = () => review.show(game, judge, $("objective").value);

async function watchNow(once) {
  const { env, options, deal, deck, moves } = game, beside = Boolean($("watch-2").value);
  analysis.stop();
  game.own = false;
  if (beside && (!once || $("other").hidden)) await second.set({ env, options, deal, deck, moves });
  $("other").hidden = !beside;
  if (!once) $("watch").textContent = "Stop";
  watch.start($("objective").value, once);
  buttons();
}
$("watch").onclick = () => watch.running ? watch.stop() : watchNow(false);
$("step").onclick = () => { if (!watch.running) watchNow(true); };

document.addEventListener("keydown", event => {
  if (event.target.matches("input, textarea, select") || event.altKey || event.metaKey) return;
  const key = event.ctrlKey ? { z: "u", y: "r" }[event.key] : event.key;
  const action = { d: draw, u: undo, r: redo }[key];
  if (!action || watch.running) return;
  event.preventDefault();
  action();
});

// --- Sharing ---

$("copy-link").onclick = async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
  } catch {
    say("Copy the address of this page.");
  }
};
$("copy").onclick = attempt(async () => {
  $("transcript").value = (await ask("write", game.content())).text;
  $("transcript").select();
});
$("paste").onclick = attempt(async () => {
  const { env, options, deal = "0", deck = "", moves } = await ask("read", { text: $("transcript").value });
  const found = readAddress(environments, `#${new URLSearchParams({ env, ...options })}`);
  await start({ env, options: found.options, deal, deck, moves: moves.split(" ").filter(Boolean) });
});

addEventListener("hashchange", load);
({ environments, daily } = await ask("about"));
fill($("env"), environments.map(one => one.env), "");
$("daily").title = `${daily.date}: deal ${daily.deal}`;
await load();
