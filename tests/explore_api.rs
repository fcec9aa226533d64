//! The server of `oju explore`: its answers, what it refuses, and that nothing keeps it from answering.

mod explore_server;
mod random;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use explore_server::{Reply, Server, answer, best, build, encoded, reply};
use oju::{Engine, Limits, Options, Position, Profile, Settings, Tables};
use random::Random;
use serde_json::Value;
use tempfile::TempDir;

/// Tables of up to 8 seeds of both games.
static TABLES: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = TempDir::new().unwrap();
    build("ayoayo", 8, dir.path());
    build("hoyito", 8, dir.path());
    dir
});

fn server() -> Server {
    Server::start(TABLES.path(), &[])
}

/// The rows of a table of cases from independent programs.
fn cases(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name);
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// A JSON error and nothing that a browser could take for markup.
fn refused(reply: &Reply, status: u16, what: &str) -> Value {
    assert_eq!(reply.status, status, "{what}: {} {}", reply.head, reply.body);
    assert_eq!(reply.header("content-type"), Some("application/json"), "{what}");
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{what}");
    assert!(!reply.body.contains(['<', '>']) && !reply.body.contains("\\u003c"), "{what}: {}", reply.body);
    let json = reply.json();
    assert!(json["error"].as_str().is_some_and(|error| !error.is_empty()), "{what}: {json}");
    json
}

fn get_json(server: &Server, target: &str) -> Value {
    let reply = server.get(target);
    assert_eq!(reply.status, 200, "{target}: {}", reply.body);
    reply.json()
}

/// What does not depend on the clock or on what was asked before.
fn timeless(mut analysis: Value) -> Value {
    analysis["time_ms"] = 0.into();
    analysis["nodes"] = 0.into();
    analysis
}

// --- Answers ---

#[test]
fn moves_are_those_of_independent_programs() {
    let server = server();
    let mut kinds = BTreeSet::new();
    for row in cases("moves.tsv") {
        let [profile, position, letter, result, captured, laps] = &row[..] else { panic!("{row:?}") };
        let place = format!("profile={profile}&position={position}");
        let played = server.get(&format!("/api/play?{place}&move={letter}"));
        let legal = get_json(&server, &format!("/api/legal?{place}"));
        let of = |list: &str| legal[list].as_array().unwrap().iter().find(|m| m["move"] == **letter).cloned();
        if result == "endless" || result.starts_with("illegal") {
            let said = refused(&played, 400, &place);
            assert_eq!(said["parameter"], "move");
            let reason = if result == "endless" { "never ends" } else { "must be fed" };
            assert!(said["error"].as_str().unwrap().contains(reason), "{place} {letter}: {said}");
            assert!(of("moves").is_none(), "{place} {letter}");
            let refused = of("illegal").unwrap();
            assert_eq!(refused["endless"], result == "endless", "{place} {letter}");
            assert!(refused["reason"].as_str().unwrap().contains(reason));
            kinds.insert(reason);
            continue;
        }
        let played = played.json();
        assert_eq!(played["position"], **result, "{place} {letter}");
        assert_eq!(played["after"]["position"], **result);
        assert_eq!(played["captured"].to_string(), *captured, "{place} {letter}");
        assert_eq!(played["laps"].to_string(), *laps, "{place} {letter}");
        assert_eq!(of("moves").unwrap()["position"], **result, "{place} {letter}");
        assert_eq!(replayed(&played), played["after"]["counts"], "{place} {letter}");
        kinds.insert(if letter == "-" { "pass" } else { "move" });
    }
    assert_eq!(kinds.len(), 4, "the cases hold {kinds:?}");
}

/// Sows a trace seed by seed, as the page does.
fn replayed(played: &Value) -> Value {
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let mut counts: Vec<u64> =
        played["before"].as_array().unwrap().iter().map(|c| c.as_u64().unwrap()).collect();
    if played["trace"]["complete"] == false {
        return played["after"]["counts"].clone();
    }
    for lap in played["trace"]["laps"].as_array().unwrap() {
        counts[number(&lap["from"])] = 0;
        lap["path"].as_array().unwrap().iter().for_each(|pit| counts[number(pit)] += 1);
    }
    for taken in played["trace"]["taken"].as_array().unwrap() {
        counts[number(&taken["pit"])] -= taken["seeds"].as_u64().unwrap();
    }
    counts.into()
}

#[test]
fn values_are_those_of_independent_programs() {
    let server = server();
    // Those that need no long search.
    let quick = |row: &&Vec<String>| {
        row[1].split('-').take(12).map(|n| n.parse::<u32>().unwrap_or(9)).sum::<u32>() <= 10
    };
    let rows = cases("values.tsv");
    let rows: Vec<_> =
        rows.iter().filter(|row| !row[0].contains('@') && !row[0].contains("12")).filter(quick).collect();
    assert!(rows.len() > 100, "{} cases", rows.len());
    for row in rows.iter().step_by(3) {
        let target = format!("/api/analyse?profile={}&position={}&time=60", row[0], row[1]);
        let analysis = get_json(&server, &target);
        assert_eq!(analysis["value"], row[2].parse::<i32>().unwrap(), "{target}");
        assert_eq!(analysis["exact"], true, "{target}");
    }
}

#[test]
fn analyses_are_what_best_prints() {
    let server = server();
    for (profile, position, moves) in [
        ("ayoayo", "1-0-0-0-0-3-0-0-0-0-0-0", ""),
        ("ayoayo", "0-0-0-1-0-2-0-2-0-0-2-0-24-17-N", ""),
        ("ayoayo", "5-0-0-0-0-0-1-1-0-0-0-0", "A"),
        ("hoyito", "0-2-0-1-0-1-0-1-1-1-0-1", "B"),
        ("hoyito", "2-0-1-0-1-0-1-0-1-3-2-1", ""),
        ("hoyito-opponent", "0-1-1-0-1-0-1-1-1-1-1-0-20-20-N", ""),
        ("ayoayo@2x3x2", "start", ""),
        ("ayoayo", "0-0-0-0-0-0-0-0-0-0-0-0-20-28-S", ""),
    ] {
        let mut arguments = vec![profile, position];
        if !moves.is_empty() {
            arguments.extend(["--moves", moves]);
        }
        let target =
            format!("/api/analyse?profile={}&position={position}&moves={moves}&time=60s", encoded(profile));
        let analysis = get_json(&server, &target);
        assert_eq!(timeless(analysis.clone()), timeless(best(TABLES.path(), &arguments)), "{target}");
        let stream = server.get(&target.replace("analyse?", "analyse/stream?"));
        assert_eq!(stream.header("content-type"), Some("text/event-stream"));
        let (last, _) = events(&stream.body).pop().unwrap();
        assert_eq!(timeless(last), timeless(analysis), "{target}");
    }
    let forced = get_json(
        &server,
        "/api/analyse?profile=ayoayo-pratt&position=1-0-0-2-0-3-0-0-1-0-0-0&forced=true&time=60",
    );
    assert_eq!(
        timeless(forced),
        timeless(best(TABLES.path(), &["ayoayo-pratt", "1-0-0-2-0-3-0-0-1-0-0-0", "--forced"]))
    );
}

/// The events of a stream: data and name.
fn events(body: &str) -> Vec<(Value, String)> {
    let event = |text: &str| {
        let field =
            |name: &str| text.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()));
        Some((serde_json::from_str(&field("data:")?).unwrap(), field("event:")?))
    };
    body.split("\n\n").filter_map(event).collect()
}

#[test]
fn a_thousand_positions_have_the_librarys_values() {
    let server = server();
    let mut random = Random::new(5);
    for name in ["ayoayo", "hoyito"] {
        let profile: Profile = name.parse().unwrap();
        let settings =
            Settings { tables: Tables::In(TABLES.path().into()), threads: 1, ..Settings::default() };
        let engine = Engine::new(profile, &settings).unwrap();
        let mut connection = KeptAlive::new(&server);
        for _ in 0..500 {
            let mut counts = [0; 12];
            (0..8).for_each(|_| counts[random.index(12)] += 1);
            let text = counts.map(|count: u32| count.to_string()).join("-");
            let position = oju::notation::parse_position(&profile, &text).unwrap();
            let stop = AtomicBool::new(false);
            let known = engine.analyse(&position, &Limits::none(&stop), &()).unwrap();
            let answer = connection.get(&format!("/api/analyse?profile={name}&position={text}"));
            assert_eq!(answer.status, 200, "{text}");
            assert_eq!(
                timeless(answer.json()),
                timeless(serde_json::to_value(&known).unwrap()),
                "{name} {text}"
            );
        }
    }
}

/// One connection for many requests.
struct KeptAlive {
    stream: TcpStream,
    host: String,
}

impl KeptAlive {
    fn new(server: &Server) -> Self {
        let stream = server.connect();
        stream.set_nodelay(true).unwrap();
        Self { stream, host: server.host() }
    }

    fn get(&mut self, target: &str) -> Reply {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host);
        self.stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        let mut part = [0; 1 << 16];
        loop {
            let read = self.stream.read(&mut part).unwrap();
            assert!(read > 0, "{target}: the connection was closed");
            bytes.extend_from_slice(&part[..read]);
            let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let so_far = reply(&bytes);
            let length: usize = so_far.header("content-length").unwrap().parse().unwrap();
            if bytes.len() >= end + 4 + length {
                return so_far;
            }
        }
    }
}

#[test]
fn ten_thousand_random_positions_are_answered() {
    let server = server();
    let mut random = Random::new(9);
    let mut connection = KeptAlive::new(&server);
    for number in 0..10_000 {
        let profile = Profile::ALL[random.index(6)];
        let pits = 2 * profile.row();
        let mut counts = vec![0; pits];
        let units = random.below(u64::from(profile.seeds() / profile.unit()) + 1) as u32;
        (0..units * profile.unit()).for_each(|_| counts[random.index(pits)] += 1);
        let text: Vec<String> = counts.iter().map(u32::to_string).collect();
        let (text, side) = (text.join("-"), ["S", "N"][random.index(2)]);
        let reply = connection.get(&format!("/api/legal?profile={profile}&position={text}-{side}"));
        assert_eq!(reply.status, 200, "{number}: {profile} {text}: {}", reply.body);
        let legal = reply.json();
        let nothing = legal["moves"].as_array().unwrap().is_empty();
        assert_eq!(legal["over"], nothing, "{profile} {text}: an unfinished game has a move or a pass");
    }
}

#[test]
fn random_positions_are_ones_that_can_be_played() {
    let server = server();
    let mut seen = BTreeSet::new();
    for profile in Profile::ALL {
        for _ in 0..20 {
            let position = get_json(&server, &format!("/api/random?profile={profile}"));
            assert_eq!(position["over"], false);
            let text = position["position"].as_str().unwrap();
            let read = get_json(&server, &format!("/api/legal?profile={profile}&position={text}"));
            assert_eq!(read, position);
            seen.insert(text.to_owned());
        }
        let few = get_json(&server, &format!("/api/random?profile={profile}&seeds=24"));
        assert!(few["seeds"].as_u64().unwrap() <= 24);
    }
    assert!(seen.len() > 60, "{} different ones of 120", seen.len());
    refused(&server.get("/api/random?seeds=97"), 400, "97 seeds");
}

#[test]
fn a_finished_game_says_who_gets_each_seed() {
    let server = server();
    let over = |position: &str| get_json(&server, &format!("/api/legal?position={position}"));
    // South's last seeds can not reach North: they go to the player who made the last move (Ayoayo 7).
    let legal = over("0-0-0-0-0-0-2-0-0-0-0-0-26-20-S");
    assert_eq!((&legal["over"], legal["moves"].as_array().unwrap().len()), (&true.into(), 0));
    let stores = ["south", "north"].map(|side| legal["result"][side].as_u64().unwrap());
    assert_eq!(stores.iter().sum::<u64>(), 48, "all seeds of the game");
    assert_eq!(stores, [26, 22], "to the player not on turn");
}

#[test]
fn tables_are_what_info_prints() {
    let server = server();
    let info = |arguments: &[&str]| -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
        command.arg("info").args(arguments).arg("--json").arg("--tables").arg(TABLES.path());
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
    };
    assert_eq!(get_json(&server, "/api/tables"), info(&[]));
    assert_eq!(get_json(&server, "/api/tables?profile=hoyito&seeds=8"), info(&["hoyito", "--seeds", "8"]));
    let none = TempDir::new().unwrap();
    let empty = get_json(&Server::start(none.path(), &[]), "/api/tables");
    assert_eq!(empty["tables"].as_array().unwrap().len(), 0);
}

#[test]
fn profiles_are_drawn_in_their_direction() {
    let server = server();
    let profiles = get_json(&server, "/api/profiles");
    let names: Vec<&str> =
        profiles["profiles"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, Profile::ALL.map(|profile| profile.to_string()));
    for profile in profiles["profiles"].as_array().unwrap() {
        let clockwise = profile["game"] == "Hoyito II";
        assert_eq!(profile["direction"], if clockwise { "clockwise" } else { "counterclockwise" });
    }
}

#[test]
fn bounds_only_narrow_and_end_at_the_value() {
    let server = server();
    // From the suite: 26 seeds on the board, exact.
    let target = "/api/analyse/stream?position=4-2-7-1-1-1-0-1-0-1-6-2-17-5-S&time=60";
    let events = events(&server.get(target).body);
    let (last, name) = events.last().unwrap();
    assert_eq!((name.as_str(), &last["value"]), ("analysis", &(-2).into()));
    let mut before: Option<&Value> = None;
    for (bounds, name) in &events[..events.len() - 1] {
        assert_eq!(name, "bounds");
        for m in bounds["moves"].as_array().unwrap() {
            let [lower, upper] = [0, 1].map(|end| m["bounds"][end].as_i64().unwrap());
            assert_eq!(m["exact"], lower == upper);
            let all = last["moves"].as_array().unwrap();
            let known = all.iter().find(|known| known["move"] == m["move"]).unwrap();
            let [least, most] = [0, 1].map(|end| known["bounds"][end].as_i64().unwrap());
            assert!(lower <= least && most <= upper, "{m} holds {known}");
            if let Some(before) = before {
                let was =
                    before["moves"].as_array().unwrap().iter().find(|was| was["move"] == m["move"]).unwrap();
                assert!(
                    lower >= was["bounds"][0].as_i64().unwrap()
                        && upper <= was["bounds"][1].as_i64().unwrap()
                );
            }
        }
        let [lower, upper] = [0, 1].map(|end| bounds["bounds"][end].as_i64().unwrap());
        assert!(lower <= -2 && -2 <= upper, "{bounds}");
        before = Some(bounds);
    }
}

#[test]
fn a_time_limit_ends_with_proven_bounds() {
    let server = server();
    let started = Instant::now();
    let analysis = get_json(&server, "/api/analyse?profile=hoyito12&time=300ms");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!((&analysis["exact"], &analysis["value"]), (&false.into(), &Value::Null));
    for wrong in
        ["61s", "2m", "0", "0s", "-1", "+3", "1e9", "none", "", "99999999999999999999", "20%20parsecs"]
    {
        let said = refused(&server.get(&format!("/api/analyse?time={wrong}")), 400, wrong);
        assert_eq!(said["parameter"], "time");
    }
    let said = refused(&server.get("/api/analyse?time=61s"), 400, "61s");
    assert!(said["error"].as_str().unwrap().contains("1m at most"), "{said}");
}

// --- What is refused ---

#[test]
fn bad_parameters_are_refused_without_echo_of_markup() {
    let server = server();
    let long = "4-".repeat(5_000);
    let endpoints = ["/api/legal", "/api/analyse", "/api/analyse/stream", "/api/play"];
    for endpoint in endpoints {
        let and = if endpoint == "/api/play" { "&move=A" } else { "" };
        for (query, parameter) in [
            ("profile=chess", "profile"),
            ("profile=%3Cscript%3Ealert(1)%3C/script%3E", "profile"),
            ("profile=ayoayo@2x13x4", "profile"),
            ("profile=ayoayo@2x6x4294967300", "profile"),
            ("profile=", "profile"),
            ("position=4-4", "position"),
            ("position=", "position"),
            ("position=%3Cimg%20src=x%20onerror=alert(1)%3E", "position"),
            ("position=-4-4-4-4-4-4-4-4-4-4-4-4", "position"),
            ("position=4-4-4-4-4-4-4-4-4-4-4-5", "position"),
            ("position=4294967300-4-4-4-4-4-4-4-4-4-4", "position"),
            ("position=%D9%A4-4-4-4-4-4-4-4-4-4-4-4", "position"),
            ("position=4-4%00", "position"),
            ("profile=hoyito&position=4-4-4-4-4-4-4-4-4-4-4-1", "position"),
            ("moves=CX", "moves"),
            ("moves=%3Cb%3E", "moves"),
            ("moves=-", "moves"),
            ("moves=c", "moves"),
            ("position=0-4-4-4-4-4-4-4-4-4-4-4&moves=A", "moves"),
        ] {
            let said = refused(&server.get(&format!("{endpoint}?{query}{and}")), 400, query);
            assert_eq!(said["parameter"], parameter, "{endpoint}?{query}: {said}");
        }
        for query in ["colour=red", "profile=ayoayo&profile=hoyito", "%3Cscript%3E=1", "profile=%FF%FE"] {
            refused(&server.get(&format!("{endpoint}?{query}{and}")), 400, query);
        }
        for name in ["profile", "position", "moves", "time", "colour"] {
            refused(&server.get(&format!("{endpoint}?{name}={}", &long[..6_000])), 400, name);
            refused(&server.get(&format!("{endpoint}?{name}={long}")), 414, name);
        }
    }
    for wrong in ["", "&move=", "&move=AB", "&move=Z", "&move=%3C", "&move=a"] {
        let said = refused(&server.get(&format!("/api/play?profile=ayoayo{wrong}")), 400, wrong);
        assert_eq!(said["parameter"], "move");
    }
    for wrong in ["forced=1", "forced=TRUE", "forced="] {
        refused(&server.get(&format!("/api/analyse?{wrong}")), 400, wrong);
    }
    for wrong in ["seeds=-1", "seeds=1e1", "seeds=999", "seeds=", "profile=chess", "x=1"] {
        refused(&server.get(&format!("/api/tables?{wrong}")), 400, wrong);
        refused(&server.get(&format!("/api/random?{wrong}")), 400, wrong);
    }
    // The reason comes with its place, as on the command line.
    let said = refused(&server.get("/api/legal?moves=A%20B"), 400, "A B");
    assert!(said["error"].as_str().unwrap().contains("column 3: move 2: 'B': North is to move"), "{said}");
}

#[test]
fn path_tricks_find_nothing() {
    let server = server();
    for path in [
        "/etc/passwd",
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/%2fetc/passwd",
        "//etc/passwd",
        "/..%5c..%5cetc%5cpasswd",
        "/style.css/../../Cargo.toml",
        "/Cargo.toml",
        "/.git/config",
        "/style.css%00",
        "/style.css/",
        "/STYLE.CSS",
        "/index.html",
        "/page/index.html",
        "/api",
        "/api/",
        "/api/analyse/",
        "/api//analyse",
        "/api/../health",
        "/health/",
        "/file:///etc/passwd",
        "/tables/ayoayo-08.oju",
        "/%3Cscript%3Ealert(1)%3C/script%3E",
    ] {
        refused(&server.get(path), 404, path);
    }
    // What is no address at all does not get as far.
    for path in ["/..\\..\\etc\\passwd", "etc/passwd", "*"] {
        let status = server.get(path).status;
        assert!((400..500).contains(&status), "{path}: {status}");
    }
}

#[test]
fn only_small_gets_are_answered() {
    let server = server();
    let host = format!("Host: {}\r\nConnection: close\r\n", server.host());
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
        let reply = server.send(format!("{method} /api/legal HTTP/1.1\r\n{host}\r\n").as_bytes());
        refused(&reply, 405, method);
        assert_eq!(reply.header("allow"), Some("get, head"));
    }
    let body = "x".repeat(1 << 20);
    let length = body.len();
    for method in ["GET", "POST"] {
        let status = if method == "GET" { 413 } else { 405 };
        let request = format!("{method} /api/legal HTTP/1.1\r\n{host}Content-Length: {length}\r\n\r\n{body}");
        refused(&server.send(request.as_bytes()), status, method);
        let request = format!(
            "{method} /api/legal HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        );
        refused(&server.send(request.as_bytes()), status, method);
    }
    let head = server.send(format!("HEAD /api/legal HTTP/1.1\r\n{host}\r\n").as_bytes());
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    let large = format!("GET / HTTP/1.1\r\n{host}X: {}\r\n\r\n", "x".repeat(1 << 20));
    let status = server.send(large.as_bytes()).status;
    assert!((400..500).contains(&status), "a header of a megabyte: {status}");
    for nonsense in
        [&b"\r\n\r\n"[..], b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n"]
    {
        // Some of it could be the beginning of a request: no answer is waited for.
        server.connect().write_all(nonsense).unwrap();
    }
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn other_names_and_other_sites_are_turned_away() {
    let server = server();
    let port = server.port;
    for host in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "127.8.9.1"] {
        assert_eq!(server.with("/", &format!("Host: {host}:{port}\r\n")).status, 200, "{host}");
    }
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("localhost:{}", port ^ 1),
        "localhost".to_owned(),
        format!("user@localhost:{port}"),
        format!("192.168.1.5:{port}"),
        format!("localhost:{port}:{port}"),
        format!("local<host>:{port}"),
        String::new(),
    ] {
        for path in ["/", "/style.css", "/api/legal", "/health"] {
            let reply = server.with(path, &format!("Host: {host}\r\n"));
            assert!([400, 403].contains(&reply.status), "{host}: {}", reply.status);
            refused(&reply, reply.status, &host);
        }
    }
    refused(&server.with("/", ""), 400, "no Host");
    refused(
        &server.with("/", &format!("Host: localhost:{port}\r\nHost: evil.example\r\n")),
        400,
        "two Hosts",
    );
    let ours = format!("Host: localhost:{port}\r\n");
    for site in ["cross-site", "same-site"] {
        let headers = format!("{ours}Sec-Fetch-Site: {site}\r\n");
        refused(&server.with("/api/analyse", &headers), 403, site);
        assert_eq!(server.with("/", &headers).status, 200, "a link from elsewhere may be followed");
    }
    for origin in ["https://evil.example", "null", &format!("http://evil.example:{port}"), "http://localhost"]
    {
        refused(&server.with("/api/legal", &format!("{ours}Origin: {origin}\r\n")), 403, origin);
    }
    let own = format!("{ours}Origin: http://localhost:{port}\r\nSec-Fetch-Site: same-origin\r\n");
    assert_eq!(server.with("/api/legal", &own).status, 200);
}

#[test]
fn only_this_machine_is_listened_to_unless_said_otherwise() {
    // An address of this machine that others could call; nothing is sent.
    let outside = || -> Option<IpAddr> {
        let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
        socket.connect("192.0.2.1:9").ok()?;
        Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
    };
    let server = server();
    let timeout = Duration::from_secs(2);
    if let Some(ip) = outside() {
        assert!(
            TcpStream::connect_timeout(&(ip, server.port).into(), timeout).is_err(),
            "{ip} is listened at"
        );
    }
    let open = Server::start(TABLES.path(), &["--listen", "0.0.0.0", "--host", "board.example"]);
    if let Some(ip) = outside() {
        assert!(TcpStream::connect_timeout(&(ip, open.port).into(), timeout).is_ok(), "{ip}");
    }
    let status = |host: &str| open.with("/", &format!("Host: {host}:{}\r\n", open.port)).status;
    assert_eq!([status("192.168.1.5"), status("board.example"), status("localhost")], [200; 3]);
    assert_eq!([status("evil.example"), status("x.board.example")], [403; 2]);
}

#[test]
fn bad_tables_are_named_and_good_ones_taken_up_again() {
    let dir = TempDir::new().unwrap();
    build("hoyito", 8, dir.path());
    let file = dir.path().join("hoyito-08.oju");
    let good = fs::read(&file).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2..].iter_mut().for_each(|byte| *byte ^= 0x10);
    let server = Server::start(dir.path(), &[]);
    let target = "/api/analyse?profile=hoyito&position=0-2-0-1-0-1-0-1-1-1-0-1&time=5";
    for bad in [&[][..], &good[..good.len() / 2], &flipped, b"\x89PNG\r\n\x1a\n and more that is no table"] {
        fs::write(&file, bad).unwrap();
        let said = refused(&server.get(target), 503, "a bad table");
        assert!(said["error"].as_str().unwrap().contains("hoyito-08.oju"), "{said}");
        // The other game goes on.
        assert_eq!(server.get("/api/legal?position=start").status, 200);
        fs::write(&file, &good).unwrap();
        let analysis = get_json(&server, target);
        assert_eq!((&analysis["value"], &analysis["source"]), (&0.into(), &"table".into()));
    }
    fs::write(&file, &good[..100]).unwrap();
    let said = refused(&server.get("/api/tables"), 503, "a cut table");
    assert!(said["error"].as_str().unwrap().contains("hoyito-08.oju"), "{said}");
}

#[cfg(unix)]
#[test]
fn tables_replaced_or_cut_under_the_server_give_no_wrong_answer() {
    let profile: Profile = "ayoayo".parse().unwrap();
    let dir = TempDir::new().unwrap();
    build("ayoayo", 8, dir.path());
    let file = dir.path().join("ayoayo-08.oju");
    let good = fs::read(&file).unwrap();
    let settings = Settings { tables: Tables::In(TABLES.path().into()), threads: 1, ..Settings::default() };
    let engine = Engine::new(profile, &settings).unwrap();
    let mut random = Random::new(21);
    let mut question = || {
        let mut counts = [0; 12];
        (0..8).for_each(|_| counts[random.index(12)] += 1);
        let text = counts.map(|count: u32| count.to_string()).join("-");
        let value = engine.probe(&oju::notation::parse_position(&profile, &text).unwrap()).unwrap().unwrap();
        (format!("/api/analyse?position={text}"), value)
    };

    // The same table in another file under the name.
    let server = Server::start(dir.path(), &[]);
    let (target, value) = question();
    assert_eq!(get_json(&server, &target)["value"], value);
    let new = dir.path().join("new");
    let replace = |bytes: &[u8]| {
        fs::write(&new, bytes).unwrap();
        fs::rename(&new, &file).unwrap();
    };
    replace(&good);
    for _ in 0..200 {
        let (target, value) = question();
        let analysis = get_json(&server, &target);
        assert_eq!((&analysis["value"], &analysis["source"]), (&value.into(), &"table".into()), "{target}");
    }

    // Another file under the name is told, and nothing is answered from it.
    replace(b"no table");
    let said = refused(&server.get(&target), 503, &target);
    assert!(said["error"].as_str().unwrap().contains("ayoayo-08.oju"), "{said}");

    // The same file cut short: what can not be read any more is told.
    fs::write(&file, &good).unwrap();
    let server = Server::start(dir.path(), &[]);
    get_json(&server, &target);
    fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(good.len() as u64 / 2).unwrap();
    let mut told = 0;
    for _ in 0..200 {
        let (target, value) = question();
        let reply = server.get(&target);
        if reply.status == 200 {
            assert_eq!(reply.json()["value"], value, "{target}");
        } else {
            let said = refused(&reply, 503, &target);
            assert!(said["error"].as_str().unwrap().contains("ayoayo-08.oju"), "{said}");
            told += 1;
        }
    }
    assert!(told > 0, "half of the file was not missed");
    fs::write(&file, &good).unwrap();
    let (target, value) = question();
    assert_eq!(get_json(&server, &target)["value"], value, "and is taken up again");
}

#[test]
fn tables_that_come_while_the_server_runs_are_used() {
    let dir = TempDir::new().unwrap();
    let server = Server::start(dir.path(), &[]);
    // The cycle of RULES.md: a stand-off, which is known without being asked for only where tables say so.
    let target = "/api/analyse?profile=hoyito&position=0-2-0-1-0-1-0-1-1-1-0-1&time=60";
    let standoff = || get_json(&server, target)["standoff"].clone();
    assert_eq!(standoff(), Value::Null);
    build("hoyito", 8, dir.path());
    assert_eq!(standoff(), true);
    fs::remove_file(dir.path().join("hoyito-04.oju")).unwrap();
    assert_eq!(standoff(), Value::Null);
}

#[test]
fn a_search_that_runs_is_not_harmed_by_tables_that_go() {
    let dir = TempDir::new().unwrap();
    build("hoyito", 8, dir.path());
    let server = Server::start(dir.path(), &["--solves", "1"]);
    let searching = server.ask("/api/analyse?profile=hoyito12&time=60s");
    let asked = server.ask("/api/analyse?profile=hoyito&position=0-0-4-2-0-1-0-3-0-2-3-1&time=60s");
    // It has its engine, and waits for the first to end.
    wait_until("one runs, one waits", || {
        let health = get_json(&server, "/health");
        (&health["solving"], &health["waiting"]) == (&1.into(), &1.into())
    });
    for file in fs::read_dir(dir.path()).unwrap() {
        let path = file.unwrap().path();
        let other = path.with_extension("new");
        fs::write(&other, b"not a table").unwrap();
        fs::rename(other, path).unwrap();
    }
    refused(&server.get("/api/legal?profile=hoyito"), 503, "the tables that are there now");
    drop(searching);
    let without = TempDir::new().unwrap();
    let known = best(without.path(), &["hoyito", "0-0-4-2-0-1-0-3-0-2-3-1"]);
    assert_eq!(known["exact"], true);
    assert_eq!(answer(asked).json()["value"], known["value"]);
}

// --- The page ---

#[test]
fn the_page_is_small_and_asks_for_nothing_from_outside() {
    let server = server();
    let mut bytes = 0;
    let mut todo = vec!["/".to_owned(), "/tables".to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(path) = todo.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let reply = server.get(&path);
        assert_eq!(reply.status, 200, "{path}");
        bytes += reply.body.len();
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"));
        // Its version is known by its tag.
        let tag = reply.header("etag").unwrap().to_owned();
        let again = server.with(&path, &format!("Host: {}\r\nIf-None-Match: {tag}\r\n", server.host()));
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{path}");
        assert_eq!(reply.header("cache-control"), Some("no-cache"));
        let text = reply.body.replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("http://") && !text.contains("https://"), "{path} names an address");
        if reply.header("content-type").unwrap().starts_with("text/html") {
            assert!(!text.contains("<style") && !text.contains(" style="), "{path}: styles are in files");
            assert!(
                !text.contains(" onclick") && !text.contains("javascript:"),
                "{path}: scripts are in files"
            );
            assert_eq!(text.matches("<script").count(), text.matches("<script type=\"module\" src=").count());
        }
        assert!(
            !text.contains("innerHTML") && !text.contains("eval("),
            "{path}: text is never read as markup"
        );
        for mark in ["src=\"", "href=\"", "url(\"", "from \"."] {
            let found = text.split(mark).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
            todo.extend(found.filter(|path| path.starts_with('/')));
        }
    }
    assert!(seen.contains("/game.js") && seen.contains("/wood.svg"), "{seen:?}");
    assert!(bytes < 150_000, "the page has {bytes} bytes");
    println!("{} files, {bytes} bytes", seen.len());
}

// --- Nothing keeps the server from answering ---

#[test]
fn health_answers_while_64_searches_are_asked_for() {
    let server = server();
    let asked: Vec<TcpStream> = (0..64)
        .map(|number| {
            let endpoint = if number % 2 == 0 { "analyse" } else { "analyse/stream" };
            server.ask(&format!("/api/{endpoint}?profile=hoyito12&time=30s"))
        })
        .collect();
    // Until all have arrived.
    let health = || get_json(&server, "/health");
    wait_until("all searches are there", || {
        let health = health();
        health["solving"].as_u64().unwrap() + health["waiting"].as_u64().unwrap() == 64
    });
    let (mut slowest, mut slowest_table) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..20 {
        let started = Instant::now();
        assert_eq!(health()["solving"], 2, "no more than may run at once");
        slowest = slowest.max(started.elapsed());
        let started = Instant::now();
        let analysis = get_json(&server, "/api/analyse?position=1-0-0-0-0-3-0-0-0-0-0-0");
        assert_eq!((&analysis["exact"], &analysis["source"]), (&true.into(), &"table".into()));
        slowest_table = slowest_table.max(started.elapsed());
    }
    println!("slowest: health {slowest:?}, a value from a table {slowest_table:?}");
    assert!(slowest < Duration::from_secs(1), "/health took {slowest:?}");
    assert!(slowest_table < Duration::from_secs(1), "a value from a table took {slowest_table:?}");
    drop(asked);
}

#[test]
fn values_in_tables_are_answered_at_once() {
    let server = server();
    let target = "/api/analyse/stream?profile=hoyito&position=0-2-0-1-0-1-0-1-1-1-0-1";
    let times = (0..20).map(|_| {
        let started = Instant::now();
        assert_eq!(events(&server.get(target).body).pop().unwrap().0["source"], "table");
        started.elapsed()
    });
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    println!("first to last of 20: {:?} to {:?}", times[0], times[19]);
    // The middle one: this machine may have other work too.
    assert!(times[10] < Duration::from_millis(100), "{times:?}");
}

/// Waits for what must come, and comes soon where all is well.
fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}: not in a minute");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Seconds that all threads of a process have computed.
#[cfg(target_os = "linux")]
fn computed(process: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    // Of user and system, in hundredths of a second.
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_computes_five_seconds_after_100_clients_left() {
    let server = server();
    let asked: Vec<TcpStream> = (0..100)
        .map(|number| {
            let endpoint = if number % 2 == 0 { "analyse" } else { "analyse/stream" };
            let profile = ["hoyito12", "hoyito-opponent", "ayoayo-pratt", "hoyito"][number / 2 % 4];
            server.ask(&format!("/api/{endpoint}?profile={profile}&time=60s"))
        })
        .collect();
    let load = || {
        let health = get_json(&server, "/health");
        [health["solving"].as_u64().unwrap(), health["waiting"].as_u64().unwrap()]
    };
    wait_until("searches run", || load()[0] == 2);
    let before = computed(server.child.id());
    wait_until("searches compute", || computed(server.child.id()) > before + 0.2);
    drop(asked);
    let left = Instant::now();
    wait_until("all searches have ended", || load() == [0, 0]);
    println!("all searches had ended after {:?}", left.elapsed());
    assert!(left.elapsed() < Duration::from_secs(5), "{:?}", left.elapsed());
    std::thread::sleep(Duration::from_secs(5).saturating_sub(left.elapsed()));
    let before = computed(server.child.id());
    std::thread::sleep(Duration::from_secs(1));
    let after = computed(server.child.id());
    assert!(after - before < 0.05, "{} s computed in a second in which nobody waits", after - before);
    // And the next one is answered.
    let analysis = get_json(&server, "/api/analyse?position=4-2-7-1-1-1-0-1-0-1-6-2-17-5-S&time=60");
    assert_eq!(analysis["value"], -2);
}

#[test]
fn who_waits_too_long_is_told_so() {
    let server = Server::start(TABLES.path(), &["--solves", "1"]);
    let first = server.ask("/api/analyse?profile=hoyito12&time=30s");
    wait_until("it runs", || get_json(&server, "/health")["solving"] == 1);
    let started = Instant::now();
    let reply = server.get("/api/analyse?profile=hoyito12&time=300ms");
    let said = refused(&reply, 503, "busy");
    assert!(said["error"].as_str().unwrap().starts_with("busy"), "{said}");
    assert_eq!(reply.header("retry-after"), Some("2"));
    assert!(started.elapsed() < Duration::from_secs(3));
    drop(first);
}

// --- The command ---

#[test]
fn the_next_free_port_is_taken() {
    // Two neighbours, of which the first is taken.
    let taken = (0..100).find_map(|_| {
        let first = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = first.local_addr().unwrap().port();
        TcpListener::bind(("127.0.0.1", port.checked_add(1)?)).ok()?;
        Some((first, port))
    });
    let (_kept, port) = taken.unwrap();
    let mut server = Server::spawned(Server::command(TABLES.path()).args(["--port", &port.to_string()]));
    assert!(server.port > port, "{}", server.url);
    assert_eq!(server.get("/health").status, 200);
    server.child.kill().unwrap();
    let mut said = String::new();
    server.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, format!("oju: port {port} is taken, {} is not\n", server.port));
}

#[cfg(unix)]
#[test]
fn the_browser_is_opened_at_the_position_that_was_asked_for() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TempDir::new().unwrap();
    let (opener, opened) = (dir.path().join("xdg-open"), dir.path().join("opened"));
    fs::write(&opener, "#!/bin/sh\necho \"$1\" > \"$OPENED.new\" && mv \"$OPENED.new\" \"$OPENED\"\n")
        .unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", dir.path().display(), std::env::var("PATH").unwrap());
    let mut command = Server::command(TABLES.path());
    command.args(["hoyito", "start", "--moves", "Af", "--port", "0", "--open"]);
    let server = Server::spawned(command.env("PATH", path).env("OPENED", &opened));
    assert_eq!(server.url, format!("http://127.0.0.1:{}/?profile=hoyito&moves=Af", server.port));
    wait_until("a browser is opened", || opened.exists());
    assert_eq!(fs::read_to_string(opened).unwrap().trim(), server.url);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_server_in_the_middle_of_a_search() {
    let mut server = server();
    let asked = server.ask("/api/analyse?profile=hoyito12&time=60s");
    wait_until("it runs", || get_json(&server, "/health")["solving"] == 1);
    let started = Instant::now();
    assert!(Command::new("kill").args(["-INT", &server.child.id().to_string()]).status().unwrap().success());
    let status = server.child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    answer(asked);
}

#[test]
fn bad_arguments_are_refused_by_name() {
    for (arguments, reason) in [
        (&["--port", "70000"][..], "a port is a number from 0 to 65535"),
        (&["--port", "-1"], "a port is a number"),
        (&["--listen", "everywhere"], "'--listen <ADDRESS>': an address such as 0.0.0.0 or ::1 is expected"),
        (&["--solves", "0"], "1 to 64 searches"),
        (&["--time", "none"], "--time: a request must end"),
        (&["--time", "soon"], "a time such as"),
        (&["chess"], "unknown profile 'chess'"),
        (&["ayoayo", "4-4"], "position, column 4"),
        (&["ayoayo", "--moves", "X"], "--moves, column 1"),
        (&["--listen", "192.0.2.1"], "cannot listen at 192.0.2.1:8017: an address of this machine"),
        (&["--tables", "/nowhere"], "/nowhere: no such directory of tables"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
        let output = command.arg("explore").args(arguments).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert_eq!((output.stdout.len(), said.lines().count()), (0, 1), "{arguments:?}: {said}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }
}

/// The game that a page would play, through the API alone.
#[test]
fn a_whole_game_through_the_api() {
    let server = server();
    let profile = Profile::ALL[0];
    let engine = Engine::new(profile, &Settings { threads: 1, ..Settings::default() }).unwrap();
    let mut random = Random::new(3);
    let (mut position, mut moves) = (Position::start(&profile), String::new());
    loop {
        let legal = get_json(&server, &format!("/api/legal?moves={moves}"));
        assert_eq!(legal["position"], position.to_string());
        let Options::Moves(known) = engine.options(&position) else {
            assert_eq!(legal["over"], true);
            break;
        };
        let played = &known[random.index(known.len())];
        let answer = get_json(&server, &format!("/api/play?moves={moves}&move={}", played.letter));
        assert_eq!(answer["position"], played.position.to_string());
        moves.push(played.letter);
        position = played.position;
    }
    assert!(moves.len() > 10, "{moves}");
}
