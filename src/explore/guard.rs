//! What is turned away before anything is done: requests that another site's page could have sent, and anything but a small GET. And
//! the headers that every answer carries.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::uri::Authority;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;

/// Bytes of path and query together. The longest game that means something is far shorter.
const MOST_TARGET: usize = 8 << 10;

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                   base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// By which names the server may be called.
pub(super) struct Guard {
    port: u16,
    /// Listens at a loopback address only.
    loopback: bool,
    hosts: Vec<String>,
}

impl Guard {
    pub(super) fn new(address: SocketAddr, hosts: &[String]) -> Self {
        let hosts = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        Self { port: address.port(), loopback: address.ip().is_loopback(), hosts }
    }

    /// True where a Host header means this server.
    ///
    /// A page of another site can have its own name resolve to this machine and then counts as of one origin with the server, but it
    /// can not send another Host than its name. So names are checked against a list; where other machines may call, their addresses for
    /// this one can not be known, but an address is no name that somebody could have resolve to another.
    fn means_us(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let port = authority.port_u16().unwrap_or(80);
        if port != self.port || host.contains('@') {
            return false;
        }
        let name = authority.host().to_ascii_lowercase();
        let ip = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
        match ip {
            Some(ip) => ip.is_loopback() || !self.loopback,
            None => name == "localhost" || self.hosts.contains(&name),
        }
    }

    fn check(&self, request: &Request) -> Result<(), Problem> {
        let headers = request.headers();
        if !self.means_us(host(request)?) {
            let text = "this server is not called by that name: open it by the address that it printed";
            return Err(Problem::new(StatusCode::FORBIDDEN, text));
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            let allow = Some((header::ALLOW, HeaderValue::from_static("GET, HEAD")));
            let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered");
            return Err(Problem { header: allow, ..problem });
        }
        let length = headers.get(header::CONTENT_LENGTH);
        if length.is_some_and(|length| length != "0") || headers.contains_key(header::TRANSFER_ENCODING) {
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "no request here has a body"));
        }
        let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
        if target > MOST_TARGET {
            let text = format!("the address is {target} bytes long: {MOST_TARGET} are possible");
            return Err(Problem::new(StatusCode::URI_TOO_LONG, text));
        }
        if request.uri().path().starts_with("/api/") && from_elsewhere(headers, host(request)?) {
            let text = "the API answers its own page and programs, not pages of other sites";
            return Err(Problem::new(StatusCode::FORBIDDEN, text));
        }
        Ok(())
    }
}

/// The one Host header.
fn host(request: &Request) -> Result<&str, Problem> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next().map(|host| host.to_str()), hosts.next()) {
        (Some(Ok(host)), None) => Ok(host),
        _ => Err(Problem::new(StatusCode::BAD_REQUEST, "one Host header is needed")),
    }
}

/// True for what a browser sends on behalf of a page of another site. It could not read the answer, but it could have searches run.
fn from_elsewhere(headers: &HeaderMap, host: &str) -> bool {
    let fetched = headers.get("sec-fetch-site");
    let origin = headers.get(header::ORIGIN);
    fetched.is_some_and(|site| site != "same-origin" && site != "none")
        || origin.is_some_and(|origin| {
            origin.to_str().ok().and_then(|origin| origin.split_once("://")).is_none_or(|(_, of)| of != host)
        })
}

/// Lets through what may be answered.
pub(super) async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.check(&request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, CSP),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
