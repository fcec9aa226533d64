//! The numbers of a solved tier in memory, as few bits each as the tier needs.

use rayon::prelude::*;

/// A number a position, by rank: values, or one end of the forced intervals.
///
/// All are multiples of a unit, a power of two, and at most `most` in size. Up to 15 different numbers are packed two in a byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed {
    bytes: Vec<u8>,
    len: u64,
    halves: bool,
    /// Numbers are multiples of two to this.
    unit_bits: u32,
    /// The code of 0.
    zero: i16,
}

impl Packed {
    /// `len` numbers, multiples of `unit`, none larger than `most` in size, given in runs: `fill(first rank, run)` writes
    /// one run. Runs are asked for in parallel.
    pub(crate) fn build(len: u64, unit: u32, most: u32, fill: impl Fn(u64, &mut [i8]) + Sync) -> Self {
        let fill = |first, run: &mut [i8]| {
            fill(first, run);
            Ok::<(), std::convert::Infallible>(())
        };
        match Self::try_build(len, unit, most, fill) {
            Ok(packed) => packed,
            Err(never) => match never {},
        }
    }

    /// [`Self::build`] from runs that can fail.
    pub(crate) fn try_build<E: Send>(
        len: u64,
        unit: u32,
        most: u32,
        fill: impl Fn(u64, &mut [i8]) -> Result<(), E> + Sync,
    ) -> Result<Self, E> {
        /// Numbers a run, an even number.
        const RUN: usize = 1 << 14;
        let zero = (most / unit) as i16;
        let halves = 2 * zero < 16;
        let unit_bits = unit.trailing_zeros();
        let mut bytes =
            vec![0u8; usize::try_from(if halves { len.div_ceil(2) } else { len }).expect("fits memory")];
        let per_run = if halves { RUN / 2 } else { RUN };
        bytes.par_chunks_mut(per_run).enumerate().try_for_each(|(number, out)| {
            let first = (number * RUN) as u64;
            let mut run = [0i8; RUN];
            let run = &mut run[..RUN.min((len - first) as usize)];
            fill(first, run)?;
            let code = |&value: &i8| ((i16::from(value) >> unit_bits) + zero) as u8;
            if halves {
                for (byte, pair) in out.iter_mut().zip(run.chunks(2)) {
                    *byte = code(&pair[0]) | pair.get(1).map_or(0, code) << 4;
                }
            } else {
                out.iter_mut().zip(run.iter()).for_each(|(byte, value)| *byte = code(value));
            }
            Ok(())
        })?;
        Ok(Self { bytes, len, halves, unit_bits, zero })
    }

    /// Bytes that `len` such numbers take.
    pub(crate) fn bytes_of(len: u64, unit: u32, most: u32) -> u64 {
        if 2 * (most / unit) < 16 { len.div_ceil(2) } else { len }
    }

    /// Numbers held.
    #[cfg(test)]
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The number of this rank.
    #[inline(always)]
    pub(crate) fn get(&self, rank: u64) -> i8 {
        let code = if self.halves {
            self.bytes[(rank / 2) as usize] >> (4 * (rank & 1)) & 15
        } else {
            self.bytes[rank as usize]
        };
        ((i16::from(code) - self.zero) << self.unit_bits) as i8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_as_they_went_in() {
        for (unit, most) in [(1, 7), (1, 8), (1, 96), (4, 0), (4, 28), (4, 32), (4, 96)] {
            for len in [0, 1, 2, 999, (1 << 14) - 1, 1 << 14, (1 << 14) + 1, 50_001] {
                let number = |rank: u64| {
                    let steps = i64::from(2 * (most / unit) + 1);
                    (((rank * 7 + rank / 5) as i64 % steps) - i64::from(most / unit)) as i8 * unit as i8
                };
                let packed = Packed::build(len, unit, most, |first, run| {
                    run.iter_mut().zip(first..).for_each(|(out, rank)| *out = number(rank));
                });
                assert_eq!(packed.len(), len);
                assert_eq!((packed.bytes.len() as u64) < len, len > 1 && most / unit < 8);
                for rank in 0..len {
                    assert_eq!(packed.get(rank), number(rank));
                }
            }
        }
    }
}
