//! A write that is sent again under the same key is answered as the first time. The key is claimed before the work and
//! the answer is kept after it, both in the agent's own database, so that neither a lost connection nor a server that
//! was killed makes one request two.

use crate::{agents::Kept, failure::Failed, meter};
use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use cairn_domain::Time;
use cairn_engine::Claimed;
use serde::Serialize;

/// The header that names a request.
const KEY: &str = "idempotency-key";
const REPLAYED: &str = "idempotency-replayed";
const LONGEST: usize = 200;

/// Does `work` and answers with what it gives, once for each key. The moment that `work` is given is that of the first
/// try, if there is a key.
pub(crate) async fn once<T: Serialize>(
    kept: &Kept,
    headers: &HeaderMap,
    asked: [u8; 32],
    work: impl AsyncFnOnce(Option<Time>) -> Result<T, Failed>,
) -> Result<Response, Failed> {
    let Some(key) = key(headers)? else { return Ok(json(written(&work(None).await?)?)) };
    let moment = match kept.agent.claim_reply(&key, asked).await? {
        Claimed::New { at } => at,
        Claimed::Answered { answer } => {
            meter::cache_hit("idempotency");
            let mut response = json(answer);
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
            return Ok(response);
        }
        Claimed::Busy => {
            let detail = "a request with this Idempotency-Key is under way";
            return Err(Failed::new(StatusCode::CONFLICT, detail, "send it again in a moment").again_after(1));
        }
        Claimed::Other => {
            return Err(Failed::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "this Idempotency-Key was used for another request",
                "use a new key for every new request",
            ));
        }
    };
    match work(Some(moment)).await.and_then(|answer| written(&answer)) {
        Ok(answer) => {
            kept.agent.answer_reply(&key, &answer).await?;
            Ok(json(answer))
        }
        Err(failed) => {
            // Nothing was done: it may be tried again.
            kept.agent.drop_reply(&key).await?;
            Err(failed)
        }
    }
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Failed> {
    let Some(value) = headers.get(KEY) else { return Ok(None) };
    match value.to_str() {
        Ok(key) if (1..=LONGEST).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic()) => {
            Ok(Some(key.to_owned()))
        }
        _ => Err(Failed::bad_request(
            "this Idempotency-Key cannot be used",
            "use 1 to 200 letters, digits or signs, for example a UUID",
        )),
    }
}

fn written(answer: &impl Serialize) -> Result<String, Failed> {
    serde_json::to_string(answer)
        .map_err(|error| Failed::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string(), "try again"))
}

fn json(answer: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], answer).into_response()
}
