//! Who asks, and what they may. Every operation says what it needs; this is the one place that checks it.

use crate::{
    agents::Kept,
    app::{App, Here},
    failure::Failed,
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
use std::{net::SocketAddr, sync::Arc};

/// What an operation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing: everybody may ask.
    Nothing,
    /// A key of either kind, if there are keys.
    Agent,
    /// A key of an operator.
    Operator,
}

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The key that was shown; none on a machine's own address while there are no keys.
    pub(crate) key: Option<AccessKey>,
}

impl Caller {
    pub(crate) fn name(&self) -> &str {
        self.key.as_ref().map_or("local", |key| &key.id)
    }

    /// Whether it would still be let in: its key was not revoked or, if it showed none, none is needed still.
    pub(crate) async fn is_still_let_in(&self, app: &App) -> bool {
        let let_in = match &self.key {
            Some(key) => app.keys.is_live(&key.id).await,
            None => app.keys.any().await.map(|any| !any),
        };
        let_in.unwrap_or(false)
    }

    /// Whether it is an operator who asks.
    pub(crate) fn is_operator(&self) -> bool {
        self.scope() == Scope::Operator
    }

    fn scope(&self) -> Scope {
        self.key.as_ref().map_or(Scope::Agent, |key| key.scope)
    }

    /// Whether it may know of this agent.
    pub(crate) fn knows(&self, agent: &AgentName) -> bool {
        self.key.as_ref().is_none_or(|key| key.admits(agent))
    }
}

/// The agent that is asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked(pub(crate) AgentName);

/// Lets a request through, or says why not.
pub(crate) async fn admit(
    needs: Needs,
    Extension(app): Here,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    params: RawPathParams,
    mut request: Request,
    next: Next,
) -> Response {
    let agent = params.iter().find(|(name, _)| *name == "agent").map(|(_, value)| value.to_owned());
    let admitted = match check(needs, &app, from, agent, request.headers()).await {
        Ok(admitted) => admitted,
        Err(failed) => return failed.into_response(),
    };
    let (caller, agent) = admitted;
    let Ok(_under_way) = app.in_flight.try_acquire() else {
        let detail = "too much is asked at the moment";
        return Failed::new(StatusCode::SERVICE_UNAVAILABLE, detail, "try again in a second")
            .again_after(1)
            .into_response();
    };
    request.extensions_mut().insert(caller);
    if let Some(agent) = agent {
        request.extensions_mut().insert(Asked(agent));
    }
    next.run(request).await
}

async fn check(
    needs: Needs,
    app: &App,
    from: SocketAddr,
    agent: Option<String>,
    headers: &HeaderMap,
) -> Result<(Caller, Option<AgentName>), Failed> {
    check_origin(app, headers)?;
    if needs == Needs::Nothing {
        return Ok((Caller { key: None }, None));
    }
    let caller = caller(app, from, headers).await?;
    if app.too_often(caller.name()) {
        let detail = format!("more than {} requests a second", app.limits.requests_per_second);
        let hint = "wait a second, or raise requests_per_second under [serve] in config.toml";
        return Err(Failed::new(StatusCode::TOO_MANY_REQUESTS, detail, hint).again_after(1));
    }
    if needs == Needs::Operator && !caller.is_operator() {
        return Err(Failed::new(
            StatusCode::FORBIDDEN,
            "this is an operator's to ask",
            "use a key that `cairn key add NAME --operator` printed",
        ));
    }
    let agent: Option<AgentName> = agent.map(|name| name.parse()).transpose()?;
    match agent {
        Some(agent) if !caller.knows(&agent) => Err(Failed::no_such_agent(agent.as_str())),
        agent => Ok((caller, agent)),
    }
}

async fn caller(app: &App, from: SocketAddr, headers: &HeaderMap) -> Result<Caller, Failed> {
    let shown = shown_key(headers);
    if let Some(shown) = shown {
        if let Some(key) = app.keys.check(shown).await? {
            return Ok(Caller { key: Some(key) });
        }
        let failed = Failed::new(
            StatusCode::UNAUTHORIZED,
            "this key is not known, or was revoked",
            "`cairn key list` shows the keys, `cairn key add NAME` makes one",
        );
        let often = app.too_wrong(&from.ip().to_string());
        return Err(if often {
            Failed { status: StatusCode::TOO_MANY_REQUESTS, ..failed }.again_after(1)
        } else {
            failed
        });
    }
    if app.keys.any().await? || !from.ip().is_loopback() {
        return Err(Failed::new(
            StatusCode::UNAUTHORIZED,
            "a key is needed",
            "send it as `Authorization: Bearer cairn_…`; `cairn key add NAME` makes one",
        ));
    }
    check_host(headers)?;
    Ok(Caller { key: None })
}

/// The key of a request: `Authorization: Bearer …`, or for sockets of browsers, which cannot send that, a protocol
/// called `bearer.…`.
pub(crate) fn shown_key(headers: &HeaderMap) -> Option<&str> {
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

/// A page of another origin is sent away, unless the configuration names it: what a browser sends along need not be what
/// its user wants.
fn check_origin(app: &App, headers: &HeaderMap) -> Result<(), Failed> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let own = origin.split_once("://").is_some_and(|(_, at)| !host.is_empty() && at == host);
    if own || app.limits.origins.iter().any(|allowed| allowed == origin) {
        return Ok(());
    }
    Err(Failed::new(
        StatusCode::FORBIDDEN,
        "pages of this origin are not answered",
        "name it in `origins` under [serve] in config.toml",
    ))
}

/// Without keys only the machine itself is answered by its own names: a page whose name was bent to point here is not.
fn check_host(headers: &HeaderMap) -> Result<(), Failed> {
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
    Err(Failed::new(
        StatusCode::FORBIDDEN,
        "without keys only this machine is answered, by its own name",
        "ask http://127.0.0.1 or http://localhost, or add a key: `cairn key add NAME`",
    ))
}

/// The agent that is asked, if it is there.
pub(crate) struct Reading(pub(crate) Arc<Kept>);

/// The agent that is asked, which is made if it is not there: once what is asked has been read.
pub(crate) struct Writing {
    app: Arc<App>,
    agent: AgentName,
}

impl Writing {
    pub(crate) async fn open(&self) -> Result<Arc<Kept>, Failed> {
        Ok(self.app.agents.open(&self.agent, Missing::Create).await?)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Reading {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failed> {
        let (app, agent) = asked(parts)?;
        Ok(Self(app.agents.open(&agent, Missing::Refuse).await?))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Writing {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failed> {
        let (app, agent) = asked(parts)?;
        Ok(Self { app, agent })
    }
}

fn asked(parts: &Parts) -> Result<(Arc<App>, AgentName), Failed> {
    let asked = parts.extensions.get::<Asked>().map(|Asked(agent)| agent.clone());
    let app = parts.extensions.get::<Arc<App>>().cloned();
    app.zip(asked).ok_or_else(|| Failed::bad_request("no agent is named", "ask /v1/agents/NAME/…"))
}
