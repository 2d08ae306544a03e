// How a table, a card and what is thought of a move are drawn. The report has this file inside its page; the page in the
// browser imports it. It sets no inline styles, which strict security policies forbid.
export const NONE = null, BACK = 52;
export const WIDTH = 80, HEIGHT = 112, PITCH = 88, MARGIN = 16;
const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const PIPS = ["\u2663\ufe0e", "\u2666\ufe0e", "\u2665\ufe0e", "\u2660\ufe0e"];

export function escapeText(text) {
  return String(text).replace(/[&<>"]/g, sign => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
}

// Cards in a text as they are drawn: 10\u2666 for TD.
export function cardsInWords(text) {
  return text.replace(/\b([A2-9TJQK])([CDHS])\b/g, (_, rank, suit) => (rank === "T" ? "10" : rank) + PIPS["CDHS".indexOf(suit)]);
}

// say: translates the words in it.
export function moveInWords(move, say = text => text) {
  return cardsInWords(say(move)).replace(/>F$/, () => ` \u2192 ${say("foundation")}`).replace(/>empty$/, () => ` \u2192 ${say("empty pile")}`)
    .replace(">", " \u2192 ").replace("+", " + ");
}

export function cornerOf(spot) {
  return { x: MARGIN + spot.x * PITCH, y: MARGIN + spot.y * HEIGHT };
}

export function sizeOf(table) {
  return { width: 2 * MARGIN + (table.columns - 1) * PITCH + WIDTH, height: MARGIN + table.height * HEIGHT + 40 };
}

const box = (fill, edge, width) =>
  `<rect class="rim" width="${WIDTH}" height="${HEIGHT}" rx="8" fill="${fill}" stroke="${edge}" stroke-width="${width}"/>`;

function drawCard({ card, available, playable, sign }) {
  if (card === NONE) {
    const text = sign === "·" ? "" : escapeText(sign);
    return box("none", "#34705a", 2) +
      `<text x="${WIDTH / 2}" y="68" text-anchor="middle" font-size="34" fill="#34705a">${text}</text>`;
  }
  if (card === BACK) {
    return box("#fdfcf8", "#808a84", 1) +
      `<rect x="6" y="6" width="${WIDTH - 12}" height="${HEIGHT - 12}" rx="4" class="back" fill="#2e528a"/>`;
  }
  const suit = Math.floor(card / 13), ink = suit === 1 || suit === 2 ? "#c41e2e" : "#22242a";
  const edge = playable ? "#ffcd40" : "#808a84";
  return box(available ? "#fdfcf8" : "#d8dcd6", edge, playable ? 5 : 1) +
    `<text class="corner suit${suit}" x="8" y="25" font-size="22" font-weight="700" fill="${ink}">${RANKS[card % 13]}` +
    `<tspan font-weight="400">${PIPS[suit]}</tspan></text>` +
    `<text class="suit${suit}" x="${WIDTH / 2}" y="86" text-anchor="middle" font-size="48" fill="${ink}" opacity="${available ? 1 : 0.4}">${PIPS[suit]}</text>`;
}

export function drawSpot(spot) {
  const below = `<text x="${WIDTH / 2}" y="${HEIGHT + 18}" text-anchor="middle" font-size="15" fill="#e2eee7">${escapeText(spot.caption)}</text>`;
  return drawCard(spot) + (spot.caption ? below : "");
}

function placeSpot(spot) {
  const { x, y } = cornerOf(spot);
  return `<g transform="translate(${x} ${y})">${drawSpot(spot)}</g>`;
}

export function drawTable(table, title) {
  const { width, height } = sizeOf(table), name = escapeText(title);
  const places = table.spots.filter(spot => spot.card === NONE), cards = table.spots.filter(spot => spot.card !== NONE);
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${name}" font-family="inherit"><title>${name}</title>` +
    [...places, ...cards].map(placeSpot).join("") +
    `<text x="${MARGIN}" y="${height - 14}" font-size="18" fill="#e2eee7" xml:space="preserve">${escapeText(table.status)}</text></svg>`;
}

export function drawBar(name, share, text, chosen = false) {
  const width = Math.max(0, Math.min(100, 100 * share));
  return `<div class="bar ${chosen ? "chosen" : ""}"><span>${escapeText(name)}</span>` +
    `<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="10"/></svg>` +
    `<span>${escapeText(text)}</span></div>`;
}

export function drawVerdict(solver) {
  if (!solver) return "";
  const verdict = { true: "still winnable", false: "no longer winnable", null: "not known whether winnable" }[solver.winnable];
  const best = solver.best === null ? "" : `; best score from here ${solver.best}`;
  const kind = { true: "yes", false: "no", null: "" }[solver.winnable];
  return `<p class="verdict ${kind}">Solver, which sees the stock: ${verdict}${best}</p>`;
}

export const percent = share => `${(100 * share).toFixed(1)} %`;
