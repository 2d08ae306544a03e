// Settings, which this browser keeps, and the sheet that is drawn up.
import { read, write } from "./keep.js";
import { $, game } from "./state.js";
import { show } from "./table.js";

const CHECKED = { finish: true, letters: true, rims: false, motion: true, colours: false, large: false, sounds: false, left: false };
const DRAWN = ["rims", "colours", "large"];  // what the cards are drawn anew for
const ROOM = matchMedia("(min-width: 800px) and (min-height: 500px)");  // for a sheet beside the board

function apply() {
  for (const name of ["left", "colours", "large", "rims"]) document.body.classList.toggle(name, $(name).checked);
  document.body.dataset.backs = $("backs").value;
  document.body.classList.toggle("still", !$("motion").checked);
}

export function openSheet(open) {
  document.body.classList.toggle("open", open);
  $("menu").setAttribute("aria-expanded", String(open));
}

export function useSettings() {
  for (const [name, usual] of Object.entries(CHECKED)) {
    $(name).checked = read(name, usual);
    $(name).onchange = () => {
      write(name, $(name).checked);
      apply();
      if (DRAWN.includes(name) && game.position) show(game, "");
    };
  }
  $("backs").value = read("backs", "blue");
  $("backs").onchange = () => { write("backs", $("backs").value); apply(); };
  openSheet(ROOM.matches && read("sheet", true));
  $("menu").onclick = () => {
    const open = !document.body.classList.contains("open");
    openSheet(open);
    if (ROOM.matches) write("sheet", open);
  };
  apply();
}
