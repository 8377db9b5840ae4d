//! Who is asking, and an operator's sign-in with a passphrase from a browser.

use crate::{
    failure::RequestFailure,
    operator_sessions::OperatorSession,
    request::{
        access::Caller,
        body::{Body, NoBody},
    },
    state::{ServerState, SharedState},
};
use axum::{
    Extension, Json,
    extract::ConnectInfo,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use cairn_domain::Time;
use cairn_operator::{OperatorError, sign_in};
use cairn_wire as wire;
use std::net::SocketAddr;

/// Who is asking, and which server they reached.
pub(crate) async fn current(
    Extension(app): SharedState,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Json<wire::CallerSession> {
    let session = app.operator_sessions.find(&headers).filter(|_| caller.key.is_none());
    Json(described(&app, session.as_ref(), caller.is_operator()))
}

/// Signs an operator in: the session is in a cookie that no script reads.
pub(crate) async fn begin(
    Extension(app): SharedState,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    Body { value: request, .. }: Body<wire::SignInRequest>,
) -> Result<Response, RequestFailure> {
    let home = app.home.clone();
    // Finding out whether a passphrase opens a key is slow on purpose: not on a thread that others wait for.
    let runtime = tokio::runtime::Handle::current();
    let opened =
        tokio::task::spawn_blocking(move || runtime.block_on(sign_in(&home, &request.passphrase))).await;
    let grant = match opened {
        Ok(Ok(grant)) => grant,
        Ok(Err(OperatorError::SignInFailed(detail))) => {
            let often = app.exceeds_wrong_key_rate(&from.ip().to_string());
            let status = if often { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::UNPROCESSABLE_ENTITY };
            return Err(RequestFailure::new(status, detail, "try again; nothing was changed"));
        }
        Ok(Err(error)) => return Err(error.into()),
        Err(_) => return Err(sign_in_broke()),
    };
    let (session, cookie) = app.operator_sessions.begin(grant).map_err(|_| sign_in_broke())?;
    let answer = Json(described(&app, Some(&session), true));
    Ok(([(header::SET_COOKIE, cookie)], answer).into_response())
}

/// Ends the sign-in.
pub(crate) async fn end(Extension(app): SharedState, headers: HeaderMap, NoBody { .. }: NoBody) -> Response {
    let cookie = app.operator_sessions.end(&headers);
    ([(header::SET_COOKIE, cookie)], Json(described(&app, None, false))).into_response()
}

fn described(app: &ServerState, session: Option<&OperatorSession>, operator: bool) -> wire::CallerSession {
    let now = app.home.now();
    let ends = |session: &OperatorSession| {
        Time::from_millis(now.millis().saturating_add(session.remaining().as_millis() as i64))
    };
    wire::CallerSession {
        agent: app.agent.clone(),
        version: app.version,
        now,
        operator,
        expires_at: session.map(ends),
        csrf: session.map(|session| session.csrf.clone()),
    }
}

fn sign_in_broke() -> RequestFailure {
    RequestFailure::new(StatusCode::INTERNAL_SERVER_ERROR, "the sign-in could not be finished", "try again")
}
