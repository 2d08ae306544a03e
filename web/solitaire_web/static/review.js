// A whole game: the odds before each move as a graph, and the moves that lost most, by fair odds and by hindsight.
import { RefusedError, stream } from "./api.js";
import { escapeText } from "./cards.js";
import { oddsText, shortOdds } from "./analysis.js";
import { frameOf, pointsOf } from "./graph.js";
import { counted, t } from "./language.js";
import { moveInWords } from "./words.js";

const STRIP = 10, MOST = 5;  // height of the strip of hindsight; moves in each list

function scaleOf(lines) {
  const known = lines.filter(line => line.best), values = known.map(line => line.best.mean);
  const unit = known.length ? known[0].unit : "chance";
  const [low, high] = unit === "moves" ? [Math.min(...values, 0), Math.max(...values, -1)] : [0, 1];
  return { unit, low, high };
}

const isLoss = (loss, error) => loss > Math.max(error, 0.005);  // more than the uncertainty

const titleOfUnit = unit => ({
  chance: t("Odds of a win before each move"), return: t("Worth before each move"), moves: t("Moves to a win before each move"),
})[unit];

const kindOf = line => line.over ? (line.won ? "yes" : "no") : { true: "yes", false: "no" }[line.verdict?.winnable] || "open";

function drawGraph(frame, { unit, low, high }, lines) {
  const { x, y, floor, step } = frame, known = lines.filter(line => line.best), width = Math.max(2, step);
  const errors = known.map(({ at, best: { mean, error } }) =>
    `<line class="error" x1="${x(at)}" x2="${x(at)}" y1="${y(Math.max(low, mean - 2 * error))}" y2="${y(Math.min(high, mean + 2 * error))}"/>`);
  const strip = lines.map(line => {
    const [from, to] = [Math.max(x(0), x(line.at) - width / 2), Math.min(x(frame.last), x(line.at) + width / 2)];
    return `<rect class="${kindOf(line)}" x="${from}" y="${floor + 6}" width="${to - from}" height="${STRIP}"/>`;
  });
  return frame.draw(`role="slider" tabindex="0" aria-label="${titleOfUnit(unit)}" aria-valuemin="0"`,
    `<rect class="ground" width="${frame.width}" height="${frame.height}"/>${frame.axis([low, (low + high) / 2, high], value => shortOdds(unit, value))}` +
    `${errors.join("")}<polyline class="line" points="${pointsOf(known.map(line => [x(line.at), y(line.best.mean)]))}"/>${strip.join("")}` +
    `<line class="cursor" y1="${frame.top}" y2="${floor + 6 + STRIP}"/>`) +
    `<p class="note">${titleOfUnit(unit)}; ${t("below, by hindsight: green winnable, red lost")}. ${t("A click leads to the position.")}</p>`;
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
  // elements: graph, here, lost, note, cancel; go: called with a number of moves, and the moves of the game reviewed;
  // changed: called when more of the game has been judged.
  constructor(elements, go, changed) {
    Object.assign(this, { ...elements, go, changed, control: null });
    this.cancel.onclick = () => this.control?.abort();
    addEventListener("resize", () => { if (this.lines.length) this.draw(); });
    this.clear();
  }

  clear() {
    this.control?.abort();
    Object.assign(this, { lines: [], moves: [] });
    this.graph.innerHTML = this.lost.innerHTML = this.here.textContent = "";
  }

  async show(game, agent, objective) {
    this.clear();
    const control = this.control = new AbortController(), total = game.line.length;
    this.moves = game.line;
    this.cancel.disabled = false;
    try {
      const content = { ...game.content(game.line), agent, ...(objective ? { objective } : {}) };
      await stream("review", content, control.signal, line => {
        if (control !== this.control) return;
        this.lines.push(line);
        this.note.textContent = t("{agent}: position {at} of {total}", { agent, at: line.at, total });
        if (this.lines.length % 5 === 0) this.draw();
      });
      this.note.textContent = t("Judged by {agent}.", { agent });
    } catch (error) {
      if (control !== this.control) return;
      this.note.textContent = error.name === "AbortError" ? t("Cancelled.") : error instanceof RefusedError ? error.message : String(error);
    }
    if (control !== this.control) return;
    this.cancel.disabled = true;
    if (!this.lines.length) return;
    this.draw();
    this.list();
  }

  draw() {
    const had = this.graph.contains(document.activeElement), scale = scaleOf(this.lines);
    this.frame = frameOf(this.graph, { ...scale, last: this.moves.length, height: 200, foot: 22 });
    this.graph.innerHTML = drawGraph(this.frame, scale, this.lines);
    const svg = this.graph.firstElementChild;
    svg.onclick = event => this.go(this.frame.placeOf(event), this.moves);
    if (had) svg.focus({ preventScroll: true });
    this.changed();
  }

  // How many of the moves of a game are those of the game reviewed.
  common(moves) {
    const other = moves.findIndex((move, place) => move !== this.moves[place]);
    return other < 0 ? moves.length : other;
  }

  // What each move of a game lost, in words; only where that is more than the uncertainty.
  lostBy(moves) {
    return this.lines.slice(0, this.common(moves)).map(({ loss, error, unit }) =>
      isLoss(loss, error) ? `\u2212${shortOdds(unit, unit === "moves" ? -loss : loss)}` : "");
  }

  // Shows where in the game reviewed the game on the table stands; returns what is known there, if anything.
  follow({ moves }) {
    const svg = this.graph.firstElementChild, within = this.common(moves) === moves.length, line = within ? this.lines[moves.length] : null;
    if (!svg) return null;
    const text = within ? this.inWords(moves.length) : t("This is no longer the game that was reviewed.");
    const cursor = svg.querySelector(".cursor"), x = this.frame.x(moves.length);
    cursor.toggleAttribute("hidden", !within);
    for (const [name, value] of [["x1", x], ["x2", x]]) cursor.setAttribute(name, value);
    const values = { "aria-valuemax": this.moves.length, "aria-valuenow": Math.min(moves.length, this.moves.length), "aria-valuetext": text };
    for (const [name, value] of Object.entries(values)) svg.setAttribute(name, value);
    this.here.textContent = text;
    return line;
  }

  inWords(at) {
    const { best, unit, verdict } = this.lines[at] ?? {};
    const win = { true: t("still winnable"), false: t("no longer winnable") }[verdict?.winnable];
    return [t("Position {at} of {total}", { at, total: this.moves.length }),
      best ? t("{odds} with {move}", { odds: oddsText(unit, best.mean, best.error), move: moveInWords(best.move) }) : "",
      win ? t("by hindsight {verdict}", { verdict: win }) : ""].filter(Boolean).join("; ");
  }

  list() {
    const fair = this.lines.filter(line => isLoss(line.loss, line.error)).sort((a, b) => b.loss - a.loss).slice(0, MOST);
    this.lost.innerHTML = this.part(t("Moves that lost most, by what you could know"), fair, line =>
      escapeText(t("lost {odds}; better: {move}", {
        odds: oddsText(line.unit, line.unit === "moves" ? -line.loss : line.loss, line.error / 2), move: moveInWords(line.best.move),
      }))) +
      this.part(t("By hindsight, which no player has"), hindsightLosses(this.lines), ({ win, points }) =>
        [win ? t("gave away a win") : "", points ? counted(points, "{n} point of the best score", "{n} points of the best score") : ""].filter(Boolean).join(", "));
    this.lost.querySelectorAll("button").forEach(button => { button.onclick = () => this.go(Number(button.dataset.at), this.moves); });
  }

  part(title, rows, text) {
    const items = rows.map(row => {
      const line = row.line || row;
      const move = escapeText(t("move {number}, {move}:", { number: line.at + 1, move: moveInWords(line.move) }));
      return `<li>${move} ${text(row)} <button type="button" data-at="${line.at}">${t("Try again from here")}</button></li>`;
    });
    return `<h2>${title}</h2>` + (items.length ? `<ol>${items.join("")}</ol>` : `<p class="note">${t("None.")}</p>`);
  }
}
