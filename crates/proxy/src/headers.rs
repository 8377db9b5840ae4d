//! The headers of a request: ours, which never leave this machine, and those that concern one connection only.

use cairn_domain::{AgentName, Invalid};
use hyper::{
    HeaderMap,
    header::{CONNECTION, HOST, HeaderName, HeaderValue, ORIGIN, UPGRADE},
};
use std::net::IpAddr;

/// Every header of ours begins so.
const OWN_PREFIX: &str = "x-cairn-";
/// Headers by which coding agents name a session themselves.
const SESSION_HEADERS: [&str; 3] = ["x-claude-code-session-id", "session-id", "session_id"];
/// Headers that concern one connection.
const CONNECTION_HEADERS: [&str; 8] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// The wishes of a caller that concern the proxy itself.
#[derive(Debug, Default)]
pub(crate) struct CallerWishes {
    /// Whose memory; an error if the name cannot be one.
    pub(crate) agent: Option<Result<AgentName, Invalid>>,
    pub(crate) session: Option<String>,
    pub(crate) thread: Option<String>,
    /// Whether to add a context, if the caller says.
    pub(crate) context: Option<bool>,
    /// Whether to record, if the caller says.
    pub(crate) record: Option<bool>,
}

impl CallerWishes {
    /// Takes every header of ours out.
    pub(crate) fn take(headers: &mut HeaderMap) -> Self {
        let is_own = |name: &HeaderName| name.as_str().starts_with(OWN_PREFIX);
        let mut wishes = Self::default();
        for (name, value) in headers.iter().filter(|(name, _)| is_own(name)) {
            let text = value.to_str().unwrap_or_default().trim();
            if text.is_empty() {
                continue;
            }
            let says_on = || !matches!(text.to_ascii_lowercase().as_str(), "off" | "false" | "no" | "0");
            match &name.as_str()[OWN_PREFIX.len()..] {
                "agent" => wishes.agent = Some(text.parse()),
                "session" => wishes.session = Some(text.to_owned()),
                "thread" => wishes.thread = Some(text.to_owned()),
                "context" => wishes.context = Some(says_on()),
                "record" => wishes.record = Some(says_on()),
                _ => {}
            }
        }
        keep_headers(headers, |name| !is_own(name));
        wishes.session = wishes.session.or_else(|| {
            let named = SESSION_HEADERS.iter().filter_map(|name| headers.get(*name)?.to_str().ok());
            named.map(str::trim).find(|name| !name.is_empty()).map(str::to_owned)
        });
        wishes
    }
}

/// Takes out what concerns one connection. An upgrade that was asked for is passed on.
pub(crate) fn remove_connection_headers(headers: &mut HeaderMap) {
    let upgrade = headers.get(UPGRADE).cloned();
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|names| names.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    keep_headers(headers, |name| !named.contains(name) && !CONNECTION_HEADERS.contains(&name.as_str()));
    if let Some(upgrade) = upgrade {
        headers.insert(UPGRADE, upgrade);
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    }
}

/// Keeps some headers, in the order in which they stand: taking single ones out would move others.
pub(crate) fn keep_headers(headers: &mut HeaderMap, keep: impl Fn(&HeaderName) -> bool) {
    if headers.keys().all(&keep) {
        return;
    }
    let mut current = None;
    for (name, value) in std::mem::take(headers) {
        current = name.or(current);
        if let Some(name) = current.as_ref().filter(|name| keep(name)) {
            headers.append(name.clone(), value);
        }
    }
}

/// Whether a page of another origin sends this, in a browser: it speaks for nobody here. Neither does one that had a foreign
/// name resolved to this machine.
pub(crate) fn is_from_foreign_page(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let origin = text(ORIGIN).map(|origin| origin.split_once("://").map_or(origin, |(_, host)| host));
    [origin, text(HOST)].into_iter().flatten().any(|host| !is_this_machine(host))
}

/// Whether a host, with or without a port, is this machine.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name.parse::<HeaderName>().expect("a name"), value.parse().expect("a value"));
        }
        headers
    }

    #[test]
    fn our_headers_are_taken_out_and_a_sessions_own_name_stays() {
        let mut given = headers(&[
            ("X-Cairn-Agent", "scout"),
            ("x-cairn-thread", "harbor"),
            ("x-cairn-context", "on"),
            ("x-cairn-unknown", "x"),
            ("session_id", "codex-7"),
            ("authorization", "Bearer k"),
        ]);
        let wishes = CallerWishes::take(&mut given);
        assert_eq!(wishes.agent.and_then(Result::ok).map(|it| it.to_string()).as_deref(), Some("scout"));
        assert_eq!((wishes.session.as_deref(), wishes.thread.as_deref()), (Some("codex-7"), Some("harbor")));
        assert_eq!((wishes.context, wishes.record), (Some(true), None));
        let left: Vec<&str> = given.keys().map(HeaderName::as_str).collect();
        assert_eq!(left, ["session_id", "authorization"]);
    }

    #[test]
    fn what_concerns_one_connection_stays_there() {
        let mut given = headers(&[
            ("connection", "close, x-hop"),
            ("x-hop", "1"),
            ("te", "trailers"),
            ("accept", "*/*"),
            ("a", "1"),
            ("b", "2"),
        ]);
        remove_connection_headers(&mut given);
        assert_eq!(given.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["accept", "a", "b"]);
        let mut given = headers(&[("connection", "Upgrade"), ("upgrade", "websocket")]);
        remove_connection_headers(&mut given);
        assert_eq!(
            (&given["upgrade"], &given["connection"]),
            (&"websocket".parse().expect("it"), &"upgrade".parse().expect("it"))
        );
    }

    #[test]
    fn a_page_of_another_origin_is_known() {
        for (lines, foreign) in [
            (vec![("host", "127.0.0.1:7780")], false),
            (vec![("host", "localhost"), ("origin", "http://localhost:3000")], false),
            (vec![("host", "[::1]:7780")], false),
            (vec![("host", "127.0.0.1:7780"), ("origin", "https://example.org")], true),
            (vec![("host", "127.0.0.1:7780"), ("origin", "null")], true),
            (vec![("host", "rebound.example.org:7780")], true),
            (vec![("host", "localhost.example.org")], true),
        ] {
            assert_eq!(is_from_foreign_page(&headers(&lines)), foreign, "{lines:?}");
        }
    }
}
