// Cards and places in words, for people who listen.
import { BACK, NONE } from "./cards.js";

const RANKS = ["ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"];
const SUITS = ["clubs", "diamonds", "hearts", "spades"];

export function spotInWords([, , card, , caption, , place]) {
  if (card === NONE) return `${place}, empty${caption ? `, ${caption}` : ""}`;
  const name = card === BACK ? "face down" : `${RANKS[card % 13]} of ${SUITS[Math.floor(card / 13)]}`;
  return `${name}, ${caption || place}`;
}

export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
