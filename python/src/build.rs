//! Tables built from Python.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};

use ::oju::build::{self as builder, BuildMeter, BuildOptions, BuildWatch, BuiltTier, Plan};
use pyo3::prelude::*;

use crate::errors::{self, BuildError, line};
use crate::{arguments, waiting};

/// Solves every position of up to so many seeds and writes the tables to a directory, which is made where it is not there. What is
/// there already is not built again. Gives the seeds of the tiers that were built.
///
/// forced: forced intervals too. threads: as many as there are cores if not given. memory: bytes it may take, nine tenths of what is
/// free if not given. progress: called after each tier with its seeds, the positions solved so far, and all that are to be
/// solved; what it raises ends the build. So does Ctrl-C, within seconds, and the same call goes on from there.
#[pyfunction]
#[pyo3(signature = (profile, seeds, dir, *, forced=false, threads=None, memory=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn build(
    py: Python<'_>,
    profile: &str,
    seeds: &Bound<'_, PyAny>,
    dir: PathBuf,
    forced: bool,
    threads: Option<&Bound<'_, PyAny>>,
    memory: Option<&Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<u32>> {
    let profile = arguments::profile(profile)?;
    let threads = arguments::threads(threads)?;
    let mut options = BuildOptions::new(&dir, arguments::tier(&profile, seeds)?);
    options.forced = forced;
    if let Some(memory) = memory {
        options.memory = arguments::bytes("memory", memory)?;
    }
    let (told, tiers) = mpsc::channel();
    let mut watch = Told { to: told, done: 0, all: 0 };
    let plan = waiting::watched(
        py,
        |stop| waiting::on_threads(threads, || builder::build(&profile, &options, &mut watch, stop)),
        move |py| {
            tiers.try_iter().try_for_each(|tier: (u32, u64, u64)| {
                progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, tier).map(drop))
            })
        },
    )??;
    let plan = plan.map_err(|error| match error {
        builder::BuildError::Table(error) => errors::table(&error),
        error => BuildError::new_err(line(&error)),
    })?;
    Ok(plan.tiers.iter().filter(|tier| !tier.present).map(|tier| tier.seeds).collect())
}

/// Tells of each tier: its seeds, positions solved so far, all positions.
struct Told {
    to: Sender<(u32, u64, u64)>,
    done: u64,
    all: u64,
}

impl BuildWatch for Told {
    fn planned(&mut self, plan: &Plan, _: &Arc<BuildMeter>) {
        self.all = plan.positions();
    }

    fn built(&mut self, tier: &BuiltTier) {
        self.done += tier.positions;
        // Nobody listens any more where the build has been given up.
        let _ = self.to.send((tier.seeds, self.done, self.all));
    }
}
