//! Idempotency keys: a write sent again under the same key gets the first answer. The key is claimed before the work and the
//! answer stored after it, both in the agent's own database, so that neither a lost connection nor a killed server makes
//! one request two.

use crate::{background::open_agents::OpenAgent, failure::RequestFailure, metrics};
use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use cairn_domain::Time;
use cairn_engine::Claimed;
use serde::Serialize;

const KEY_HEADER: &str = "idempotency-key";
const REPLAYED_HEADER: &str = "idempotency-replayed";
const MAX_KEY_BYTES: usize = 200;

/// Runs `work` once per key and answers with its result. With a key, `work` gets the time of the first attempt.
pub(crate) async fn run_once<T: Serialize>(
    agent: &OpenAgent,
    headers: &HeaderMap,
    request_hash: [u8; 32],
    work: impl AsyncFnOnce(Option<Time>) -> Result<T, RequestFailure>,
) -> Result<Response, RequestFailure> {
    let Some(key) = idempotency_key(headers)? else {
        return Ok(json_response(serialized(&work(None).await?)?));
    };
    let moment = match agent.agent.claim_reply(&key, request_hash).await? {
        Claimed::New { at } => at,
        Claimed::Answered { answer } => {
            metrics::count_cache_hit("idempotency");
            let mut response = json_response(answer);
            response.headers_mut().insert(REPLAYED_HEADER, HeaderValue::from_static("true"));
            return Ok(response);
        }
        Claimed::Busy => {
            let detail = "a request with this Idempotency-Key is still running";
            return Err(RequestFailure::new(StatusCode::CONFLICT, detail, "send it again in a moment")
                .retry_after_seconds(1));
        }
        Claimed::Other => {
            return Err(RequestFailure::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "this Idempotency-Key was used for another request",
                "use a new key for every new request",
            ));
        }
    };
    match work(Some(moment)).await.and_then(|answer| serialized(&answer)) {
        Ok(answer) => {
            agent.agent.answer_reply(&key, &answer).await?;
            Ok(json_response(answer))
        }
        Err(failed) => {
            // The work did nothing, so the key may be used again.
            agent.agent.drop_reply(&key).await?;
            Err(failed)
        }
    }
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, RequestFailure> {
    let Some(value) = headers.get(KEY_HEADER) else { return Ok(None) };
    match value.to_str() {
        Ok(key) if (1..=MAX_KEY_BYTES).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic()) => {
            Ok(Some(key.to_owned()))
        }
        _ => Err(RequestFailure::bad_request(
            "this Idempotency-Key is invalid",
            "use 1 to 200 letters, digits or punctuation marks, for example a UUID",
        )),
    }
}

fn serialized(answer: &impl Serialize) -> Result<String, RequestFailure> {
    serde_json::to_string(answer).map_err(|error| {
        RequestFailure::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string(), "try again")
    })
}

fn json_response(answer: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], answer).into_response()
}
