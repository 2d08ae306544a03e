// The options of a game as a form, and the address of the page, which holds a game as it stands.
import { escapeText } from "./cards.js";
import { said, t } from "./language.js";

const textOf = value => value === null ? "none" : String(value);

function valueOf(option, text) {
  if (option.choices.length) return option.choices.map(choice => choice.value).find(value => textOf(value) === text) ?? option.value;
  if (option.optional && ["", "none", "null"].includes(text)) return null;
  return isWithin(option, text) ? Number(text) : option.value;
}

const isWithin = ({ minimum, maximum }, text) => /^-?\d{1,15}$/.test(text) && Number(text) >= (minimum ?? -Infinity) && Number(text) <= (maximum ?? Infinity);

// Returns those options that differ from the environment's own.
export function optionsOf(environment, texts) {
  const found = environment.options.map(option => [option, option.name in texts ? valueOf(option, texts[option.name]) : option.value]);
  return Object.fromEntries(found.filter(([option, value]) => value !== option.value).map(([option, value]) => [option.name, value]));
}

// For agents alone: a player does not choose them. A game keeps those of its address.
const FOR_AGENTS = ["information", "objective", "max_moves"];

export function drawOptions(form, environment, chosen) {
  form.innerHTML = environment.options.map(option => {
    const value = option.name in chosen ? chosen[option.name] : option.value, id = `option-${option.name}`, label = escapeText(said(option.label));
    if (FOR_AGENTS.includes(option.name)) return option.name in chosen ? `<input type="hidden" name="${option.name}" value="${escapeText(textOf(value))}">` : "";
    if (option.choices.length) {
      const chip = one => `<label class="chip"><input type="radio" name="${option.name}" value="${escapeText(textOf(one.value))}"${one.value === value ? " checked" : ""}>${escapeText(said(one.words))}</label>`;
      return `<fieldset><legend>${label}</legend>${option.choices.map(chip).join("")}</fieldset>`;
    }
    return `<p><label for="${id}">${label}</label> <input id="${id}" name="${option.name}" size="8" inputmode="numeric" value="${escapeText(value ?? "")}"${option.optional ? ` placeholder="${escapeText(said(option.none))}"` : ""}></p>`;
  }).join("");
}

export function writeAddress(game) {
  const parts = new URLSearchParams({ env: game.env, ...Object.fromEntries(Object.entries(game.options).map(([name, value]) => [name, textOf(value)])) });
  if (game.counts) parts.set("counts", "yes");  // not its name: an address is shown around
  if (game.deck) parts.set("deck", game.deck);
  else parts.set("deal", game.deal);
  if (game.moves.length) parts.set("moves", game.moves.join(" "));
  return `#${parts}`;
}

// Returns what of some texts cannot be the value of an option, in words; empty if all can.
export function wrongOption(environment, texts) {
  const known = optionsOf(environment, texts);
  const other = environment.options.find(({ name, value }) => name in texts && textOf(name in known ? known[name] : value) !== (texts[name] || "none"));
  return other ? t("{option} cannot be {value}.", { option: said(other.label), value: texts[other.name] || t("nothing") }) : "";
}

// wrong: what the address asks for that cannot be, in words.
export function readAddress(environments, hash) {
  const parts = Object.fromEntries(new URLSearchParams(hash.slice(1))), known = environments.find(one => one.env === parts.env);
  const environment = known ?? environments[0], options = optionsOf(environment, parts);
  return {
    environment, options, deal: parts.deal ?? null, deck: parts.deck ?? "", counts: Boolean(parts.counts),
    moves: (parts.moves ?? "").split(" ").filter(Boolean),
    wrong: parts.env && !known ? t("This page does not have the game {value}.", { value: parts.env })
      : wrongOption(environment, parts),
  };
}
