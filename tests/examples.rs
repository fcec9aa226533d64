//! The examples of the README and of every `--help`, done as they stand, each as a newcomer would: in a shell, in a directory with
//! what the text says is there.

#![cfg(unix)]

#[cfg(feature = "explore")]
mod explore_server;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[cfg(feature = "explore")]
use serde_json::Value;
use tempfile::TempDir;

/// A search is interrupted after so long: examples are there to be done, not to be waited for.
const LONG: Duration = Duration::from_secs(2);

/// Nothing takes so long where all is well.
const PATIENCE: Duration = Duration::from_secs(600);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

/// The code blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let parts = text.split("\n```").skip(1).step_by(2);
    let block = |part: &str| {
        let (first, rest) = part.split_once('\n')?;
        (first == language).then(|| format!("{rest}\n"))
    };
    parts.filter_map(block).collect()
}

/// A directory with what examples speak of, and a home that is empty.
struct Place {
    dir: TempDir,
}

/// How an example ended.
struct Done {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: TempDir::new().unwrap() };
        for name in ["bin", "home", "work"] {
            fs::create_dir(place.path(name)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_oju"), place.path("bin/oju")).unwrap();
        // A browser that only notes what it is asked for.
        let browser = place.path("bin/xdg-open");
        fs::write(&browser, "#!/bin/sh\necho \"$1\" > \"$HOME/opened\"\n").unwrap();
        fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path("work").join(name), text).unwrap();
    }

    fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        // One process alone is the one that gets the interrupt, and that gives the exit code.
        let alone = line.starts_with("oju ") && !line.contains(['|', ';', '&']);
        command.arg("-c").arg(if alone { format!("exec {line}") } else { line.to_owned() });
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        command.env("PATH", path).env("HOME", self.path("home")).env_remove("OJU_TABLES");
        command.current_dir(self.path("work")).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Does a line to its end.
    fn run(&self, line: &str) -> Done {
        done(self.shell(line).spawn().unwrap(), PATIENCE, line)
    }

    /// Does a line that a person would not always wait for.
    fn run_a_while(&self, line: &str) -> Done {
        done(self.shell(line).spawn().unwrap(), LONG, line)
    }

    fn must(&self, line: &str) -> Done {
        let done = self.run(line);
        assert_eq!(done.code, 0, "{line}\n{}{}", done.stdout, done.stderr);
        done
    }
}

fn interrupt(child: &Child) {
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
}

/// Waits for the end, and interrupts what has not ended after some time.
fn done(mut child: Child, most: Duration, line: &str) -> Done {
    fn reader<R: Read + Send + 'static>(stream: Option<R>) -> std::thread::JoinHandle<String> {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stream.unwrap().read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    }
    let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let started = Instant::now();
    let mut interrupted = false;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > most && !interrupted {
            interrupt(&child);
            interrupted = true;
        }
        assert!(started.elapsed() < most + PATIENCE, "{line}: does not end");
        std::thread::sleep(Duration::from_millis(10));
    };
    let code = status.code().unwrap_or(-1);
    Done { code, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

// --- The README ---

/// True where the words are those that are shown. `…` stands for any words; what a clock says differs.
fn same_words(shown: &[&str], got: &[&str]) -> bool {
    let clock = |at: usize| {
        shown.get(at + 1).is_some_and(|next| *next == "s") || shown[at + 1..].starts_with(&["a", "second),"])
    };
    let mut at = 0;
    for (place, &word) in shown.iter().enumerate() {
        if word == "…" {
            return (at..=got.len()).any(|from| same_words(&shown[place + 1..], &got[from..]));
        }
        if at >= got.len() || (got[at] != word && !clock(place)) {
            return false;
        }
        at += 1;
    }
    at == got.len()
}

/// True where the lines are those that are shown. A line of `…` alone stands for any lines.
fn same_lines(shown: &[&str], got: &[&str]) -> bool {
    let words = |line: &str| -> bool {
        let Some((first, rest)) = got.split_first() else { return false };
        let (shown_words, got_words): (Vec<&str>, Vec<&str>) =
            (line.split_whitespace().collect(), first.split_whitespace().collect());
        same_words(&shown_words, &got_words) && same_lines(&shown[1..], rest)
    };
    match shown.first() {
        None => got.is_empty(),
        Some(line) if line.trim() == "…" => {
            (0..=got.len()).any(|from| same_lines(&shown[1..], &got[from..]))
        }
        Some(line) => words(line),
    }
}

#[test]
fn words_and_lines_are_compared() {
    let lines = |text: &'static str| -> Vec<&str> { text.lines().collect() };
    assert!(same_lines(&lines("a\n…\nb 2.5 s, c"), &lines("a\nx\ny\nb 2.5 s, c")));
    assert!(same_lines(&lines("in 2.5 s (3 a second), c"), &lines("in 9.0 s (7 a second), c")));
    assert!(!same_lines(&lines("in 2.5 s (3 a second), c"), &lines("in 9.0 s (7 a second), d")));
    assert!(same_lines(&lines("a … d"), &lines("a b c d")));
    assert!(!same_lines(&lines("a … d"), &lines("a b c e")));
    assert!(!same_lines(&lines("a"), &lines("a\nb")));
}

/// What a block of the README takes for granted.
fn prepare(place: &Place, block: &str) {
    if block.contains("oju info hoyito") || block.contains("oju export hoyito") {
        place.must("oju build hoyito --seeds 8 --forced");
    }
    if block.contains("oju verify ayoayo") {
        place.must("oju build ayoayo --seeds 14 --forced");
    }
    if block.contains("scripts/") {
        symlink(root().join("scripts"), place.path("work/scripts")).unwrap();
    }
    if block.contains("positions.txt") {
        place.write("positions.txt", POSITIONS);
        for part in [1, 3, 4] {
            place.must(&format!("oju batch hoyito positions.txt --shard {part}/4 -o part{part}.jsonl"));
        }
    }
}

/// Of both games.
const POSITIONS: &str = "\
1-0-0-0-0-3-0-0-0-0-0-0
0-2-0-1-0-1-0-1-1-1-0-1 B

1-1-0-1-1-0-0-0-1-1-2-0
0-0-0-0-0-0-0-0-0-0-0-0
";

#[test]
fn the_readmes_sessions_are_what_happens() {
    let numpy = Command::new("python3").args(["-c", "import numpy"]).stderr(Stdio::null()).status();
    let numpy = numpy.is_ok_and(|status| status.success());
    let mut lines = 0;
    for block in blocks(&readme(), "text") {
        let place = Place::new();
        prepare(&place, &block);
        for step in format!("\n{block}").split("\n$ ").skip(1) {
            let (line, shown) = step.split_once('\n').unwrap_or((step, ""));
            if line.starts_with("python3") && !numpy {
                eprintln!("not done, as NumPy is missing: {line}");
                continue;
            }
            let done = place.run(line);
            assert!(done.code == 0 || line.starts_with("oju batch"), "{line}: {}", done.stderr);
            let got =
                format!("{}{}", if line.starts_with("oju build") { &done.stderr } else { "" }, done.stdout);
            let (shown, got): (Vec<&str>, Vec<&str>) = (shown.lines().collect(), got.lines().collect());
            assert!(
                same_lines(&shown, &got),
                "{line}\n{}\nis not shown:\n{}",
                got.join("\n"),
                shown.join("\n")
            );
            lines += 1;
        }
    }
    assert!(lines > 5, "{lines} lines");
}

#[test]
fn the_readmes_board_is_the_one_that_is_drawn() {
    let board = &blocks(&readme(), "text")[0];
    let drawn = Place::new().must("oju best ayoayo --nodes 1 --time 1ms || true").stdout;
    assert!(drawn.contains(board.as_str()), "{drawn}");
}

#[test]
fn the_readmes_shell_commands_work() {
    let place = Place::new();
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    let mut seen = 0;
    for line in blocks(&readme(), "sh").concat().lines() {
        let line = line.split("   ").next().unwrap().trim();
        match line.split(' ').next().unwrap() {
            "" => continue,
            // That takes minutes, and is done in the way of all changes.
            "cargo" => assert!(ci.contains(line), "{line} is not in .ci/run"),
            _ => {
                place.must(line);
            }
        }
        seen += 1;
    }
    assert!(seen >= 5, "{seen} commands");
    assert!(place.path("home/.local/share/man/man1/oju-best.1").is_file());
}

/// The JSON documents of a block, its comments left out.
#[cfg(feature = "explore")]
fn documents(block: &str) -> Vec<Value> {
    let plain = block.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n");
    serde_json::Deserializer::from_str(&plain).into_iter().collect::<Result<_, _>>().unwrap()
}

/// Checks that an answer has the fields that are shown, and no others.
#[cfg(feature = "explore")]
fn same_fields(shown: &Value, got: &Value, at: &str) {
    match (shown, got) {
        // What is said of another answer.
        (Value::Object(shown), _) if shown.is_empty() => {}
        (Value::Object(shown), Value::Object(got)) => {
            let names =
                |fields: &serde_json::Map<String, Value>| -> Vec<String> { fields.keys().cloned().collect() };
            assert_eq!(names(shown), names(got), "{at}");
            shown.iter().for_each(|(name, value)| same_fields(value, &got[name], &format!("{at}.{name}")));
        }
        (Value::Array(shown), Value::Array(got)) => {
            if let (Some(shown), Some(got)) = (shown.first(), got.first()) {
                same_fields(shown, got, at);
            }
        }
        (Value::Null, _) | (_, Value::Null) => {}
        _ => assert_eq!(
            std::mem::discriminant(shown),
            std::mem::discriminant(got),
            "{at}: {shown} is shown, {got} is answered"
        ),
    }
}

#[cfg(feature = "explore")]
#[test]
fn the_readmes_json_is_what_is_answered() {
    let blocks = blocks(&readme(), "jsonc");
    let [api, best] = &blocks[..] else { panic!("{} blocks", blocks.len()) };
    let tables = TempDir::new().unwrap();
    explore_server::build("hoyito", 8, tables.path());
    let arguments = ["hoyito", "0-2-0-1-0-1-0-1-1-1-0-1", "--forced"];
    same_fields(&documents(best)[0], &explore_server::best(tables.path(), &arguments), "best");
    let server = explore_server::Server::start(tables.path(), &[]);
    let documents = documents(api);
    let [bounds, play, legal, error] = &documents[..] else { panic!("{} documents", documents.len()) };
    let stream = server.get("/api/analyse/stream?profile=hoyito12&time=500ms").body;
    let event = stream.lines().skip_while(|line| *line != "event: bounds").nth(1).unwrap();
    same_fields(bounds, &serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap(), "bounds");
    same_fields(play, &server.get("/api/play?move=D").json(), "play");
    same_fields(legal, &server.get("/api/legal?position=1-0-0-0-0-3-0-0-0-0-0-0").json(), "legal");
    assert_eq!(server.get("/api/legal?position=4-4").json(), *error);
}

// --- Help ---

/// The commands that there are.
fn commands(place: &Place) -> Vec<String> {
    let help = place.must("oju --help").stdout;
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let named = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    named.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

/// The examples at the end of a help text. What stands far to the right of one is a remark.
fn examples(help: &str) -> Vec<String> {
    let text = help.split("Examples:\n").nth(1).unwrap_or_default();
    let lines = text.lines().take_while(|line| line.starts_with("  "));
    lines.map(|line| line.trim().split("   ").next().unwrap().to_owned()).collect()
}

/// What examples speak of; `built` has the tables.
fn furnish(place: &Place, built: &Place) {
    place.write("positions.txt", POSITIONS);
    place.write("positions.csv", "position,remark\n1-0-0-0-0-3-0-0-0-0-0-0,\"one, that feeds\"\n");
    for tables in ["tables", "big-tables"] {
        place.must(&format!("cp -r '{}' {tables}", built.path("work/tables").display()));
    }
    for dir in [".zfunc", ".config/fish/completions", ".local/share/bash-completion/completions"] {
        fs::create_dir_all(place.path("home").join(dir)).unwrap();
    }
}

/// A server runs until it is interrupted.
fn explored(place: &Place, line: &str) {
    let mut child = place.shell(line).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    let opened = place.path("home/opened");
    if line.contains("--open") {
        let started = Instant::now();
        while !fs::read_to_string(&opened).is_ok_and(|text| text == url) {
            assert!(started.elapsed() < PATIENCE, "{line}: no browser is opened");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    interrupt(&child);
    let done = done(child, PATIENCE, line);
    assert!(url.starts_with("http://127.0.0.1:"), "{line}: {url}{}", done.stderr);
    assert_eq!(done.code, 130, "{line}: {}", done.stderr);
}

#[test]
fn every_example_of_every_help_works() {
    let built = Place::new();
    for profile in ["ayoayo", "hoyito"] {
        built.must(&format!("oju build {profile} --seeds 8 --forced --tables tables"));
    }
    let commands = commands(&built);
    assert!(commands.len() >= 14, "{commands:?}");
    let mut all = 0;
    for command in &commands {
        let place = Place::new();
        furnish(&place, &built);
        let help = place.must(&format!("oju {command} --help")).stdout;
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{command} has no examples:\n{help}");
        for line in examples {
            all += 1;
            match command.as_str() {
                "explore" => explored(&place, &line),
                "best" | "openings" | "play" | "bench" => {
                    let done = place.run_a_while(&line);
                    // Done, or left before its end with what is proven by then.
                    let ended = [0, 130].contains(&done.code) || (done.code == 1 && line.contains("--time"));
                    assert!(ended, "{line}: {} {}", done.code, done.stderr);
                }
                _ => {
                    place.must(&line);
                }
            }
        }
    }
    assert!(all > 40, "{all} examples");
}

#[test]
fn the_commands_to_try_work() {
    let place = Place::new();
    let shown = place.must("oju").stdout;
    let lines: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("  oju ")).collect();
    assert_eq!(lines.len(), 5);
    for line in lines {
        let line = format!("oju {}", line.split("   ").next().unwrap());
        match line.split(' ').nth(1).unwrap() {
            "explore" => explored(&place, &line),
            "best" => assert!([0, 130].contains(&place.run_a_while(&line).code), "{line}"),
            _ => {
                place.must(&line);
            }
        }
    }
}

// --- The shell and the manual ---

#[test]
fn shells_complete_commands_and_options() {
    let place = Place::new();
    let commands = commands(&place);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.must(&format!("oju completions {shell}")).stdout;
        for command in &commands {
            assert!(script.contains(command.as_str()), "{shell}: {command}");
        }
        assert!(script.contains("seeds-per-pit"), "{shell}");
    }
    // As bash does it.
    place.write("oju.bash", &place.must("oju completions bash").stdout);
    let completed = |words: &str| {
        let script = format!(
            "source ./oju.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); \
             _oju oju \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; echo ${{COMPREPLY[@]}}"
        );
        place.must(&format!("bash -c '{script}'")).stdout.trim().to_owned()
    };
    assert_eq!(completed("oju ver"), "verify");
    assert_eq!(completed("oju best --line"), "--line-only");
    assert_eq!(completed("oju play --south h"), "human");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let place = Place::new();
    place.must("oju man --output pages/man1");
    let pages = place.path("work/pages/man1");
    assert_eq!(place.must("oju man").stdout, fs::read_to_string(pages.join("oju.1")).unwrap());
    let commands = commands(&place);
    assert_eq!(fs::read_dir(&pages).unwrap().count(), commands.len() + 1);
    for command in commands {
        let page = fs::read_to_string(pages.join(format!("oju-{command}.1"))).unwrap();
        assert_eq!(page, place.must(&format!("oju man {command}")).stdout);
        assert!(page.contains(".TH") && page.contains(".SH SYNOPSIS"), "{command}");
        // Whatever its help says of options and examples.
        let help = place.must(&format!("oju {command} --help")).stdout;
        let plain = page
            .replace("\\-", "-")
            .replace("\\*(Aq", "'")
            .replace("\\fB", "")
            .replace("\\fR", "")
            .replace("\\fI", "");
        for option in help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2) {
            let option = option.trim_end_matches(|c: char| !c.is_alphanumeric());
            assert!(plain.contains(option), "{command}: {option}");
        }
        for example in examples(&help) {
            assert!(plain.contains(&example), "{command}: {example}");
        }
    }
    assert_eq!(place.run("oju man chess").code, 2);
}
