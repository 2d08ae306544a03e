// A whole game: the odds before each move as a graph, and the moves that lost most, by fair odds and by hindsight.
import { RefusedError, stream } from "./api.js";
import { escapeText } from "./cards.js";
import { oddsText } from "./analysis.js";
import { counted, fixed, t } from "./language.js";
import { moveInWords } from "./words.js";

const WIDTH = 640, HEIGHT = 220, LEFT = 46, TOP = 14, BOTTOM = 44, MOST = 5;

function scaleOf(lines) {
  const known = lines.filter(line => line.best), values = known.map(line => line.best.mean);
  const unit = known.length ? known[0].unit : "chance";
  const [low, high] = unit === "moves" ? [Math.min(...values, 0), Math.max(...values, -1)] : [0, 1];
  const bottom = HEIGHT - BOTTOM, y = value => bottom - (bottom - TOP) * (value - low) / (high - low || 1);
  const label = value => unit === "moves" ? `${Math.round(-value)}` : unit === "worth" ? fixed(value, 1) : `${Math.round(100 * value)} %`;
  return { unit, low, high, y, label };
}

function drawGraph(lines, total) {
  const { unit, low, high, y, label } = scaleOf(lines), x = at => LEFT + (WIDTH - LEFT - 10) * at / Math.max(1, total);
  const known = lines.filter(line => line.best), step = Math.max(2, (WIDTH - LEFT) / (total + 1));
  const points = known.map(line => `${x(line.at).toFixed(1)},${y(line.best.mean).toFixed(1)}`).join(" ");
  const errors = known.map(line => {
    const { mean, error } = line.best;
    return `<line class="error" x1="${x(line.at)}" x2="${x(line.at)}" y1="${y(Math.max(low, mean - 2 * error))}" y2="${y(Math.min(high, mean + 2 * error))}"/>`;
  });
  const kind = line => line.over ? (line.won ? "yes" : "no") : { true: "yes", false: "no" }[line.verdict?.winnable] || "open";
  const strip = lines.map(line => `<rect class="${kind(line)}" x="${x(line.at) - step / 2}" y="${HEIGHT - BOTTOM + 6}" width="${step}" height="10"/>`);
  const ticks = [low, (low + high) / 2, high].map(value =>
    `<line class="axis" x1="${LEFT - 4}" x2="${LEFT}" y1="${y(value)}" y2="${y(value)}"/><text x="${LEFT - 7}" y="${y(value) + 4}" text-anchor="end">${label(value)}</text>`);
  const name = { chance: t("Odds of a win before each move"), worth: t("Worth before each move"), moves: t("Moves to a win before each move") }[unit];
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${name}; ${t("the moves that lost most are listed below")}">` +
    `<line class="axis" x1="${LEFT}" x2="${LEFT}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>${ticks.join("")}${errors.join("")}` +
    `<polyline class="line" points="${points}"/>${strip.join("")}` +
    `<text x="${LEFT}" y="${HEIGHT - 12}">${name}; ${t("below, by hindsight: green winnable, red lost")}</text></svg>`;
}

// Moves after which perfect play with the stock open could reach less than before.
function hindsightLosses(lines) {
  return lines.slice(0, -1).flatMap((line, place) => {
    const now = line.verdict, next = lines[place + 1];
    if (!now || !line.move) return [];
    const after = next.over ? { winnable: next.won, best: null } : next.verdict;
    const win = now.winnable === true && after && after.winnable === false;
    const points = now.best !== null && after && after.best !== null ? now.best - after.best : 0;
    return win || points > 0 ? [{ line, win, points }] : [];
  }).sort((a, b) => b.win - a.win || b.points - a.points).slice(0, MOST);
}

export class Review {
  constructor(elements, tryAgain) {
    Object.assign(this, { ...elements, tryAgain, control: null });
    this.cancel.onclick = () => this.control?.abort();
  }

  clear() {
    this.control?.abort();
    this.graph.innerHTML = this.lost.innerHTML = "";
  }

  async show(game, agent, objective) {
    this.clear();
    const control = this.control = new AbortController(), lines = [], total = game.moves.length;
    this.cancel.disabled = false;
    const draw = () => { this.graph.innerHTML = drawGraph(lines, total); };
    try {
      const content = { ...game.content(), agent, ...(objective ? { objective } : {}) };
      await stream("review", content, control.signal, line => {
        if (control !== this.control) return;
        lines.push(line);
        this.note.textContent = t("{agent}: position {at} of {total}", { agent, at: line.at, total });
        if (lines.length % 5 === 0) draw();
      });
      this.note.textContent = t("Judged by {agent}.", { agent });
    } catch (error) {
      if (control !== this.control) return;
      this.note.textContent = error.name === "AbortError" ? t("Cancelled.") : error instanceof RefusedError ? error.message : String(error);
    }
    this.cancel.disabled = true;
    if (!lines.length) return;
    draw();
    this.list(lines);
  }

  list(lines) {
    const fair = lines.filter(line => line.loss > 0).sort((a, b) => b.loss - a.loss).slice(0, MOST);
    this.lost.innerHTML = this.part(t("Moves that lost most, by fair odds"), fair, line =>
      escapeText(t("lost {odds}; better: {move}", {
        odds: oddsText(line.unit, line.unit === "moves" ? -line.loss : line.loss, line.error / 2), move: moveInWords(line.best.move),
      }))) +
      this.part(t("By hindsight, which no player has"), hindsightLosses(lines), ({ win, points }) =>
        [win ? t("gave away a win") : "", points ? counted(points, "{n} point of the best score", "{n} points of the best score") : ""].filter(Boolean).join(", "));
    this.lost.querySelectorAll("button").forEach(button => { button.onclick = () => this.tryAgain(Number(button.dataset.at)); });
  }

  part(title, rows, text) {
    const items = rows.map(row => {
      const line = row.line || row;
      const move = escapeText(t("move {number}, {move}:", { number: line.at + 1, move: moveInWords(line.move) }));
      return `<li>${move} ${text(row)} <button type="button" data-at="${line.at}">${t("Try again from here")}</button></li>`;
    });
    return `<h3>${title}</h3>` + (items.length ? `<ol>${items.join("")}</ol>` : `<p class="note">${t("None.")}</p>`);
  }
}
