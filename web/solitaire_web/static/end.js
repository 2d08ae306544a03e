// The end of a game: what came of it, what perfect play would have had, what to do next; and a small celebration of a win.
import { stream } from "./api.js";
import { still } from "./board.js";
import { escapeText } from "./cards.js";
import { t } from "./language.js";
import { signed, timeInWords } from "./words.js";

const PIECES = 28, SIGNS = ["\u2663\ufe0e", "\u2666\ufe0e", "\u2665\ufe0e", "\u2660\ufe0e"];

export function perfectInWords(verdict) {
  if (!verdict) return t("not known under these rules");
  const win = { true: t("a win"), false: t("no win"), null: t("not known whether a win") }[verdict.winnable];
  return win + (verdict.best === null ? "" : `, ${t("score {1}", { 1: signed(verdict.best) })}`);
}

function celebrate(host) {
  if (still()) return;
  const cloud = document.createElement("div");
  cloud.className = "celebration";
  cloud.setAttribute("aria-hidden", "true");
  const pieces = Array.from({ length: PIECES }, (_, number) => {
    const piece = document.createElement("span");
    piece.textContent = SIGNS[number % 4];
    piece.className = number % 4 === 1 || number % 4 === 2 ? "red" : "";
    cloud.append(piece);
    return piece;
  });
  host.append(cloud);
  const ends = pieces.map(piece => {
    const x = (Math.random() - 0.5) * host.clientWidth, y = -(0.2 + Math.random() * 0.5) * host.clientHeight;
    const frames = [{ transform: "translate(0, 0)", opacity: 1 }, { transform: `translate(${x * 0.8}px, ${y}px) rotate(${x}deg)`, opacity: 1 },
      { transform: `translate(${x}px, ${y / 3}px) rotate(${2 * x}deg)`, opacity: 0 }];
    return piece.animate(frames, { duration: 1400 + Math.random() * 900, easing: "ease-out" }).finished;
  });
  Promise.allSettled(ends).then(() => cloud.remove());
}

export class End {
  // elements: card, heading, facts, note and buttons, each an element; host: where a win is celebrated.
  constructor(elements, host) {
    Object.assign(this, { ...elements, host, control: null });
    this.close.onclick = () => this.hide();
  }

  hide() {
    this.control?.abort();
    this.card.hidden = true;
  }

  // rows: [name, text] of each fact; solver: whether there is one to ask.
  show(game, { title, rows, note, solver, celebrated }) {
    this.hide();
    const shown = [...rows, ...(solver ? [[t("Perfect play"), "\u2026"]] : [])];
    this.heading.textContent = title;
    this.facts.innerHTML = shown.map(([name, text]) => `<dt>${escapeText(name)}</dt><dd>${escapeText(text)}</dd>`).join("");
    this.note.textContent = note;
    this.note.hidden = !note;
    this.card.hidden = false;
    this.card.scrollIntoView({ block: "nearest" });
    if (celebrated) celebrate(this.host);
    if (solver) this.solve(game.content(), this.facts.lastElementChild);
  }

  async solve(content, place) {
    const control = this.control = new AbortController();
    try {
      await stream("perfect", content, control.signal, line => { place.textContent = perfectInWords(line.verdict); });
    } catch (error) {
      if (error.name !== "AbortError") place.textContent = error.message;
    }
  }
}

export function factsOf({ position, moves }, seconds, blocks) {
  const { outcome } = position;
  return [[t("Score"), signed(outcome.score)], [t("Moves"), String(moves.length)],
    ...(seconds === null ? [] : [[t("Time"), timeInWords(seconds)]]), ...blocks];
}
