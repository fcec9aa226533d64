// Seeds as they lie in a pit: scattered, but always the same way, so that only what changes moves.

const SVG = "http://www.w3.org/2000/svg";
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const SPACING = 11.6;
const RADIUS = 10;

/** A number from 0 to 1 that depends on the place only. */
function scatter(pit, seed, which) {
  let hash = Math.imul(pit + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b) ^ Math.imul(which + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 0xffffffff;
}

function seedAt(pit, index, [wide, high]) {
  const angle = index * GOLDEN_ANGLE + scatter(pit, 0, 3) * 2 * Math.PI;
  const distance = SPACING * Math.sqrt(index + 0.4);
  const jitter = (which) => (scatter(pit, index, which) - 0.5) * 3;
  const x = Math.cos(angle) * distance * wide + jitter(0);
  const y = Math.sin(angle) * distance * high + jitter(1);
  const seed = document.createElementNS(SVG, "ellipse");
  const size = RADIUS * (0.94 + 0.12 * scatter(pit, index, 4));
  seed.setAttribute("rx", size.toFixed(1));
  seed.setAttribute("ry", (size * 0.86).toFixed(1));
  seed.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${Math.round(scatter(pit, index, 2) * 180)})`);
  seed.setAttribute("fill", `url(#seed-${Math.floor(scatter(pit, index, 5) * 2.99)})`);
  return seed;
}

/** A pit's or a store's seeds. `room`: seeds that fit before they are drawn smaller. */
export class Seeds {
  constructor(pit, { store = false } = {}) {
    this.pit = pit;
    this.stretch = store ? [0.62, 1.95] : [1, 1];
    this.room = store ? 14 : 10;
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("viewBox", store ? "-100 -100 200 200" : "-50 -50 100 100");
    if (store) this.svg.setAttribute("preserveAspectRatio", "xMidYMid slice");
    this.svg.setAttribute("aria-hidden", "true");
    this.svg.classList.add("seeds");
    this.group = document.createElementNS(SVG, "g");
    this.svg.append(this.group);
  }

  show(count, dropped = false) {
    while (this.group.childElementCount > count) this.group.lastElementChild.remove();
    while (this.group.childElementCount < count) {
      const seed = seedAt(this.pit, this.group.childElementCount, this.stretch);
      if (dropped) seed.classList.add("dropped");
      this.group.append(seed);
    }
    const scale = Math.min(1, Math.sqrt(this.room / Math.max(count, 1)));
    this.group.style.setProperty("--scale", scale.toFixed(3));
  }
}
