//! The Model Context Protocol over the same server: who may ask is decided as for everything else.

use crate::{
    access::{Caller, Writing},
    agents::Kept,
    app::{App, Here},
    failure::Failed,
};
use axum::{Extension, body::Body, extract::Request, http::header, response::Response};
use cairn_engine::Missing;
use tower::ServiceExt as _;

/// The tools of the agent that is named.
pub(crate) async fn of_agent(
    agent: Writing,
    Extension(app): Here,
    request: Request,
) -> Result<Response, Failed> {
    Ok(answer(&app, &*agent.open().await?, request).await)
}

/// The tools of the agent that the server was started with.
pub(crate) async fn of_default(
    Extension(app): Here,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, Failed> {
    if !caller.knows(&app.agent) {
        return Err(Failed::no_such_agent(app.agent.as_str()));
    }
    let kept = app.agents.open(&app.agent, Missing::Create).await?;
    Ok(answer(&app, &kept, request).await)
}

async fn answer(app: &App, kept: &Kept, request: Request) -> Response {
    // By which name the machine may be asked was checked already.
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let hosts = vec![host.to_owned()];
    let service = cairn_mcp::http_service(kept.agent.clone(), hosts, app.stopping.child_token());
    let response = match service.oneshot(request).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    };
    kept.tender.wake();
    response
}
