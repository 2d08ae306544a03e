// While the games are being prepared: asks every second how far that is, and loads the page when it is done.
const progress = text => new DOMParser().parseFromString(text, "text/html").getElementById("progress").textContent;

for (let ready = false; !ready;) {
  await new Promise(done => setTimeout(done, 1000));
  try {
    const answer = await fetch("/");
    ready = answer.ok;
    if (!ready) document.getElementById("progress").textContent = progress(await answer.text());
  } catch { /* The server does not answer: ask again. */ }
}
location.reload();
