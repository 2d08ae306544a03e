// The choice of a new game: which one, by which options, from which deal.
import { isDeal } from "./games_file.js";
import { t } from "./language.js";
import { drawOptions, optionsOf, wrongOption } from "./options.js";
import { titleOf } from "./words.js";

export const randomDeal = () => String(2_000_000 + crypto.getRandomValues(new Uint32Array(1))[0] % 7_000_000);

export class NewGame {
  // elements: dialog, open, close, env, options, deal, go, random, daily, said, each an element; now: returns the game on the
  // table; begin: called with env, options and deal.
  constructor(elements, now, begin) {
    Object.assign(this, { ...elements, now, begin, environments: [] });
    this.open.onclick = () => this.show();
    this.close.onclick = () => this.dialog.close();
    this.env.onchange = () => drawOptions(this.options, this.environment, {});
    this.options.onsubmit = event => event.preventDefault();
    this.go.onclick = () => this.take(this.deal.value.trim());
    this.deal.onkeydown = event => { if (event.key === "Enter") this.go.click(); };
    this.random.onclick = () => this.take(randomDeal());
    this.daily.onclick = () => this.take(this.dailyDeal);
  }

  use({ environments, daily }) {
    Object.assign(this, { environments, dailyDeal: daily.deal });
    this.env.replaceChildren(...environments.map(one => new Option(titleOf(one), one.env)));
  }

  get environment() { return this.environments.find(one => one.env === this.env.value); }

  show() {
    const { env, options, deal, deck } = this.now();
    this.env.value = env;
    this.deal.value = deck ? "" : deal;
    drawOptions(this.options, this.environment, options);
    this.said.textContent = "";
    this.dialog.showModal();
  }

  take(deal) {
    const texts = Object.fromEntries(new FormData(this.options)), options = optionsOf(this.environment, texts);
    this.said.textContent = wrongOption(this.environment, texts) || (isDeal(deal) ? "" : t("The number of a deal is a whole number from 0 to 18446744073709551615."));
    if (this.said.textContent) return;
    this.dialog.close();
    this.begin({ env: this.env.value, options, deal });
  }
}
