// A small picture of the table of a game, from its shape: piles, cells and so on.
const WIDE = 7, HIGH = 10, STEP = 8.4, FAN = 2.2;

const card = (x, y, kind) => `<rect class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${WIDE}" height="${HIGH}" rx="1"/>`;

// shape: as the server tells it; returns an SVG.
export function drawShape({ piles, up, cells, reserve, stock, goals }) {
  const row = piles.length > 10 ? Math.ceil(piles.length / 2) : piles.length, aside = (stock ? 1 : 0) + cells + reserve + goals;
  const columns = Math.max(row, aside), parts = [];
  const kinds = [...(stock ? ["down"] : []), ...Array(reserve).fill("up"), ...Array(cells).fill("none")];
  kinds.forEach((kind, place) => parts.push(card(2 + place * STEP, 2, kind)));
  for (let goal = 0; goal < goals; goal++) parts.push(card(2 + (columns - goals + goal) * STEP, 2, "none"));
  const tall = Math.max(...piles), height = piles.length > row ? 48 : 46;
  piles.forEach((size, pile) => {
    const [column, line] = [pile % row, Math.floor(pile / row)], step = Math.min(FAN, (height - 16 - HIGH) / Math.max(1, tall - 1));
    for (let depth = 0; depth < size; depth++) {
      parts.push(card(2 + column * STEP, 15 + 17 * line + depth * step, up === null || depth >= size - up ? "up" : "down"));
    }
  });
  return `<svg class="picture" viewBox="0 0 ${columns * STEP + 3} ${height + 2}" aria-hidden="true">${parts.join("")}</svg>`;
}
