// Which game is played: by choice, by a link, or as it was left.
import { BrokenError, RefusedError, ask, stream } from "./api.js";
import { showCounted } from "./counting.js";
import { mayLeave, rulesOf, seconds, setClock, startOf } from "./keeping.js";
import { read } from "./keep.js";
import { said, t } from "./language.js";
import { endRace } from "./race.js";
import { randomDeal } from "./shelf.js";
import { readAddress, writeAddress } from "./options.js";
import { $, attempt, game, parts, say, state } from "./state.js";
import { titleOf } from "./words.js";

const EXAMPLE = "1000000";  // the deal beside the rules; no test deal, which may be closed

export function choose(chosen, options) {
  state.environment = chosen;
  $("title").textContent = titleOf(chosen);
  $("about-game").textContent = said(chosen.about);
  document.title = `${titleOf(chosen)} \u00b7 ${t("Patience")}`;
  $("rules").replaceChildren(...chosen.rules.map(text => Object.assign(document.createElement("p"), { textContent: said(text) })));
  $("clock-row").hidden = chosen.blocks.length > 0;
  const showTable = $("rules-part").ontoggle = attempt(async () => {
    if (!$("rules-part").open) return;
    const position = await ask("position", { env: chosen.env, options, deal: EXAMPLE, moves: "" });
    if (showTable !== $("rules-part").ontoggle) return;  // other rules have been chosen meanwhile
    parts.rulesBoard.show(position, t("The table of {game}, {deal}", { game: titleOf(chosen), deal: t("at the start") }), false);
  });
  showTable();
  parts.tally.use(chosen.env, options, chosen.blocks);
  const objective = chosen.options.find(option => option.name === "objective");
  $("objective-label").hidden = !objective;
  const objectives = objective ? objective.choices : [{ value: "", words: "" }];
  fill($("objective"), objectives.map(({ value, words }) => [value, said(words)]), objectives.some(({ value }) => value === "win") ? "win" : "");
  offer(chosen.agents.map(agent => agent.name));
  state.fitting = offerFitting(options);
  showCounted();
}

export function offer(names) {
  const strongest = names.includes(state.adviser) ? state.adviser : names.includes("best") ? "best" : names.at(-1);
  state.judge = names.includes("planner") ? "planner" : "";
  fill($("agent"), names.map(name => [name, name]), names.includes($("agent").value) ? $("agent").value : strongest);
  fill($("watch-1"), names.map(name => [name, name]), names.includes($("watch-1").value) ? $("watch-1").value : strongest);
  fill($("watch-2"), [["", t("nobody")], ...names.map(name => [name, name])], $("watch-2").value);
  aboutAgent();
}

// Leaves out the agents that do not play under the options, as the server says.
export const offerFitting = attempt(async options => {
  const chosen = state.environment, content = { env: chosen.env, options };
  if ($("objective").value) content.objective = $("objective").value;
  let found = null;
  while (found === null) {
    await stream("agents", content, undefined, line => { found = line; }).catch(error => {
      if (!(error instanceof BrokenError)) throw error;  // else the server is asked again
    });
  }
  if (state.environment !== chosen) return;
  state.adviser = found.adviser;
  const [names, others] = [false, true].map(refused => chosen.agents.map(agent => agent.name).filter(name => Boolean(found.refusals[name]) === refused));
  offer(names);
  $("agents-left-out").textContent = others.length ? t("Not under these rules: {agents}.", { agents: others.join(", ") }) : "";
});

export function fill(select, choices, chosen) {
  select.replaceChildren(...choices.map(([value, words]) => new Option(words, value, false, value === chosen)));
}

export function aboutAgent() {
  $("agent-about").textContent = t(state.environment.agents.find(agent => agent.name === $("agent").value)?.about ?? "");
}

// known: what is remembered of the game, if it has been played here; shared: it comes from elsewhere.
export const begin = async ({ env = game.env, options = game.options, deal = game.deal, deck = "", moves = [], known = null, shared = false }) => {
  if (parts.watch.running) parts.watch.stop();
  endRace();
  const { own, shared: was, touched, hinted } = game, shown = state.environment, time = seconds();
  choose(state.environments.find(one => one.env === env), options);
  setClock(known?.seconds ?? 0);
  Object.assign(game, { own: known?.own ?? !shared, shared, touched: Boolean(known), hinted: known?.hinted ?? false });
  try {
    await game.set({ env, options, deal, deck, moves });
  } catch (error) {  // the game on the table goes on
    Object.assign(game, { own, shared: was, touched, hinted });
    setClock(time);
    if (game.position) choose(shown, game.options);
    throw error;
  }
  parts.review.clear();
  $("other").hidden = $("seat-1").hidden = true;
};
export const start = attempt(begin);

// Starts another game, if the one under way may be left.
export async function leaveFor(changes) {
  if (await mayLeave()) await start(changes);
}

export const load = attempt(async () => {
  const kept = read("game", read("game", null), "sessionStorage");
  const hash = location.hash.length > 1 || !kept ? location.hash : kept.underWay ? kept.address : rulesOf(kept.address);
  const { environment: chosen, options, deck, moves, counts, wrong, ...found } = readAddress(state.environments, hash), player = read("player", "");
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
  if (!hash) parts.shelf.show();  // nothing has been played here
});

addEventListener("hashchange", async () => {
  if (location.hash === writeAddress(game)) return;
  if (await mayLeave()) return load();
  const address = writeAddress(game);
  history.pushState({ start: startOf(address), moved: true }, "", address);
});
