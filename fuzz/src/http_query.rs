//! Requests to the server of the board in the browser: the first line is method and target, the others are headers.

use std::time::Duration;

use oju::Settings;
use oju::explore::{Options, Server};
use serde_json::Value;

pub fn run(data: &[u8]) {
    thread_local!(static SERVER: Server = server());
    SERVER.with(|server| {
        let reply = server.answer(&request(server, data));
        check(&reply);
    });
}

fn server() -> Server {
    let tables = oju::Tables::In(super::table_file::golden_dir());
    let settings = Settings { tables, ..super::settings() };
    let time = Duration::from_millis(20);
    Server::bind(&Options { port: 0, time, solves: 1, settings, ..Options::default() }).expect("a free port")
}

/// A request that ends, whatever is in the bytes: no control character goes into its head, which asks for the end of the
/// connection.
fn request(server: &Server, data: &[u8]) -> Vec<u8> {
    let mut lines = data.split(|&byte| byte == b'\n').map(|line| {
        line.iter().map(|&byte| if byte < 0x20 || byte == 0x7f { b'?' } else { byte }).collect::<Vec<u8>>()
    });
    let mut request = lines.next().unwrap_or_default();
    if !request.contains(&b' ') {
        request.splice(0..0, *b"GET ");
    }
    request.extend(b" HTTP/1.1\r\n");
    let mut host = false;
    for line in lines.filter(|line| line.contains(&b':')).take(20) {
        host |= line.to_ascii_lowercase().starts_with(b"host:");
        request.extend(line);
        request.extend(b"\r\n");
    }
    if !host {
        request.extend(format!("Host: {}\r\n", server.address()).bytes());
    }
    request.extend(b"Connection: close\r\n\r\n");
    request
}

fn check(reply: &[u8]) {
    let end = reply.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer");
    let head = std::str::from_utf8(&reply[..end]).expect("plain headers").to_ascii_lowercase();
    let status: u16 = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    assert!(matches!(status, 200 | 304 | 400..=499), "{head}");
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let body = &reply[end + 4..];
    if header("content-security-policy").is_none() {
        // What is no HTTP does not come as far as the program.
        assert!(matches!(status, 400 | 414 | 431) && body.is_empty(), "{head}");
        return;
    }
    assert_eq!(header("x-content-type-options"), Some("nosniff"), "{head}");
    if body.is_empty() {
        return;
    }
    match header("content-type") {
        Some("application/json") => {
            assert!(!body.contains(&b'<') && !body.contains(&b'>'), "{}", String::from_utf8_lossy(body));
            let json: Value = serde_json::from_slice(body).expect("JSON");
            let error = json.get("error").map(|error| error.as_str().expect("a text"));
            assert_eq!(error.is_some(), status >= 400, "{json}");
            error.iter().for_each(|error| super::plain(error));
        }
        Some(other) => assert_eq!(status, 200, "{other}"),
        None => panic!("{head}"),
    }
}
