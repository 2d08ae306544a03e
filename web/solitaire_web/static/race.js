// An agent that plays the same deal beside the player.
import { counted, t } from "./language.js";
import { $, game, parts, say, second } from "./state.js";
import { signed } from "./words.js";

let agent = "";  // that plays, or has played, the deal on the table; empty: none

// Begins the deal anew for the agent. What it does can be looked at, so the player's game counts among those with hints.
export async function race() {
  const { env, options, deal, deck } = game;
  agent = "";
  parts.rival.stop();
  await second.set({ env, options, deal, deck });
  game.hinted = true;
  agent = parts.rival.seats[0].agent.value = $("watch-1").value;
  $("other").hidden = false;
  document.body.classList.add("race");
  parts.rival.start($("objective").value);
}

export function endRace() {
  agent = "";
  parts.rival.stop();
  document.body.classList.remove("race");
}

// Its result as a row of facts, and who did better; none if no agent plays beside.
export function raceInWords() {
  if (!agent) return { rows: [], note: "" };
  if (parts.rival.running) return { rows: [[agent, t("still plays")]], note: "" };
  const [mine, its] = [game, second].map(({ position, moves }) => ({ ...position.outcome, moves: moves.length }));
  const result = its.won ? counted(its.moves, "won in {n} move", "won in {n} moves") : `${t("Score")} ${signed(its.score)}`;
  const lead = mine.won - its.won || mine.score - its.score || (mine.won ? its.moves - mine.moves : 0);
  const note = lead > 0 ? t("You did better than {agent}.", { agent }) : lead < 0 ? t("{agent} did better than you.", { agent }) : t("You did as well as {agent}.", { agent });
  return { rows: [[agent, result]], note };
}

// When the agent has come to its end.
export function tellRace() {
  if (!agent) return;
  const { rows: [[, result]], note } = raceInWords();
  say(game.over ? note : `${agent}: ${result}`);
}
