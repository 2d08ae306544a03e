// The one state of the page, and what every part of it needs.
import { RefusedError } from "./api.js";
import { cardsInWords } from "./cards.js";
import { Game } from "./game.js";

export const $ = id => document.getElementById(id);

export const game = new Game(), second = new Game();  // second: what an agent plays beside it

// environments: those on offer; environment: the one that is played; daily: the deal of the day; judge: the agent that
// reviews games; adviser: the one that gives hints; fitting: a promise that they play under the options.
export const state = { environments: [], environment: null, daily: null, judge: "", adviser: "", fitting: Promise.resolve() };

// The parts that `page.js` puts together, by their names there.
export const parts = {};

export const say = text => { $("said").textContent = cardsInWords(text); };

// Returns the action, which says why it was refused.
export const attempt = action => async (...given) => {
  try {
    await action(...given);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    say(error.message);
  }
};
