//! A half-solved tier as bytes, so that a build can go on where it was killed.
//!
//! All that is saved are the cells, the passes and the stage: the sets of positions of a wave can be read off the cells.

use std::io::{self, Read, Write};
use std::sync::atomic::AtomicU16;
use std::sync::{Mutex, PoisonError};

use zerocopy::IntoBytes;

use super::cell::{Layout, plain};
use super::{Plane, RankSet, Stage, Task, Tier};

impl Tier {
    /// True where the tier can be saved as it is: wherever each solved cell tells the wave it belongs to.
    pub(crate) fn can_be_saved(&self) -> bool {
        match self.stage {
            Stage::Spread { distance, .. } => distance < self.layout.long(),
            Stage::Expand(_) | Stage::Done => true,
        }
    }

    /// Writes what [`restore`](Self::restore) needs. Cells not expanded yet are left out.
    pub(crate) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let (stage, a, b) = match self.stage {
            Stage::Expand(next) => (0u8, next, 0),
            Stage::Spread { margin, distance } => (1, margin as i64 as u64, u64::from(distance)),
            Stage::Done => (2, 0, 0),
        };
        out.write_all(&[stage])?;
        out.write_all(&a.to_le_bytes())?;
        out.write_all(&b.to_le_bytes())?;
        let long = self.long.lock().unwrap_or_else(PoisonError::into_inner);
        for list in [&self.passes, &long.iter().map(|&(rank, distance)| (rank, distance.into())).collect()] {
            out.write_all(&(list.len() as u64).to_le_bytes())?;
            for &(one, two) in list {
                out.write_all(&one.to_le_bytes())?;
                out.write_all(&two.to_le_bytes())?;
            }
        }
        let expanded = match self.stage {
            Stage::Expand(next) => next as usize,
            _ => self.size() as usize,
        };
        let mut bytes = Vec::new();
        for plane in &self.planes {
            for cells in plane.cells[..expanded].chunks(1 << 16) {
                bytes.clear();
                bytes.extend(cells.iter().flat_map(|cell| cell.load(super::Relaxed).to_le_bytes()));
                out.write_all(&bytes)?;
            }
        }
        Ok(())
    }

    /// Makes a new tier what a saved one was.
    ///
    /// # Errors
    /// Where the bytes end too soon, or no tier of this size could have written them.
    pub(crate) fn restore(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let mut number = [0u8; 8];
        let mut next = |from: &mut dyn Read| -> io::Result<u64> {
            from.read_exact(&mut number)?;
            Ok(u64::from_le_bytes(number))
        };
        let bad = || io::Error::new(io::ErrorKind::InvalidData, "not a half-solved tier");
        let mut stage = [0];
        from.read_exact(&mut stage)?;
        let (a, b) = (next(from)?, next(from)?);
        let size = self.size();
        self.stage = match stage[0] {
            0 if a <= size => Stage::Expand(a),
            1 => {
                let margin = i32::try_from(a as i64).map_err(|_| bad())?;
                let distance = u16::try_from(b).map_err(|_| bad())?;
                if margin.unsigned_abs() > self.seeds || distance == 0 {
                    return Err(bad());
                }
                Stage::Spread { margin, distance }
            }
            2 => Stage::Done,
            _ => return Err(bad()),
        };
        let mut list = || -> io::Result<Vec<(u64, u64)>> {
            let len = next(from)?;
            if len > size {
                return Err(bad());
            }
            (0..len).map(|_| Ok((next(from)?, next(from)?))).collect()
        };
        self.passes = list()?;
        let long = list()?.into_iter().map(|(rank, distance)| (rank, distance as u16)).collect();
        self.long = Mutex::new(long);
        let expanded = match self.stage {
            Stage::Expand(next) => next as usize,
            _ => size as usize,
        };
        for plane in &mut self.planes {
            let cells = &mut plain(&mut plane.cells)[..expanded];
            from.read_exact(cells.as_mut_bytes())?;
            cells.iter_mut().for_each(|cell| *cell = u16::from_le(*cell));
        }
        match self.stage {
            Stage::Spread { margin, distance } => self.restore_waves(margin, distance),
            Stage::Expand(_) => {}
            Stage::Done => self.planes.iter_mut().for_each(|p| p.waves = [RankSet::new(0), RankSet::new(0)]),
        }
        Ok(())
    }

    /// The two sets of a wave from the cells: those solved at this margin one sowing nearer, and at this distance.
    fn restore_waves(&self, margin: i32, distance: u16) {
        let layout = self.layout;
        for (number, Plane { cells, waves }) in self.planes.iter().enumerate() {
            let numbers = match (self.task, number) {
                (Task::Values, _) => [margin, -margin],
                (Task::Forced, 0) => [margin; 2],
                (Task::Forced, _) => [-margin; 2],
            };
            let now = usize::from(distance + 1) % 2;
            for (rank, cell) in (0..).zip(cells) {
                let cell: u16 = AtomicU16::load(cell, super::Relaxed);
                if cell & Layout::SOLVED != 0 && numbers.contains(&layout.number_of(cell)) {
                    let low = layout.distance_of(cell);
                    if low + 1 == distance {
                        waves[now].insert(rank);
                    } else if low == distance {
                        waves[1 - now].insert(rank);
                    }
                }
            }
        }
    }
}
