//! Who is asking, and what they may do. Every operation declares the access it requires; this is the only place that checks.

use crate::{
    background::open_agents::OpenAgent,
    failure::RequestFailure,
    state::{ServerState, SharedState},
};
use axum::{
    Extension,
    extract::{ConnectInfo, FromRequestParts, RawPathParams, Request},
    http::{HeaderMap, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use cairn_domain::{AccessKey, AgentName, Scope};
use cairn_engine::Missing;
use cairn_operator::{Grant, OperatorError, sign_in_with_key};
use std::{net::SocketAddr, sync::Arc};

/// The access that an operation requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredAccess {
    /// Anyone may call it.
    Public,
    /// An agent's or an operator's key, once there are keys.
    Agent,
    /// An operator's key.
    Operator,
}

/// Who is asking.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The key that was presented; none for this machine while there are no keys, and for public operations.
    pub(crate) key: Option<AccessKey>,
    /// The grant of an operator's key or sign-in.
    grant: Option<Grant>,
}

impl Caller {
    const NOBODY: Self = Self { key: None, grant: None };

    pub(crate) fn name(&self) -> &str {
        self.key.as_ref().map_or("local", |key| &key.id)
    }

    /// Whether the caller would be admitted again: its key was not revoked or, without a key, there still are none.
    pub(crate) async fn is_still_admitted(&self, app: &ServerState) -> bool {
        let admitted = match &self.key {
            Some(key) => app.keys.is_live(&key.id).await,
            None if self.grant.is_some() => return true,
            None => app.keys.any().await.map(|any| !any),
        };
        admitted.unwrap_or(false)
    }

    pub(crate) fn is_operator(&self) -> bool {
        self.grant.is_some()
    }

    /// The grant that protected operations take.
    pub(crate) fn grant(&self) -> Result<&Grant, RequestFailure> {
        self.grant.as_ref().ok_or_else(|| {
            let made_by_nobody = self.key.as_ref().is_some_and(|key| key.scope == Scope::Operator);
            if made_by_nobody {
                let detail = "only an operator may do this, and this home's operator did not make this key";
                let hint = "create it again: `cairn key add NAME --operator` asks for the passphrase";
                return RequestFailure::new(StatusCode::FORBIDDEN, detail, hint);
            }
            let hint = "sign in, or use a key that `cairn key add NAME --operator` printed";
            RequestFailure::new(StatusCode::FORBIDDEN, "only an operator may do this", hint)
        })
    }

    /// Whether the caller may say what the user said. An agent may not (X-P10): it tells what it learned. A program that
    /// captures conversations may, an operator, and this machine while there are no keys.
    pub(crate) fn speaks_for_user(&self) -> bool {
        self.is_operator() || self.key.as_ref().is_none_or(|key| key.scope == Scope::Capture)
    }

    /// Refuses what only somebody may do who may say what the user said.
    pub(crate) fn require_speaks_for_user(&self, doing: &str) -> Result<(), RequestFailure> {
        if self.speaks_for_user() {
            return Ok(());
        }
        let detail = format!("an agent's key may not {doing}");
        let hint = "say it without `role` and `speaker` as something the agent tells, or use a key that `cairn key add NAME --capture` printed";
        Err(RequestFailure::new(StatusCode::FORBIDDEN, detail, hint))
    }

    /// Whether the caller may know that this agent exists.
    pub(crate) fn knows(&self, agent: &AgentName) -> bool {
        self.key.as_ref().is_none_or(|key| key.admits(agent))
    }
}

/// The agent named in the path.
#[derive(Debug, Clone)]
pub(crate) struct RequestedAgent(pub(crate) AgentName);

/// Passes a request on, or says why not.
pub(crate) async fn admit(
    required: RequiredAccess,
    Extension(app): SharedState,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    params: RawPathParams,
    mut request: Request,
    next: Next,
) -> Response {
    let agent = params.iter().find(|(name, _)| *name == "agent").map(|(_, value)| value.to_owned());
    let admitted = match check(required, &app, from, agent, request.headers()).await {
        Ok(admitted) => admitted,
        Err(failed) => return failed.into_response(),
    };
    let (caller, agent) = admitted;
    if let Err(failed) = check_page(&app, &caller, &request) {
        return failed.into_response();
    }
    let Ok(_permit) = app.request_permits.try_acquire() else {
        let detail = "the server is handling too many requests";
        return RequestFailure::new(StatusCode::SERVICE_UNAVAILABLE, detail, "try again in a second")
            .retry_after_seconds(1)
            .into_response();
    };
    request.extensions_mut().insert(caller);
    if let Some(agent) = agent {
        request.extensions_mut().insert(RequestedAgent(agent));
    }
    next.run(request).await
}

async fn check(
    required: RequiredAccess,
    app: &ServerState,
    from: SocketAddr,
    agent: Option<String>,
    headers: &HeaderMap,
) -> Result<(Caller, Option<AgentName>), RequestFailure> {
    check_origin(app, headers)?;
    if required == RequiredAccess::Public {
        return Ok((Caller::NOBODY, None));
    }
    let caller = caller(app, from, headers).await?;
    if app.exceeds_request_rate(caller.name()) {
        let detail = format!("more than {} requests a second", app.limits.requests_per_second);
        let hint = "wait a second, or raise requests_per_second under [serve] in config.toml";
        return Err(RequestFailure::new(StatusCode::TOO_MANY_REQUESTS, detail, hint).retry_after_seconds(1));
    }
    if required == RequiredAccess::Operator {
        caller.grant()?;
    }
    let agent: Option<AgentName> = agent.map(|name| name.parse()).transpose()?;
    match agent {
        Some(agent) if !caller.knows(&agent) => Err(RequestFailure::no_such_agent(agent.as_str())),
        agent => Ok((caller, agent)),
    }
}

/// Who sends a request, whatever the operation requires; an error if nobody is admitted with these headers.
pub(crate) async fn caller(
    app: &ServerState,
    from: SocketAddr,
    headers: &HeaderMap,
) -> Result<Caller, RequestFailure> {
    let presented = presented_key(headers);
    if let Some(presented) = presented {
        if let Some(key) = app.keys.check(presented).await? {
            let grant = match key.scope {
                Scope::Agent | Scope::Capture => None,
                Scope::Operator => match sign_in_with_key(&app.home, &app.keys, presented).await {
                    Ok(grant) => Some(grant),
                    // It opens what an agent's key opens.
                    Err(OperatorError::SignInFailed(_)) => None,
                    Err(error) => return Err(error.into()),
                },
            };
            return Ok(Caller { key: Some(key), grant });
        }
        let failed = RequestFailure::new(
            StatusCode::UNAUTHORIZED,
            "this key is unknown or was revoked",
            "`cairn key list` shows the keys, `cairn key add NAME` creates one",
        );
        let often = app.exceeds_wrong_key_rate(&from.ip().to_string());
        return Err(if often {
            RequestFailure { status: StatusCode::TOO_MANY_REQUESTS, ..failed }.retry_after_seconds(1)
        } else {
            failed
        });
    }
    if let Some(session) = app.operator_sessions.find(headers) {
        return Ok(Caller { key: None, grant: Some(session.grant) });
    }
    if app.keys.any().await? || !from.ip().is_loopback() {
        return Err(RequestFailure::new(
            StatusCode::UNAUTHORIZED,
            "a key is needed",
            "send it as `Authorization: Bearer cairn_…`; `cairn key add NAME` creates one",
        ));
    }
    check_host(headers)?;
    Ok(Caller::NOBODY)
}

/// The key of a request: `Authorization: Bearer …` or, because a browser cannot send that with a WebSocket, a subprotocol
/// `bearer.…`.
pub(crate) fn presented_key(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| {
        let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    });
    let protocol = || {
        let protocols = headers.get(header::SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
        protocols.split(',').find_map(|protocol| protocol.trim().strip_prefix("bearer."))
    };
    bearer.or_else(protocol)
}

/// Refuses pages of other origins, unless the configuration names them: a page can send requests that its user knows
/// nothing of.
fn check_origin(app: &ServerState, headers: &HeaderMap) -> Result<(), RequestFailure> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let own = origin.split_once("://").is_some_and(|(_, at)| !host.is_empty() && at == host);
    if own || app.limits.origins.iter().any(|allowed| allowed == origin) {
        return Ok(());
    }
    Err(RequestFailure::new(
        StatusCode::FORBIDDEN,
        "requests from pages of this origin are refused",
        "add it to `origins` under [serve] in config.toml",
    ))
}

/// A write under the cookie of a sign-in has to come from the page that signed in: a browser sends cookies by itself.
fn check_page(app: &ServerState, caller: &Caller, request: &Request) -> Result<(), RequestFailure> {
    if caller.key.is_some() || caller.grant.is_none() || request.method().is_safe() {
        return Ok(());
    }
    let session = app.operator_sessions.find(request.headers());
    if session.is_some_and(|session| session.is_confirmed_by(request.headers())) {
        return Ok(());
    }
    Err(RequestFailure::new(
        StatusCode::FORBIDDEN,
        "this write does not come from the page that signed in",
        "send the `csrf` of GET /v1/session as X-Cairn-Csrf",
    ))
}

/// Without keys, only requests to the machine's own names are served: a page may have pointed a name of its own at this
/// address (DNS rebinding).
pub(crate) fn check_host(headers: &HeaderMap) -> Result<(), RequestFailure> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let local = name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    if local {
        return Ok(());
    }
    Err(RequestFailure::new(
        StatusCode::FORBIDDEN,
        "without keys, only requests to localhost are answered",
        "use http://127.0.0.1 or http://localhost, or add a key: `cairn key add NAME`",
    ))
}

/// The agent named in the path; the request fails if there is none.
pub(crate) struct ExistingAgent(pub(crate) Arc<OpenAgent>);

/// The agent named in the path, created by [`open`](Self::open) if there is none: a handler reads the rest of the request
/// first, so that a malformed one creates nothing.
pub(crate) struct AgentOnDemand {
    app: Arc<ServerState>,
    agent: AgentName,
}

impl AgentOnDemand {
    pub(crate) fn name(&self) -> &AgentName {
        &self.agent
    }

    pub(crate) async fn open(&self) -> Result<Arc<OpenAgent>, RequestFailure> {
        Ok(self.app.agents.open(&self.agent, Missing::Create).await?)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ExistingAgent {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, RequestFailure> {
        let (app, agent) = state_and_agent(parts)?;
        Ok(Self(app.agents.open(&agent, Missing::Refuse).await?))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AgentOnDemand {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, RequestFailure> {
        let (app, agent) = state_and_agent(parts)?;
        Ok(Self { app, agent })
    }
}

fn state_and_agent(parts: &Parts) -> Result<(Arc<ServerState>, AgentName), RequestFailure> {
    let agent = parts.extensions.get::<RequestedAgent>().map(|RequestedAgent(agent)| agent.clone());
    let app = parts.extensions.get::<Arc<ServerState>>().cloned();
    app.zip(agent)
        .ok_or_else(|| RequestFailure::bad_request("no agent is named", "use a path under /v1/agents/NAME/"))
}
