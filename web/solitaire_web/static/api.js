// Asks the server. While it does not answer, the page says so and asks again; the game itself is in the page.
const banner = () => document.getElementById("banner");
const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));

export class RefusedError extends Error {}

export class BrokenError extends RefusedError {
  constructor() { super("the answer broke off"); }
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
        tell("The server answers again: the game goes on where it was.");
        setTimeout(() => tell(""), 4000);
      }
      return answer;
    } catch (error) {
      if (error.name === "AbortError") throw error;
      tell("The server does not answer. Nothing is lost: this page has your game, and asks again every second.");
      await wait(tries ? 1000 : 300);
    }
  }
}

export async function ask(name, content, signal) {
  const answer = await send(name, content, signal), found = await answer.json();
  if (!answer.ok) throw new RefusedError(found.error);
  return found;
}

// Calls `take` with each line of an answer that comes piece by piece; throws if the answer is not whole.
export async function stream(name, content, signal, take) {
  const answer = await send(name, content, signal);
  if (!answer.ok) throw new RefusedError((await answer.json()).error);
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
      if (line.kind === "error") throw new RefusedError(line.error);
      if (line.kind === "end") ended = true;
      else take(line);
    }
  }
  if (!ended) throw new BrokenError();
}
