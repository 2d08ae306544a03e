// Asks before something is lost.
const $ = id => document.getElementById(id);

// Returns whether the person agrees.
export function agrees(text, yes, no) {
  const dialog = $("question");
  if (dialog.open) return Promise.resolve(false);
  $("question-text").textContent = text;
  $("question-yes").textContent = yes;
  $("question-no").textContent = no;
  $("question-yes").onclick = () => dialog.close("yes");
  $("question-no").onclick = () => dialog.close("no");
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise(done => { dialog.onclose = () => done(dialog.returnValue === "yes"); });
}
