//! One request through the proxy: our headers are taken off, it is sent on, and its answer streams back as it comes. Nothing that
//! concerns the memory is waited for, but a context that the caller asked for.

use crate::{
    answer::{AnswerBody, PendingExchange},
    capture::{CopiedBytes, HeldBudget, RequestBody, SharedCopy, push_shared},
    context::ContextSource,
    counts::{Loss, ProxyCounts, count},
    exchange::ExchangeHead,
    headers::{CallerWishes, is_from_foreign_page, keep_headers, remove_connection_headers},
    protocol::ApiProtocol,
    recorder::ExchangeRecorder,
    settings::ProxySettings,
    upstream::UpstreamClient,
};
use cairn_engine::Home;
use http_body_util::{BodyExt, Either, Full};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode, Version,
    body::{Body, Bytes, Incoming},
    header::{
        CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, HeaderName, HeaderValue, UPGRADE,
    },
};
use hyper_util::rt::TokioIo;
use serde_json::json;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{io::copy_bidirectional, time::timeout};

/// The body of a request as it goes on: streamed, or whole with its context.
pub(crate) type OutgoingBody = Either<RequestBody, Full<Bytes>>;
/// The body of an answer: the upstream's, or ours.
pub(crate) type ReturnedBody = Either<AnswerBody, Full<Bytes>>;

/// How figures are asked for. No provider has a path that begins so.
const STATUS_PATH: &str = "/cairn/status";
const METRICS_PATH: &str = "/cairn/metrics";

/// Everything that requests share.
pub(crate) struct ProxyState {
    pub(crate) home: Home,
    pub(crate) settings: ProxySettings,
    pub(crate) client: UpstreamClient<OutgoingBody>,
    pub(crate) recorder: ExchangeRecorder,
    pub(crate) contexts: ContextSource,
    pub(crate) counts: Arc<ProxyCounts>,
    pub(crate) budget: HeldBudget,
}

/// Answers one request.
pub(crate) async fn forward(state: &ProxyState, mut request: Request<Incoming>) -> Response<ReturnedBody> {
    let is_foreign = is_from_foreign_page(request.headers());
    let path = request.uri().path();
    if [STATUS_PATH, METRICS_PATH].contains(&path) && request.method() == Method::GET && !is_foreign {
        return figures(&state.counts, path);
    }
    if request.method() == Method::CONNECT {
        let (problem, hint) = ("this is no proxy for other machines", "set a base URL, not HTTPS_PROXY");
        return refusal(StatusCode::METHOD_NOT_ALLOWED, problem, hint);
    }
    count(&state.counts.requests);
    let wishes = CallerWishes::take(request.headers_mut());
    let head = if is_foreign { None } else { exchange_head(state, &request, &wishes) };
    let wants_context = wishes.context.unwrap_or(state.settings.config.context);
    let is_upgrade = request.headers().contains_key(UPGRADE);
    let upgraded = is_upgrade.then(|| hyper::upgrade::on(&mut request));
    let Some(outgoing) = outgoing(state, request, head.as_ref().map(|head| (head, wants_context))).await
    else {
        return refusal(
            StatusCode::BAD_REQUEST,
            "the request cannot be sent on",
            "check the path and the body",
        );
    };
    let (outgoing, copy) = outgoing;
    let idle = Duration::from_secs(state.settings.config.idle_seconds);
    let mut answer = match timeout(idle, state.client.request(outgoing)).await {
        Ok(Ok(answer)) => answer,
        failed => return upstream_failure(state, failed.is_err()),
    };
    if let (Some(upgraded), StatusCode::SWITCHING_PROTOCOLS) = (upgraded, answer.status()) {
        pass_both_ways(upgraded, hyper::upgrade::on(&mut answer));
        return answer.map(|_| Either::Right(Full::default()));
    }
    remove_connection_headers(answer.headers_mut());
    let pending = head.zip(copy).filter(|_| answer.status().is_success());
    let pending = pending.map(|(head, request)| PendingExchange {
        head,
        request,
        answer: CopiedBytes::new(state.settings.config.body_bytes, &state.budget),
        answer_encoding: text_of(answer.headers(), &CONTENT_ENCODING),
        recorder: state.recorder.clone(),
        home: state.home.clone(),
    });
    answer.map(|body| Either::Left(AnswerBody::new(body, idle, pending)))
}

/// The beginning of an exchange that is to be recorded; `None` if it is not.
fn exchange_head(
    state: &ProxyState,
    request: &Request<Incoming>,
    wishes: &CallerWishes,
) -> Option<ExchangeHead> {
    let protocol = ApiProtocol::of(request.method(), request.uri().path())?;
    if wishes.record == Some(false) {
        return None;
    }
    let agent = match &wishes.agent {
        None => state.settings.agent.clone(),
        Some(Ok(agent)) => agent.clone(),
        Some(Err(_)) => {
            count(&state.counts.submitted);
            state.counts.lose(Loss::Refused, 1);
            return None;
        }
    };
    Some(ExchangeHead {
        protocol,
        agent,
        session: wishes.session.clone(),
        thread: wishes.thread.clone(),
        request_encoding: text_of(request.headers(), &CONTENT_ENCODING),
        asked_at: state.home.now(),
    })
}

/// The request for the upstream, and the copy of it that is being made.
async fn outgoing(
    state: &ProxyState,
    request: Request<Incoming>,
    recorded: Option<(&ExchangeHead, bool)>,
) -> Option<(Request<OutgoingBody>, Option<SharedCopy>)> {
    let (mut parts, body) = request.into_parts();
    let headers = &mut parts.headers;
    let is_anthropic =
        headers.contains_key("anthropic-version") || parts.uri.path().starts_with("/v1/messages");
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    parts.uri = state.settings.upstreams.uri(path, is_anthropic)?;
    parts.version = Version::HTTP_11;
    remove_connection_headers(headers);
    // We have said it already.
    keep_headers(headers, |name| name != EXPECT);
    // In its place, where the caller's own stood.
    let host = HeaderValue::from_str(parts.uri.authority()?.as_str()).ok()?;
    headers.insert(HOST, host);
    let limit = state.settings.config.body_bytes;
    let copy = recorded.map(|_| Arc::new(Mutex::new(CopiedBytes::new(limit, &state.budget))));
    let fits = body.size_hint().exact().is_some_and(|bytes| bytes <= limit as u64);
    let Some((head, copy)) =
        recorded.filter(|(_, context)| *context && fits).map(|it| it.0).zip(copy.clone())
    else {
        let body = Either::Left(RequestBody::new(body, copy.clone()));
        return Some((Request::from_parts(parts, body), copy));
    };
    let whole = body.collect().await.ok()?.to_bytes();
    push_shared(&copy, &whole);
    let sent = state.contexts.add_to(head, &whole).await.unwrap_or(whole);
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(sent.len()));
    Some((Request::from_parts(parts, Either::Right(Full::new(sent))), Some(copy)))
}

fn text_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// Lets both sides of an upgraded connection talk until one of them ends it.
fn pass_both_ways(caller: hyper::upgrade::OnUpgrade, upstream: hyper::upgrade::OnUpgrade) {
    tokio::spawn(async move {
        if let (Ok(caller), Ok(upstream)) = (caller.await, upstream.await) {
            // Whoever breaks off ends it for both.
            let _ = copy_bidirectional(&mut TokioIo::new(caller), &mut TokioIo::new(upstream)).await;
        }
    });
}

fn upstream_failure(state: &ProxyState, is_late: bool) -> Response<ReturnedBody> {
    count(&state.counts.upstream_failures);
    let upstreams = &state.settings.upstreams;
    if is_late {
        tracing::warn!(%upstreams, "the upstream did not answer in time");
        let problem = format!("{upstreams} did not answer in time");
        return refusal(
            StatusCode::GATEWAY_TIMEOUT,
            &problem,
            "ask again; proxy.idle_seconds in config.toml is how long it is waited for",
        );
    }
    tracing::warn!(%upstreams, "the upstream cannot be reached");
    let problem = format!("{upstreams} cannot be reached, or broke off");
    refusal(
        StatusCode::BAD_GATEWAY,
        &problem,
        "check the address (`cairn proxy --upstream URL`) and the network; nothing was changed",
    )
}

/// An answer of our own, in a form that clients of either protocol show to their users.
fn refusal(status: StatusCode, problem: &str, hint: &str) -> Response<ReturnedBody> {
    let message = format!("cairn proxy: {problem} (hint: {hint})");
    let error = json!({"type": "proxy_error", "code": null, "param": null, "message": message, "hint": hint});
    own_answer(status, "application/json", json!({"type": "error", "error": error}).to_string())
}

fn figures(counts: &ProxyCounts, path: &str) -> Response<ReturnedBody> {
    if path == METRICS_PATH {
        return own_answer(StatusCode::OK, "text/plain; version=0.0.4", counts.to_metrics());
    }
    own_answer(StatusCode::OK, "application/json", counts.to_json().to_string())
}

fn own_answer(status: StatusCode, kind: &'static str, body: String) -> Response<ReturnedBody> {
    let mut response = Response::new(Either::Right(Full::new(Bytes::from(body))));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
