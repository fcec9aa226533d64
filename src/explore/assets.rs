//! The page's files, compiled in. There is no other file that the server could be talked into sending.

use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};

/// One file of the page.
pub(super) struct Asset {
    pub(super) path: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! assets {
    ($($path:literal $content_type:ident $file:literal),* $(,)?) => {
        /// All files, by the path that they are asked for at.
        pub(super) const ALL: &[&Asset] = &[
            $(&Asset { path: $path, content_type: $content_type, bytes: include_bytes!(concat!("page/", $file)) }),*
        ];
    };
}

assets! {
    "/" HTML "index.html",
    "/tables" HTML "tables.html",
    "/style.css" CSS "style.css",
    "/board.css" CSS "board.css",
    "/icon.svg" SVG "icon.svg",
    "/wood.svg" SVG "wood.svg",
    "/main.js" SCRIPT "main.js",
    "/api.js" SCRIPT "api.js",
    "/board.js" SCRIPT "board.js",
    "/edit.js" SCRIPT "edit.js",
    "/game.js" SCRIPT "game.js",
    "/graph.js" SCRIPT "graph.js",
    "/keys.js" SCRIPT "keys.js",
    "/moves.js" SCRIPT "moves.js",
    "/seeds.js" SCRIPT "seeds.js",
    "/sowing.js" SCRIPT "sowing.js",
    "/tables.js" SCRIPT "tables.js",
    "/values.js" SCRIPT "values.js",
}

/// Sends a file, or says that the browser has it already.
pub(super) fn serve(asset: &'static Asset, asked: &HeaderMap) -> Response {
    let tag = format!("\"{:08x}\"", crc32fast::hash(asset.bytes));
    let known = asked.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = match known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, asset.content_type)], asset.bytes).into_response(),
    };
    let headers = response.headers_mut();
    // The browser asks each time: another version of the program may listen at the same port.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}
