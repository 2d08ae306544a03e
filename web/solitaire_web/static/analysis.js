// What an agent and the solver make of the position shown. A new position ends the answer to the one before.
import { RefusedError, stream } from "./api.js";
import { drawBar, escapeText } from "./cards.js";
import { fixed, percent, said, t } from "./language.js";
import { moveInWords, signed } from "./words.js";

const CERTAIN = 1.96;  // standard errors in half a 95 % interval

// Values that were learned have no error, and are told without an interval.
export function oddsText(unit, mean, error) {
  if (mean === null) return "\u2013";  // the agent leaves this move out
  const half = CERTAIN * error;
  if (unit === "moves" && !half) return t("{n} moves", { n: fixed(-mean, 1) });
  if (unit === "moves") return t("{mean} \u00b1 {half} moves", { mean: fixed(-mean, 1), half: fixed(half, 1) });
  if (unit === "return") return half ? `${fixed(mean, 3)} \u00b1 ${fixed(half, 3)}` : fixed(mean, 3);
  return half ? `${fixed(100 * mean, 1)} \u00b1 ${percent(half)}` : percent(mean);
}

// What fits on a card.
export const shortOdds = (unit, mean) => ({
  chance: () => `${fixed(100 * mean, 0)} %`, return: () => fixed(mean, 2), moves: () => fixed(-mean, 0),
})[unit]();

const titleOfUnit = unit => ({
  chance: t("Odds of a win after each move"), return: t("What each move is worth, 0 to 1"), moves: t("Moves to a win"),
})[unit];

export function drawChoice(line) {
  const bars = (line.chances || []).map(({ move, chance }) => drawBar(moveInWords(move), chance, percent(chance), move === line.move));
  return `<p>${t("would play {move}", { move: `<strong>${escapeText(moveInWords(line.move))}</strong>` })}` +
    `${line.fair ? "" : ` ${t("(it sees the stock)")}`}</p>` + bars.join("") +
    (line.value ? `<p>${escapeText(said(`The agent ${line.value}`))}</p>` : "");
}

function drawOdds({ unit, odds, samples }) {
  const best = odds[0].mean, worst = odds.findLast(one => one.mean !== null).mean;
  const share = mean => mean === null ? 0 : unit === "moves" ? (mean - worst + 1) / (best - worst + 1) : mean;
  const rows = odds.map(({ move, mean, error }, place) => drawBar(moveInWords(move), share(mean), oddsText(unit, mean, error), place === 0));
  const how = samples ? t("(95 % interval, {samples} sampled orders)", { samples }) : t("(learned values)");
  return `<p>${titleOfUnit(unit)} ${how}</p>` + rows.join("");
}

// Why an agent would play another move than the one that its odds put first; empty if it would not.
export function whyOther(choice, { odds, samples }) {
  const [first] = odds, chosen = odds.find(({ move }) => move === choice.move);
  if (!chosen || chosen === first || chosen.mean === null) return "";
  const move = moveInWords(first.move), within = first.mean - chosen.mean <= CERTAIN * Math.hypot(first.error, chosen.error);
  if (!samples) return t("It chooses by its probabilities. Its values, which it has learned too, put {move} first.", { move });
  if (within) return t("Its odds put {move} first, but the difference is within their uncertainty.", { move });
  return t("It chose in less time than these odds took, which put {move} first.", { move });
}

export class Analysis {
  constructor(elements, board) {
    Object.assign(this, { ...elements, board, control: null, open: false });
    this.cancel.onclick = () => this.stop(t("Cancelled."));
  }

  stop(text = "") {
    this.control?.abort();
    this.control = null;
    this.cancel.disabled = true;
    if (text && this.note) this.note.textContent = text;
  }

  async show(game) {
    this.stop();
    this.out.innerHTML = this.verdict.innerHTML = "";
    if (!this.on.checked || game.counts || !game.position || game.over) return;
    const control = this.control = new AbortController(), agent = this.agent.value, parts = {};
    this.cancel.disabled = false;
    this.out.innerHTML = `<div></div><div></div><p class="note">${escapeText(t("{agent} is thinking\u2026", { agent }))}</p>`;
    const [choice, odds, note] = this.out.children;
    this.note = note;
    const take = line => {
      if (control !== this.control) return;
      if (line.kind === "choice") {
        choice.innerHTML = drawChoice(line);
        this.board.advise(line.move);
      } else if (line.kind === "odds") {
        odds.innerHTML = drawOdds(line);
        const why = parts.choice ? whyOther(parts.choice, line) : "";
        if (why) odds.insertAdjacentHTML("afterbegin", `<p class="why">${escapeText(why)}</p>`);
        this.board.tell(line.odds.filter(({ mean }) => mean !== null).map(({ move, mean }) => [move, shortOdds(line.unit, mean)]));
      } else this.verdict.innerHTML = this.drawSolver(line.verdict);
      parts[line.kind] = line;
    };
    try {
      const content = { ...game.content(), agent, solver: this.solver.checked, objective: this.objective.value };
      if (!content.objective) delete content.objective;
      await stream("analyse", content, control.signal, take);
      if (control === this.control) note.textContent = t("Done.");
    } catch (error) {
      if (error.name !== "AbortError") note.textContent = error instanceof RefusedError ? error.message : String(error);
    }
    if (control === this.control) this.stop();
  }

  drawSolver(verdict) {
    if (!verdict) return `<p class="note">${t("The solver has no verdict under these rules.")}</p>`;
    const line = verdict.moves.length ? `<p class="note">${escapeText(t("A line: {moves}", { moves: verdict.moves.map(moveInWords).join(", ") }))}</p>` : "";
    const kind = { true: "yes", false: "no", null: "" }[verdict.winnable];
    const win = { true: t("still winnable"), false: t("no longer winnable"), null: t("not known whether winnable") }[verdict.winnable];
    const best = verdict.best === null ? "" : `; ${t("best score from here {score}", { score: signed(verdict.best) })}`;
    return `<p class="verdict ${kind}">${t("Solver, which sees the stock:")} ${win}${best}</p>` + line;
  }
}
