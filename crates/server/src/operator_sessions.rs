//! Operators who signed in from a browser. A session lives in the memory of this server and ends after a quarter of an hour;
//! its token is known to a cookie that no script reads, its second token to the page, which sends it with every write.

use axum::http::{HeaderMap, header};
use cairn_operator::Grant;
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How long a sign-in lasts.
pub(crate) const SESSION_LASTS: Duration = Duration::from_mins(15);
/// Sign-ins at the same time; the oldest ends for a new one.
const MAX_SESSIONS: usize = 32;
const COOKIE: &str = "cairn_operator";
const CSRF_HEADER: &str = "x-cairn-csrf";

/// The operators who are signed in.
#[derive(Default)]
pub(crate) struct OperatorSessions(Mutex<Vec<OperatorSession>>);

/// One sign-in.
#[derive(Clone)]
pub(crate) struct OperatorSession {
    pub(crate) grant: Grant,
    pub(crate) csrf: String,
    token_hash: blake3::Hash,
    begun: Instant,
}

impl OperatorSession {
    /// How long it still lasts.
    pub(crate) fn remaining(&self) -> Duration {
        SESSION_LASTS.saturating_sub(self.begun.elapsed())
    }

    /// Whether the page that sent these headers was told the second token.
    pub(crate) fn is_confirmed_by(&self, headers: &HeaderMap) -> bool {
        let sent = headers.get(CSRF_HEADER).map(|value| blake3::hash(value.as_bytes()));
        sent.is_some_and(|sent| sent == blake3::hash(self.csrf.as_bytes()))
    }
}

impl OperatorSessions {
    /// Begins a session and returns it with the value of its cookie.
    pub(crate) fn begin(&self, grant: Grant) -> Result<(OperatorSession, String), getrandom::Error> {
        let (token, csrf) = (random_token()?, random_token()?);
        let token_hash = blake3::hash(token.as_bytes());
        let session = OperatorSession { grant, csrf, token_hash, begun: Instant::now() };
        let mut sessions = self.live();
        if sessions.len() >= MAX_SESSIONS {
            sessions.remove(0);
        }
        sessions.push(session.clone());
        let seconds = SESSION_LASTS.as_secs();
        let cookie = format!("{COOKIE}={token}; Path=/v1; Max-Age={seconds}; HttpOnly; SameSite=Strict");
        Ok((session, cookie))
    }

    /// The session that a request's cookie names, if it still lasts.
    pub(crate) fn find(&self, headers: &HeaderMap) -> Option<OperatorSession> {
        let hash = blake3::hash(cookie_token(headers)?.as_bytes());
        self.live().iter().find(|session| session.token_hash == hash).cloned()
    }

    /// Ends the session of a request and returns the cookie that removes its cookie.
    pub(crate) fn end(&self, headers: &HeaderMap) -> String {
        if let Some(ended) = self.find(headers) {
            self.live().retain(|session| session.token_hash != ended.token_hash);
        }
        format!("{COOKIE}=; Path=/v1; Max-Age=0; HttpOnly; SameSite=Strict")
    }

    fn live(&self) -> MutexGuard<'_, Vec<OperatorSession>> {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|session| !session.remaining().is_zero());
        sessions
    }
}

fn cookie_token(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, token)| token)
}

/// 256 random bits in hexadecimal digits.
fn random_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(blake3::Hash::from_bytes(bytes).to_hex().to_string())
}
