// One game in play: environment, options, deal and moves. What these lead to, only the server says.
import { ask } from "./api.js";
import { t } from "./language.js";
import { moveInWords } from "./words.js";

export class Game {
  constructor() {
    this.env = "";
    this.options = {};  // those that are not the environment's own
    this.deal = "0";
    this.deck = "";
    this.moves = [];
    this.future = [];  // moves taken back, the next one last
    this.counts = null;  // name of a game that counts
    this.own = true;  // it counts: dealt here, and no agent has moved in it
    this.shared = false;  // it is shown as a link had it
    this.hinted = false;  // the page has shown moves in it
    this.stuck = false;  // it is proved that no move can help
    this.touched = false;  // a person has moved in it
    this.position = null;
    this.turn = Promise.resolve();
    this.waiting = 0;  // changes that are not yet made
    this.watchers = [];
  }

  get underWay() { return this.touched && this.moves.length > 0 && !this.over && !this.counts; }

  // All moves that there are to go through, those taken back too.
  get line() { return [...this.moves, ...[...this.future].reverse()]; }

  get over() { return Boolean(this.position && this.position.over); }

  content(moves = this.moves) {
    const dealt = this.deck ? { deck: this.deck } : { deal: this.deal };
    return { env: this.env, options: this.options, ...dealt, moves: moves.join(" ") };
  }

  set({ env = this.env, options = this.options, deal = this.deal, deck = "", moves = [], future = [] }) {
    return this.change({ env, options, deal, deck, moves, future, counts: null }, "");
  }

  // Goes where the changes lead, or, if the server refuses, stays where it was.
  async change(changes, said) {
    const { env, options, deal, deck, moves, future, counts } = this;
    Object.assign(this, changes);
    try {
      await this.show(said);
    } catch (error) {
      Object.assign(this, { env, options, deal, deck, moves, future, counts });
      throw error;
    }
  }

  // One change after the other: a key that is pressed while the server is asked is not lost.
  after(action) {
    this.waiting++;
    return this.turn = this.turn.then(action, action).finally(() => { this.waiting--; });
  }

  play(move) { return this.after(() => this.step(move)); }

  // Makes a move that is played, not played again; part of a turn.
  async step(move) {
    if (this.over || !this.position.legal.some(one => one.move === move)) return;
    this.shared = false;
    await this.make(move);
  }

  async make(move) {
    const future = this.future.at(-1) === move ? this.future.slice(0, -1) : [];
    await this.change({ moves: [...this.moves, move], future }, moveInWords(move));
  }

  undo() {
    return this.after(async () => {
      if (this.counts || !this.moves.length) return;
      const back = this.moves.at(-1);
      await this.change({ moves: this.moves.slice(0, -1), future: [...this.future, back] }, t("{move} taken back", { move: moveInWords(back) }));
    });
  }

  redo() {
    return this.after(async () => {
      if (!this.counts && this.future.length) await this.make(this.future.at(-1));
    });
  }

  // count: number of moves after which the game is to be shown; line: the moves, if they are not the game's own.
  goTo(count, line) {
    return this.after(async () => {
      if (this.counts) return;
      const all = line ?? this.line, moves = all.slice(0, count);
      await this.set({ deck: this.deck, moves, future: all.slice(moves.length).reverse() });
    });
  }

  async count(player) {
    const found = await ask("count/start", { player, env: this.env, options: this.options });
    Object.assign(this, { deal: found.deal, deck: "", moves: found.text.split(" ").filter(Boolean), future: [], counts: found.game });
    this.take(found, t("a game that counts"));
  }

  async giveUp() {
    if (!this.counts) return this.take({ ...this.position, over: true, legal: [], outcome: { ...this.position.outcome, won: false } }, t("given up"));
    const found = await ask("count/move", { game: this.counts, moves: this.moves.join(" "), give_up: true });
    this.take({ ...found, over: true, legal: [] }, t("given up"));
  }

  async show(said) {
    const asked = this.moves;
    const found = this.counts
      ? await ask("count/move", { game: this.counts, moves: asked.join(" ") })
      : await ask("position", this.content());
    if (asked === this.moves) this.take(found, said);
  }

  take(found, said) {
    Object.assign(this, { position: found, stuck: false });
    for (const watch of this.watchers) watch(this, said);
  }
}
