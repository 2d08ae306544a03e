// A table on which moves are made: by dragging, by touching twice, by keyboard. It knows gestures, and no rules.
import { BACK, HEIGHT, MARGIN, NONE, PITCH, WIDTH, cornerOf, drawSpot, sizeOf } from "./cards.js";
import { counted, spotInWords } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const MILLISECONDS = 170, DRAG = 5;
const STOCK = "stock";  // where cards that nobody has seen come from
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const key = spot => spot[2] >= 0 ? `card ${spot[2]}` : `${spot[2] === BACK ? "back" : "none"} ${spot[6]}`;

export class Board {
  // play: called with a move; say: called with a text for all who listen.
  constructor(element, play, say) {
    Object.assign(this, { play, say, held: null, drag: null, drawn: new Map(), legal: [], places: new Map() });
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("role", "group");
    this.status = document.createElementNS(SVG, "text");
    this.status.setAttribute("font-size", "18");
    this.status.setAttribute("fill", "#e2eee7");
    this.status.setAttribute("x", MARGIN);
    this.svg.append(this.status);
    element.replaceChildren(this.svg);
    this.svg.addEventListener("pointerdown", event => this.press(event));
    this.svg.addEventListener("pointermove", event => this.move(event));
    this.svg.addEventListener("pointerup", event => this.release(event));
    this.svg.addEventListener("pointercancel", () => this.letGo());
    this.svg.addEventListener("keydown", event => this.type(event));
  }

  // --- Drawing ---

  show(position, title, active = true) {
    const { table } = position, { width, height } = sizeOf(table), focused = document.activeElement;
    const had = this.svg.contains(focused) ? focused.dataset.key : null;
    Object.assign(this, { held: null, drag: null, table, legal: active ? position.legal : [] });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("aria-label", title);
    this.status.setAttribute("y", height - 14);
    this.status.textContent = table.status.replace(/ {2,}/g, " \u00b7 ");
    this.places = new Map(table.spots.map(spot => [spot[6], key(spot)]));
    const before = this.drawn, origin = table.spots.find(spot => spot[6] === STOCK);
    this.drawn = new Map();
    const order = [...table.spots.filter(spot => spot[2] === NONE), ...table.spots.filter(spot => spot[2] !== NONE)];
    for (const spot of order) this.place(spot, before.get(key(spot)), before.size ? origin : spot);
    for (const [name, { group }] of before) if (!this.drawn.has(name)) this.remove(group, name);
    this.mark();
    if (had) this.focus(this.drawn.has(had) ? had : null);
  }

  place(spot, old, origin) {
    const group = old ? old.group : document.createElementNS(SVG, "g"), { x, y } = cornerOf(spot);
    group.dataset.key = key(spot);
    group.dataset.place = spot[6];
    group.innerHTML = drawSpot(spot);
    group.setAttribute("transform", `translate(${x} ${y})`);
    this.svg.append(group);
    this.drawn.set(key(spot), { group, spot });
    const from = old ? cornerOf(old.spot) : cornerOf(origin || spot);
    if (spot[2] >= 0 && !still() && (from.x !== x || from.y !== y)) {
      group.animate([from, { x, y }].map(at => ({ transform: `translate(${at.x}px, ${at.y}px)` })), { duration: MILLISECONDS, easing: "ease-out" });
    }
  }

  remove(group, name) {
    group.removeAttribute("tabindex");
    group.setAttribute("aria-hidden", "true");
    group.setAttribute("pointer-events", "none");
    group.dataset.key = "";
    if (still() || !name.startsWith("card")) return group.remove();
    this.svg.append(group);
    group.animate([{ opacity: 1 }, { opacity: 0 }], { duration: MILLISECONDS }).onfinish = () => group.remove();
  }

  // Says of each spot whether it can be touched now, and lights up where the held card may go.
  mark() {
    const sources = new Set(this.gestures().map(one => one.source));
    const targets = new Set(this.held ? this.from(this.held).map(one => one.target) : []);
    for (const [name, { group, spot }] of this.drawn) {
      const top = this.places.get(spot[6]) === name, held = top && this.held === spot[6];
      const lit = top && targets.has(spot[6]), source = top && sources.has(spot[6]);
      group.setAttribute("class", ["spot", source && "source", held && "held", lit && "lit"].filter(Boolean).join(" "));
      group.setAttribute("role", source || lit ? "button" : "img");
      group.setAttribute("aria-label", spotInWords(spot) + (held ? ", held" : lit ? ", may go here" : ""));
      if (source || lit) group.setAttribute("tabindex", "0");
      else group.removeAttribute("tabindex");
    }
  }

  advise(move) {
    const gestures = this.gestures().filter(one => one.move === move);
    const places = new Set(gestures.flatMap(one => [one.source, one.target]));
    for (const [name, { group, spot }] of this.drawn) {
      group.classList.toggle("advised", places.has(spot[6]) && this.places.get(spot[6]) === name);
    }
  }

  // --- Gestures ---

  gestures() {
    return this.legal.flatMap(([move, gestures]) => gestures.map(([source, target]) => ({ move, source, target })));
  }

  from(place) { return this.gestures().filter(one => one.source === place); }

  tap(place) {
    const own = this.from(place), held = this.held;
    if (held && held !== place) {
      const played = this.from(held).find(one => one.target === place);
      if (played) return this.done(played.move);
    }
    const touch = own.find(one => one.target === null);
    if (touch && (held === place || own.every(one => one.move === touch.move))) return this.done(touch.move);
    if (held === place || !own.length) return this.letGo();
    this.held = place;
    this.mark();
    const goals = new Set(own.map(one => one.target).filter(Boolean));
    this.say(`${this.nameOf(place)} held: ${counted(goals.size, "place")} to go${touch ? ", or once more for " + touch.move : ""}.`);
  }

  done(move) {
    this.held = null;
    this.play(move);
  }

  letGo() {
    if (this.drag) this.back();
    this.held = this.drag = null;
    this.mark();
  }

  nameOf(place) { return spotInWords(this.drawn.get(this.places.get(place)).spot); }

  // --- By mouse and touch ---

  at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  spotAt(event) {
    const group = event.target.closest?.("[data-place]");
    const place = group?.dataset.key ? group.dataset.place : null;
    return place && this.places.get(place) === group.dataset.key ? place : null;
  }

  press(event) {
    if (!event.isPrimary || event.button) return;
    const place = this.spotAt(event);
    if (place === null) return this.letGo();
    const { group, spot } = this.drawn.get(this.places.get(place));
    this.drag = { place, group, corner: cornerOf(spot), start: this.at(event), moved: false };
    if (this.from(place).length) this.svg.setPointerCapture(event.pointerId);
  }

  move(event) {
    const { drag } = this;
    if (!drag || !this.from(drag.place).length) return;
    const now = this.at(event), x = now.x - drag.start.x, y = now.y - drag.start.y;
    if (!drag.moved && Math.hypot(x, y) < DRAG) return;
    if (!drag.moved) {
      drag.moved = true;
      this.held = drag.place;
      this.svg.append(drag.group);
      this.mark();
    }
    drag.group.setAttribute("transform", `translate(${drag.corner.x + x} ${drag.corner.y + y})`);
  }

  release(event) {
    const { drag } = this;
    if (!drag) return;
    if (!drag.moved) {
      this.drag = null;
      return this.tap(drag.place);
    }
    const now = this.at(event), x = drag.corner.x + now.x - drag.start.x, y = drag.corner.y + now.y - drag.start.y;
    const overlap = place => {
      const corner = cornerOf(this.drawn.get(this.places.get(place)).spot);
      return Math.max(0, WIDTH - Math.abs(corner.x - x)) * Math.max(0, HEIGHT - Math.abs(corner.y - y));
    };
    const goals = this.from(drag.place).filter(one => one.target).sort((a, b) => overlap(b.target) - overlap(a.target));
    if (!goals.length || !overlap(goals[0].target)) return this.letGo();
    this.drag = null;
    this.drawn.get(drag.group.dataset.key).spot = this.spotOn(drag.group, x, y);
    this.done(goals[0].move);
  }

  // The spot as if it lay where it was dropped, so that it goes on from there.
  spotOn(group, x, y) {
    return [(x - MARGIN) / PITCH, (y - MARGIN) / HEIGHT, ...this.drawn.get(group.dataset.key).spot.slice(2)];
  }

  back() {
    const { group, corner } = this.drag;
    const from = group.getAttribute("transform").match(/[-\d.]+/g);
    group.setAttribute("transform", `translate(${corner.x} ${corner.y})`);
    if (still() || !this.drag.moved) return;
    group.animate([{ transform: `translate(${from[0]}px, ${from[1]}px)` }, { transform: `translate(${corner.x}px, ${corner.y}px)` }], { duration: MILLISECONDS });
  }

  // --- By keyboard ---

  type(event) {
    const place = event.target.dataset?.place;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Escape") this.letGo();
    else if ((event.key === "Enter" || event.key === " ") && place) this.tap(place);
    else if (step && place) this.focus(this.nearest(event.target.dataset.key, step));
    else return;
    event.preventDefault();
  }

  nearest(name, [right, down]) {
    const here = cornerOf(this.drawn.get(name).spot);
    const distance = ({ group, spot }) => {
      const there = cornerOf(spot), along = (there.x - here.x) * right + (there.y - here.y) * down;
      const aside = Math.abs((there.x - here.x) * down) + Math.abs((there.y - here.y) * right);
      return group.hasAttribute("tabindex") && along > 0 ? along + 2 * aside : Infinity;
    };
    const others = [...this.drawn.entries()].map(([other, one]) => [distance(one), other]).sort((a, b) => a[0] - b[0]);
    return others[0][0] < Infinity ? others[0][1] : name;
  }

  focus(name) {
    const group = name && this.drawn.get(name).group.hasAttribute("tabindex") ? this.drawn.get(name).group : this.svg.querySelector("[tabindex]");
    group?.focus({ preventScroll: true });
  }
}
