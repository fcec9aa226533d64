//! Entropy coding of one plane of an endgame table, in blocks that decode on their own.
//!
//! A plane holds one small number a position, in rank order. Neighbours in rank order differ in few seeds, so what came
//! just before says much about what follows. A [`Model`] holds that knowledge once for a whole file; a block then
//! needs no warm-up and can be some hundred positions short.
//!
//! # Contexts
//! The last symbols of the block are followed by a state machine: its states are the suffixes (up to [`DEPTH`] symbols)
//! seen often enough, a variable-order Markov source (Rissanen, "A universal data compression system",
//! 1983). State and the caller's *hint* (any small function of the position that the reader knows too) choose a cell,
//! and a cell one of at most [`MAX_ROWS`] *rows* of frequencies: cells are clustered by code length as in k-means, for
//! the tables must stay in the cache. A symbol too rare for its row is an escape followed by its code in row 0,
//! which has all symbols.
//!
//! # Coding
//! Range variant of asymmetric numeral systems (J. Duda, "Asymmetric numeral systems", 2013): 32 bits of state, renormalised
//! by 16. The coder starts at state 0, not at the lower bound, and a row's likeliest symbol comes first: a block's whole
//! overhead is then about 7 bits. Without bytes left the decoder lets its state sink, and must end at 0. It finds a symbol by
//! comparing its slot with the first slots of eight symbols at once, the likeliest first: a table from slot to symbol takes 4 KiB
//! a row, all rows together more than a cache, and a probe that goes from tier to tier would wait for memory.
//!
//! # Free positions
//! Where a position's value is its best exit, which the reader computes itself, any symbol not above the true one
//! may be stored. [`Model::fill`] looks for the cheapest with a beam of paths (Viterbi's algorithm, cut to a few states),
//! since what is stored becomes the context of what follows; [`Model::fit`] fills and fits in turns.

mod fit;

use std::cmp::Reverse;
use std::collections::BTreeMap;

pub(crate) use fit::Closeness;

/// Positions a block, where nothing else decides: twice as many save 0.03 bits a position and double a probe's time.
pub(crate) const BLOCK: u16 = 512;

/// Largest alphabet: every symbol has a slot in row 0.
pub(crate) const MAX_ALPHABET: usize = SLOTS as usize;

const SLOT_BITS: u32 = 11;
const SLOTS: u32 = 1 << SLOT_BITS;

/// Symbols that a slot is compared with at once.
const LANES: usize = 8;

/// Lower bound of the coder's state, once it has been passed.
const LOW: u32 = 1 << 16;

/// Twice as many gain 0.1 to 0.4 %.
const MAX_ROWS: usize = 256;

/// A quarter of it makes the files of smaller tiers no larger, but adds about 0.01 bits a position to 28 seeds of Hoyito II.
const MAX_STATES: usize = 4096;

/// Longest suffix that is a state.
const DEPTH: usize = 8;

/// Entries of the largest table: cells times symbols while fitting.
const MAX_TABLE: usize = 1 << 24;

/// Bytes that no encoder wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("corrupt table data")]
pub(crate) struct Corrupt;

/// A run of positions.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    /// Below the alphabet.
    pub(crate) symbols: &'a [u16],
    /// Where any symbol up to the true one may be stored.
    pub(crate) free: Option<&'a [bool]>,
    /// Below the alphabet of hints; what the reader knows of each position beforehand.
    pub(crate) hints: Option<&'a [u16]>,
}

impl Block<'_> {
    fn hint(&self, at: usize) -> u16 {
        hint(self.hints, at)
    }
}

fn hint(hints: Option<&[u16]>, at: usize) -> u16 {
    hints.and_then(|hints| hints.get(at)).copied().unwrap_or(0)
}

/// What a file says once about the symbols of a plane.
pub(crate) struct Model {
    alphabet: usize,
    hint_alphabet: usize,
    symbol_bits: u32,
    hint_bits: u32,
    /// Each state's suffix without its oldest symbol, as a state, and that symbol; state 0 is the empty suffix.
    states: Vec<(u16, u16)>,
    /// The state after a symbol, by state and symbol.
    next: Vec<u16>,
    /// The row, by state and hint.
    cells: Vec<u8>,
    /// Frequencies that sum to [`SLOTS`], by row and symbol; last of a row is the escape's.
    freqs: Vec<u16>,
    /// Frequency and first slot, where `freqs` has the frequency.
    ranges: Vec<[u16; 2]>,
    /// The first slot of each symbol of a row, likeliest first, in lanes of eight; then [`SLOTS`], at least once.
    starts: Vec<[u16; LANES]>,
    /// The symbols in that order.
    order: Vec<u16>,
    /// Code length in 1/4096 bit, by row and symbol.
    costs: Vec<u32>,
    /// All symbols of each row, cheapest first.
    cheapest: Vec<u16>,
}

/// A block being decoded.
struct Lane<'a> {
    /// The coder's state.
    x: u32,
    /// Bytes not taken yet.
    rest: &'a [u8],
    /// The state by the last symbols.
    state: u16,
}

/// How many of the first slots are not behind `slot`: four 16-bit numbers are compared in one subtraction, none of which
/// reaches the highest bit.
#[inline(always)]
fn reached(starts: &[u16; LANES], slot: u32) -> usize {
    const ONES: u64 = 0x0001_0001_0001_0001;
    let four = |at: usize| {
        let starts = (0..4).fold(0, |word, i| word | u64::from(starts[at + i]) << (16 * i));
        let signs = (((u64::from(slot) * ONES) | (ONES << 15)) - starts) >> 15 & ONES;
        signs.wrapping_mul(ONES) >> 48
    };
    (four(0) + four(4)) as usize
}

impl<'a> Lane<'a> {
    #[inline(always)]
    fn new(bytes: &'a [u8]) -> Self {
        let (head, rest) = bytes.split_at(if bytes.len() < 3 { bytes.len() } else { 4 - bytes.len() % 2 });
        Self { x: head.iter().rev().fold(0, |x, &byte| x << 8 | u32::from(byte)), rest, state: 0 }
    }

    /// The next symbol, by the frequencies of a row.
    #[inline(always)]
    fn step(&mut self, model: &Model, row: usize) -> u16 {
        let slot = self.x & (SLOTS - 1);
        let lanes = model.lanes();
        let starts = &model.starts[row * lanes..][..lanes];
        let mut until = 0;
        for lane in starts {
            let reached = reached(lane, slot);
            until += reached;
            if reached < LANES {
                break;
            }
        }
        let starts = starts.as_flattened();
        let (start, end) = (u32::from(starts[until - 1]), u32::from(starts[until]));
        let symbol = model.order[row * lanes * LANES + until - 1];
        self.x = (end - start) * (self.x >> SLOT_BITS) + slot - start;
        if self.x < LOW
            && let Some((word, tail)) = self.rest.split_first_chunk()
        {
            self.x = self.x << 16 | u32::from(u16::from_le_bytes(*word));
            self.rest = tail;
        }
        symbol
    }
}

impl Model {
    fn new(alphabet: usize, hint_alphabet: usize) -> Option<Self> {
        let right = |size: usize| (1..=MAX_ALPHABET).contains(&size);
        let bits = |size: usize| size.next_power_of_two().trailing_zeros();
        (right(alphabet) && right(hint_alphabet)).then(|| Self {
            alphabet,
            hint_alphabet,
            symbol_bits: bits(alphabet),
            hint_bits: bits(hint_alphabet),
            states: vec![(0, 0)],
            next: Vec::new(),
            cells: Vec::new(),
            freqs: Vec::new(),
            ranges: Vec::new(),
            starts: Vec::new(),
            order: Vec::new(),
            costs: Vec::new(),
            cheapest: Vec::new(),
        })
    }

    /// Symbols and the escape.
    fn width(&self) -> usize {
        self.alphabet + 1
    }

    /// Lanes of a row: its width and one more.
    fn lanes(&self) -> usize {
        self.width() / LANES + 1
    }

    fn cell(&self, state: u16, hint: u16) -> usize {
        usize::from(state) << self.hint_bits | usize::from(hint) & ((1 << self.hint_bits) - 1)
    }

    fn after(&self, state: u16, symbol: u16) -> u16 {
        self.next[usize::from(state) << self.symbol_bits | usize::from(symbol)]
    }

    /// Where the row of a cell starts in the tables by row and symbol.
    fn row(&self, state: u16, hint: u16) -> usize {
        usize::from(self.cells[self.cell(state, hint)]) * self.width()
    }

    /// Computes `next` from `states`: the longest suffix of the symbol and what the state remembers.
    fn link(&mut self) {
        let children: BTreeMap<_, _> =
            (0u16..).zip(&self.states).skip(1).map(|(id, &key)| (key, id)).collect();
        self.next = vec![0; self.states.len() << self.symbol_bits];
        for state in 0..self.states.len() {
            let mut suffix = Vec::new();
            let mut at = state;
            while at != 0 {
                suffix.push(self.states[at].1);
                at = usize::from(self.states[at].0);
            }
            for symbol in 0..self.alphabet as u16 {
                let texts = std::iter::once(&symbol).chain(suffix.iter().rev());
                let longest = texts.scan(0, |at, &text| {
                    *at = *children.get(&(*at, text))?;
                    Some(*at)
                });
                self.next[state << self.symbol_bits | usize::from(symbol)] = longest.last().unwrap_or(0);
            }
        }
    }

    /// Computes all tables by row from `freqs`, whose rows sum to [`SLOTS`].
    fn tabulate(&mut self) {
        let width = self.width();
        self.ranges = vec![[0, 0]; self.freqs.len()];
        self.starts.clear();
        self.order.clear();
        self.costs.clear();
        self.cheapest.clear();
        let bits = |freq: u16| ((SLOT_BITS as f32 - f32::from(freq).log2()) * 4096.0) as u32;
        for (row, freqs) in self.freqs.chunks_exact(width).enumerate() {
            let mut order: Vec<u16> = (0..width as u16).collect();
            order.sort_by_key(|&symbol| Reverse(freqs[usize::from(symbol)]));
            let mut start = 0;
            let mut starts = vec![[SLOTS as u16; LANES]; self.lanes()];
            for (first, &symbol) in starts.as_flattened_mut().iter_mut().zip(&order) {
                let freq = freqs[usize::from(symbol)];
                self.ranges[row * width + usize::from(symbol)] = [freq, start];
                *first = start;
                start += freq;
            }
            self.starts.extend(starts);
            self.order.extend(&order);
            self.order.resize(self.starts.len() * LANES, 0);
            let cost = |(symbol, &freq): (usize, &u16)| match freq {
                0 if symbol < self.alphabet => bits(freqs[width - 1]) + bits(self.freqs[symbol]),
                0 => 0,
                _ => bits(freq),
            };
            let costs: Vec<u32> = freqs.iter().enumerate().map(cost).collect();
            order.retain(|&symbol| usize::from(symbol) < self.alphabet);
            order.sort_by_key(|&symbol| costs[usize::from(symbol)]);
            self.costs.extend(costs);
            self.cheapest.extend(order);
        }
    }

    /// Whether hints tell the model anything.
    pub(crate) fn hinted(&self) -> bool {
        self.hint_alphabet > 1
    }

    /// The code of a block's stored symbols.
    ///
    /// # Panics
    /// If a symbol is outside the alphabet.
    pub(crate) fn encode(&self, stored: &[u16], hints: Option<&[u16]>) -> Vec<u8> {
        let mut steps = Vec::with_capacity(stored.len());
        let mut state = 0;
        for (at, &symbol) in stored.iter().enumerate() {
            assert!(usize::from(symbol) < self.alphabet);
            let row = self.row(state, hint(hints, at));
            match self.ranges[row + usize::from(symbol)] {
                [0, _] => steps.extend([self.ranges[row + self.alphabet], self.ranges[usize::from(symbol)]]),
                range => steps.push(range),
            }
            state = self.after(state, symbol);
        }
        // The decoder takes last what the coder puts first.
        let (mut x, mut words) = (0u32, Vec::new());
        for &[freq, start] in steps.iter().rev() {
            let freq = u32::from(freq);
            if u64::from(x) >= u64::from(freq) << (32 - SLOT_BITS) {
                words.push(x as u16);
                x >>= 16;
            }
            x = ((x / freq) << SLOT_BITS) + x % freq + u32::from(start);
        }
        // Three bytes or four, told by the parity of all; fewer only without words.
        let mut head = 4 - x.leading_zeros() as usize / 8;
        if !words.is_empty() {
            head = head.max(3);
        }
        let mut out = x.to_le_bytes()[..head].to_vec();
        words.iter().rev().for_each(|word| out.extend(word.to_le_bytes()));
        out
    }

    /// Decodes a whole block: all bytes must be used up and the coder's state be the first one.
    ///
    /// A block cut short passes that check about once in 50, a wrong count of likely last symbols always (a stronger
    /// check would cost each block its bits): a file needs a checksum beside it.
    pub(crate) fn decode(&self, bytes: &[u8], hints: Option<&[u16]>, out: &mut [u16]) -> Result<(), Corrupt> {
        if self.run([bytes], [hints], [out]) == [(0, 0)] { Ok(()) } else { Err(Corrupt) }
    }

    /// Decodes the first symbols of a block, unchecked: corrupt bytes give wrong symbols, of the alphabet still.
    ///
    /// Hints must be of their alphabet.
    pub(crate) fn decode_prefix(&self, bytes: &[u8], hints: Option<&[u16]>, out: &mut [u16]) {
        self.run([bytes], [hints], [out]);
    }

    /// Decodes two whole blocks of equal length, unchecked like [`Self::decode_prefix`]: each step of a block waits for the one before, and
    /// here both wait at the same time.
    ///
    /// # Panics
    /// If the lengths differ.
    pub(crate) fn decode_pair(&self, bytes: [&[u8]; 2], hints: [Option<&[u16]>; 2], out: [&mut [u16]; 2]) {
        self.run(bytes, hints, out);
    }

    /// Decodes blocks side by side, as many symbols as there is room for; for each the coder's state and the number of bytes that are left.
    #[inline(always)]
    fn run<const N: usize>(
        &self,
        bytes: [&[u8]; N],
        hints: [Option<&[u16]>; N],
        mut out: [&mut [u16]; N],
    ) -> [(u32, usize); N] {
        let mut lanes = bytes.map(Lane::new);
        let hints = hints.map(|hints| hints.unwrap_or(&[]));
        let len = out.first().map_or(0, |out| out.len());
        assert!(out.iter().all(|out| out.len() == len), "blocks of one length are decoded together");
        for at in 0..len {
            for ((lane, hints), out) in lanes.iter_mut().zip(hints).zip(&mut out) {
                let cell = self.cell(lane.state, hints.get(at).copied().unwrap_or(0));
                let mut symbol = lane.step(self, usize::from(self.cells[cell]));
                if usize::from(symbol) == self.alphabet {
                    symbol = lane.step(self, 0);
                }
                lane.state = self.after(lane.state, symbol);
                out[at] = symbol;
            }
        }
        lanes.map(|lane| (lane.x, lane.rest.len()))
    }

    /// The model as bytes: sizes, tree of states, rows of cells, frequencies, all but the rows of 7-bit groups.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let rows = self.freqs.len() / self.width();
        for size in [self.alphabet, self.hint_alphabet, self.states.len(), rows] {
            put(&mut out, size);
        }
        for state in 0..self.states.len() {
            let children = self.states[1..].iter().filter(|child| usize::from(child.0) == state);
            put(&mut out, children.clone().count());
            children.for_each(|child| put(&mut out, usize::from(child.1)));
        }
        for cells in self.cells.chunks_exact(1 << self.hint_bits) {
            let cells = &cells[..self.hint_alphabet];
            let mut counts = [0; 256];
            cells.iter().for_each(|&row| counts[usize::from(row)] += 1);
            let common = (0..=u8::MAX).max_by_key(|&row| counts[usize::from(row)]).unwrap_or(0);
            out.push(common);
            let bits = |part: &[u8]| {
                (0..).zip(part).fold(0, |bits, (at, row)| bits | u8::from(*row != common) << at)
            };
            out.extend(cells.chunks(8).map(bits));
            out.extend(cells.iter().filter(|&&row| row != common));
        }
        for part in self.freqs.chunk_by(|a, b| *a == 0 && *b == 0) {
            put(&mut out, usize::from(part[0]));
            if part[0] == 0 {
                put(&mut out, part.len());
            }
        }
        out
    }

    /// What [`Self::to_bytes`] wrote, checked so far that no block can lead outside the tables.
    pub(crate) fn from_bytes(mut bytes: &[u8]) -> Result<Self, Corrupt> {
        let input = &mut bytes;
        let mut model = Self::new(take(input)?, take(input)?).ok_or(Corrupt)?;
        let (states, rows) = (take(input)?, take(input)?);
        let table = (states << model.hint_bits).max(states << model.symbol_bits).max(rows * model.width());
        ensure((1..=MAX_STATES).contains(&states) && (1..=MAX_ROWS).contains(&rows) && table <= MAX_TABLE)?;
        let mut depths = vec![0];
        for state in 0..states {
            ensure(state < depths.len())?;
            let mut least = 0;
            for _ in 0..take(input)? {
                let symbol = take(input)?;
                ensure(
                    (least..model.alphabet).contains(&symbol)
                        && depths[state] < DEPTH
                        && depths.len() < states,
                )?;
                least = symbol + 1;
                model.states.push((state as u16, symbol as u16));
                depths.push(depths[state] + 1);
            }
        }
        ensure(depths.len() == states)?;
        for _ in 0..states {
            let common = take_bytes(input, 1)?[0];
            let flags = take_bytes(input, model.hint_alphabet.div_ceil(8))?;
            for hint in 0..1 << model.hint_bits {
                let other = hint < model.hint_alphabet && flags[hint / 8] >> (hint % 8) & 1 == 1;
                let row = if other { take_bytes(input, 1)?[0] } else { common };
                ensure(usize::from(row) < rows)?;
                model.cells.push(row);
            }
        }
        while model.freqs.len() < rows * model.width() {
            let freq = take(input)?;
            let run = if freq == 0 { take(input)? } else { 1 };
            ensure(freq <= SLOTS as usize && run <= rows * model.width() - model.freqs.len())?;
            model.freqs.extend(std::iter::repeat_n(freq as u16, run));
        }
        for (row, freqs) in model.freqs.chunks_exact(model.width()).enumerate() {
            let (&escape, symbols) = freqs.split_last().ok_or(Corrupt)?;
            let whole = symbols.iter().all(|&freq| freq > 0);
            ensure(freqs.iter().map(|&freq| u32::from(freq)).sum::<u32>() == SLOTS)?;
            ensure(whole != (escape > 0) && (whole || row > 0))?;
        }
        ensure(input.is_empty())?;
        model.link();
        model.tabulate();
        Ok(model)
    }
}

fn ensure(right: bool) -> Result<(), Corrupt> {
    if right { Ok(()) } else { Err(Corrupt) }
}

fn put(out: &mut Vec<u8>, mut number: usize) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A number that [`put`] wrote, below 2^21.
fn take(bytes: &mut &[u8]) -> Result<usize, Corrupt> {
    let mut number = 0;
    for shift in [0, 7, 14] {
        let byte = take_bytes(bytes, 1)?[0];
        number |= usize::from(byte & 127) << shift;
        if byte < 128 {
            return Ok(number);
        }
    }
    Err(Corrupt)
}

fn take_bytes<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], Corrupt> {
    let (taken, rest) = bytes.split_at_checked(count).ok_or(Corrupt)?;
    *bytes = rest;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Symbols, which of them are free, and hints.
    type Plane = (Vec<u16>, Vec<bool>, Vec<u16>);

    /// Positions whose symbols follow the one before, a hint and now and then nothing.
    fn plane(alphabet: u16, hints: u16, length: usize) -> Plane {
        let mut seed = 1u64;
        let mut random = |below: u16| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % u64::from(below)) as u16
        };
        let (mut symbols, mut free, mut known) = (vec![0], vec![false], vec![0]);
        while symbols.len() < length {
            let hint = random(hints);
            let last = symbols[symbols.len() - 1];
            symbols.push(if random(8) == 0 { random(alphabet) } else { (last + hint % 2) % alphabet });
            free.push(random(3) == 0);
            known.push(hint);
        }
        (symbols, free, known)
    }

    fn blocks<'a>((symbols, free, hints): &'a Plane, length: usize) -> Vec<Block<'a>> {
        let parts = symbols.chunks(length).zip(free.chunks(length)).zip(hints.chunks(length));
        parts
            .map(|((symbols, free), hints)| Block { symbols, free: Some(free), hints: Some(hints) })
            .collect()
    }

    /// Fills, encodes and decodes; the number of bytes.
    fn round_trip(model: &Model, block: &Block<'_>) -> usize {
        let stored = model.fill(block);
        assert_eq!(stored.len(), block.symbols.len());
        for (at, (&stored, &truth)) in stored.iter().zip(block.symbols).enumerate() {
            let free = block.free.is_some_and(|free| free[at]);
            assert!(stored == truth || free && stored < truth);
        }
        let bytes = model.encode(&stored, block.hints);
        let mut out = vec![u16::MAX; stored.len()];
        assert_eq!(model.decode(&bytes, block.hints, &mut out), Ok(()));
        assert_eq!(out, stored);
        let mut out = vec![u16::MAX; stored.len() / 3];
        model.decode_prefix(&bytes, block.hints, &mut out);
        assert_eq!(out, stored[..out.len()]);
        bytes.len()
    }

    fn small() -> (Model, Plane) {
        let plane = plane(9, 4, 20_000);
        (Model::fit(9, 4, &blocks(&plane, BLOCK.into()), Closeness::CLOSE), plane)
    }

    #[test]
    fn a_fitted_model_codes_well_and_survives_its_bytes() {
        let (model, plane) = small();
        let again = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(again.to_bytes(), model.to_bytes());
        let mut bytes = 0;
        for block in blocks(&plane, BLOCK.into()) {
            bytes += round_trip(&model, &block);
            assert_eq!(
                again.encode(&again.fill(&block), block.hints),
                model.encode(&model.fill(&block), block.hints)
            );
        }
        // One symbol in eight is noise: 0.9 bits a position were none free, 3.2 without any context.
        assert!(bytes * 8 < 20_000, "{bytes}");
        assert_eq!(
            Model::fit(9, 4, &blocks(&plane, BLOCK.into()), Closeness::CLOSE).to_bytes(),
            model.to_bytes(),
            "deterministic"
        );
    }

    #[test]
    fn the_smallest_planes() {
        for sample in [&[][..], &[0; 3]] {
            let block = Block { symbols: sample, free: None, hints: None };
            let one = Model::fit(1, 1, &[block], Closeness::CLOSE);
            assert_eq!(round_trip(&one, &Block { symbols: &[0; 999], ..block }), 0, "nothing to tell");
            for alphabet in [2, 7, 300, 2048] {
                let model = Model::fit(alphabet, 1, &[block], Closeness::QUICK);
                let model = Model::from_bytes(&model.to_bytes()).unwrap();
                round_trip(&model, &Block { symbols: &[], ..block });
                for symbol in 0..alphabet as u16 {
                    round_trip(
                        &model,
                        &Block { symbols: &[symbol], free: Some(&[symbol % 2 == 0]), ..block },
                    );
                }
            }
        }
        assert!(Model::from_bytes(&[]).is_err());
    }

    #[test]
    fn damaged_blocks_are_no_panic() {
        let (model, plane) = small();
        let block = blocks(&plane, 300)[7];
        let bytes = model.encode(&model.fill(&block), block.hints);
        let mut out = vec![0; 300];
        let whole = |bytes: &[u8]| model.decode(bytes, block.hints, &mut [0; 300]).is_ok();
        let missed = (0..bytes.len()).filter(|&cut| whole(&bytes[..cut]) || whole(&bytes[cut + 1..])).count();
        assert!(missed * 5 < bytes.len(), "{missed} of {} cuts unseen", bytes.len());
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let _ = model.decode(&bytes, block.hints, &mut out);
            assert!(out.iter().all(|&symbol| symbol < 9));
        }
        assert_eq!(model.decode(&bytes, block.hints, &mut out), Ok(()));
        let _ = model.decode(&bytes, Some(&[u16::MAX; 5]), &mut out);
    }

    #[test]
    fn damaged_models_are_no_panic() {
        let (model, plane) = small();
        let bytes = model.to_bytes();
        for cut in 0..bytes.len() {
            assert!(Model::from_bytes(&bytes[..cut]).is_err());
        }
        let block = blocks(&plane, 300)[7];
        let code = model.encode(&model.fill(&block), block.hints);
        for bit in (0..bytes.len() * 8).step_by(7) {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(model) = Model::from_bytes(&bytes) {
                let mut out = vec![0; 300];
                let _ = model.decode(&code, block.hints, &mut out);
                let truth: Vec<u16> =
                    block.symbols.iter().map(|&s| s.min(model.alphabet as u16 - 1)).collect();
                round_trip(&model, &Block { symbols: &truth, ..block });
            }
        }
    }

    #[test]
    fn slots_are_compared_with_eight_at_once() {
        for starts in [
            [0, 1, 2, 3, 4, 5, 6, 7],
            [0, 5, 700, 1023, 1024, 1025, 2047, 2048],
            [0, 9, 2048, 2048, 2048, 2048, 2048, 2048],
        ] {
            for slot in 0..SLOTS {
                let expected = starts.iter().filter(|&&start| u32::from(start) <= slot).count();
                assert_eq!(reached(&starts, slot), expected, "{starts:?}, slot {slot}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn any_block_round_trips(
            positions in prop::collection::vec((0..2048u16, any::<bool>(), 0..70u16), 0..400),
            alphabet in 1..=2048u16,
            sampled in 0..400usize,
        ) {
            let plane: Plane = (
                positions.iter().map(|position| position.0 % alphabet).collect(),
                positions.iter().map(|position| position.1).collect(),
                positions.iter().map(|position| position.2).collect(),
            );
            let all = blocks(&plane, 400);
            let sample: Plane = (plane.0[..sampled.min(plane.0.len())].to_vec(), plane.1.clone(), plane.2.clone());
            let model = Model::fit(usize::from(alphabet), 70, &blocks(&sample, 50), Closeness::QUICK);
            let model = Model::from_bytes(&model.to_bytes()).unwrap();
            for block in all.iter().chain(&blocks(&plane, 7)) {
                round_trip(&model, block);
            }
        }

        #[test]
        fn any_bytes_are_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Model::from_bytes(&bytes);
            let mut out = [0; 100];
            let _ = small_once().decode(&bytes, None, &mut out);
            assert!(out.iter().all(|&symbol| symbol < 9));
        }
    }

    fn small_once() -> &'static Model {
        static MODEL: std::sync::OnceLock<Model> = std::sync::OnceLock::new();
        MODEL.get_or_init(|| small().0)
    }
}
