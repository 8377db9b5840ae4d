//! The Model Context Protocol over HTTP, behind the same access checks as every other operation.

use crate::{
    background::open_agents::OpenAgent,
    failure::RequestFailure,
    request::access::{AgentOnDemand, Caller},
    state::{ServerState, SharedState},
};
use axum::{Extension, body::Body, extract::Request, http::header, response::Response};
use cairn_engine::Missing;
use tower::ServiceExt as _;

/// The tools of the agent named in the path.
pub(crate) async fn of_agent(
    agent: AgentOnDemand,
    Extension(app): SharedState,
    request: Request,
) -> Result<Response, RequestFailure> {
    Ok(answer(&app, &*agent.open().await?, request).await)
}

/// The tools of the agent that the server was started with.
pub(crate) async fn of_default(
    Extension(app): SharedState,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, RequestFailure> {
    if !caller.knows(&app.agent) {
        return Err(RequestFailure::no_such_agent(app.agent.as_str()));
    }
    let open_agent = app.agents.open(&app.agent, Missing::Create).await?;
    Ok(answer(&app, &open_agent, request).await)
}

async fn answer(app: &ServerState, open_agent: &OpenAgent, request: Request) -> Response {
    // The access check has already accepted this Host header.
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let hosts = vec![host.to_owned()];
    let service = cairn_mcp::http_service(open_agent.agent.clone(), hosts, app.stopping.child_token());
    let response = match service.oneshot(request).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    };
    open_agent.worker.wake();
    response
}
