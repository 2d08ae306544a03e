// The moves of the game on the table, those taken back too: each leads to the position after it.
import { escapeText } from "./cards.js";
import { t } from "./language.js";
import { moveInWords } from "./words.js";

export class MoveList {
  // list: the element; go: called with the number of moves after which the game is to be shown.
  constructor(list, go) {
    Object.assign(this, { list });
    list.onclick = event => {
      const button = event.target.closest("button");
      if (button) go(Number(button.dataset.at));
    };
  }

  // lost: what each move lost in words, where it is known.
  show({ line, moves, counts }, lost) {
    const { list } = this, had = list.contains(document.activeElement), at = moves.length;
    const texts = [t("Start"), ...line.map((move, place) => `${place + 1}. ${moveInWords(move)}`)];
    list.innerHTML = texts.map((text, place) => {
      const loss = lost[place - 1] ? ` <span class="loss">${escapeText(lost[place - 1])}</span>` : "";
      const state = place === at ? ' aria-current="step"' : ' tabindex="-1"';
      return `<button type="button" data-at="${place}"${state}${counts ? " disabled" : ""}>${escapeText(text)}${loss}</button>`;
    }).join("");
    const current = list.children[at];
    list.scrollTop = current.offsetTop - (list.clientHeight - current.offsetHeight) / 2;
    if (had) current.focus({ preventScroll: true });
  }
}
