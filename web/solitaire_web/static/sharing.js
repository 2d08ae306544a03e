// Links and transcripts.
import { ask } from "./api.js";
import { leaveFor } from "./choosing.js";
import { t } from "./language.js";
import { readAddress } from "./options.js";
import { $, attempt, game, say, state } from "./state.js";

$("copy-link").onclick = async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    say(t("The link is copied."));
  } catch {
    say(t("Copy the address of this page."));
  }
};
$("copy").onclick = attempt(async () => {
  $("transcript").value = (await ask("write", game.content())).text;
  $("transcript").select();
});
$("paste").onclick = attempt(async () => {
  const { env, options, deal = "0", deck = "", moves } = await ask("read", { text: $("transcript").value });
  const found = readAddress(state.environments, `#${new URLSearchParams({ env, ...options })}`), played = moves.split(" ").filter(Boolean);
  await leaveFor({ env, options: found.options, deal, deck, moves: played, shared: played.length > 0 });
});
