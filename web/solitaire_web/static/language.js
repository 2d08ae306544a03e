// The language of the page. Everything is written in English; a catalogue, which the server sends, says it in another one.
import { read, write } from "./keep.js";

let words = {}, language = "en";

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

// A text of the page, with values in its places; what the catalogue does not have stays English.
export const t = (text, values = {}) => filled(words[text] ?? text, values);

const VALUE = /-?\d+(?:\.\d+)?|[\u2660-\u2667]/g;

// A text of the server, whose numbers and suits are its values: the catalogue has "row {1}, card {2}".
export function said(text) {
  const values = {}, key = text.replace(VALUE, value => {
    const place = Object.keys(values).length + 1;
    values[place] = value.includes(".") ? fixed(Number(value), value.split(".")[1].length) : value;
    return `{${place}}`;
  });
  return text in words ? words[text] : filled(words[key] ?? key, values);
}

// one, more: with {n}, such as "{n} move" and "{n} moves".
export const counted = (n, one, more) => t(new Intl.PluralRules(language).select(n) === "one" ? one : more, { n });

export const fixed = (number, digits) =>
  number.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false });

export const percent = share => `${fixed(100 * share, 1)} %`;

export const capital = text => text.slice(0, 1).toUpperCase() + text.slice(1);

// The languages that are wanted, the best first: the one that was chosen here, those of the browser.
export const wanted = () => [read("language", []), navigator.languages].flat().join(",");

// found: what the server tells of languages; select: where another one is chosen, for which the page is loaded again.
export function useLanguage(found, select) {
  ({ words, language } = found);
  document.documentElement.lang = language;
  translate(document.body);
  select.replaceChildren(...found.languages.map(code => {
    const option = new Option(capital(new Intl.DisplayNames([code], { type: "language" }).of(code)), code, false, code === language);
    option.lang = code;
    return option;
  }));
  select.onchange = () => {
    write("language", select.value);
    location.reload();
  };
}

function translate(root) {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode, text = node.textContent.trim().replace(/\s+/g, " ");
    if (text in words) node.textContent = node.textContent.replace(/\S(?:.*\S)?/s, () => words[text]);
  }
  for (const element of root.querySelectorAll("[aria-label]")) element.setAttribute("aria-label", t(element.getAttribute("aria-label")));
}
