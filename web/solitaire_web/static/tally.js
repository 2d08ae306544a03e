// What the traditional rules count: the total over games, par over the last six, wins within a time. Kept in this browser.
import { escapeText } from "./cards.js";
import { read, write } from "./keep.js";
import { agrees } from "./question.js";
import { counted, signed } from "./words.js";

const MOST = 1000;  // games that are kept

// Returns name and text of each share of blocks, such as par.
export function blocksInWords(games, blocks) {
  return blocks.map(({ name, size, field, at_least: least }) => {
    const last = games.slice(-size), sum = last.reduce((all, game) => all + game[field], 0);
    const made = last.length < size ? `${last.length} of ${size} games, ${signed(sum)} so far` : `${sum >= least ? "yes" : "no"}, ${signed(sum)}`;
    return [`${name[0].toUpperCase()}${name.slice(1)} over the last ${size}`, made];
  });
}

export function summary(games, blocks) {
  const total = games.reduce((sum, game) => sum + game.score, 0), won = games.filter(game => game.won).length;
  const rows = [["Games", games.length], ["Won", won], ["Total score", signed(total)], ...blocksInWords(games, blocks)];
  return `<table><tbody>${rows.map(([name, value]) => `<tr><th scope="row">${escapeText(name)}</th><td>${escapeText(value)}</td></tr>`).join("")}</tbody></table>`;
}

export class Tally {
  constructor(elements) {
    Object.assign(this, elements);
    this.forget.onclick = async () => {
      const games = counted(read(this.name(), []).length, "game");
      if (!await agrees(`Forget ${games}? They are kept nowhere else.`, "Forget them", "Keep them")) return;
      write(this.name(), []);
      this.show();
    };
    this.clock.onclick = () => this.toggle();
    setInterval(() => this.tick(), 500);
  }

  name(part = "games") { return `${part} ${this.env} ${JSON.stringify(this.options)}`; }

  use(env, options, blocks) {
    Object.assign(this, { env, options, blocks });
    this.show();
    this.tick();
  }

  show() {
    const games = read(this.name(), []);
    this.out.innerHTML = summary(games, this.blocks);
    this.forget.disabled = !games.length;
  }

  blocksSoFar() { return blocksInWords(read(this.name(), []), this.blocks); }

  // A deal counts when it is finished for the first time, not when it is tried again. Returns whether it does.
  add(deal, outcome, seconds) {
    const games = read(this.name(), []);
    if (games.some(game => game.deal === deal)) return false;
    games.push({ ...outcome, deal, at: Date.now(), seconds: Math.round(seconds) });
    write(this.name(), games.slice(-MOST));
    this.show();
    this.tick();
    return true;
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
