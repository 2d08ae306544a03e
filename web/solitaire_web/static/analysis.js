// What an agent and the solver make of the position shown. A new position ends the answer to the one before.
import { RefusedError, stream } from "./api.js";
import { drawBar, drawVerdict, escapeText, moveInWords, percent } from "./cards.js";

const CERTAIN = 1.96;  // standard errors in half a 95 % interval

export function oddsText(unit, mean, error) {
  const half = CERTAIN * error;
  if (unit === "moves") return `${(-mean).toFixed(1)} \u00b1 ${half.toFixed(1)} moves`;
  if (unit === "worth") return `${mean.toFixed(3)} \u00b1 ${half.toFixed(3)}`;
  return `${(100 * mean).toFixed(1)} \u00b1 ${(100 * half).toFixed(1)} %`;
}

const UNITS = {
  chance: "Odds of a win after each move", worth: "What each move is worth, 0 to 1", moves: "Moves to a win",
};

export function drawChoice(line) {
  const bars = (line.chances || []).map(({ move, chance }) => drawBar(moveInWords(move), chance, percent(chance), move === line.move));
  return `<p>would play <strong>${escapeText(moveInWords(line.move))}</strong>${line.fair ? "" : " (it sees the stock)"}</p>` + bars.join("") +
    (line.value ? `<p>The agent ${escapeText(line.value)}</p>` : "");
}

function drawOdds({ unit, odds, samples }) {
  const best = odds[0].mean, worst = odds.at(-1).mean;
  const share = mean => unit === "moves" ? (mean - worst + 1) / (best - worst + 1) : mean;
  const rows = odds.map(({ move, mean, error }, place) => drawBar(moveInWords(move), share(mean), oddsText(unit, mean, error), place === 0));
  return `<p>${UNITS[unit]} (95 % interval, ${samples} sampled orders)</p>` + rows.join("");
}

export class Analysis {
  constructor(elements, board) {
    Object.assign(this, { ...elements, board, control: null, open: false });
    this.cancel.onclick = () => this.stop("Cancelled.");
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
    this.out.innerHTML = `<div></div><div></div><p class="note">${escapeText(agent)} is thinking\u2026</p>`;
    const [choice, odds, note] = this.out.children;
    this.note = note;
    const take = line => {
      if (control !== this.control) return;
      if (line.kind === "choice") {
        choice.innerHTML = drawChoice(line);
        this.board.advise(line.move);
      } else if (line.kind === "odds") odds.innerHTML = drawOdds(line);
      else this.verdict.innerHTML = this.drawSolver(line.verdict);
      parts[line.kind] = line;
    };
    try {
      const content = { ...game.content(), agent, solver: this.solver.checked, objective: this.objective.value };
      if (!content.objective) delete content.objective;
      await stream("analyse", content, control.signal, take);
      note.textContent = "Done.";
    } catch (error) {
      if (error.name !== "AbortError") note.textContent = error instanceof RefusedError ? error.message : String(error);
    }
    if (control === this.control) this.stop();
  }

  drawSolver(verdict) {
    if (!verdict) return `<p class="note">The solver has no verdict under these rules.</p>`;
    const line = verdict.moves.length ? `<p class="note">A line: ${escapeText(verdict.moves.map(moveInWords).join(", "))}</p>` : "";
    return drawVerdict(verdict) + line;
  }
}
