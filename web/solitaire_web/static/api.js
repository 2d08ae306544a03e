// Asks the server. While it does not answer, the page says so and asks again; the game itself is in the page.
import { t } from "./language.js";

const banner = () => document.getElementById("banner");
const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));

export class RefusedError extends Error {}

// What the server has refused, for those who play; what only those who program can bring about stays as it is.
function refusal({ error, reason }) {
  const texts = {
    agent: t("This agent does not play these rules."),
    busy: t("Too many analyses are under way. Try again soon."),
    closed: t("This deal is being played for the count, so it is closed. Choose another one."),
    counted: t("This game has gone on elsewhere, or has ended. Load the page again."),
    deal: t("The number of a deal is a whole number from 0 to 18446744073709551615."),
    deck: t("A deck has each of its cards once."),
    fault: t("The server has made a mistake; it has printed more."),
    long: t("This game is too long for that."),
    move: t("A move is not possible there."),
    options: t("This option does not have that value."),
    player: t("A name has 1 to 40 characters and none of , / = + @ * ?"),
    transcript: t("This is not the transcript of a game."),
  };
  return new RefusedError(texts[reason] ?? error);
}

export class BrokenError extends RefusedError {
  constructor() { super(t("The answer broke off.")); }
}

function tell(text) {
  banner().textContent = text;
  banner().hidden = !text;
}

async function send(name, content, signal) {
  for (let tries = 0; ; tries++) {
    try {
      const answer = await fetch(`/api/${name}`, content === undefined ? { signal } : {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content), signal,
      });
      if (answer.status === 503) throw new TypeError(`the server answered ${answer.status}`);
      if (tries) {
        tell(t("The server answers again: the game goes on where it was."));
        setTimeout(() => tell(""), 4000);
      }
      return answer;
    } catch (error) {
      if (error.name === "AbortError") throw error;
      tell(t("The server does not answer. Nothing is lost: this page has your game, and asks again every second."));
      await wait(tries ? 1000 : 300);
    }
  }
}

export async function ask(name, content, signal) {
  const answer = await send(name, content, signal), found = await answer.json();
  if (!answer.ok) throw refusal(found);
  return found;
}

// Calls `take` with each line of an answer that comes piece by piece; throws if the answer is not whole.
export async function stream(name, content, signal, take) {
  const answer = await send(name, content, signal);
  if (!answer.ok) throw refusal(await answer.json());
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", ended = false;
  for (;;) {
    const { value, done } = await reader.read().catch(error => {
      throw error.name === "AbortError" ? error : new BrokenError();
    });
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines.map(text => JSON.parse(text))) {
      if (line.kind === "error") throw refusal(line);
      if (line.kind === "end") ended = true;
      else take(line);
    }
  }
  if (!ended) throw new BrokenError();
}
