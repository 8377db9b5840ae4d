//! Why a proxy may not start, with a hint for each.

use cairn_domain::Invalid;
use std::{io, net::SocketAddr};

/// Why a proxy could not start.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// Something in its settings does not fit.
    #[error("{0}")]
    Invalid(#[from] Invalid),
    /// Whoever can reach it could tell the memory what the user said.
    #[error("{0} can be reached from other machines")]
    Exposed(SocketAddr),
    /// It would send every request to itself.
    #[error("{0} is the proxy itself")]
    Itself(SocketAddr),
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// Encryption or the thread that records could not be set up.
    #[error("cannot start: {0}")]
    Setup(String),
}

impl ProxyError {
    /// The next step, for people.
    pub fn hint(&self) -> String {
        match self {
            Self::Invalid(invalid) => invalid.hint.clone(),
            Self::Exposed(_) => {
                "listen on 127.0.0.1, and reach it from elsewhere through a tunnel: what passes it is recorded as its user's words"
                    .to_owned()
            }
            Self::Itself(_) => "name the provider with --upstream URL, or choose another --port".to_owned(),
            Self::Bind { address, source } if source.kind() == io::ErrorKind::AddrInUse => format!(
                "another program listens there; choose another port: `cairn proxy --port {}`",
                address.port().wrapping_add(1).max(1024)
            ),
            Self::Bind { .. } => "choose 127.0.0.1 or ::1, and a free port".to_owned(),
            Self::Setup(_) => "try again; to record nothing, point your program at its provider".to_owned(),
        }
    }
}
