//! What went wrong: for programs as problem+json with a hint, for whoever starts a server as an error with one.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use cairn_domain::Invalid;
use cairn_engine::EngineError;
use cairn_wire::Problem;
use std::{io, net::SocketAddr, path::PathBuf};

/// Why a request was not answered as wished.
#[derive(Debug, Clone)]
pub(crate) struct Failed {
    pub(crate) status: StatusCode,
    pub(crate) detail: String,
    pub(crate) hint: String,
    /// After how many seconds it may be tried again.
    pub(crate) retry_after: Option<u32>,
}

impl Failed {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), hint: hint.into(), retry_after: None }
    }

    pub(crate) fn bad_request(detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail, hint)
    }

    /// There is nothing here, or nothing that the asker may know of.
    pub(crate) fn no_such_agent(name: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            format!("there is no agent `{name}`"),
            "check the name and the key; remembering something makes a new agent",
        )
    }

    pub(crate) fn again_after(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// The problem as it is sent.
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

    /// The whole answer.
    pub(crate) fn render(&self, request_id: Option<String>) -> Response {
        let body = serde_json::to_vec(&self.problem(request_id)).unwrap_or_default();
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

impl IntoResponse for Failed {
    /// The outermost layer renders it with the id of the request.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Invalid> for Failed {
    fn from(invalid: Invalid) -> Self {
        Self::bad_request(invalid.problem, invalid.hint)
    }
}

impl From<EngineError> for Failed {
    fn from(error: EngineError) -> Self {
        let (detail, hint) = (error.to_string(), error.hint());
        match error {
            EngineError::Invalid(_) => Self::bad_request(detail, hint),
            EngineError::NotFound(_) => Self::new(StatusCode::NOT_FOUND, detail, hint),
            // Whoever asks need not know who else lives here.
            EngineError::NoSuchAgent { name, .. } => Self::no_such_agent(name.as_str()),
            EngineError::Model(_) => Self::new(StatusCode::SERVICE_UNAVAILABLE, detail, hint).again_after(5),
            _ => {
                tracing::error!(error = %detail, "the engine failed");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail, hint)
            }
        }
    }
}

/// Why a server does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another one serves this home.
    #[error("{} is served already: {holder}", home.display())]
    Held {
        /// The home.
        home: PathBuf,
        /// Who serves it, and where.
        holder: String,
    },
    /// The home cannot be held.
    #[error("cannot hold {}: {source}", path.display())]
    Hold {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The address cannot be had.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Nobody could be told from anybody else there.
    #[error("{0} can be reached from other machines, and there is no key")]
    Open(SocketAddr),
    /// The engine failed.
    #[error("{0}")]
    Engine(#[from] EngineError),
}

impl ServeError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Held { .. } => "use that one, or stop it first; a home has one server".to_owned(),
            Self::Hold { .. } => "give this user write access to the home".to_owned(),
            Self::Bind { address, source } if source.kind() == io::ErrorKind::AddrInUse => format!(
                "another program listens there and was left alone; choose another port: `cairn serve --port {}`",
                address.port().wrapping_add(1).max(1024)
            ),
            Self::Bind { .. } => {
                "choose an address of this machine, such as 127.0.0.1, and a free port".to_owned()
            }
            Self::Open(_) => "add one first: `cairn key add NAME`; or listen on 127.0.0.1".to_owned(),
            Self::Engine(error) => error.hint(),
        }
    }
}
