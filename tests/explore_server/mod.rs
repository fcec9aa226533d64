//! A server of `oju explore`, as a process of its own, and plain HTTP to talk to it: also what no well-behaved client would say.

#![allow(dead_code, unreachable_pub, missing_docs)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// Long enough for any answer on a busy machine; nothing waits so long where all is well.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub struct Server {
    pub child: Child,
    pub port: u16,
    /// What was printed: the page's address.
    pub url: String,
}

pub struct Reply {
    pub status: u16,
    /// Status line and headers, in lower case.
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.head, self.body))
    }
}

impl Server {
    /// Starts one at any free port, with the tables of a directory.
    pub fn start(tables: &Path, arguments: &[&str]) -> Self {
        Self::spawned(Self::command(tables).args(["--port", "0"]).args(arguments))
    }

    pub fn command(tables: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
        command.arg("explore").arg("--tables").arg(tables).env_remove("OJU_TABLES");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn spawned(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        let Some(rest) = url.strip_prefix("http://").filter(|_| url.contains(':')) else {
            let output = child.wait_with_output().unwrap();
            panic!("no server: {}", String::from_utf8_lossy(&output.stderr));
        };
        let port = rest.split('/').next().unwrap().rsplit(':').next().unwrap().parse().unwrap();
        Self { child, port, url }
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request without waiting for an answer.
    pub fn ask(&self, target: &str) -> TcpStream {
        let mut stream = self.connect();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.host())
            .unwrap();
        stream
    }

    pub fn get(&self, target: &str) -> Reply {
        answer(self.ask(target))
    }

    /// Sends these bytes and reads all that comes.
    pub fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // The server may answer and close before it has read all.
        let _ = stream.write_all(bytes);
        answer(stream)
    }

    /// A request with headers of one's own.
    pub fn with(&self, target: &str, headers: &str) -> Reply {
        self.send(format!("GET {target} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").as_bytes())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an answer to its end.
pub fn answer(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // A connection that is reset after the answer has still answered.
    let _ = stream.read_to_end(&mut bytes);
    reply(&bytes)
}

pub fn reply(bytes: &[u8]) -> Reply {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut rest = &bytes[(end + 4).min(bytes.len())..];
    let mut body = Vec::new();
    if head.contains("transfer-encoding: chunked") {
        while let Some(line) = rest.windows(2).position(|two| two == b"\r\n") {
            let length = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
            let start = line + 2;
            body.extend_from_slice(&rest[start..(start + length).min(rest.len())]);
            rest = &rest[(start + length + 2).min(rest.len())..];
        }
    } else {
        body.extend_from_slice(rest);
    }
    Reply { status, head, body: String::from_utf8_lossy(&body).into_owned() }
}

/// The text as it is written in a query.
pub fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Builds the tables of a profile.
pub fn build(profile: &str, seeds: u32, dir: &Path) {
    let options = oju::build::BuildOptions {
        dir: dir.to_path_buf(),
        seeds,
        forced: true,
        memory: u64::MAX,
        disk: u64::MAX,
        save_every: Duration::MAX,
    };
    let stop = std::sync::atomic::AtomicBool::new(false);
    oju::build::build(&profile.parse().unwrap(), &options, &mut (), &stop).unwrap();
}

/// What `oju best --json` says.
pub fn best(tables: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oju"));
    command.arg("best").args(arguments).arg("--json").arg("--tables").arg(tables).env_remove("OJU_TABLES");
    let output = command.stdin(Stdio::null()).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}
