//! An engine for each profile that is in use, the last few kept: each has memory of its own.

use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::{Engine, EngineError, Settings};
use crate::profile::Profile;

/// Engines that are kept.
const KEPT: usize = 3;

pub(super) struct Engines {
    settings: Settings,
    /// The one that was used last comes first.
    kept: Mutex<Vec<Arc<Engine>>>,
}

impl Engines {
    pub(super) fn new(settings: Settings) -> Self {
        // Searches bring their own threads.
        Self { settings: Settings { threads: 1, ..settings }, kept: Mutex::default() }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Engine>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine of a profile.
    pub(super) fn get(&self, profile: Profile) -> Result<Arc<Engine>, EngineError> {
        let mut kept = self.kept();
        let engine = match kept.iter().position(|engine| *engine.profile() == profile) {
            Some(at) => kept.remove(at),
            None => Arc::new(Engine::new(profile, &self.settings)?),
        };
        kept.insert(0, engine.clone());
        kept.truncate(KEPT);
        Ok(engine)
    }

    /// Drops an engine that met a bad table: it would say so for ever, also once the table is good again.
    pub(super) fn drop_failed(&self, failed: &Arc<Engine>) {
        self.kept().retain(|engine| !Arc::ptr_eq(engine, failed));
    }
}
