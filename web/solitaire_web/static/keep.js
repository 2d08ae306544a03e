// What this browser remembers. Where it may keep nothing, the page does without.
const OURS = "solitaire-rl ";

export const read = (name, other, store = "localStorage") => {
  try { return JSON.parse(globalThis[store].getItem(OURS + name)) ?? other; } catch { return other; }
};

// Returns whether the value is kept.
export const write = (name, value, store = "localStorage") => {
  try {
    globalThis[store].setItem(OURS + name, JSON.stringify(value));
    return true;
  } catch { return false; }
};

// The names, of those that are remembered, that begin so.
export const namesFrom = start => {
  try { return Object.keys(localStorage).filter(name => name.startsWith(OURS + start)).map(name => name.slice(OURS.length)); } catch { return []; }
};
