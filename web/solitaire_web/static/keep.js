// What this browser remembers. Where it may keep nothing, the page does without.
export const read = (name, other, store = "localStorage") => {
  try { return JSON.parse(globalThis[store].getItem(`solitaire-rl ${name}`)) ?? other; } catch { return other; }
};

export const write = (name, value, store = "localStorage") => {
  try { globalThis[store].setItem(`solitaire-rl ${name}`, JSON.stringify(value)); } catch { /* not kept then */ }
};
