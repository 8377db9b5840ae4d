//! Liveness, readiness and metrics of the server itself.

use crate::{
    background::{
        open_agents::OpenAgent,
        worker::{StageFailure, lag_seconds},
    },
    failure::RequestFailure,
    metrics,
    request::access::caller,
    state::{ServerState, SharedState},
};
use axum::{
    Extension, Json,
    extract::ConnectInfo,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use cairn_domain::AgentName;
use cairn_engine::{Check, Health};
use cairn_wire as wire;
use std::net::SocketAddr;

/// Whether the server runs.
pub(crate) async fn alive(Extension(app): SharedState) -> Json<wire::Alive> {
    Json(wire::Alive { status: "ok", version: app.version })
}

/// Whether the server can do its work and, if not, what to do. Every agent counts; what was found is told only to a caller who
/// is admitted, and of those agents that the caller may know: it names the home and agents.
pub(crate) async fn ready(
    Extension(app): SharedState,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    let caller = caller(&app, from, &headers).await.ok();
    let (mut ok, mut told) = (true, Vec::new());
    for (agent, check) in checks(&app).await {
        ok &= check.health != Health::Bad;
        let is_told = caller.as_ref().is_some_and(|caller| agent.is_none_or(|agent| caller.knows(&agent)));
        told.push(if is_told { wire::Check::from(&check) } else { wire::Check::without_detail(&check) });
    }
    let status = if ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(wire::Checkup { ok, checks: told })).into_response()
}

/// Every check, and the agent that it is about.
async fn checks(app: &ServerState) -> Vec<(Option<AgentName>, Check)> {
    let mut checks = app.home.readiness().await;
    if app.stopping.is_cancelled() {
        checks.push(Check::bad("server", "it is stopping", "ask another server, or wait until it is back"));
    }
    let mut checks: Vec<_> = checks.into_iter().map(|check| (None, check)).collect();
    for (name, open_agent) in app.agents.list_open() {
        let found = agent_checks(&name, &open_agent).await;
        checks.extend(found.into_iter().map(|check| (Some(name.clone()), check)));
    }
    checks
}

async fn agent_checks(name: &AgentName, open_agent: &OpenAgent) -> Vec<Check> {
    let status = open_agent.worker.status();
    let (forming, embedding) = (status.backlog.forming.waiting, status.backlog.embedding.waiting);
    let waiting = format!("{name}: {forming} messages wait to be formed, {embedding} to be embedded");
    let mut checks = vec![if status.is_stuck() {
        let fix = format!("`cairn --agent {name} doctor` says why");
        Check::bad("queue", format!("{waiting}; nothing has moved for minutes"), fix)
    } else {
        Check::good("queue", waiting)
    }];
    for (stage, StageFailure { problem, hint }) in &status.failures {
        let found = format!("{name}: {stage}: {problem}");
        checks.push(match *stage {
            "store" | "index" => Check::bad(stage, found, hint.clone()),
            // Without vectors and without a language model everything works.
            _ => Check::warning(stage, found, hint),
        });
    }
    checks.extend(status.notes.iter().map(|note| {
        let fix = "it was repaired; `cairn doctor` takes a closer look";
        Check::warning("note", format!("{name}: {note}"), fix)
    }));
    match open_agent.agent.readiness().await {
        Ok(found) => checks.extend(found),
        Err(error) => checks.push(Check::bad("agent", format!("{name}: {error}"), error.hint())),
    }
    checks
}

/// Figures for Prometheus.
pub(crate) async fn metrics(Extension(app): SharedState) -> Result<Response, RequestFailure> {
    let agents = app.agents.list_open();
    let now = app.home.now();
    let (mut forming, mut embedding, mut refining) = ((0, 0.0_f64), (0, 0.0_f64), 0);
    for (_, open_agent) in &agents {
        let backlog = open_agent.worker.status().backlog;
        forming =
            (forming.0 + backlog.forming.waiting, forming.1.max(lag_seconds(backlog.forming.oldest, now)));
        embedding = (
            embedding.0 + backlog.embedding.waiting,
            embedding.1.max(lag_seconds(backlog.embedding.oldest, now)),
        );
        refining += backlog.refining;
    }
    metrics::set_queue("forming", forming.0, forming.1);
    metrics::set_queue("embedding", embedding.0, embedding.1);
    metrics::set_queue("refining", refining, 0.0);
    metrics::set_load(agents.len(), app.requests_in_flight());
    let checks: Vec<Check> = checks(&app).await.into_iter().map(|(_, check)| check).collect();
    metrics::set_checks(&checks);
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    Ok((kind, app.metrics.render()).into_response())
}
