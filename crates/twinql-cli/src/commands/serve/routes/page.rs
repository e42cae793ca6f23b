//! The page at `/`: two queries, their scores, what is proved, the smallest database that shows a difference, the plans.

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// All of it: no build step, and nothing is loaded from elsewhere.
const PAGE: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");
const SCRIPT: &str = include_str!("../page/page.js");

/// The page, with style and script inside.
pub(in crate::commands::serve) async fn page() -> Response {
    let page = PAGE.replace("/*style*/", STYLE).replace("/*script*/", SCRIPT);
    // What stands in the page may run, and may ask this server alone.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                  base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, policy)];
    (headers, page).into_response()
}
