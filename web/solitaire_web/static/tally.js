// What the traditional rules count: the total over games, par over the last six, wins within a time. Kept in this browser.
import { escapeText } from "./cards.js";
import { counted } from "./words.js";

const MOST = 1000;  // games that are kept
const read = (name, other) => {
  try { return JSON.parse(localStorage.getItem(name)) ?? other; } catch { return other; }
};
const write = (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* not kept then */ } };

export function summary(games, blocks) {
  const total = games.reduce((sum, game) => sum + game.score, 0), won = games.filter(game => game.won).length;
  const rows = [["games", games.length], ["won", won], ["total score", total]];
  for (const { name, size, field, at_least: least } of blocks) {
    const last = games.slice(-size), sum = last.reduce((all, game) => all + game[field], 0);
    const made = last.length < size ? `${last.length} of ${size} games, ${sum} so far` : sum >= least ? `yes, ${sum}` : `no, ${sum}`;
    rows.push([`${name} over the last ${size}`, made]);
  }
  return `<table><tbody>${rows.map(([name, value]) => `<tr><th scope="row">${escapeText(name)}</th><td>${escapeText(value)}</td></tr>`).join("")}</tbody></table>`;
}

export class Tally {
  constructor(elements) {
    Object.assign(this, elements);
    this.forget.onclick = () => { write(this.name(), []); this.show(); };
    this.clock.onclick = () => this.toggle();
    setInterval(() => this.tick(), 500);
  }

  name(part = "games") { return `solitaire-rl ${part} ${this.env} ${JSON.stringify(this.options)}`; }

  use(env, options, blocks) {
    Object.assign(this, { env, options, blocks });
    this.show();
    this.tick();
  }

  show() { this.out.innerHTML = summary(read(this.name(), []), this.blocks); }

  // A deal counts when it is finished for the first time, not when it is tried again.
  add(deal, outcome) {
    const games = read(this.name(), []);
    if (games.some(game => game.deal === deal)) return;
    games.push({ ...outcome, deal, at: Date.now() });
    write(this.name(), games.slice(-MOST));
    this.show();
    this.tick();
  }

  toggle() {
    const running = read(this.name("clock"), null);
    write(this.name("clock"), running && running.end > Date.now() ? null : { start: Date.now(), end: Date.now() + 60_000 * Number(this.minutes.value) });
    this.tick();
  }

  tick() {
    if (!this.env) return;
    const clock = read(this.name("clock"), null), now = Date.now();
    const running = Boolean(clock && clock.end > now);
    this.clock.textContent = running ? "Stop the clock" : "Start the clock";
    if (!clock) { this.time.textContent = ""; return; }
    const inside = read(this.name(), []).filter(game => game.at >= clock.start && game.at <= clock.end);
    const left = Math.max(0, Math.ceil((clock.end - now) / 1000)), wins = inside.filter(game => game.won).length;
    const text = `${running ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left` : "Time is up"}: ${counted(wins, "win")} in ${counted(inside.length, "game")}`;
    if (this.time.textContent !== text) this.time.textContent = text;
  }
}
