// The games of the report; `cards.js` stands before this in the page.
function drawBoard(game, at) {
  const frame = game.frames[at], table = { ...frame, spots: frame.spots.map(place => game.spots[place]) };
  return drawTable(table, `The table in position ${at} of deal ${game.deal}: ${frame.status}`);
}

function frameText(game, at) {
  const frame = game.frames[at], last = game.frames.length - 1;
  const lines = [`<p>${escapeText(game.agent)}, deal ${game.deal}: position ${at} of ${last}</p>`];
  lines.push(`<p class="move">${frame.move === null ? "the end." + escapeText(game.end) : "plays " + escapeText(moveInWords(frame.move))}</p>`);
  if (frame.said) lines.push(`<pre class="said">${escapeText(frame.said)}</pre>`);
  for (const { move, chance } of frame.chances || []) {
    lines.push(drawBar(moveInWords(move), chance, percent(chance), move === frame.move));
  }
  if (frame.value) lines.push(`<p>The agent ${escapeText(frame.value)}</p>`);
  lines.push(drawVerdict(frame.solver));
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
