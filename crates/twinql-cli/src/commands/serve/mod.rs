//! `twinql serve`: the scores over HTTP, in the forms that clients of rerankers, reward models and judges send, and a
//! page to try them.
//!
//! A request is admitted or refused at once ([`gate`]), worked on by a thread that may block, and answered within the
//! time limit. What its work needs ([`app`]) is made before the first request: networks, schemas, worker processes.

mod answer;
mod app;
mod gate;
mod layers;
mod meters;
mod openapi;
mod routes;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use tokio::net::TcpListener;

use crate::args::serve::Serve;
use crate::output::Console;
use app::App;

/// Stacks of threads that work on requests: queries are nested input. Only what is used is taken.
const STACK: usize = 64 << 20;

/// How long requests that are worked on at the end are waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Serves until it is asked to end.
pub(crate) fn run(typed: Serve, seed: Option<u64>, console: Console) -> Result<bool> {
    let address = SocketAddr::new(typed.host, typed.port);
    if !typed.host.is_loopback() && typed.token.is_none() {
        console.warn(format!("{address} can be reached by others, and no --token is asked of them"));
    }
    if typed.token.as_ref().is_some_and(|token| token.trim().is_empty()) {
        bail!("--token is empty");
    }
    let app = Arc::new(App::new(&typed, seed, console)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK)
        .worker_threads(2)
        .max_blocking_threads(app.gate.at_once() + 2)
        .build()
        .context("no threads can be started")?;
    runtime.block_on(serve(app, address, &typed, console))?;
    // Work that outlasted its request ends with the process.
    runtime.shutdown_background();
    Ok(true)
}

async fn serve(app: Arc<App>, address: SocketAddr, typed: &Serve, console: Console) -> Result<()> {
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen at {address}; choose another --port, or 0 for a free one"))?;
    let at = listener.local_addr()?;
    console.say(format!("twinql serves at http://{at}/ ({})", app.network_line()));
    let router = router(Arc::clone(&app), typed.most_body << 10);
    let ended = {
        let app = Arc::clone(&app);
        async move {
            asked_to_end().await;
            app.closing();
        }
    };
    let served = axum::serve(listener, router).with_graceful_shutdown(ended);
    let late = async {
        app.closed().await;
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        served = served => served.context("the server failed")?,
        () = late => console.warn("requests were still worked on after 20 s, and are given up"),
    }
    console.say("ended");
    Ok(())
}

/// All paths.
fn router(app: Arc<App>, most_body: usize) -> Router {
    use routes::{about, explain, judge, page, predict, rerank, reward, score, verify};
    let worked = Router::new()
        .route("/score", post(score::score))
        .route("/v1/score", post(score::score))
        .route("/predict", post(predict::predict))
        .route("/rerank", post(rerank::rerank))
        .route("/v1/rerank", post(rerank::rerank))
        .route("/v2/rerank", post(rerank::rerank))
        .route("/get_reward", post(reward::get_reward))
        .route("/verify", post(verify::verify))
        .route("/judge", post(judge::judge))
        .route("/explain", post(explain::explain))
        .route("/databases", get(about::databases))
        .route("/metrics", get(about::metrics))
        .route("/openapi.json", get(openapi::document))
        .route("/info", get(about::info))
        .route("/", get(page::page))
        .layer(DefaultBodyLimit::max(most_body))
        .layer(from_fn_with_state(Arc::clone(&app), layers::authorised));
    worked
        .route("/health", get(about::health))
        .fallback(about::nothing_here)
        .layer(from_fn_with_state(Arc::clone(&app), layers::measured))
        .layer(from_fn(layers::safe_headers))
        .with_state(app)
}

/// Ends at Ctrl-C, and at what else asks a process to end.
async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let terminated = async {
            match signal(SignalKind::terminate()) {
                Ok(mut signals) => {
                    signals.recv().await;
                }
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            () = terminated => {}
        }
    }
    #[cfg(not(unix))]
    {
        // Where nothing can be listened to, the system ends the process.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
