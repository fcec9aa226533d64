//! What callers give: numbers, times, profiles, positions. An error names the argument and says what would be right.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use ::oju::{Engine, Position, Profile, machine, notation};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use crate::errors::input;

/// A profile by name.
pub(crate) fn profile(name: &str) -> PyResult<Profile> {
    name.parse().map_err(|error| input(format!("profile: {error}")))
}

/// A whole number of a range.
pub(crate) fn whole<T>(name: &str, given: &Bound<'_, PyAny>, range: RangeInclusive<T>) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr> + PartialOrd + Display,
{
    let number = match given.extract::<T>() {
        Ok(number) => Some(number).filter(|number| range.contains(number)),
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => None,
        Err(error) => return Err(error),
    };
    let says = || input(format!("{name}: {given}: {} to {} are possible", range.start(), range.end()));
    number.ok_or_else(says)
}

/// Threads: 0, for as many as there are cores, where none are given.
pub(crate) fn threads(given: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    given.map_or(Ok(0), |given| whole("threads", given, 1..=1024))
}

/// Bytes of memory, no more than are free.
pub(crate) fn bytes(name: &str, given: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(name, given, 1..=machine::available_memory().unwrap_or(u64::MAX))
}

/// Seeds of a tier of the profile.
pub(crate) fn tier(profile: &Profile, given: &Bound<'_, PyAny>) -> PyResult<u32> {
    let seeds = whole("seeds", given, 0..=profile.seeds())?;
    if !seeds.is_multiple_of(profile.unit()) {
        return Err(input(format!("seeds: {seeds}: {profile} has a multiple of four on the board")));
    }
    Ok(seeds)
}

/// A time in seconds.
pub(crate) fn time(seconds: f64) -> PyResult<Duration> {
    // Longer than a year can not be told from no limit, and could not be added to a clock.
    const YEAR: f64 = 366.0 * 24.0 * 3600.0;
    if (0.001..=YEAR).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(input(format!("time: {seconds:?}: seconds are expected, at least 0.001, or None for no limit")))
}

/// A position from its text, and the moves played from there.
pub(crate) fn position(engine: &Engine, text: &str, moves: &str) -> PyResult<Position> {
    let position = notation::parse_position(engine.profile(), text);
    let position = position.map_err(|error| input(format!("position, {error}")))?;
    engine.play_text(&position, moves).map_err(|error| input(format!("moves, {error}")))
}
