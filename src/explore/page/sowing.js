// A sowing that is watched: seed by seed, lap by lap, forward and back.

/** Seeds a second, by the place of the slider. */
const SPEEDS = [2, 4, 7, 12, 20, 40, 120, Infinity];

/** The steps of a sowing: lift, sow, take. */
function framesOf({ before, trace, after }, mover) {
  const frames = [];
  trace.laps.forEach(({ from, path }, lap) => {
    frames.push({ kind: "lift", pit: from, lap });
    path.forEach((pit, at) => frames.push({ kind: "sow", pit, lap, left: path.length - at - 1 }));
  });
  const last = Math.max(trace.laps.length - 1, 0);
  if (trace.complete) {
    trace.taken.forEach(({ pit, seeds }) => frames.push({ kind: "take", pit, seeds, mover, lap: last }));
  } else {
    frames.push({ kind: "rest", counts: after.counts, stores: after.stores, lap: last });
  }
  return { frames, start: before };
}

export class Sowing {
  /** `told(sowing)` after every step; `ended()` once it is over. */
  constructor(board, told, ended) {
    this.board = board;
    this.told = told;
    this.ended = ended;
    this.speed = 4;
    this.frames = [];
    this.active = false;
    this.paused = false;
  }

  /** Begins to show a move that was played. `stores`: those before it. */
  begin(played, stores, mover, { paused = false } = {}) {
    const { frames, start } = framesOf(played, mover);
    this.frames = frames;
    this.start = { counts: start, stores };
    this.laps = played.laps;
    this.shown = played.trace.laps.length;
    this.at = 0;
    this.state = { counts: [...start], stores: [...stores], held: 0 };
    this.active = true;
    this.paused = paused;
    this.board.root.dataset.state = "sowing";
    this.board.clearBadges();
    this.show(null);
    this.told(this);
    this.clock = performance.now();
    this.due = 0;
    if (!paused) this.run();
  }

  get length() {
    return this.frames.length;
  }

  get lap() {
    return this.frames[Math.min(this.at, this.length - 1)]?.lap ?? 0;
  }

  apply(frame) {
    const { counts, stores } = this.state;
    if (frame.kind === "lift") {
      this.state.held = counts[frame.pit];
      counts[frame.pit] = 0;
    } else if (frame.kind === "sow") {
      counts[frame.pit] += 1;
      this.state.held -= 1;
    } else if (frame.kind === "take") {
      counts[frame.pit] -= frame.seeds;
      stores[frame.mover === "south" ? 0 : 1] += frame.seeds;
    } else {
      this.state.counts = [...frame.counts];
      this.state.stores = [...frame.stores];
    }
  }

  show(frame) {
    const { counts, stores, held } = this.state;
    const rate = SPEEDS[this.speed - 1];
    const seen = rate <= 40 && !this.board.still;
    this.board.seeds(counts, stores, seen && frame?.kind !== "lift" ? (frame?.pit ?? null) : null);
    if (frame) this.board.holdOver(frame.kind === "rest" ? null : frame.pit, held, this.board.still ? 0 : 1 / rate);
  }

  /** One step on. */
  step() {
    if (this.at >= this.length) return this.end();
    const frame = this.frames[this.at];
    this.apply(frame);
    this.at += 1;
    this.show(frame);
    this.told(this);
    return undefined;
  }

  run() {
    cancelAnimationFrame(this.timer);
    const tick = (now) => {
      if (!this.active || this.paused) return;
      const rate = SPEEDS[this.speed - 1];
      if (rate === Infinity) {
        this.end();
        return;
      }
      // Lifting and taking are looked at for longer than one seed.
      const weight = (frame) => (frame?.kind === "lift" ? 2 : frame?.kind === "take" ? 3 : 1);
      this.due += ((now - this.clock) / 1000) * rate;
      this.clock = now;
      let last = null;
      while (this.at < this.length && this.due >= weight(this.frames[this.at])) {
        last = this.frames[this.at];
        this.due -= weight(last);
        this.apply(last);
        this.at += 1;
      }
      if (last) {
        this.show(last);
        this.told(this);
      }
      if (this.at >= this.length && this.due >= 3) {
        this.end();
        return;
      }
      this.timer = requestAnimationFrame(tick);
    };
    this.clock = performance.now();
    this.timer = requestAnimationFrame(tick);
  }

  pause(paused) {
    if (!this.active) return;
    this.paused = paused;
    this.told(this);
    if (!paused) this.run();
  }

  /** To a step, forward or back; stays there. */
  seek(to) {
    if (!this.active) return;
    this.paused = true;
    const target = Math.max(0, Math.min(to, this.length));
    if (target < this.at) {
      this.state = { counts: [...this.start.counts], stores: [...this.start.stores], held: 0 };
      this.at = 0;
    }
    while (this.at < target) this.apply(this.frames[this.at++]);
    this.show(this.frames[this.at - 1] ?? null);
    if (this.at === 0) this.board.holdOver(null);
    this.told(this);
  }

  /** To the beginning of a lap, counted from here. */
  lapBy(by) {
    const starts = this.frames.flatMap((frame, at) => (frame.kind === "lift" ? [at] : []));
    starts.push(this.length);
    if (by > 0) this.seek(starts.find((at) => at > this.at) ?? this.length);
    else this.seek(starts.filter((at) => at < this.at).pop() ?? 0);
  }

  end() {
    if (!this.active) return;
    this.active = false;
    cancelAnimationFrame(this.timer);
    this.board.holdOver(null);
    this.ended();
  }
}
