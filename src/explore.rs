//! The board in the browser: one page, embedded, and a small JSON API, on a server for one machine.
//!
//! # How a request goes
//! `connections` takes a client's connection, and closes it where the client is too slow; `guard` turns away what does not come from this server's own page or is larger than anything that is asked for; `query` turns
//! text into a profile, a position and limits; `solves` answers, on threads that are not the server's. Everything that computes is
//! one of two kinds. What takes milliseconds (the moves of a position, a sowing, a value that is in a table) goes through
//! a lane of its own and never waits for a search. A search takes a place among a few, each with its own pool of threads, and
//! ends when its time is over or when nobody waits for its answer any more: the request's future owns a guard that raises the
//! search's stop flag when it is dropped.
//!
//! The page is plain files (`page/`), compiled in. Nothing is read from the disk but tables.

mod analyse;
mod assets;
mod connections;
mod engines;
mod guard;
mod lane;
mod moves;
mod problem;
mod profiles;
mod progress;
mod query;
mod solves;
mod tables;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::routing::get;
use axum::serve::Listener;
use axum::{Json, Router};
use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::TcpListener;

use crate::engine::{EngineError, Settings};
use problem::Problem;
use solves::Solves;

/// Ports that are tried one after the other.
const PORTS_TRIED: u16 = 100;

/// What a server is to be.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen at.
    pub address: IpAddr,
    /// The first port that is tried; 0 for any that is free.
    pub port: u16,
    /// Host names, besides those of this machine's loopback addresses, by which the server may be called. Addresses need not be named.
    pub hosts: Vec<String>,
    /// The time one request may take at most.
    pub time: Duration,
    /// Searches that may run at once, each on `settings.threads` threads.
    pub solves: usize,
    /// Connections that may be open at once; others wait for their turn.
    pub connections: usize,
    /// How long a connection stays open on which no request comes, or only half of one, or whose client reads nothing of its answer.
    pub patience: Duration,
    /// Memory, threads and tables, for each profile that is in use.
    pub settings: Settings,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: Ipv4Addr::LOCALHOST.into(),
            port: 8017,
            hosts: Vec::new(),
            time: Duration::from_secs(60),
            solves: 2,
            connections: 512,
            patience: Duration::from_secs(10),
            settings: Settings::default(),
        }
    }
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// No port can be listened at.
    #[error("cannot listen at {address}: an address of this machine and a free port are needed")]
    Listen {
        /// The last address that was tried.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// The server's threads can not be started.
    #[error("the server can not be started")]
    Io(#[from] std::io::Error),
    /// The threads of the searches can not be started.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A server that has its port and answers once it is run.
pub struct Server {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
    connections: usize,
    patience: Duration,
}

/// What all handlers share.
pub(crate) struct Shared {
    solves: Solves,
    /// The directory of the tables.
    tables: Option<PathBuf>,
    /// The time one request may take at most.
    most_time: Duration,
}

impl Server {
    /// Takes the first port that is free.
    ///
    /// # Errors
    /// Where no port is free, or threads can not be started.
    pub fn bind(options: &Options) -> Result<Self, ExploreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let listener = runtime.block_on(listen(options))?;
        let address = listener.local_addr()?;
        let tables = options.settings.tables.dir().map(Path::to_path_buf);
        let solves = Solves::new(options.settings.clone(), options.solves.max(1))?;
        let shared = Arc::new(Shared { solves, tables, most_time: options.time });
        let router = router(shared, guard::Guard::new(address, &options.hosts));
        let (connections, patience) = (options.connections.max(1), options.patience);
        Ok(Self { runtime, listener, address, router, connections, patience })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers what a client says on a connection, as [`run`](Self::run) does, but without a socket: all that it is told until the
    /// connection ends, which the last request has to ask for.
    #[doc(hidden)]
    pub fn answer(&self, said: &[u8]) -> Vec<u8> {
        self.runtime.block_on(async {
            let (client, server) = tokio::io::duplex(1 << 16);
            let (mut read, mut write) = tokio::io::split(client);
            let talk = async {
                let mut told = Vec::new();
                // A server may have heard enough before all is said.
                let (_, read) = tokio::join!(write.write_all(said), read.read_to_end(&mut told));
                read.map(|_| told).unwrap_or_default()
            };
            let only = OneConnection { stream: Some(server), address: self.address };
            tokio::select! {
                told = talk => told,
                _ = axum::serve(only, self.router.clone()).into_future() => Vec::new(),
            }
        })
    }

    /// Answers until `ended` says true, which is asked ten times a second. Searches that are still running are left to end with the process.
    pub fn run(self, ended: impl Fn() -> bool + Send + Sync) {
        let Self { runtime, listener, router, connections, patience, .. } = self;
        runtime.block_on(async {
            tokio::select! {
                () = connections::serve(listener, router, connections, patience) => {}
                () = async {
                    while !ended() {
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                } => {}
            }
        });
        runtime.shutdown_background();
    }
}

/// Where one client calls, and nobody after it.
struct OneConnection {
    stream: Option<DuplexStream>,
    address: SocketAddr,
}

impl Listener for OneConnection {
    type Io = DuplexStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (DuplexStream, SocketAddr) {
        match self.stream.take() {
            Some(stream) => (stream, self.address),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        Ok(self.address)
    }
}

async fn listen(options: &Options) -> Result<TcpListener, ExploreError> {
    let mut port = options.port;
    loop {
        let address = SocketAddr::new(options.address, port);
        match TcpListener::bind(address).await {
            Ok(listener) => return Ok(listener),
            Err(error)
                if error.kind() == std::io::ErrorKind::AddrInUse
                    && port < options.port.saturating_add(PORTS_TRIED) =>
            {
                port += 1;
            }
            Err(source) => return Err(ExploreError::Listen { address, source }),
        }
    }
}

fn router(shared: Arc<Shared>, guard: guard::Guard) -> Router {
    let mut router = Router::new()
        .route("/api/analyse", get(analyse::analyse))
        .route("/api/analyse/stream", get(analyse::stream))
        .route("/api/legal", get(moves::legal))
        .route("/api/play", get(moves::play))
        .route("/api/random", get(moves::random))
        .route("/api/profiles", get(profiles::profiles))
        .route("/api/tables", get(tables::tables))
        .route("/health", get(health));
    for asset in assets::ALL {
        router = router.route(asset.path, get(async |headers| assets::serve(asset, &headers)));
    }
    router
        .fallback(async || Problem::not_found())
        .layer(axum::middleware::from_fn_with_state(Arc::new(guard), guard::guard))
        .with_state(shared)
}

/// How the server is.
#[derive(Serialize)]
struct Health {
    status: &'static str,
    /// Searches that run.
    solving: usize,
    /// Searches that wait for a place.
    waiting: usize,
    version: &'static str,
}

/// Answers without waiting for anything.
async fn health(State(shared): State<Arc<Shared>>) -> Json<Health> {
    let (solving, waiting) = shared.solves.load();
    Json(Health { status: "ok", solving, waiting, version: env!("CARGO_PKG_VERSION") })
}
