//! How the server stands: alive, ready, and in figures.

use crate::{
    app::{App, Here},
    failure::Failed,
    meter,
    tender::lag_seconds,
};
use axum::{
    Extension, Json,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use cairn_engine::{Check, Health};
use cairn_wire as wire;

/// Whether the server runs.
pub(crate) async fn alive(Extension(app): Here) -> Json<wire::Alive> {
    Json(wire::Alive { status: "ok", version: app.version })
}

/// Whether it can do its work; what is wrong, and what to do.
pub(crate) async fn ready(Extension(app): Here) -> Response {
    let checks = checks(&app).await;
    let ok = checks.iter().all(|check| check.health != Health::Bad);
    let status = if ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = wire::Checkup { ok, checks: checks.iter().map(wire::Check::from).collect() };
    (status, Json(body)).into_response()
}

async fn checks(app: &App) -> Vec<Check> {
    let mut checks = app.home.readiness().await;
    if app.stopping.is_cancelled() {
        checks.push(Check::bad("server", "it is going down", "ask another, or wait until it is back"));
    }
    for (name, kept) in app.agents.all() {
        let state = kept.tender.state();
        let (forming, embedding) = (state.backlog.forming.waiting, state.backlog.embedding.waiting);
        let waiting = format!("{name}: {forming} wait to be formed, {embedding} for their vectors");
        checks.push(if state.is_stuck() {
            let fix = format!("`cairn --agent {name} doctor` says what holds it up");
            Check::bad("queue", format!("{waiting}; nothing has moved for long"), fix)
        } else {
            Check::good("queue", waiting)
        });
        for (what, (problem, hint)) in &state.troubles {
            let found = format!("{name}: {what}: {problem}");
            checks.push(match *what {
                "store" | "index" => Check::bad(what, found, hint.clone()),
                // Without vectors and without a language model everything works.
                _ => Check::warning(what, found, hint),
            });
        }
        checks.extend(state.notes.iter().map(|note| {
            Check::warning("note", format!("{name}: {note}"), "it was mended; `cairn doctor` looks closer")
        }));
        match kept.agent.readiness().await {
            Ok(found) => checks.extend(found),
            Err(error) => checks.push(Check::bad("agent", format!("{name}: {error}"), error.hint())),
        }
    }
    checks
}

/// Figures for Prometheus.
pub(crate) async fn metrics(Extension(app): Here) -> Result<Response, Failed> {
    let agents = app.agents.all();
    let now = app.home.now();
    let (mut forming, mut embedding, mut refining) = ((0, 0.0_f64), (0, 0.0_f64), 0);
    for (_, kept) in &agents {
        let backlog = kept.tender.state().backlog;
        forming =
            (forming.0 + backlog.forming.waiting, forming.1.max(lag_seconds(backlog.forming.oldest, now)));
        embedding = (
            embedding.0 + backlog.embedding.waiting,
            embedding.1.max(lag_seconds(backlog.embedding.oldest, now)),
        );
        refining += backlog.refining;
    }
    meter::queue("forming", forming.0, forming.1);
    meter::queue("embedding", embedding.0, embedding.1);
    meter::queue("refining", refining, 0.0);
    meter::state(agents.len(), app.busy());
    meter::checks(&checks(&app).await);
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    Ok((kind, app.prometheus.text()).into_response())
}
