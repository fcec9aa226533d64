//! Clients that are too slow or too many for the server of `oju explore`. Its patience is short here, so that the tests are not long.

mod explore_server;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use explore_server::{PATIENCE, Reply, answer};
use oju::explore::{Options, Server};

/// A server in this process, and its end.
struct Running {
    port: u16,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(connections: usize) -> Self {
        let options =
            Options { port: 0, connections, patience: Duration::from_millis(500), ..Options::default() };
        let server = Server::bind(&options).unwrap();
        let port = server.address().port();
        let ended = Arc::new(AtomicBool::new(false));
        let end = ended.clone();
        let thread = std::thread::spawn(move || server.run(|| end.load(Relaxed)));
        Self { port, ended, thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn request(&self, target: &str, header: &str) -> String {
        format!("GET {target} HTTP/1.1\r\nHost: localhost:{}\r\n{header}\r\n", self.port)
    }

    /// Sends a request without waiting for an answer; the connection is closed after it.
    fn ask(&self, target: &str) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(self.request(target, "Connection: close\r\n").as_bytes()).unwrap();
        stream
    }

    fn get(&self, target: &str) -> Reply {
        answer(self.ask(target))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ended.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Reads until the server closes the connection.
fn closed(mut stream: TcpStream, what: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => bytes,
        Err(error) if error.kind() == ErrorKind::ConnectionReset => bytes,
        Err(error) => panic!("{what} is still open after {PATIENCE:?}: {error}"),
    }
}

#[test]
fn half_a_request_is_not_waited_for() {
    let server = Running::start(64);
    for (half, what) in [
        ("", "a connection without a request"),
        ("GET /health HT", "half a line"),
        ("GET /health HTTP/1.1\r\nHost: localhost\r\n", "a head without an end"),
        ("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Header: ", "half a header"),
    ] {
        let mut stream = server.connect();
        stream.write_all(half.as_bytes()).unwrap();
        assert!(!closed(stream, what).starts_with(b"HTTP/1.1 2"), "{what}");
    }
    // After an answer the next request is not waited for longer.
    let mut stream = server.connect();
    stream.write_all(server.request("/health", "").as_bytes()).unwrap();
    assert!(closed(stream, "an idle connection").starts_with(b"HTTP/1.1 200"));
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn bytes_one_by_one_are_no_reason_to_wait() {
    let server = Running::start(64);
    let mut stream = server.connect();
    let started = Instant::now();
    stream.write_all(b"GET /health HTTP/1.1\r\nX-Header: ").unwrap();
    while stream.write_all(b"x").is_ok() {
        assert!(started.elapsed() < PATIENCE, "a head that never ends is still read");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn who_reads_nothing_is_left() {
    let server = Running::start(64);
    let mut stream = server.connect();
    stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
    let started = Instant::now();
    // Until no more answers, and then no more requests, find room; and then until the server gives up.
    let requests = server.request("/main.js", "").repeat(100);
    loop {
        match stream.write(requests.as_bytes()) {
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
        assert!(started.elapsed() < PATIENCE, "answers that nobody reads are still kept");
    }
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn an_answer_that_takes_longer_is_waited_for() {
    let server = Running::start(64);
    let reply = server.get("/api/analyse?profile=hoyito12&time=2s");
    assert_eq!((reply.status, &reply.json()["exact"]), (200, &false.into()));
    let stream = server.get("/api/analyse/stream?profile=hoyito12&time=2s");
    assert!(stream.body.contains("event: analysis"), "{}", stream.body);
}

#[test]
fn one_connection_waits_for_another_where_no_more_may_be_open() {
    let server = Running::start(1);
    let mut first = server.ask("/api/analyse?profile=hoyito12&time=2s");
    assert_eq!(server.get("/health").status, 200);
    // So the first has been closed.
    first.set_nonblocking(true).unwrap();
    let mut bytes = Vec::new();
    first.read_to_end(&mut bytes).unwrap();
    assert!(bytes.starts_with(b"HTTP/1.1 200"));
    // Connections that nothing comes on do not keep the others out for ever.
    let idle: Vec<TcpStream> = (0..4).map(|_| server.connect()).collect();
    assert_eq!(server.get("/health").status, 200);
    drop(idle);
}
