//! Where requests go, and the client that brings them there. Addresses hold no secrets: a key travels in the caller's own
//! headers, and what looks like one in an address is refused.

use crate::failure::ProxyError;
use cairn_domain::Invalid;
use hyper::{Uri, body::Body, http::uri::Scheme};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use rustls_platform_verifier::BuilderVerifierExt;
use std::{error::Error, fmt, net::SocketAddr, sync::Arc, time::Duration};

const OPENAI: &str = "https://api.openai.com";
const ANTHROPIC: &str = "https://api.anthropic.com";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection that is not used for this long is closed.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(90);
const MAX_IDLE_CONNECTIONS: usize = 64;

/// The address of one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    scheme: Scheme,
    authority: String,
    /// Without a slash at its end.
    path: String,
}

/// Where requests go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upstreams {
    /// All of them to one provider.
    One(Upstream),
    /// To the provider whose protocol they speak.
    ByProtocol {
        /// OpenAI's.
        openai: Upstream,
        /// Anthropic's.
        anthropic: Upstream,
    },
}

impl Upstream {
    fn parse(url: &str) -> Result<Self, Invalid> {
        let hint = "name the provider's address, such as https://api.openai.com or http://127.0.0.1:11434";
        let wrong = |problem: &str| Invalid::new(format!("the upstream {problem}"), hint);
        let uri: Uri = url.trim().parse().map_err(|_| wrong("is not an address"))?;
        let scheme = uri.scheme().filter(|scheme| [Scheme::HTTP, Scheme::HTTPS].contains(scheme));
        let scheme = scheme.ok_or_else(|| wrong("must begin with http:// or https://"))?.clone();
        let authority = uri.authority().ok_or_else(|| wrong("names no machine"))?.as_str().to_owned();
        if authority.contains('@') || uri.query().is_some() {
            return Err(wrong("must hold neither a key nor a password: your program sends those itself"));
        }
        Ok(Self { scheme, authority, path: uri.path().trim_end_matches('/').to_owned() })
    }

    /// The address of a request. A version that both the upstream and the request name stands there once.
    fn uri(&self, path_and_query: &str) -> Option<Uri> {
        let is_version = |segment: &&str| segment.starts_with('v') && segment.len() > 1;
        let named = self.path.rsplit('/').next().filter(is_version).map(|version| format!("/{version}/"));
        let rest = match named {
            Some(version) if path_and_query.starts_with(&version) => &path_and_query[version.len() - 1..],
            _ => path_and_query,
        };
        let path = format!("{}{rest}", self.path);
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.as_str())
            .path_and_query(path)
            .build()
            .ok()
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.path)
    }
}

impl fmt::Display for Upstreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(upstream) => upstream.fmt(f),
            Self::ByProtocol { openai, anthropic } => write!(f, "{openai} and {anthropic}"),
        }
    }
}

impl Upstreams {
    /// The upstream at `url`; empty, the provider of each protocol.
    pub fn parse(url: &str) -> Result<Self, Invalid> {
        if url.trim().is_empty() {
            let (openai, anthropic) = (Upstream::parse(OPENAI)?, Upstream::parse(ANTHROPIC)?);
            return Ok(Self::ByProtocol { openai, anthropic });
        }
        Ok(Self::One(Upstream::parse(url)?))
    }

    /// The address that a request goes to.
    pub(crate) fn uri(&self, path_and_query: &str, is_anthropic: bool) -> Option<Uri> {
        match self {
            Self::One(upstream) => upstream.uri(path_and_query),
            Self::ByProtocol { anthropic, .. } if is_anthropic => anthropic.uri(path_and_query),
            Self::ByProtocol { openai, .. } => openai.uri(path_and_query),
        }
    }

    /// Whether requests would come back to where the proxy listens.
    pub(crate) fn leads_to(&self, address: SocketAddr) -> bool {
        let Self::One(upstream) = self else { return false };
        [address.to_string(), format!("localhost:{}", address.port())].contains(&upstream.authority)
    }
}

/// The client that asks upstreams; it keeps connections and changes nothing.
pub(crate) type UpstreamClient<B> = Client<HttpsConnector<HttpConnector>, B>;

/// A client with the certificates that this machine trusts.
pub(crate) fn upstream_client<B>() -> Result<UpstreamClient<B>, ProxyError>
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let setup = |error: rustls::Error| ProxyError::Setup(format!("encryption cannot be set up: {error}"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_platform_verifier())
        .map_err(setup)?
        .with_no_client_auth();
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector);
    Ok(Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .pool_max_idle_per_host(MAX_IDLE_CONNECTIONS)
        .http1_preserve_header_case(true)
        .build(connector))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_goes_to_its_upstream_with_one_version_in_its_path() {
        for (upstream, path, uri) in [
            ("https://api.openai.com", "/v1/chat/completions", "https://api.openai.com/v1/chat/completions"),
            ("https://api.openai.com/v1/", "/v1/models?a=b", "https://api.openai.com/v1/models?a=b"),
            ("http://127.0.0.1:11434/v1", "/chat/completions", "http://127.0.0.1:11434/v1/chat/completions"),
            ("https://api.groq.com/openai/v1", "/v1/models", "https://api.groq.com/openai/v1/models"),
            ("http://localhost:1", "/a%20b", "http://localhost:1/a%20b"),
        ] {
            let upstreams = Upstreams::parse(upstream).expect(upstream);
            assert_eq!(upstreams.uri(path, false).map(|it| it.to_string()).as_deref(), Some(uri));
        }
        let both = Upstreams::parse("").expect("both");
        assert_eq!(
            both.uri("/v1/models", true).map(|it| it.to_string()).as_deref(),
            Some("https://api.anthropic.com/v1/models")
        );
    }

    #[test]
    fn an_upstream_that_is_none_or_holds_a_secret_is_refused_without_being_repeated() {
        for url in [
            "api.openai.com",
            "ftp://x",
            "https://",
            "https://me:s3cret@x",
            "https://x/?key=s3cret",
            "s3 cret",
        ] {
            let refused = Upstreams::parse(url).expect_err(url);
            assert!(!format!("{refused:?}").contains("s3"), "{refused:?}");
        }
    }
}
