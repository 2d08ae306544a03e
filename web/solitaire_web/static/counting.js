// Games that count: kept by the server, without undo and analysis.
import { ask } from "./api.js";
import { isMine, mayLeave, setClock } from "./keeping.js";
import { write } from "./keep.js";
import { t } from "./language.js";
import { agrees } from "./question.js";
import { $, attempt, game, parts, state } from "./state.js";
import { summary } from "./tally.js";

export const showCounted = attempt(async () => {
  const player = $("player").value.trim();
  if (!player) return;
  const { games } = await ask("count/games", { player, env: state.environment.env, options: game.options });
  $("counted").innerHTML = games.length ? `<h3></h3>${summary(games, state.environment.blocks)}` : "";
  if (games.length) $("counted").firstElementChild.textContent = t("Kept for {player}", { player });
});

$("count").onclick = attempt(async () => {
  const player = $("player").value.trim();
  if (!await mayLeave()) return;
  if (parts.watch.running) parts.watch.stop();
  parts.analysis.stop();
  parts.review.clear();
  setClock(0);
  Object.assign(game, { own: true, shared: false, touched: false, hinted: false });
  await game.count(player);
  write("player", player);
  $("boards").scrollIntoView();
});
$("give-up").onclick = attempt(async () => {
  const text = game.counts || !isMine() ? t("Give up? The game counts as it stands.") : t("Give up? The game counts as lost.");
  if (game.stuck || await agrees(text, t("Give up"), t("Go on playing"))) await game.giveUp();
});
