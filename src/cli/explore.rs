//! `oju explore`: the board in the browser.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::Ordering::Relaxed;

use anyhow::bail;
use clap::Args;
use oju::explore::{Options, Server};
use oju::{Engine, Settings};

use super::values::{self, TimeLimit};
use super::{INTERRUPTED, Outcome, Resources, Subject, write_out};

/// Look at the board in a browser: values of all moves, sowings lap by lap, whole games with their mistakes.
///
/// A server for this machine, with one page that works without a network. Its address is printed to stdout; Ctrl-C ends it. The JSON API
/// under /api is described in the README.
#[derive(Args)]
#[command(after_help = "\
Examples:
  oju explore --open
  oju explore hoyito --moves Af --open
  oju explore ayoayo 1-6-6-2-7-0-0-1-6-6-6-0-7-0-N
  oju explore --port 9000 --tables big-tables
  oju explore --listen 0.0.0.0 --host board.example")]
pub(super) struct Explore {
    #[command(flatten)]
    subject: Subject,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    /// The port; the next one that is free if it is taken. 0 for any
    #[arg(long, value_name = "N", default_value = "8017", value_parser = values::port, allow_hyphen_values = true)]
    port: u16,

    /// Listen at this address of the machine, so that others can call: there is no password
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = values::address)]
    listen: IpAddr,

    /// A name by which the machine may be called, besides localhost and its addresses
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,

    /// The longest time that a request may ask for
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = values::time, allow_hyphen_values = true)]
    time: TimeLimit,

    /// Searches that may run at once, each on all threads, 1 to 64; others wait
    #[arg(long, value_name = "N", default_value = "2", value_parser = values::solves, allow_hyphen_values = true)]
    solves: usize,

    #[command(flatten)]
    resources: Resources,
}

impl Explore {
    pub(super) fn run(&self) -> anyhow::Result<Outcome> {
        let profile = self.subject.profile()?;
        // What is not allowed is said here, not on the page.
        let engine = Engine::new(profile, &Settings { threads: 1, ..self.resources.settings() })?;
        self.subject.position(&engine)?;
        drop(engine);
        let Some(time) = self.time.0 else {
            bail!("--time: a request must end: a time such as 60s is expected");
        };
        let options = Options {
            address: self.listen,
            port: self.port,
            hosts: self.hosts.clone(),
            time,
            solves: self.solves,
            settings: self.resources.settings(),
            ..Options::default()
        };
        let server = Server::bind(&options)?;
        let address = server.address();
        if ![0, address.port()].contains(&self.port) {
            let _ = writeln!(io::stderr(), "oju: port {} is taken, {} is not", self.port, address.port());
        }
        let url = self.url(address);
        write_out(&format!("{url}\n"))?;
        if self.open
            && let Err(error) = open::that_detached(&url)
        {
            let _ =
                writeln!(io::stderr(), "oju: no browser could be opened ({error}): open the address above");
        }
        server.run(|| INTERRUPTED.load(Relaxed));
        Ok(Outcome::Interrupted)
    }

    /// The page, at the position that was asked for.
    fn url(&self, at: SocketAddr) -> String {
        let ip = match at.ip() {
            ip if !ip.is_unspecified() => ip,
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        };
        let subject = &self.subject;
        let position = subject.position.join(" ");
        let profile = subject.profile().map(|profile| profile.to_string()).unwrap_or_default();
        let parts = [
            ("profile", Some(profile.as_str()).filter(|&name| name != "ayoayo")),
            ("position", Some(position.as_str()).filter(|text| !text.is_empty() && *text != "start")),
            ("moves", subject.moves.as_deref()),
        ];
        let query: Vec<String> = parts
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| format!("{name}={}", encoded(value))))
            .collect();
        let start = if query.is_empty() { "" } else { "?" };
        format!("http://{}/{start}{}", SocketAddr::new(ip, at.port()), query.join("&"))
    }
}

/// The text as a part of a query: what is not plainly allowed there as bytes in hexadecimal.
fn encoded(text: &str) -> String {
    let mut query = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => query.push(byte.into()),
            _ => query.push_str(&format!("%{byte:02X}")),
        }
    }
    query
}
