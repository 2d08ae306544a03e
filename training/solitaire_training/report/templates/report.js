"use strict";
const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const PIPS = ["\u2663\ufe0e", "\u2666\ufe0e", "\u2665\ufe0e", "\u2660\ufe0e"];
const WIDTH = 80, HEIGHT = 112, PITCH = 88, MARGIN = 16;
const NONE = -2, BACK = -1;

function escapeText(text) {
  return String(text).replace(/[&<>"]/g, sign => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
}

function drawSpot([column, row, card, flags, caption, sign]) {
  const x = MARGIN + column * PITCH, y = MARGIN + row * HEIGHT, middle = x + WIDTH / 2;
  const box = (fill, edge, width) =>
    `<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="8" fill="${fill}" stroke="${edge}" stroke-width="${width}"/>`;
  let drawn;
  if (card === NONE) {
    drawn = box("none", "#34705a", 2) +
      `<text x="${middle}" y="${y + 68}" text-anchor="middle" font-size="34" fill="#34705a">${sign === "·" ? "" : escapeText(sign)}</text>`;
  } else if (card === BACK) {
    drawn = box("#fdfcf8", "#808a84", 1) +
      `<rect x="${x + 6}" y="${y + 6}" width="${WIDTH - 12}" height="${HEIGHT - 12}" rx="4" fill="#2e528a"/>`;
  } else {
    const suit = Math.floor(card / 13), ink = suit === 1 || suit === 2 ? "#c41e2e" : "#22242a";
    const open = flags & 1, edge = flags & 2 ? "#ffcd40" : "#808a84";
    drawn = box(open ? "#fdfcf8" : "#d8dcd6", edge, flags & 2 ? 5 : 1) +
      `<text x="${x + 8}" y="${y + 25}" font-size="22" font-weight="700" fill="${ink}">${RANKS[card % 13]}` +
      `<tspan font-weight="400">${PIPS[suit]}</tspan></text>` +
      `<text x="${middle}" y="${y + 86}" text-anchor="middle" font-size="48" fill="${ink}" opacity="${open ? 1 : 0.4}">${PIPS[suit]}</text>`;
  }
  if (caption) {
    drawn += `<text x="${middle}" y="${y + HEIGHT + 18}" text-anchor="middle" font-size="15" fill="#e2eee7">${escapeText(caption)}</text>`;
  }
  return drawn;
}

function drawBoard(game, at) {
  const frame = game.frames[at], spots = frame.spots.map(place => game.spots[place]);
  const width = 2 * MARGIN + (frame.columns - 1) * PITCH + WIDTH, height = MARGIN + frame.height * HEIGHT + 40;
  const places = spots.filter(spot => spot[2] === NONE), cards = spots.filter(spot => spot[2] !== NONE);
  const title = escapeText(`The table in position ${at} of deal ${game.deal}: ${frame.status}`);
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}" font-family="inherit"><title>${title}</title>` +
    [...places, ...cards].map(drawSpot).join("") +
    `<text x="${MARGIN}" y="${height - 14}" font-size="18" fill="#e2eee7" style="white-space: pre">${escapeText(frame.status)}</text></svg>`;
}

function solverText(solver) {
  if (!solver) return "";
  const verdict = { true: "still winnable", false: "no longer winnable", null: "not known whether winnable" }[solver.winnable];
  const best = solver.best === null ? "" : `; best score from here ${solver.best}`;
  const kind = { true: "yes", false: "no", null: "" }[solver.winnable];
  return `<p class="verdict ${kind}">Solver, which sees the stock: ${verdict}${best}</p>`;
}

function frameText(game, at) {
  const frame = game.frames[at], last = game.frames.length - 1;
  const lines = [`<p>${escapeText(game.agent)}, deal ${game.deal}: position ${at} of ${last}</p>`];
  lines.push(`<p class="move">${frame.move === null ? "the end." + escapeText(game.end) : "plays " + escapeText(frame.move)}</p>`);
  for (const [move, chance] of frame.chances || []) {
    lines.push(`<div class="bar ${move === frame.move ? "chosen" : ""}"><span>${escapeText(move)}</span>` +
      `<span><i style="width:${100 * chance}%"></i></span><span>${(100 * chance).toFixed(1)} %</span></div>`);
  }
  if (frame.value) lines.push(`<p>The policy ${escapeText(frame.value)}</p>`);
  lines.push(solverText(frame.solver));
  return lines.join("");
}

function startViewer(viewer) {
  const games = JSON.parse(document.getElementById("games-" + viewer.dataset.games).textContent);
  const slider = viewer.querySelector("input"), choices = viewer.querySelector(".choices");
  const agents = viewer.querySelector("select"), player = viewer.querySelector('[data-go="play"]');
  let game = games[0], at = 0, timer = null;
  const stop = () => { clearInterval(timer); timer = null; player.textContent = "play"; };
  const show = place => {
    at = Math.max(0, Math.min(game.frames.length - 1, place));
    slider.max = game.frames.length - 1;
    slider.value = at;
    viewer.querySelector(".board").innerHTML = drawBoard(game, at);
    viewer.querySelector(".details").innerHTML = frameText(game, at);
    if (at === game.frames.length - 1) stop();
  };
  const go = {
    first: () => show(0), back: () => show(at - 1), on: () => show(at + 1), last: () => show(game.frames.length - 1),
    play: () => {
      if (timer) return stop();
      if (at === game.frames.length - 1) show(0);
      player.textContent = "stop";
      timer = setInterval(() => show(at + 1), 700);
    },
  };
  viewer.querySelectorAll("[data-go]").forEach(button => {
    button.onclick = () => { if (button.dataset.go !== "play") stop(); go[button.dataset.go](); };
  });
  const choose = chosen => {
    stop();
    game = chosen;
    [...choices.children].forEach(button => button.setAttribute("aria-pressed", button.dataset.deal === String(chosen.deal)));
    show(0);
  };
  const offer = () => {
    const own = games.filter(one => one.agent === agents.value);
    viewer.style.setProperty("--agent", agents.selectedOptions[0].dataset.colour);
    choices.replaceChildren(...own.map(one => {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.deal = one.deal;
      button.textContent = `Deal ${one.deal}: ${one.why}`;
      button.onclick = () => choose(one);
      return button;
    }));
    choose(own[0]);
  };
  agents.onchange = offer;
  slider.oninput = () => { stop(); show(Number(slider.value)); };
  viewer.onkeydown = event => {
    const key = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
    if (!key || event.target === slider || event.target === agents) return;
    event.preventDefault();
    stop();
    go[key]();
  };
  offer();
}

document.querySelectorAll(".viewer").forEach(startViewer);
document.addEventListener("keydown", event => {  // before any viewer has been touched, the first one answers
  const viewer = document.querySelector(".viewer");
  if (viewer && document.activeElement === document.body) viewer.onkeydown(event);
});
