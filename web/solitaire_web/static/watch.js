// Agents at play: each makes its moves on its own board, with what it thinks of them.
import { stream } from "./api.js";
import { drawChoice } from "./analysis.js";
import { escapeText } from "./cards.js";
import { t } from "./language.js";

// Whether it is proved, from what the player has seen, that no move of a game can help any more.
export async function isStuck(game, signal) {
  let found = false;
  await stream("stuck", game.counts ? { game: game.counts } : game.content(), signal, line => { found = line.stuck; });
  return found;
}

export class Watch {
  // seats: each {agent: <select>, game, panel, begin}; done: called when all have stopped.
  constructor(seats, speed, done) {
    Object.assign(this, { seats, speed, done, control: null });
  }

  get running() { return Boolean(this.control); }

  stop() {
    this.control?.abort();
    this.control = null;
    this.done();
  }

  async start(objective, once = false) {
    const control = this.control = new AbortController();
    const seats = this.seats.filter(seat => seat.agent.value);
    await Promise.all(seats.map(seat => this.playOn(seat, objective, control, once)));
    if (control === this.control) this.stop();
  }

  async playOn({ agent, game, panel }, objective, control, once) {
    panel.hidden = false;
    try {
      while (!game.over && !control.signal.aborted) {
        const content = { ...game.content(), agent: agent.value, ...(objective ? { objective } : {}) };
        let found = null;
        await stream("choice", content, control.signal, line => { found = line; });
        if (control.signal.aborted) return;
        panel.innerHTML = `<h2>${escapeText(agent.value)}</h2>` + drawChoice(found);
        await game.play(found.move);
        if (once) return;
        if (await isStuck(game, control.signal)) {
          panel.innerHTML += `<p>${escapeText(t("{agent} gives up: no move can help any more.", { agent: agent.value }))}</p>`;
          return;
        }
        await new Promise(done => setTimeout(done, 1000 * Number(this.speed.value)));
      }
    } catch (error) {
      if (error.name !== "AbortError") panel.innerHTML = `<p>${escapeText(error.message)}</p>`;
    }
  }
}
