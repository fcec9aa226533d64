//! Parsers of option values. An error says what would be right.

use std::time::Duration;

use oju::machine;

fn plain<T: std::str::FromStr>(text: &str) -> Option<T> {
    // The standard parsers would also take a sign.
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn within<T: std::str::FromStr + PartialOrd>(
    text: &str,
    range: std::ops::RangeInclusive<T>,
    says: &str,
) -> Result<T, String> {
    plain(text).filter(|n| range.contains(n)).ok_or_else(|| says.to_owned())
}

/// Threads.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    within(text, 1..=1024, "1 to 1024 threads are possible")
}

/// A port of TCP.
#[cfg(feature = "explore")]
pub(super) fn port(text: &str) -> Result<u16, String> {
    within(text, 0..=u16::MAX, "a port is a number from 0 to 65535")
}

/// An address of the machine.
#[cfg(feature = "explore")]
pub(super) fn address(text: &str) -> Result<std::net::IpAddr, String> {
    text.parse().map_err(|_| "an address such as 0.0.0.0 or ::1 is expected".to_owned())
}

/// Searches at once.
#[cfg(feature = "explore")]
pub(super) fn solves(text: &str) -> Result<usize, String> {
    within(text, 1..=64, "1 to 64 searches are possible")
}

/// Pits in a row.
pub(super) fn pits(text: &str) -> Result<u8, String> {
    within(text, 2..=12, "a row has 2 to 12 pits")
}

/// Seeds in each pit at the start.
pub(super) fn seeds_per_pit(text: &str) -> Result<u8, String> {
    within(text, 1..=24, "1 to 24 seeds are possible in each pit")
}

/// Seeds on the board.
pub(super) fn seeds(text: &str) -> Result<u32, String> {
    within(text, 0..=96, "0 to 96 seeds are possible")
}

/// Plies.
pub(super) fn depth(text: &str) -> Result<u32, String> {
    within(text, 0..=64, "0 to 64 plies are possible")
}

/// Plies of openings.
pub(super) fn plies(text: &str) -> Result<u32, String> {
    within(text, 0..=oju::openings::MOST_PLIES, "0 to 32 plies are possible")
}

/// A whole number.
pub(super) fn count(text: &str) -> Result<u64, String> {
    within(text, 0..=u64::MAX, "a whole number is expected")
}

/// Nodes of a search.
pub(super) fn nodes(text: &str) -> Result<u64, String> {
    within(text, 1..=u64::MAX, "a whole number of nodes is expected, at least 1")
}

/// Bytes: a number with K, M or G (powers of 1024), or alone.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let says = "a size such as 64M or 2G is expected, at least 1 byte";
    let (number, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        _ => return Err(says.to_owned()),
    };
    let bytes = plain::<usize>(number).filter(|&n| n > 0).ok_or(says)?;
    let bytes = bytes.checked_mul(1 << shift).ok_or(says)?;
    match machine::available_memory() {
        Some(free) if bytes as u64 > free => {
            Err(format!("that is more than the {} MiB of memory that are free", free >> 20))
        }
        _ => Ok(bytes),
    }
}

/// A time limit, or none.
#[derive(Clone, Copy)]
pub(super) struct TimeLimit(pub(super) Option<Duration>);

/// A time such as `20s`, `500ms`, `2m`, or seconds alone; `none` for no limit.
pub(super) fn time(text: &str) -> Result<TimeLimit, String> {
    let says = "a time such as 20s, 500ms or 2m is expected, at least 1ms, or 'none'";
    if text == "none" {
        return Ok(TimeLimit(None));
    }
    let time = match plain::<u32>(text) {
        Some(seconds) => Some(Duration::from_secs(seconds.into())),
        None => humantime::parse_duration(text).ok(),
    };
    // Longer than a year can not be told from no limit, and could not be added to a clock.
    let range = Duration::from_millis(1)..=Duration::from_secs(366 * 24 * 3600);
    time.filter(|t| range.contains(t)).map(|t| TimeLimit(Some(t))).ok_or_else(|| says.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("1"), Ok(1));
        assert_eq!(size("3k"), Ok(3072));
        assert_eq!(size("64MiB"), Ok(64 << 20));
        for wrong in [
            "",
            "0",
            "0M",
            "M",
            "-1M",
            "+1M",
            "1.5G",
            "1T",
            "99999999999999999999",
            "18446744073709551615G",
            "0x10",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert!(size("1000000G").is_err_and(|e| e.contains("more than the")));
    }

    #[test]
    fn times() {
        let is = |text, ms| assert_eq!(time(text).unwrap().0, Some(Duration::from_millis(ms)), "{text}");
        is("20s", 20_000);
        is("500ms", 500);
        is("2m", 120_000);
        is("7", 7_000);
        assert_eq!(time("none").unwrap().0, None);
        for wrong in
            ["", "0", "0s", "-1", "-1s", "+3", "1e9", "20 parsecs", "99999999999999999999s", "400days", "٣"]
        {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_plain_digits_in_their_range() {
        assert_eq!(threads("8"), Ok(8));
        for wrong in ["0", "-1", "+2", "100000", "4294967300", "0x2", "", " 1"] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
        assert!(pits("1").is_err() && pits("13").is_err() && pits("12").is_ok());
        assert!(depth("65").is_err() && depth("0").is_ok());
    }
}
