//! Fitting a model, and choosing what to store where a position is free.

use std::cmp::Reverse;

use super::{Block, DEPTH, MAX_ROWS, MAX_STATES, MAX_TABLE, Model, SLOTS};

/// How closely a model follows its sample. A closer one saves some hundredths of a bit a position, but it has larger tables, and so takes
/// longer to fit and, where others have pushed them out of the cache, to decode.
#[derive(Clone, Copy)]
pub(crate) struct Closeness {
    /// Longest suffix that becomes a state.
    depth: usize,
    /// Fewer visits than this do not pay for a state.
    visits: u32,
    /// Bits of the sample that a cell must save to have a row other than its state's.
    saving: f32,
    rows: usize,
    /// Bits of the sample that a new row must promise.
    row_gain: f32,
}

impl Closeness {
    /// For tables that are probed often.
    pub(crate) const QUICK: Self = Self { depth: 4, visits: 1024, saving: 16.0, rows: 64, row_gain: 64.0 };

    /// For tables whose size counts.
    pub(crate) const CLOSE: Self =
        Self { depth: DEPTH, visits: 1024, saving: 8.0, rows: MAX_ROWS, row_gain: 8.0 };
}

/// Paths that [`Model::fill`] follows at once.
const BEAM: usize = 4;

/// How much dearer than the best a path may be, in 1/4096 bit.
const MARGIN: u32 = 4 << 12;

/// Rounds of fitting and filling; the last one gains 0.1 %.
const ROUNDS: usize = 4;

/// One of the cheapest ways to have come to a state.
#[derive(Clone, Copy, Default)]
struct Path {
    cost: u32,
    state: u16,
    symbol: u16,
    from: u8,
}

impl Model {
    /// The model that codes `blocks`, a plane or a sample of it, best.
    ///
    /// # Panics
    /// If an alphabet is empty or above [`super::MAX_ALPHABET`], or if a symbol or hint is outside its alphabet.
    pub(crate) fn fit(
        alphabet: usize,
        hint_alphabet: usize,
        blocks: &[Block<'_>],
        closeness: Closeness,
    ) -> Self {
        let mut model = Self::new(alphabet, hint_alphabet).expect("alphabets of 1 to 2048");
        let mut stored: Vec<Vec<u16>> = blocks.iter().map(|block| block.symbols.to_vec()).collect();
        let rounds = if blocks.iter().any(|block| block.free.is_some()) { ROUNDS } else { 1 };
        for round in 0..rounds {
            if round > 0 {
                stored = blocks.iter().map(|block| model.fill(block)).collect();
            }
            model.grow(&stored, closeness);
            model.cluster(&model.histograms(&stored, blocks), closeness);
        }
        model
    }

    /// Makes states of the suffixes that are frequent in `stored`, level by level.
    fn grow(&mut self, stored: &[Vec<u16>], closeness: Closeness) {
        let most = MAX_STATES.min(MAX_TABLE / (self.alphabet << self.hint_bits)).max(1);
        self.states.truncate(1);
        self.link();
        let mut level = 0;
        for depth in 0..closeness.depth {
            let mut counts = vec![0u32; self.states.len() << self.symbol_bits];
            for block in stored {
                let mut state = 0;
                for (at, &symbol) in block.iter().enumerate() {
                    if usize::from(state) >= level && at > depth {
                        let older = usize::from(block[at - 1 - depth]);
                        counts[usize::from(state) << self.symbol_bits | older] += 1;
                    }
                    state = self.after(state, symbol);
                }
            }
            let mut found: Vec<_> =
                (0..counts.len()).filter(|&key| counts[key] >= closeness.visits).collect();
            found.sort_by_key(|&key| Reverse(counts[key]));
            found.truncate(most - self.states.len());
            found.sort_unstable();
            level = self.states.len();
            let mask = (1 << self.symbol_bits) - 1;
            self.states.extend(found.iter().map(|&k| ((k >> self.symbol_bits) as u16, (k & mask) as u16)));
            self.link();
        }
    }

    /// How often each symbol stands in each cell.
    fn histograms(&self, stored: &[Vec<u16>], blocks: &[Block<'_>]) -> Vec<f32> {
        let mut counts = vec![0.0; (self.states.len() << self.hint_bits) * self.alphabet];
        for (symbols, block) in stored.iter().zip(blocks) {
            let mut state = 0;
            for (at, &symbol) in symbols.iter().enumerate() {
                let hint = block.hint(at);
                assert!(usize::from(hint) < self.hint_alphabet && usize::from(symbol) < self.alphabet);
                counts[self.cell(state, hint) * self.alphabet + usize::from(symbol)] += 1.0;
                state = self.after(state, symbol);
            }
        }
        counts
    }

    /// Gives each cell a row, and the rows their frequencies, for short codes of what `counts` counted.
    fn cluster(&mut self, counts: &[f32], closeness: Closeness) {
        let cells: Vec<Vec<(usize, f32)>> = counts
            .chunks_exact(self.alphabet)
            .map(|cell| cell.iter().copied().enumerate().filter(|(_, count)| *count > 0.0).collect())
            .collect();
        let used: Vec<usize> = (0..cells.len()).filter(|&cell| !cells[cell].is_empty()).collect();
        let mut all = vec![0.0; self.alphabet];
        used.iter().for_each(|&cell| add(&cells[cell], &mut all));
        let total = all.iter().sum::<f32>().max(1.0);
        // Rows lean a little to the whole: what a row has not seen is dear, not impossible.
        let lengths = |row: &[f32]| -> Vec<f32> {
            let sum = row.iter().sum::<f32>() + 0.1;
            let share = |(count, all): (&f32, &f32)| (count + 0.1 * all / total) / sum;
            row.iter().zip(&all).map(|pair| -share(pair).max(1.0 / 8192.0).log2()).collect()
        };
        let price = |cell: usize, lengths: &[f32]| -> f32 {
            cells[cell].iter().map(|&(symbol, count)| count * lengths[symbol]).sum()
        };
        // The first rows: each time the cell that gains most by its own.
        let own: Vec<f32> =
            used.iter().map(|&cell| price(cell, &lengths(&self.dense(counts, cell)))).collect();
        let mut rows = vec![lengths(&all)];
        let mut best: Vec<(f32, u8)> = used.iter().map(|&cell| (price(cell, &rows[0]), 0)).collect();
        while rows.len() < closeness.rows {
            let gains = best.iter().zip(&own).map(|(best, own)| best.0 - own).enumerate();
            let Some((seed, _)) =
                gains.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|top| top.1 > closeness.row_gain)
            else {
                break;
            };
            let row = lengths(&self.dense(counts, used[seed]));
            for (best, &cell) in best.iter_mut().zip(&used) {
                *best = min(*best, (price(cell, &row), rows.len() as u8));
            }
            rows.push(row);
        }
        let sums = |choice: &mut dyn Iterator<Item = (usize, u8)>, count: usize| {
            let mut sums = vec![vec![0.0; self.alphabet]; count];
            choice.for_each(|(cell, row)| add(&cells[cell], &mut sums[usize::from(row)]));
            sums[0].clone_from(&all);
            sums
        };
        let cheapest = |price: &dyn Fn(&[f32]) -> f32, rows: &[Vec<f32>]| {
            (0..=u8::MAX).zip(rows).map(|(id, row)| (price(row), id)).reduce(min).expect("row 0")
        };
        for _ in 0..5 {
            let choice = &mut used.iter().zip(&best).map(|(&cell, best)| (cell, best.1));
            rows = sums(choice, rows.len()).iter().map(|sum| lengths(sum)).collect();
            for (best, &cell) in best.iter_mut().zip(&used) {
                *best = cheapest(&|row| price(cell, row), &rows);
            }
        }
        // Each state's cells share the row that is best for their sum, but those that another one pays for.
        let per_state = 1 << self.hint_bits;
        self.cells = vec![0; cells.len()];
        for state in 0..self.states.len() {
            let range = state * per_state..(state + 1) * per_state;
            let common = cheapest(&|row| range.clone().map(|cell| price(cell, row)).sum(), &rows).1;
            self.cells[range].fill(common);
        }
        for (&cell, &(bits, row)) in used.iter().zip(&best) {
            if price(cell, &rows[usize::from(self.cells[cell])]) - bits > closeness.saving {
                self.cells[cell] = row;
            }
        }
        let sums = sums(&mut used.iter().map(|&cell| (cell, self.cells[cell])), rows.len());
        self.freqs = sums.iter().enumerate().flat_map(|(row, sum)| quantise(sum, row == 0)).collect();
        self.tabulate();
    }

    fn dense(&self, counts: &[f32], cell: usize) -> Vec<f32> {
        counts[cell * self.alphabet..][..self.alphabet].to_vec()
    }

    /// The symbols to store for `block`: the true ones, but what codes shortest where a position is free.
    pub(crate) fn fill(&self, block: &Block<'_>) -> Vec<u16> {
        let mut out = block.symbols.to_vec();
        let Some(free) = block.free else { return out };
        let mut trace = vec![[(0, 0); BEAM]; out.len()];
        let mut front = [Path::default(); BEAM];
        let mut count = 1;
        for (at, (&truth, trace)) in out.iter().zip(&mut trace).enumerate() {
            let (mut new, mut found) = ([Path::default(); BEAM], 0);
            for (from, path) in (0..).zip(&front[..count]) {
                let cell = usize::from(self.cells[self.cell(path.state, block.hint(at))]);
                let cheapest = &self.cheapest[cell * self.alphabet..][..self.alphabet];
                let choice = if free[at] { cheapest } else { &[truth] };
                for &symbol in choice {
                    // Relative to the best, so that blocks of any length fit.
                    let cost =
                        path.cost - front[0].cost + self.costs[cell * self.width() + usize::from(symbol)];
                    let dear = if found == BEAM { new[BEAM - 1].cost } else { new[0].cost + MARGIN };
                    if found > 0 && cost >= dear {
                        break;
                    }
                    if symbol <= truth {
                        let state = self.after(path.state, symbol);
                        found = insert(&mut new, found, Path { cost, state, symbol, from });
                    }
                }
            }
            *trace = new.map(|path| (path.symbol, path.from));
            (front, count) = (new, found);
        }
        let mut at = 0;
        for (symbol, trace) in out.iter_mut().zip(&trace).rev() {
            (*symbol, at) = trace[usize::from(at)];
        }
        out
    }
}

fn add(cell: &[(usize, f32)], sum: &mut [f32]) {
    cell.iter().for_each(|&(symbol, count)| sum[symbol] += count);
}

/// The cheaper, the first of equals.
fn min(a: (f32, u8), b: (f32, u8)) -> (f32, u8) {
    if b.0 < a.0 { b } else { a }
}

/// Puts `path` among the `count` cheapest, at most one a state; how many they are then.
#[inline]
fn insert(paths: &mut [Path; BEAM], count: usize, path: Path) -> usize {
    let (mut place, count) = match paths[..count].iter().position(|other| other.state == path.state) {
        Some(same) if paths[same].cost <= path.cost => return count,
        Some(same) => (same, count),
        None => (count.min(BEAM - 1), BEAM.min(count + 1)),
    };
    while place > 0 && paths[place - 1].cost > path.cost {
        paths[place] = paths[place - 1];
        place -= 1;
    }
    paths[place] = path;
    count
}

/// Frequencies of the symbols and the escape that sum to [`SLOTS`]. `whole`: none is 0, and there is no escape.
fn quantise(counts: &[f32], whole: bool) -> Vec<u16> {
    let scale = SLOTS as f32 / counts.iter().sum::<f32>().max(1.0);
    let mut rare = 0.0;
    let mut freqs: Vec<u16> = Vec::with_capacity(counts.len() + 1);
    for count in counts {
        let share = count * scale;
        let kept = whole || share >= 0.5;
        rare += if kept { 0.0 } else { share };
        freqs.push(if kept { (share.round() as u16).max(1) } else { 0 });
    }
    freqs.push(if freqs.contains(&0) { (rare.round() as u16).max(1) } else { 0 });
    loop {
        let sum: u32 = freqs.iter().map(|&freq| u32::from(freq)).sum();
        let top = (0..freqs.len()).rev().max_by_key(|&at| freqs[at]).expect("the escape");
        match sum.checked_sub(SLOTS) {
            Some(0) => return freqs,
            Some(over) => freqs[top] -= over.min(u32::from(freqs[top]) / 4).max(1) as u16,
            None => freqs[top] += (SLOTS - sum) as u16,
        }
    }
}
