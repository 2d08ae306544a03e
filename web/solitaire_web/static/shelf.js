// The shelf of games: which one is played, by which options, from which deal.
import { RefusedError, ask, stream } from "./api.js";
import { drawTable, escapeText } from "./cards.js";
import { isDeal } from "./games_file.js";
import { read, write } from "./keep.js";
import { said, t } from "./language.js";
import { drawOptions, optionsOf, wrongOption } from "./options.js";
import { drawShape } from "./shape.js";
import { apart, gamesOf, tablesKept } from "./tally.js";
import { titleOf } from "./words.js";

const PICTURED = "1000000";  // the deal in the pictures; no test deal, which may be closed
const plain = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

export const randomDeal = () => String(2_000_000 + crypto.getRandomValues(new Uint32Array(1))[0] % 7_000_000);

// A random deal as hard as the player wants; where no solver knows the deals, any.
export async function wantedDeal(environment, options) {
  const difficulty = read("difficulty", "random");
  let found = null;
  if (difficulty !== "random" && environment.solver) {
    await stream("deal", { env: environment.env, options, difficulty }, undefined, line => { found = line.deal; }).catch(error => {
      if (!(error instanceof RefusedError)) throw error;
    });
  }
  return found ?? randomDeal();
}

// The share of deals that can be won with all cards known, in whole per cent.
function winnableInWords([least, most]) {
  const [low, high] = [Math.round(100 * least), Math.round(100 * most)];
  return low === high ? t("{share}\u00a0% can be won", { share: low }) : t("{low} to {high}\u00a0% can be won", { low, high });
}

// How many games of an environment this browser keeps, and how many of them were won.
function recordOf(env) {
  const [games] = apart(tablesKept().filter(table => table.env === env).flatMap(gamesOf));
  return games.length ? t("{made} of {all} won", { made: games.filter(game => game.won).length, all: games.length }) : "";
}

export class Shelf {
  // elements: dialog, open, close, search, list, chosen, about, options, difficulty, deal, go, random, daily, said, each an element;
  // now: returns the game on the table; begin: called with env, options and deal.
  constructor(elements, now, begin) {
    Object.assign(this, { ...elements, now, begin, environments: [], env: "" });
    this.open.onclick = () => this.show();
    this.close.onclick = () => this.dialog.close();
    this.search.oninput = () => this.draw();
    this.list.onclick = event => this.press(event.target.closest("button"));
    this.options.onsubmit = event => event.preventDefault();
    this.go.onclick = () => this.take(this.deal.value.trim());
    this.deal.onkeydown = event => { if (event.key === "Enter") this.go.click(); };
    this.random.onclick = () => this.takeRandom();
    this.difficulty.onchange = () => write("difficulty", new FormData(this.difficulty).get("difficulty"));
    this.daily.onclick = () => this.take(this.dailyDeal);
  }

  use({ environments, daily }) {
    Object.assign(this, { environments, dailyDeal: daily.deal });
    this.search.placeholder = t("Search");
  }

  get environment() { return this.environments.find(one => one.env === this.env); }

  show() {
    const { env, options, deal, deck } = this.now();
    this.search.value = this.said.textContent = "";
    this.deal.value = deck ? "" : deal;
    this.draw();
    this.choose(env, options);
    this.dialog.showModal();
    this.list.querySelector("[aria-pressed=true]").scrollIntoView({ block: "nearest" });
  }

  // The game on the table comes first, then the favourites.
  draw() {
    const favourites = read("favourites", []), words = plain(this.search.value).split(/\s+/), now = this.now().env;
    const rank = ({ env }) => env === now ? 0 : favourites.includes(env) ? 1 : 2;
    const found = this.environments.filter(one => words.every(word => plain(`${titleOf(one)} ${said(one.about)}`).includes(word)));
    this.list.innerHTML = found.sort((a, b) => rank(a) - rank(b)).map(one => this.item(one, favourites.includes(one.env))).join("") ||
      `<li class="note">${t("No game has that name.")}</li>`;
    for (const host of this.list.querySelectorAll("[data-picture]")) this.picture(host);
  }

  item(one, favourite) {
    const title = escapeText(titleOf(one)), facts = [one.hidden ? t("hidden cards") : t("all cards face up"), one.winnable ? winnableInWords(one.winnable) : "", recordOf(one.env)].filter(Boolean);
    return `<li><button type="button" data-env="${one.env}" aria-pressed="${one.env === this.env}">` +
      `${one.shape ? drawShape(one.shape) : `<i class="picture" data-picture="${one.env}"></i>`}` +
      `<span><b>${title}</b><small>${escapeText(facts.join(" \u00b7 "))}</small></span></button>` +
      `<button type="button" class="star" data-star="${one.env}" aria-pressed="${favourite}" aria-label="${escapeText(t("{game}: favourite", { game: titleOf(one) }))}">${favourite ? "\u2605" : "\u2606"}</button></li>`;
  }

  async picture(host) {
    const { table } = await ask("position", { env: host.dataset.picture, options: {}, deal: PICTURED, moves: "" });
    host.innerHTML = drawTable({ ...table, status: "", spots: table.spots.map(spot => ({ ...spot, caption: "", playable: false })) }, "");
    host.firstElementChild.setAttribute("aria-hidden", "true");
  }

  press(button) {
    const { env, star } = button?.dataset ?? {}, favourites = read("favourites", []);
    if (env) this.choose(env, {});
    if (!star) return;
    write("favourites", favourites.includes(star) ? favourites.filter(one => one !== star) : [...favourites, star]);
    this.draw();
    this.list.querySelector(`[data-star="${star}"]`).focus();
  }

  choose(env, options) {
    this.env = env;
    this.said.textContent = "";
    for (const button of this.list.querySelectorAll("[data-env]")) button.setAttribute("aria-pressed", String(button.dataset.env === env));
    this.chosen.textContent = titleOf(this.environment);
    this.about.textContent = said(this.environment.about);
    drawOptions(this.options, this.environment, options);
    this.difficulty.hidden = !this.environment.solver;
    this.difficulty.elements.difficulty.value = read("difficulty", "random");
    this.kept = options;
  }

  // Returns the options as chosen; null, with a word why, if they cannot be.
  chosenOptions() {
    const texts = Object.fromEntries(new FormData(this.options));
    this.said.textContent = wrongOption(this.environment, texts);
    return this.said.textContent ? null : optionsOf(this.environment, texts);
  }

  async takeRandom() {
    const options = this.chosenOptions();
    if (!options) return;
    this.said.textContent = t("Looking for a deal \u2026");
    const { env } = this, deal = await wantedDeal(this.environment, options);
    if (env === this.env && this.dialog.open) this.leave(options, deal);
  }

  take(deal) {
    const options = this.chosenOptions();
    if (!options) return;
    if (isDeal(deal)) this.leave(options, deal);
    else this.said.textContent = t("The number of a deal is a whole number from 0 to 18446744073709551615.");
  }

  leave(options, deal) {
    this.dialog.close();
    this.begin({ env: this.env, options, deal });
  }
}
