// Cards, places, deals and times in words for people.
import { BACK, NONE } from "./cards.js";

const RANKS = ["ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"];
const SUITS = ["clubs", "diamonds", "hearts", "spades"];

export function spotInWords({ card, caption, place }) {
  if (card === NONE) return `${place}, empty${caption ? `, ${caption}` : ""}`;
  const name = card === BACK ? "face down" : `${RANKS[card % 13]} of ${SUITS[Math.floor(card / 13)]}`;
  return `${name}, ${caption || place}`;
}

export const signed = number => String(number).replace("-", "\u2212");

export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

export const statusInWords = status => status.replace(/ {2,}/g, " \u00b7 ").replace(/-(?=\d)/g, "\u2212");

const SHOWN = 9;  // digits of a deal's number
export function dealInWords({ deal, deck }, daily) {
  if (deck) return "A given deck";
  if (deal === daily?.deal) return "Deal of the day";
  return `Deal ${deal.length > SHOWN ? `${deal.slice(0, 3)}\u2026${deal.slice(-3)}` : deal}`;
}

export function timeInWords(seconds) {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  const padded = number => String(number).padStart(2, "0");
  return hours ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}
