// What the traditional rules count: the total over games, par over the last six, wins within a time. Kept in this browser.
import { escapeText } from "./cards.js";
import { namesFrom, read, write } from "./keep.js";
import { capital, counted, said, t } from "./language.js";
import { agrees } from "./question.js";
import { signed, timeInWords } from "./words.js";

export const MOST = 10_000;  // games that are kept of a table, which is what a game under certain options is called here

const nameOf = ({ env, options }, part = "games") => `${part} ${env} ${JSON.stringify(options)}`;

export function gamesOf(table) {
  const games = read(nameOf(table), []);
  return Array.isArray(games) ? games : [];
}

// Returns whether the games are kept.
export const keepGames = (table, games) => write(nameOf(table), games.slice(-MOST));

// The tables that have games, each with env and options.
export function tablesKept() {
  const tables = namesFrom("games ").flatMap(name => {
    const [, env, options] = name.match(/^games (\S+) (.*)$/) ?? [];
    try { return [{ env, options: JSON.parse(options) }]; } catch { return []; }
  });
  return tables.filter(table => gamesOf(table).length);
}

// Returns name and text of each share of blocks, such as par.
export function blocksInWords(games, blocks) {
  return blocks.map(({ name, size, field, at_least: least }) => {
    const last = games.slice(-size), sum = last.reduce((all, game) => all + game[field], 0);
    const made = last.length < size
      ? t("{n} of {size} games, {sum} so far", { n: last.length, size, sum: signed(sum) })
      : `${sum >= least ? t("yes") : t("no")}, ${signed(sum)}`;
    return [t("{name} over the last {size}", { name: capital(said(name)), size }), made];
  });
}

// Games in which the page showed moves count apart.
export const apart = games => [games.filter(game => !game.hinted), games.filter(game => game.hinted)];

export function summary(all, blocks) {
  const [games, hinted] = apart(all);
  const total = games.reduce((sum, game) => sum + game.score, 0), won = games.filter(game => game.won).length;
  const rows = [[t("Games"), games.length], [t("Won"), won], [t("Total score"), signed(total)], ...blocksInWords(games, blocks),
    ...(hinted.length ? [[t("Won with hints"), t("{made} of {all}", { made: hinted.filter(game => game.won).length, all: hinted.length })]] : [])];
  return `<table><tbody>${rows.map(([name, value]) => `<tr><th scope="row">${escapeText(name)}</th><td>${escapeText(value)}</td></tr>`).join("")}</tbody></table>`;
}

export class Tally {
  constructor(elements) {
    Object.assign(this, elements);
    this.forget.onclick = async () => {
      const text = counted(this.games.length, "Forget {n} game? It is kept nowhere else.", "Forget {n} games? They are kept nowhere else.");
      if (!await agrees(text, t("Forget"), t("Keep"))) return;
      keepGames(this, []);
      this.show();
    };
    this.clock.onclick = () => this.toggle();
    setInterval(() => this.tick(), 500);
  }

  get games() { return gamesOf(this); }

  get clockName() { return nameOf(this, "clock"); }

  use(env, options, blocks) {
    Object.assign(this, { env, options, blocks });
    this.show();
    this.tick();
  }

  show() {
    const { games } = this;
    this.out.innerHTML = summary(games, this.blocks);
    this.forget.disabled = !games.length;
  }

  blocksSoFar() { return blocksInWords(apart(this.games)[0], this.blocks); }

  // A deal counts when it is finished for the first time, not when it is tried again. Returns whether it does.
  // hinted: whether the page showed moves in it.
  add(deal, outcome, seconds, hinted) {
    const { games } = this;
    if (games.some(game => game.deal === deal)) return false;
    games.push({ ...outcome, deal, at: Date.now(), seconds: Math.round(seconds), ...(hinted ? { hinted } : {}) });
    keepGames(this, games);
    this.show();
    this.tick();
    return true;
  }

  toggle() {
    const running = read(this.clockName, null);
    write(this.clockName, running && running.end > Date.now() ? null : { start: Date.now(), end: Date.now() + 60_000 * Number(this.minutes.value) });
    this.tick();
  }

  tick() {
    if (!this.env) return;
    const clock = read(this.clockName, null), now = Date.now();
    const running = Boolean(clock && clock.end > now);
    this.clock.textContent = running ? t("Stop the clock") : t("Start the clock");
    if (!clock) { this.time.textContent = ""; return; }
    const inside = this.games.filter(game => game.at >= clock.start && game.at <= clock.end);
    const left = Math.max(0, Math.ceil((clock.end - now) / 1000)), wins = inside.filter(game => game.won).length;
    const clocked = running ? t("{time} left", { time: timeInWords(left) }) : t("Time is up");
    const text = `${clocked}: ${t("{wins} in {games}", { wins: counted(wins, "{n} win", "{n} wins"), games: counted(inside.length, "{n} game", "{n} games") })}`;
    if (this.time.textContent !== text) this.time.textContent = text;
  }
}
