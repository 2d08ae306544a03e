// The games that this browser keeps, as a file; and a file's games, of which none is kept unless the whole file is right.
import { t } from "./language.js";
import { MOST, gamesOf, keepGames, tablesKept } from "./tally.js";

const KIND = "solitaire-rl games", VERSION = 1;
const MAX_BYTES = 10_000_000, MAX_NUMBER = 1e9, DAY = 86_400_000;

export class WrongFileError extends Error {}

const isObject = value => typeof value === "object" && value !== null && !Array.isArray(value);
const hasOnly = (value, names) => isObject(value) && Object.keys(value).sort().join() === names.join();  // names: sorted
const isWhole = (value, most) => Number.isInteger(value) && value >= 0 && value <= most;
const isNumber = value => Number.isFinite(value) && Math.abs(value) <= MAX_NUMBER;
export const isDeal = value => typeof value === "string" && /^(0|[1-9]\d{0,19})$/.test(value) && BigInt(value) < 2n ** 64n;

function short(value) {
  const text = JSON.stringify(value) ?? t("nothing");
  return text.length > 40 ? `${text.slice(0, 39)}\u2026` : text;
}

export function writeFile() {
  const tables = tablesKept().map(({ env, options }) => ({ env, options, games: gamesOf({ env, options }) }));
  return JSON.stringify({ kind: KIND, version: VERSION, tables }, null, 1);
}

// --- Checks ---

const fits = (option, value) => option.choices.length
  ? option.choices.some(choice => choice.value === value)
  : (value === null && option.optional) || (Number.isInteger(value) && value >= (option.minimum ?? -Infinity) && value <= (option.maximum ?? Infinity));

// Returns the options that are not the environment's own, in the environment's order.
function readOptions(environment, options, table) {
  if (!isObject(options)) throw new WrongFileError(t("Table {table}: the options are {value}.", { table, value: short(options) }));
  for (const [name, value] of Object.entries(options)) {
    const option = environment.options.find(one => one.name === name);
    if (!option || !fits(option, value)) throw new WrongFileError(t("Table {table}: this game has no option {name} of {value}.", { table, name: short(name), value: short(value) }));
  }
  const others = environment.options.filter(({ name, value }) => Object.hasOwn(options, name) && options[name] !== value);
  return Object.fromEntries(others.map(({ name }) => [name, options[name]]));
}

// Checks one game. numbers: the fields that have to be numbers.
function checkGame(game, numbers, place) {
  if (!isObject(game)) throw new WrongFileError(t("Table {table}, game {game}: expected a game, got {value}.", { ...place, value: short(game) }));
  const checks = { deal: isDeal, won: value => typeof value === "boolean", seconds: value => isWhole(value, MAX_NUMBER), at: value => isWhole(value, Date.now() + DAY) };
  for (const name of numbers) checks[name] = isNumber;
  for (const name of new Set([...Object.keys(checks), ...Object.keys(game)])) {
    const other = value => !(name in checks) && /^[a-z][a-z_]{0,39}$/.test(name) && (typeof value === "boolean" || isNumber(value));
    const right = Object.hasOwn(checks, name) ? checks[name] : other;  // every object inherits a constructor
    const value = Object.hasOwn(game, name) ? game[name] : undefined;
    if (!right(value)) throw new WrongFileError(t("Table {table}, game {game}: {name} cannot be {value}.", { ...place, name: short(name), value: short(value) }));
  }
}

function readTable(found, environments, table) {
  if (!hasOnly(found, ["env", "games", "options"]) || !Array.isArray(found.games)) {
    throw new WrongFileError(t("Table {table}: expected env, options and games, got {value}.", { table, value: short(found) }));
  }
  const environment = environments.find(one => one.env === found.env);
  if (!environment) throw new WrongFileError(t("Table {table}: this page does not have the game {value}.", { table, value: short(found.env) }));
  const options = readOptions(environment, found.options, table), numbers = ["score", ...environment.blocks.map(block => block.field)];
  const deals = new Set();
  for (const [place, game] of found.games.entries()) {
    checkGame(game, numbers, { table, game: place + 1 });
    if (deals.has(game.deal)) throw new WrongFileError(t("Table {table}, game {game}: deal {value} is there twice.", { table, game: place + 1, value: game.deal }));
    deals.add(game.deal);
  }
  return { env: found.env, options, games: found.games };
}

// Returns the tables of a file's text. Raises WrongFileError with what is wrong, in one line.
export function readFile(text, environments) {
  if (text.length > MAX_BYTES) throw new WrongFileError(t("The file is too large."));
  let found = null;
  try { found = JSON.parse(text); } catch { throw new WrongFileError(t("This is not a JSON file.")); }
  if (!hasOnly(found, ["kind", "tables", "version"]) || found.kind !== KIND || found.version !== VERSION || !Array.isArray(found.tables)) {
    throw new WrongFileError(t("This is not a file of games that this page has saved."));
  }
  const tables = found.tables.map((table, place) => readTable(table, environments, place + 1));
  const names = tables.map(({ env, options }) => JSON.stringify([env, options])), twice = names.findIndex((name, place) => names.indexOf(name) < place);
  if (twice >= 0) throw new WrongFileError(t("Table {table}: it is there twice.", { table: twice + 1 }));
  return tables;
}

// --- Merging ---

// A deal counts once: when it was finished for the first time.
function merged(games, others) {
  const first = new Map();
  for (const game of [...games, ...others]) if (!first.has(game.deal) || game.at < first.get(game.deal).at) first.set(game.deal, game);
  return [...first.values()].sort((a, b) => a.at - b.at);
}

// Adds the games of a file to those that are kept, all or none. Returns how many are new.
export function addGames(tables) {
  const before = tables.map(gamesOf), all = tables.map((table, place) => merged(before[place], table.games));
  const full = all.findIndex(games => games.length > MOST);
  if (full >= 0) throw new WrongFileError(t("Table {table}: with these there would be {n} games, and at most {most} are kept.", { table: full + 1, n: all[full].length, most: MOST }));
  const kept = tables.every((table, place) => keepGames(table, all[place]));
  if (!kept) {
    tables.forEach((table, place) => keepGames(table, before[place]));
    throw new WrongFileError(t("This browser has no room for these games."));
  }
  return all.reduce((sum, games, place) => sum + games.length - new Set(before[place].map(game => game.deal)).size, 0);
}
