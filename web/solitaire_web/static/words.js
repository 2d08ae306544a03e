// Cards, places, moves, deals and times in words for people.
import { BACK, NONE, moveInWords as inWords } from "./cards.js";
import { said, t } from "./language.js";

const ranks = () => [
  t("ace"), t("two"), t("three"), t("four"), t("five"), t("six"), t("seven"), t("eight"), t("nine"), t("ten"), t("jack"), t("queen"), t("king"),
];
const suits = () => [t("clubs"), t("diamonds"), t("hearts"), t("spades")];

export const moveInWords = move => inWords(move, said).replace(/\u2192 (cell|hole)$/, (_, place) => `\u2192 ${said(place)}`);

export function spotInWords({ card, caption, place }) {
  const where = said(caption || place);
  if (card === NONE) return caption ? t("{place}, empty, {caption}", { place: said(place), caption: where }) : t("{place}, empty", { place: where });
  const name = card === BACK ? t("face down") : t("{rank} of {suit}", { rank: ranks()[card % 13], suit: suits()[Math.floor(card / 13)] });
  return `${name}, ${where}`;
}

export const signed = number => String(number).replace("-", "\u2212");

export const statusInWords = status => status.split(/ {2,}/).map(said).join(" \u00b7 ").replace(/-(?=\d)/g, "\u2212");

export const titleOf = environment => environment.title.map(said).join(", ");

// Returns the options that differ from the game's own, each in words.
export const optionsInWords = (environment, options) => environment.options.filter(({ name }) => name in options).map(({ name, label, choices, none }) => {
  const value = options[name], words = choices.find(choice => choice.value === value)?.words ?? (value === null ? none : String(value));
  return `${said(label)}: ${said(words)}`;
});

const SHOWN = 9;  // digits of a deal's number
export function dealInWords({ deal, deck }, daily) {
  if (deck) return t("A given deck");
  if (deal === daily?.deal) return t("Deal of the day");
  return t("Deal {deal}", { deal: deal.length > SHOWN ? `${deal.slice(0, 3)}\u2026${deal.slice(-3)}` : deal });
}

export function timeInWords(seconds) {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  const padded = number => String(number).padStart(2, "0");
  return hours ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}
