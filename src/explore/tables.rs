//! `/api/tables`: what tables there are, as `oju info --json` prints it.

use std::path::Path;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::Shared;
use super::problem::{Answer, Problem};
use super::query::{OfProfile, Parameters};
use crate::info::{TableInfo, table_info, tables_in};
use crate::profile::Profile;
use crate::table::TableError;

/// What there is.
#[derive(Serialize)]
pub(super) struct Found {
    directory: Option<String>,
    tables: Vec<TableInfo>,
    version: &'static str,
}

/// The headers of all tables, or of those of one profile or one number of seeds.
pub(super) async fn tables(
    State(shared): State<Arc<Shared>>,
    Parameters(of): Parameters<OfProfile>,
) -> Answer<Found> {
    let (profile, seeds) = (of.profile()?, of.seeds()?);
    let dir = shared.tables.clone();
    let work = move || {
        let tables = match dir.as_deref().filter(|dir| dir.is_dir()) {
            Some(dir) => found(dir, profile, seeds).map_err(Problem::table)?,
            None => Vec::new(),
        };
        let directory = dir.map(|dir| dir.display().to_string());
        Ok(Found { directory, tables, version: env!("CARGO_PKG_VERSION") })
    };
    shared.solves.at_once(work).await.map(Json)
}

fn found(dir: &Path, profile: Option<Profile>, seeds: Option<u32>) -> Result<Vec<TableInfo>, TableError> {
    let mut tables = Vec::new();
    for (of, tiers) in tables_in(dir)? {
        if profile.is_none_or(|profile| profile == of) {
            let wanted = tiers.into_iter().filter(|&tier| seeds.is_none_or(|seeds| seeds == tier));
            for tier in wanted {
                tables.push(table_info(&of, dir, tier)?);
            }
        }
    }
    Ok(tables)
}
