//! An engine for each profile that is in use, the last few kept: each has memory of its own.
//!
//! An engine opens its tables once. Where the files of a profile are no longer those that its engine has opened (tables were built, built
//! anew or removed while the server runs) the next question gets a new engine. Questions that are being answered keep the one
//! they have, with the files as they were when it opened them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::engine::{Engine, EngineError, Settings};
use crate::profile::Profile;
use crate::table::Snapshot;

/// Engines that are kept.
const KEPT: usize = 3;

pub(super) struct Engines {
    settings: Settings,
    /// The one that was used last comes first. With each the files as they were before it opened them.
    kept: Mutex<Vec<(Arc<Engine>, Snapshot)>>,
}

impl Engines {
    pub(super) fn new(settings: Settings) -> Self {
        // Searches bring their own threads.
        Self { settings: Settings { threads: 1, ..settings }, kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<(Arc<Engine>, Snapshot)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine of a profile, with the tables that there are now.
    pub(super) fn get(&self, profile: Profile) -> Result<Arc<Engine>, EngineError> {
        let dir = self.settings.tables.dir();
        let files = dir.map(|dir| Snapshot::of(dir, &profile)).unwrap_or_default();
        let mut kept = self.kept();
        let at = kept.iter().position(|(engine, _)| *engine.profile() == profile);
        let found = at.map(|at| kept.remove(at)).filter(|(_, opened)| *opened == files);
        let engine = match found {
            Some((engine, _)) => engine,
            None => Arc::new(Engine::new(profile, &self.settings)?),
        };
        kept.insert(0, (engine.clone(), files));
        kept.truncate(KEPT);
        Ok(engine)
    }

    /// Drops an engine that met a bad table: it would say so for ever, also once the table is good again.
    pub(super) fn drop_failed(&self, failed: &Arc<Engine>) {
        self.kept().retain(|(engine, _)| !Arc::ptr_eq(engine, failed));
    }
}
