// One's own figures: games, wins, streaks, best times and par, by game and options; and the file that holds the games.
import { escapeText } from "./cards.js";
import { WrongFileError, addGames, readFile, writeFile } from "./games_file.js";
import { frameOf, pointsOf } from "./graph.js";
import { capital, counted, fixed, percent, said, t } from "./language.js";
import { apart, blocksInWords, gamesOf, tablesKept } from "./tally.js";
import { optionsInWords, signed, timeInWords, titleOf } from "./words.js";

const SHOWN = 60, TIMES = 3;  // games in a graph; best times
const sameTable = (one, other) => one.env === other.env && JSON.stringify(one.options) === JSON.stringify(other.options);
const wonOf = (won, games) => games ? `${won} (${percent(won / games)})` : "0";

// Returns the wins in a row up to the last game, and the most that there have been.
export function streaksOf(games) {
  let current = 0, longest = 0;
  for (const { won } of games) {
    current = won ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return { current, longest };
}

// Returns the sum over the last games of each block after each game, from the first that fills one.
export function sumsOf(games, { size, field }) {
  const sums = [];
  for (let end = size; end <= games.length; end++) sums.push(games.slice(end - size, end).reduce((sum, game) => sum + game[field], 0));
  return sums;
}

function factsOf(all, blocks) {
  const [games, hinted] = apart(all);
  const wins = games.filter(game => game.won), { current, longest } = streaksOf(games);
  const scores = games.map(game => game.score), total = scores.reduce((sum, score) => sum + score, 0);
  const times = wins.map(game => game.seconds).sort((a, b) => a - b).slice(0, TIMES).map(timeInWords);
  return [[t("Games"), games.length], [t("Won"), wonOf(wins.length, games.length)],
    [t("Wins in a row"), current], [t("Most wins in a row"), longest],
    [t("Fastest wins"), times.join(", ") || "\u2013"],
    ...(games.length ? [[t("Best score"), signed(scores.reduce((best, score) => Math.max(best, score)))],
      [t("Mean score"), signed(fixed(total / games.length, 1))]] : []), ...blocksInWords(games, blocks),
    ...(hinted.length ? [[t("Won with hints"), wonOf(hinted.filter(game => game.won).length, hinted.length)]] : [])];
}

// A bar for each game, up or down from zero; those of games won are filled.
function drawScores(host, games) {
  const last = games.slice(-SHOWN), scores = last.map(game => game.score);
  const low = Math.min(0, ...scores), high = Math.max(low + 1, 0, ...scores);
  const frame = frameOf(host, { low, high, last: last.length, height: 150 }), { x, y, step } = frame, width = Math.max(2, Math.min(24, 0.7 * step));
  const bars = last.map(({ score, won }, place) => {
    const [top, bottom] = [y(Math.max(0, score)), y(Math.min(0, score))];
    return `<rect class="${won ? "won" : "lost"}" x="${x(place + 0.5) - width / 2}" y="${top - 1}" width="${width}" height="${bottom - top + 2}"/>`;
  });
  const name = counted(last.length, "Score of the last game", "Scores of the last {n} games");
  return frame.draw(`role="img" aria-label="${escapeText(name)}"`, frame.axis([...new Set([low, 0, high])], signed) + frame.level(0) + bars.join("")) +
    `<p class="note">${escapeText(name)}; ${t("filled: won")}</p>`;
}

// The sum over each block of games, such as par, and how often it was enough.
function drawBlock(host, games, block) {
  const sums = sumsOf(games, block), last = sums.slice(-SHOWN), least = block.at_least;
  if (!sums.length) return "";
  const low = Math.min(least, ...last), high = Math.max(low + 1, least, ...last);
  const frame = frameOf(host, { low, high, last: last.length, height: 150 }), { x, y } = frame;
  const places = last.map((sum, place) => [x(place + 0.5), y(sum)]);
  const dots = last.map((sum, place) => `<circle class="${sum >= least ? "won" : "lost"}" cx="${places[place][0]}" cy="${places[place][1]}" r="4"/>`);
  const name = t("{name} over the last {size}", { name: capital(said(block.name)), size: block.size });
  const made = t("made after {made} of {all} games", { made: sums.filter(sum => sum >= least).length, all: sums.length });
  return frame.draw(`role="img" aria-label="${escapeText(`${name}, ${made}`)}"`,
    frame.axis([...new Set([low, least, high])], signed) + frame.level(least) + `<polyline class="line" points="${pointsOf(places)}"/>` + dots.join("")) +
    `<p class="note">${escapeText(name)}: ${escapeText(made)}; ${t("filled: made")}</p>`;
}

export class Figures {
  // elements: dialog, open, close, tables, heading, facts, graphs, save, load, said, each an element; now: returns the
  // table that is played at; changed: called when games have been added.
  constructor(elements, now, changed) {
    Object.assign(this, { ...elements, now, changed, environments: [], chosen: null });
    this.open.onclick = () => this.show();
    this.close.onclick = () => this.dialog.close();
    this.save.onclick = () => this.download();
    this.load.onchange = () => this.take(this.load.files[0]);
    this.tables.onclick = event => {
      const button = event.target.closest("button");
      if (button) this.choose(this.shown[Number(button.dataset.place)]);
    };
    addEventListener("resize", () => { if (this.dialog.open) this.draw(); });
  }

  show() {
    this.said.textContent = "";
    this.chosen = this.now();
    this.dialog.showModal();
    this.draw();
  }

  choose(table) {
    this.chosen = table;
    this.draw();
    this.tables.querySelector("[aria-pressed=true]").focus();
  }

  nameOf({ env, options }) {
    const environment = this.environments.find(one => one.env === env);
    return [titleOf(environment), ...optionsInWords(environment, options)].join(", ");
  }

  draw() {
    const known = tablesKept().filter(({ env }) => this.environments.some(one => one.env === env));
    this.shown = known.some(one => sameTable(one, this.chosen)) ? known : [this.chosen, ...known];
    const rows = this.shown.map((table, place) => {
      const [games] = apart(gamesOf(table)), won = games.filter(game => game.won).length;
      return `<tr><th scope="row"><button type="button" data-place="${place}" aria-pressed="${sameTable(table, this.chosen)}">${escapeText(this.nameOf(table))}</button></th>` +
        `<td>${games.length}</td><td>${wonOf(won, games.length)}</td></tr>`;
    });
    const heads = [t("Game"), t("Games"), t("Won")].map(name => `<th scope="col">${name}</th>`);
    this.tables.innerHTML = `<thead><tr>${heads.join("")}</tr></thead><tbody>${rows.join("")}</tbody>`;
    this.save.disabled = !known.length;
    this.drawChosen(gamesOf(this.chosen), this.environments.find(one => one.env === this.chosen.env));
  }

  drawChosen(games, { blocks }) {
    this.heading.textContent = this.nameOf(this.chosen);
    const facts = games.length ? factsOf(games, blocks) : [];
    this.facts.innerHTML = facts.map(([name, value]) => `<dt>${escapeText(name)}</dt><dd>${escapeText(value)}</dd>`).join("");
    const [own] = apart(games);
    this.graphs.innerHTML = games.length
      ? (own.length ? drawScores(this.graphs, own) : "") + blocks.map(block => drawBlock(this.graphs, own, block)).join("")
      : `<p class="note">${t("No game yet. A game counts when you have made every move of it.")}</p>`;
  }

  download() {
    const link = document.createElement("a"), address = URL.createObjectURL(new Blob([writeFile()], { type: "application/json" }));
    Object.assign(link, { href: address, download: `solitaire-games-${new Date().toISOString().slice(0, 10)}.json` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    this.said.textContent = t("The games are saved as a file.");
  }

  async take(file) {
    if (!file) return;
    try {
      const added = addGames(readFile(await file.text(), this.environments));
      this.said.textContent = counted(added, "{n} game added.", "{n} games added.");
      this.draw();
      this.changed();
    } catch (error) {
      if (!(error instanceof WrongFileError)) throw error;
      this.said.textContent = `${t("Nothing was added.")} ${error.message}`;
    }
    this.load.value = "";  // the same file may be chosen again
  }
}
