//! Errors: as problem+json for a client, and as an error for whoever starts a server. Both carry a hint.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use cairn_domain::Invalid;
use cairn_engine::EngineError;
use cairn_operator::OperatorError;
use cairn_wire::Problem;
use std::{io, net::SocketAddr, path::PathBuf};

/// Why a request failed.
#[derive(Debug, Clone)]
pub(crate) struct RequestFailure {
    pub(crate) status: StatusCode,
    pub(crate) detail: String,
    pub(crate) hint: String,
    /// Seconds after which the client may retry.
    pub(crate) retry_after: Option<u32>,
}

impl RequestFailure {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), hint: hint.into(), retry_after: None }
    }

    pub(crate) fn bad_request(detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail, hint)
    }

    /// Also for an agent that exists but that the caller may not know of.
    pub(crate) fn no_such_agent(name: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            format!("there is no agent `{name}`"),
            "check the name and the key; the first `remember` creates an agent",
        )
    }

    pub(crate) fn retry_after_seconds(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    pub(crate) fn problem(&self, request_id: Option<String>) -> Problem {
        Problem {
            kind: "about:blank".to_owned(),
            title: self.status.canonical_reason().unwrap_or("problem").to_owned(),
            status: self.status.as_u16(),
            detail: self.detail.clone(),
            hint: self.hint.clone(),
            request_id,
        }
    }

    pub(crate) fn render(&self, request_id: Option<String>) -> Response {
        let body = serde_json::to_vec(&self.problem(request_id)).expect("a problem has only string keys");
        let mut response = (self.status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl IntoResponse for RequestFailure {
    /// Leaves the body to the outermost layer, which knows the id of the request.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Invalid> for RequestFailure {
    fn from(invalid: Invalid) -> Self {
        Self::bad_request(invalid.problem, invalid.hint)
    }
}

impl From<OperatorError> for RequestFailure {
    fn from(error: OperatorError) -> Self {
        let (detail, hint) = (error.to_string(), error.hint());
        match error {
            OperatorError::Invalid(invalid) | OperatorError::Unchanged(invalid) => invalid.into(),
            OperatorError::Engine(error) => error.into(),
            OperatorError::Refused { .. } => Self::new(StatusCode::CONFLICT, detail, hint),
            OperatorError::SignInFailed(_) | OperatorError::NoKey | OperatorError::BeyondLimit => {
                Self::new(StatusCode::FORBIDDEN, detail, hint)
            }
            OperatorError::Store(_) | OperatorError::File { .. } => {
                tracing::error!(error = %detail, "an operator's request failed");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail, hint)
            }
        }
    }
}

impl From<EngineError> for RequestFailure {
    fn from(error: EngineError) -> Self {
        let (detail, hint) = (error.to_string(), error.hint());
        match error {
            EngineError::Invalid(_) => Self::bad_request(detail, hint),
            EngineError::Withheld(_) => {
                let hint = "ask for the memories behind it with `recall`; an operator's key opens it";
                Self::new(StatusCode::FORBIDDEN, detail, hint)
            }
            EngineError::NotPermitted { .. } => Self::new(StatusCode::FORBIDDEN, detail, hint),
            EngineError::NotFound(_) => Self::new(StatusCode::NOT_FOUND, detail, hint),
            // The engine's message lists other agents, which the caller need not know of.
            EngineError::NoSuchAgent { name, .. } => Self::no_such_agent(name.as_str()),
            EngineError::Model(_) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, detail, hint).retry_after_seconds(5)
            }
            _ => {
                tracing::error!(error = %detail, "the engine failed");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail, hint)
            }
        }
    }
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another server has this home open.
    #[error("{} is already being served: {server}", home.display())]
    AlreadyServed {
        /// The home.
        home: PathBuf,
        /// Which process serves it, and where it listens.
        server: String,
    },
    /// The home cannot be locked.
    #[error("cannot lock {}: {source}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// Without a key, every machine in reach could read and write every agent.
    #[error("{0} can be reached from other machines, and there is no key")]
    NoKey(SocketAddr),
    /// The engine failed.
    #[error("{0}")]
    Engine(#[from] EngineError),
}

impl ServeError {
    /// The next step, for people.
    pub fn hint(&self) -> String {
        match self {
            Self::AlreadyServed { .. } => {
                "use that server, or stop it first: a home has one server".to_owned()
            }
            Self::Lock { .. } => "give this user write access to the home".to_owned(),
            Self::Bind { address, source } if source.kind() == io::ErrorKind::AddrInUse => format!(
                "another program listens there; choose another port: `cairn serve --port {}`",
                address.port().wrapping_add(1).max(1024)
            ),
            Self::Bind { .. } => {
                "choose an address of this machine, such as 127.0.0.1, and a free port".to_owned()
            }
            Self::NoKey(_) => "add one first: `cairn key add NAME`; or listen on 127.0.0.1".to_owned(),
            Self::Engine(error) => error.hint(),
        }
    }
}
