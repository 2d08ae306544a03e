// What graphs have in common: a size of their own on the screen, so that their text keeps its size too, and their axes.
const LEFT = 46, RIGHT = 12, TOP = 12, NARROW = 240, WIDE = 640;

// host: the element that the graph is drawn in, which says how wide; low, high: the values at the bottom and at the
// top; last: the number of the last place from left to right; height, foot: of the graph, and of what is below its axis.
export function frameOf(host, { low, high, last, height = 180, foot = 16 }) {
  const width = Math.min(WIDE, Math.max(NARROW, host.clientWidth)), floor = height - foot;
  const step = (width - LEFT - RIGHT) / Math.max(1, last);
  const x = at => LEFT + step * at, y = value => floor - (floor - TOP) * (value - low) / (high - low || 1);
  const axis = (values, label) => `<line class="axis" x1="${LEFT}" x2="${LEFT}" y1="${TOP}" y2="${floor}"/>` + values.map(value =>
    `<line class="axis" x1="${LEFT - 4}" x2="${LEFT}" y1="${y(value)}" y2="${y(value)}"/><text x="${LEFT - 7}" y="${y(value) + 4}" text-anchor="end">${label(value)}</text>`).join("");
  const level = value => `<line class="level" x1="${LEFT}" x2="${width - RIGHT}" y1="${y(value)}" y2="${y(value)}"/>`;
  const draw = (attributes, parts) => `<svg viewBox="0 0 ${width} ${height}" ${attributes}>${parts}</svg>`;
  // The number of the place that is nearest to a click.
  const placeOf = event => {
    const box = event.currentTarget.getBoundingClientRect(), across = (event.clientX - box.left) * width / box.width;
    return Math.max(0, Math.min(last, Math.round((across - LEFT) / step)));
  };
  return { width, height, last, floor, step, x, y, axis, level, draw, placeOf, top: TOP };
}

export const pointsOf = pairs => pairs.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
