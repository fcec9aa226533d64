// How numbers are said: values, bounds, results and verdicts.

const MINUS = "−";

/** A value with its sign: +8, −3, and = for 0. */
export function signed(value) {
  if (value === 0) return "=";
  return value > 0 ? `+${value}` : `${MINUS}${-value}`;
}

/** A value in a sentence, where "=" would not be understood. */
export function number(value) {
  return value === 0 ? "0" : signed(value);
}

/** Proven bounds: one number where they are equal. */
export function range([lower, upper]) {
  return lower === upper ? signed(lower) : `${number(lower)} to ${number(upper)}`;
}

export const name = (side) => (side === "south" ? "South" : "North");
export const other = (side) => (side === "south" ? "north" : "south");

export function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** Final stores if `value` is what the side to move still wins over the other. */
export function finalStores(legal, value) {
  const mover = legal.turn === "south" ? 0 : 1;
  const stores = [...legal.stores];
  stores[mover] += (legal.seeds + value) / 2;
  stores[1 - mover] += (legal.seeds - value) / 2;
  return { south: stores[0], north: stores[1] };
}

/** The position is one of a whole game: stores and board make up all seeds. */
export function isWhole(legal) {
  return legal.stores[0] + legal.stores[1] + legal.seeds === legal.board.seeds;
}

/** Who wins, 28–20. */
export function outcome({ south, north }) {
  if (south === north) return `A draw, ${south}–${north}`;
  return south > north ? `South wins ${south}–${north}` : `North wins ${north}–${south}`;
}

/** What is proven of a position, in one sentence with its units. */
export function verdict(legal, known) {
  const whole = isWhole(legal);
  const said = ({ south, north }, how) =>
    whole
      ? `${outcome({ south, north })}${how}.`
      : `South takes ${south} and North ${north} of the ${plural(legal.seeds, "seed")} left${how}.`;
  if (legal.over) {
    const { south, north } = legal.result;
    const [s, n] = legal.stores;
    return whole ? said(legal.result, "") : said({ south: south - s, north: north - n }, "");
  }
  if (!known) return "";
  const [lower, upper] = known.bounds;
  if (lower === upper) {
    const result = finalStores(legal, lower);
    const [s, n] = legal.stores;
    return said(whole ? result : { south: result.south - s, north: result.north - n }, " with best play. Exact");
  }
  const proven = `Proven so far: value ${range(known.bounds)} for ${name(legal.turn)}`;
  if (!whole) return `${proven}.`;
  const ends = [lower, upper].map((value) => {
    const { south, north } = finalStores(legal, value);
    return Math.sign(south - north);
  });
  if (ends[0] === ends[1] && ends[0] !== 0) return `${ends[0] > 0 ? "South" : "North"} wins. ${proven}.`;
  return `${proven}. The winner is open.`;
}

/** South's final seeds minus North's, as bounds. */
export function margins(legal, known) {
  const margin = (value) => {
    const { south, north } = finalStores(legal, value);
    return south - north;
  };
  if (legal.over) {
    const { south, north } = legal.result;
    return [south - north, south - north];
  }
  if (!known) return null;
  return known.bounds.map(margin).sort((a, b) => a - b);
}
