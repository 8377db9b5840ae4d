//! Contexts for callers who want one: the block that a hook would show for a prompt, put before the user's last words. A request
//! waits for it for so long and no longer; without one it goes on as it is.

use crate::{
    counts::{ProxyCounts, count},
    exchange::{ExchangeHead, KnownAnswers, piece_digests},
    protocol::{
        PassedBody,
        dialogue::{PieceKind, clean_name},
    },
    recent::RecentMap,
    splice::with_block,
};
use cairn_domain::AgentName;
use cairn_engine::{
    Agent, Briefing, Effects, EngineError, Home, Missing, ProxyConfig, limits::MAX_PROXY_AGENTS,
    transcript::typed_words,
};
use hyper::body::Bytes;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::OnceCell, time::timeout};

/// Blocks that are kept, so that a request that goes on with tools is given the one that it began with.
const MAX_KEPT_BLOCKS: usize = 1_024;

/// Gives contexts to requests.
pub(crate) struct ContextSource {
    home: Home,
    config: ProxyConfig,
    counts: Arc<ProxyCounts>,
    known: Arc<KnownAnswers>,
    agents: Mutex<HashMap<AgentName, Arc<OnceCell<Agent>>>>,
    blocks: Mutex<RecentMap<String, Arc<str>>>,
}

/// The question that a block answers.
struct ContextQuestion {
    words: String,
    session: String,
    /// The same for every request that the same words stand at the end of.
    key: String,
    /// Whether the words have just been said.
    is_new: bool,
}

impl ContextSource {
    pub(crate) fn new(
        home: Home,
        config: ProxyConfig,
        counts: Arc<ProxyCounts>,
        known: Arc<KnownAnswers>,
    ) -> Self {
        let blocks = Mutex::new(RecentMap::new(MAX_KEPT_BLOCKS));
        Self { home, config, counts, known, agents: Mutex::default(), blocks }
    }

    /// The request with its context; `None` if there is none, or none in time.
    pub(crate) async fn add_to(&self, head: &ExchangeHead, body: &Bytes) -> Option<Bytes> {
        // What is packed is passed on as it is.
        if head.request_encoding.is_some() {
            return None;
        }
        let text = std::str::from_utf8(body).ok()?;
        let question = self.question(head, text)?;
        let block = timeout(Duration::from_millis(self.config.context_ms), self.block(head, question)).await;
        let Ok(Ok(block)) = block else {
            count(&self.counts.contexts_missed);
            tracing::warn!("no context in time; the request goes on without");
            return None;
        };
        let with = with_block(head.protocol, text, &block?)?;
        count(&self.counts.contexts_added);
        Some(with.into())
    }

    fn question(&self, head: &ExchangeHead, text: &str) -> Option<ContextQuestion> {
        let body = PassedBody { bytes: text.as_bytes(), encoding: None };
        let asked = head.protocol.request(body, self.config.body_bytes)?;
        let place = asked.pieces.iter().rposition(|piece| piece.kind == PieceKind::User)?;
        let words = typed_words(&asked.pieces[place].text)?;
        let session = self.known.session(head, &asked);
        let key = format!("{} {session} {}", head.agent, piece_digests(&asked)[place]);
        let is_new = asked.newest().contains(&place);
        Some(ContextQuestion { words, session, key, is_new })
    }

    /// The block for a question; `None` if there is nothing to show.
    async fn block(
        &self,
        head: &ExchangeHead,
        question: ContextQuestion,
    ) -> Result<Option<Arc<str>>, EngineError> {
        let ContextQuestion { words, session, key, is_new } = question;
        let lock = || self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().get(&key).cloned();
        if kept.is_some() || !is_new {
            return Ok(kept);
        }
        let agent = match self.agent(&head.agent).await {
            // Nobody has said anything yet.
            Err(EngineError::NoSuchAgent { .. }) => return Ok(None),
            opened => opened?,
        };
        let briefing = Briefing {
            query: Some(words),
            session: Some(session),
            thread: head.thread.as_deref().and_then(clean_name),
            tokens: self.config.context_tokens,
            ..Briefing::default()
        };
        let block: Arc<str> = agent.context(&briefing, Effects::Strengthen).await?.text().into();
        if block.is_empty() {
            return Ok(None);
        }
        lock().insert(key, Arc::clone(&block));
        Ok(Some(block))
    }

    async fn agent(&self, name: &AgentName) -> Result<Agent, EngineError> {
        let cell = {
            let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
            if agents.len() >= MAX_PROXY_AGENTS && !agents.contains_key(name) {
                agents.clear();
            }
            Arc::clone(agents.entry(name.clone()).or_default())
        };
        cell.get_or_try_init(|| self.home.agent(name, Missing::Refuse)).await.cloned()
    }
}
