//! Connections: taken, handed to the router, and closed where the client is too slow.
//!
//! A connection costs a file descriptor and some memory. So there is a bound on how many are open, and a client keeps one only
//! while it does its part: while it sends its request at once, and reads what it is sent. How long an answer takes to compute does not
//! count.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// Bytes of a request's head that are kept; of an answer, before more is asked for.
const BUFFER: usize = 64 << 10;

/// After a connection could not be taken: most likely there are no file descriptors, until others are closed.
const PAUSE: Duration = Duration::from_millis(200);

/// Answers for ever, at most `most` connections at once. `patience`: how long one stays open where nothing comes, or goes.
pub(super) async fn serve(listener: TcpListener, router: Router, most: usize, patience: Duration) {
    let places = Arc::new(Semaphore::new(most));
    while let Ok(place) = places.clone().acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let router = router.clone();
        tokio::spawn(async move {
            answer(stream, router, patience).await;
            drop(place);
        });
    }
}

/// Answers the requests of one connection, one after the other.
async fn answer(stream: TcpStream, router: Router, patience: Duration) {
    // An event is small and wanted at once: it does not wait for the acknowledgement of the one before.
    let _ = stream.set_nodelay(true);
    // Time to read is hyper's to count: while an answer is computed nothing is to come.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(patience));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router));
    // An error is the client's: it has gone, was too slow, or does not speak HTTP.
    let _ = connection.await;
}
