// A table on which moves are made: by dragging, by touching, by keyboard. It knows gestures, and no rules.
import { BACK, HEIGHT, NONE, PITCH, WIDTH, cornerOf, drawSpot, sizeOf } from "./cards.js";
import { counted, said, t } from "./language.js";
import { moveInWords, spotInWords, statusInWords } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const MILLISECONDS = 170, DRAG = 5;
const DOUBLE = 400;  // milliseconds, in which a second touch belongs to the first
const STOCK = "stock", FOUNDATION = "foundation";  // where unseen cards come from; how names of foundations begin
const ODDS = 24;  // height of what is written over a card of the odds of its move
const BELOW = 20;  // of the room below the table, which pictures need for a line of text
const chosen = setting => document.body.classList.contains(setting);
export const still = () => chosen("still") || matchMedia("(prefers-reduced-motion: reduce)").matches;
const isCard = spot => spot.card !== NONE && spot.card !== BACK;
const pileOf = place => place.split(",")[0];
const key = spot => isCard(spot) ? `card ${spot.card + 52 * spot.copy}` : `${spot.card === BACK ? "back" : "none"} ${spot.place}`;

// The spot as if it lay where it was dropped, so that it goes on from there.
const droppedAt = (spot, { x, y }) => ({ ...spot, x: spot.x + x / PITCH, y: spot.y + y / HEIGHT });

function drawOdds(text) {
  const y = HEIGHT - ODDS - 6;
  return `<g class="odds" aria-hidden="true"><rect x="4" y="${y}" width="${WIDTH - 8}" height="${ODDS}" rx="6"/>` +
    `<text x="${WIDTH / 2}" y="${y + 19}" text-anchor="middle" font-size="20" font-weight="700">${text}</text></g>`;
}

export class Board {
  // turn: called with what a touch, key or drop does, which it does when all before it is done; play: called with a
  // move; putUp: when the bare table is touched twice; say: with a text for all who listen; why: with two places, the first one's card being one that may not go on
  // the second.
  constructor(element, { turn = action => action(), play = () => {}, putUp = () => {}, say = () => {}, why = () => {} } = {}) {
    Object.assign(this, { turn, play, putUp, say, why, held: null, drag: null, drawn: new Map(), legal: [], odds: [], places: new Map() });
    Object.assign(this, { advised: new Set(), touched: { place: null, at: -Infinity }, pointed: false, bare: -Infinity });
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("preserveAspectRatio", "xMidYMin");
    this.status = document.createElement("p");
    this.status.className = "status";
    element.replaceChildren(this.status, this.svg);
    this.svg.addEventListener("touchstart", event => this.keepFrom(event), { passive: false });
    this.svg.addEventListener("pointerdown", event => this.press(event));
    this.svg.addEventListener("pointermove", event => this.move(event));
    this.svg.addEventListener("pointerup", event => this.release(event));
    this.svg.addEventListener("pointercancel", () => this.letGo());
    this.svg.addEventListener("keydown", event => this.type(event));
    document.addEventListener("keydown", event => { if (event.key === "Tab") this.pointed = false; });
  }

  // --- Drawing ---

  show(position, title, active = true) {
    const { table } = position, { width, height } = sizeOf(table), focused = document.activeElement;
    const had = this.svg.contains(focused) ? focused.dataset.key : null, { drag } = this;
    Object.assign(this, { held: null, drag: null, table, active, legal: active ? position.legal : [], advised: new Set(), odds: [] });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height - BELOW}`);
    this.svg.setAttribute("aria-label", title);
    this.status.textContent = statusInWords(table.status);
    this.places = new Map(table.spots.map(spot => [spot.place, key(spot)]));
    const sources = new Set(position.legal.flatMap(({ gestures }) => gestures.map(({ source }) => source)));
    this.bright = new Set([...sources].filter(place => this.places.has(place)).flatMap(place => this.run(place)));
    const before = this.drawn, origin = table.spots.find(spot => spot.place === STOCK);
    this.drawn = new Map();
    this.order = [...table.spots.filter(spot => spot.card === NONE), ...table.spots.filter(spot => spot.card !== NONE)];
    for (const spot of this.order) this.place(spot, before.get(key(spot)), before.size ? origin : spot);
    for (const [name, { group }] of before) if (!this.drawn.has(name)) this.remove(group, name);
    if (drag && this.places.get(drag.place) === drag.key && this.canBeDragged(drag.place)) this.resume(drag);
    this.mark();
    if (had) this.focus(this.drawn.has(had) ? had : null);
  }

  place(spot, old, origin) {
    const group = old ? old.group : document.createElementNS(SVG, "g"), { x, y } = cornerOf(spot);
    group.dataset.key = key(spot);
    group.dataset.place = spot.place;
    group.innerHTML = drawSpot({ ...spot, caption: said(spot.caption), available: spot.available || this.bright.has(spot), playable: spot.playable && chosen("rims") });
    group.setAttribute("transform", `translate(${x} ${y})`);
    this.svg.append(group);
    this.drawn.set(key(spot), { group, spot });
    const from = old ? cornerOf(old.spot) : cornerOf(origin || spot);
    if (isCard(spot) && !still() && (from.x !== x || from.y !== y)) {
      group.animate([from, { x, y }].map(at => ({ transform: `translate(${at.x}px, ${at.y}px)` })), { duration: MILLISECONDS, easing: "ease-out" });
    }
  }

  remove(group, name) {
    group.removeAttribute("tabindex");
    group.setAttribute("aria-hidden", "true");
    group.setAttribute("class", "gone");
    group.dataset.key = "";
    if (still() || !name.startsWith("card")) return group.remove();
    this.svg.append(group);
    group.animate([{ opacity: 1 }, { opacity: 0 }], { duration: MILLISECONDS }).onfinish = () => group.remove();
  }

  // Says of each spot whether it can be touched now, and lights up where the held card may go.
  mark() {
    const sources = new Set(this.gestures().map(one => one.source));
    const targets = new Set(this.held ? this.from(this.held).map(one => one.target) : []);
    const run = new Set(this.held ? this.run(this.held) : []);
    for (const [name, { group, spot }] of this.drawn) {
      const top = this.places.get(spot.place) === name, held = run.has(spot);
      const lit = top && targets.has(spot.place), source = top && sources.has(spot.place);
      const advised = top && this.advised.has(spot.place), free = top && this.isFree(spot.place);
      const names = { spot: true, source, free, held, lit, advised };
      group.setAttribute("class", Object.keys(names).filter(one => names[one]).join(" "));
      group.setAttribute("role", source || lit ? "button" : "img");
      const odds = top && !held ? this.oddsOf(spot.place, lit) : "";
      group.querySelector(".odds")?.remove();
      if (odds) group.insertAdjacentHTML("beforeend", drawOdds(odds));
      const told = [spotInWords(spot), held ? t("held") : lit ? t("may go here") : "", odds ? t("odds {odds}", { odds }) : ""];
      group.setAttribute("aria-label", told.filter(Boolean).join(", "));
      if (source || lit) group.setAttribute("tabindex", "0");
      else group.removeAttribute("tabindex");
    }
  }

  // odds: pairs of a move and what its odds are, the best first; they are written on the cards.
  tell(odds) {
    this.odds = odds;
    this.mark();
  }

  // The odds of the best move with the card of a place; while a card is held, of that one's move to a lit place.
  oddsOf(place, lit) {
    const own = this.held ? this.from(this.held).filter(one => lit && one.target === place) : this.from(place);
    const moves = new Set(own.map(one => one.move));
    return this.odds.find(([move]) => moves.has(move))?.[1] ?? "";
  }

  advise(move) {
    const gestures = this.gestures().filter(one => one.move === move);
    this.advised = new Set(gestures.flatMap(one => [one.source, one.target]));
    this.mark();
  }

  // --- Gestures ---

  gestures() {
    return this.legal.flatMap(({ move, gestures }) => gestures.map(gesture => ({ move, ...gesture })));
  }

  from(place) { return this.gestures().filter(one => one.source === place); }

  // The spot on top of a place, and the spots that lie on it in its pile: they move together.
  run(place) {
    const { spots } = this.table, first = spots.findLastIndex(spot => spot.place === place), { x } = spots[first];
    return spots.slice(first).filter(spot => spot.x === x && pileOf(spot.place) === pileOf(place));
  }

  spotOf(place) { return this.drawn.get(this.places.get(place))?.spot; }

  // A card that lies open on top may be taken up, also where it has no place to go: to be told why.
  isFree(place) {
    const spot = this.spotOf(place);
    return Boolean(this.active && spot?.available && isCard(spot));
  }

  // at: milliseconds, when the place was touched.
  tap(place, at) {
    if (!this.places.has(place)) return;
    const { held, touched } = this, second = touched.place === place && at - touched.at < DOUBLE;
    this.touched = { place, at, played: touched.played };
    if (second && touched.played) return;  // the second half of a touch that has played a card
    this.touched.played = false;
    if (held === place) {
      const up = second && this.from(place).find(one => one.target?.startsWith(FOUNDATION));
      return up ? this.done(up.move) : this.letGo();
    }
    const played = held && this.from(held).find(one => one.target === place);
    if (played) return this.done(played.move);
    const only = this.onlyMove(place), touch = this.from(place).some(one => one.target === null);
    if (only && (!held || (touch && !(place === STOCK && this.isFree(place))))) return this.done(only);
    if (held) this.refuse(held, place);
    if (this.from(place).length || (!held && this.isFree(place))) return this.hold(place, !held);
    this.letGo();
    if (!held) this.say(this.active && isCard(this.spotOf(place)) ? t("No move with {card}.", { card: this.nameOf(place) }) : "");
  }

  // The move of a place that has but one, and the move of a card that goes away alone where a touch would draw.
  onlyMove(place) {
    const own = this.from(place), touch = own.find(one => one.target === null);
    const put = own.filter(one => one.move !== touch?.move), moves = new Set((put.length ? put : own).map(one => one.move));
    const alone = put.every(one => !this.isFree(one.target));
    return moves.size === 1 && (!touch || !put.length || alone) ? [...moves][0] : undefined;
  }

  hold(place, told) {
    this.held = place;
    this.mark();
    const own = this.from(place), goals = new Set(own.map(one => one.target).filter(Boolean));
    const touch = own.find(one => one.target === null);
    const ways = goals.size ? counted(goals.size, "{n} place to go", "{n} places to go") : t("no place to go");
    const other = touch ? t("; {move} by its button or d", { move: moveInWords(touch.move) }) : "";
    if (told) this.say(`${t("{card} held: {ways}", { card: this.nameOf(place), ways })}${other}.`);
  }

  // A card may not go there: the page says why, and the place shakes.
  refuse(source, target) {
    const { group, spot } = this.drawn.get(this.places.get(target)), { x, y } = cornerOf(spot);
    const steps = [0, -7, 7, -5, 5, 0].map(step => ({ transform: `translate(${x + step}px, ${y}px)` }));
    if (!still()) group.animate(steps, { duration: 2 * MILLISECONDS });
    this.why(source, target);
  }

  done(move) {
    this.held = null;
    this.touched.played = this.touched.place !== STOCK || this.from(STOCK).some(one => one.move === move && one.target);
    return this.play(move);
  }

  letGo() {
    if (this.drag) this.back();
    this.held = this.drag = null;
    this.mark();
  }

  nameOf(place) { return spotInWords(this.spotOf(place)); }

  // --- By mouse and touch ---

  at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  // The place that lies on top where a pointer is; cards on their way there do not matter.
  spotAt(event) {
    const { x, y } = this.at(event);
    const spot = this.order.findLast(one => {
      const corner = cornerOf(one);
      return x >= corner.x && x <= corner.x + WIDTH && y >= corner.y && y <= corner.y + HEIGHT;
    });
    return spot && this.places.get(spot.place) === key(spot) ? spot.place : null;
  }

  // A finger on a card does not scroll the page; `touch-action` alone is too late for cards that have just been drawn.
  keepFrom(event) {
    if (event.cancelable && this.spotAt(event.touches[0]) !== null) event.preventDefault();
  }

  press(event) {
    if (!event.isPrimary || event.button) return;
    this.pointed = true;
    const place = this.spotAt(event);
    if (place === null) {
      const second = event.timeStamp - this.bare < DOUBLE;
      this.bare = second ? -Infinity : event.timeStamp;
      this.say("");
      this.letGo();
      if (second) this.turn(() => this.putUp());
      return;
    }
    this.drag = { place, key: this.places.get(place), start: this.at(event), x: 0, y: 0, moved: false };
    if (this.canBeDragged(place)) this.svg.setPointerCapture(event.pointerId);
  }

  canBeDragged(place) { return this.from(place).length > 0 || this.isFree(place); }

  move(event) {
    const { drag } = this;
    if (!drag || !this.canBeDragged(drag.place)) return;
    const now = this.at(event);
    [drag.x, drag.y] = [now.x - drag.start.x, now.y - drag.start.y];
    if (!drag.moved && Math.hypot(drag.x, drag.y) < DRAG) return;
    if (!drag.moved) this.resume({ ...drag, moved: true });
    this.carry();
  }

  // Takes up the cards of a drag, which lie where they have been drawn.
  resume(drag) {
    this.drag = drag;
    if (!drag.moved) return;
    this.held = drag.place;
    drag.carried = this.run(drag.place).map(spot => ({ spot, group: this.drawn.get(key(spot)).group, corner: cornerOf(spot) }));
    this.svg.append(...drag.carried.map(({ group }) => group));
    this.mark();
    this.carry();
  }

  carry() {
    const { x, y, carried } = this.drag;
    for (const { group, corner } of carried) group.setAttribute("transform", `translate(${corner.x + x} ${corner.y + y})`);
  }

  release(event) {
    const { drag } = this;
    if (!drag) return;
    if (drag.moved) return this.turn(() => this.drop());
    this.drag = null;
    const at = event.timeStamp;
    this.turn(() => this.tap(drag.place, at));
  }

  drop() {
    const { drag } = this;
    if (!drag) return;
    const { corner } = drag.carried[0], x = corner.x + drag.x, y = corner.y + drag.y;
    const overlap = place => {
      const there = cornerOf(this.spotOf(place));
      return Math.max(0, WIDTH - Math.abs(there.x - x)) * Math.max(0, HEIGHT - Math.abs(there.y - y));
    };
    const goals = this.from(drag.place).filter(one => one.target).sort((a, b) => overlap(b.target) - overlap(a.target));
    if (!goals.length || !overlap(goals[0].target)) {
      const own = drag.carried.map(({ spot }) => spot.place), others = [...this.places.keys()].filter(place => !own.includes(place));
      const below = others.sort((a, b) => overlap(b) - overlap(a))[0];
      this.letGo();
      if (overlap(below)) this.refuse(drag.place, below);
      return;
    }
    this.drag = null;
    for (const { spot } of drag.carried) this.drawn.get(key(spot)).spot = droppedAt(spot, drag);
    this.touched = { place: null, at: -Infinity };  // a drag is no first half of a double touch
    return this.done(goals[0].move);
  }

  back() {
    for (const { group, corner } of this.drag.carried ?? []) {
      const from = { x: corner.x + this.drag.x, y: corner.y + this.drag.y };
      group.setAttribute("transform", `translate(${corner.x} ${corner.y})`);
      if (!still()) group.animate([from, corner].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` })), { duration: MILLISECONDS });
    }
  }

  // --- By keyboard ---

  type(event) {
    const place = event.target.dataset?.place;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Escape") this.letGo();
    else if ((event.key === "Enter" || event.key === " ") && place) this.turn(() => this.tap(place, event.timeStamp));
    else if (step && place && !this.pointed) this.focus(this.nearest(event.target.dataset.key, step));
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
