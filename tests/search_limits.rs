//! What ends a search early, and how deep it may go.

mod positions;
mod random;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use oju::{Analysis, Engine, Limits, MemoryTiers, Position, Profile, Settings, Watch, notation};

fn profile(name: &str) -> Profile {
    name.parse().unwrap()
}

fn engine(profile: Profile, threads: usize) -> Engine {
    Engine::new(profile, &Settings { threads, table_bytes: 16 << 20, ..Settings::default() }).unwrap()
}

/// Says when the search has begun.
struct Begun<'a>(&'a AtomicBool);

impl Watch for Begun<'_> {
    fn narrowed(&self, _pit: Option<usize>, _lower: i32, _upper: i32, _open: usize) {
        self.0.store(true, Relaxed);
    }
}

#[test]
fn a_search_stops_when_it_is_told_to() {
    // Minutes of work each.
    for profile in ["hoyito12", "ayoayo-pratt"].map(profile) {
        let engine = engine(profile, 2);
        let (stop, begun) = (AtomicBool::new(false), AtomicBool::new(false));
        let (analysis, late) = std::thread::scope(|scope| {
            let search = scope.spawn(|| {
                engine.analyse(&Position::start(&profile), &Limits::none(&stop), &Begun(&begun)).unwrap()
            });
            while !begun.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, Relaxed);
            let told = Instant::now();
            (search.join().unwrap(), told.elapsed())
        });
        // Some milliseconds on a machine without other work.
        assert!(late < Duration::from_secs(1), "{profile}: {late:?}");
        assert!(!analysis.complete(), "{profile}");
    }
}

#[test]
fn tiers_being_solved_stop_too() {
    let profile: Profile = profile("ayoayo");
    let settings = Settings { tiers: MemoryTiers::UpTo(20), threads: 2, ..Settings::default() };
    let engine = Engine::new(profile, &settings).unwrap();
    let stop = AtomicBool::new(false);
    let limits = Limits { time: Some(Duration::from_millis(500)), ..Limits::none(&stop) };
    let started = Instant::now();
    let analysis = engine.analyse(&Position::start(&profile), &limits, &()).unwrap();
    assert!(started.elapsed() < Duration::from_secs(5), "20 seeds alone take much longer");
    assert!(!analysis.complete());
}

#[test]
fn on_one_thread_a_limit_of_nodes_always_cuts_at_the_same_place() {
    for (profile, nodes) in [(profile("ayoayo"), 30_000), (profile("hoyito12"), 5_000)] {
        let stop = AtomicBool::new(false);
        let limits = Limits { nodes: Some(nodes), ..Limits::none(&stop) };
        let cut = || {
            let analysis = engine(profile, 1).analyse(&Position::start(&profile), &limits, &()).unwrap();
            let Analysis { bounds, nodes, line, moves, .. } = analysis;
            (bounds, nodes, line, moves)
        };
        let first = cut();
        assert_eq!(cut(), first, "{profile}");
        assert!(
            first.0[0] < first.0[1] && (nodes..2 * nodes + 20_000).contains(&first.1),
            "{profile}: {first:?}"
        );
    }
}

#[test]
fn what_a_search_has_proven_when_it_is_cut_holds() {
    for name in ["ayoayo", "ayoayo-holder", "ayoayo-pratt", "hoyito"] {
        let profile = profile(name);
        let mut cut = 0;
        // Exact values that two engines had to agree on.
        for row in positions::read(&profile).iter().filter(|row| row.value.is_some()).step_by(50) {
            for nodes in [1, 300, 3_000] {
                let settings = Settings {
                    threads: 1,
                    table_bytes: 1 << 20,
                    tiers: MemoryTiers::None,
                    ..Settings::default()
                };
                let stop = AtomicBool::new(false);
                let limits = Limits { nodes: Some(nodes), ..Limits::none(&stop) };
                let engine = Engine::new(profile, &settings).unwrap();
                let analysis = engine.analyse(&row.position, &limits, &()).unwrap();
                let ([lower, upper], value) = (analysis.bounds, row.value.unwrap());
                assert!(lower <= value && value <= upper, "{name} {} {nodes}: {lower} {upper}", row.position);
                assert_eq!((analysis.exact, analysis.value.is_some()), (lower == upper, lower == upper));
                assert!(analysis.moves.iter().all(|m| m.bounds[0] <= value), "{name} {}", row.position);
                cut += usize::from(!analysis.exact);
            }
        }
        assert!(cut >= 10, "{name}: only {cut} searches were cut");
    }
}

#[test]
fn a_line_of_hundreds_of_plies_needs_little_stack() {
    // Twelve seeds of Hoyito II in the largest tier that is solved, and sixteen above it: both sides circle for long.
    for text in ["2-1-1-1-1-2-0-1-1-1-2-3", "2-1-3-1-0-2-2-1-0-1-2-1"] {
        let line = std::thread::Builder::new()
            .stack_size(256 << 10)
            .spawn(move || {
                let profile: Profile = profile("hoyito");
                let position = notation::parse_position(&profile, text).unwrap();
                let stop = AtomicBool::new(false);
                engine(profile, 1).analyse(&position, &Limits::none(&stop), &()).unwrap().line
            })
            .unwrap()
            .join()
            .unwrap();
        assert!(line.chars().count() > 300, "{text}: {line}");
    }
}
