//! A brief: what a model is shown of the memory before it answers, quoted and dated, within a budget. To a question come
//! the wishes that stand, what is always kept in mind, what can be worked out from dated evidence, and the words that were
//! said: the surest whole, the less sure in short, the unsure left out and counted. Without a question come the newest
//! memories, those of the project first.

use super::{
    briefing::{Brief, Briefing},
    page::{BriefPage, ContextLine, TokenCounter},
    quoting::{QuotationPlan, WISHES_BUDGET_DIVISOR},
    standing::{may_be_shown, memory_line, message_line},
};
use crate::{
    Agent, Result,
    continuity::ContextOccasion,
    limits::MAX_CONTEXT_QUERY_CHARS,
    read::{
        question::{Profile, Question},
        show::Timeline,
    },
};
use cairn_cognition::{
    echo::asks_the_same,
    subject::{asks_for_findings, asks_where_it_was_left},
    trivial::trivial_reason,
};
use cairn_domain::{RecordKind, Role};
use cairn_store::{MemoryRecord, MemoryScope, MessageRecord};
use std::cmp::Reverse;

/// Maximum memories considered where nothing is asked.
const MAX_NEWEST_MEMORIES: u32 = 60;
/// Maximum messages considered there.
const MAX_NEWEST_MESSAGES: usize = 20;
/// Messages of the running session among which the question before is looked for.
const MAX_MESSAGES_BEFORE: u32 = 12;
/// Part of the token budget for what was said last: one in so many.
const SAID_LAST_BUDGET_DIVISOR: usize = 5;
/// Maximum hits considered for a question.
const MAX_HITS_CONSIDERED: usize = 80;
/// The same on the first turn of a session, of which only the user's words are taken.
const MAX_HITS_ON_FIRST_TURN: usize = 160;
/// Divisor of the token budget: this part is for memories that come with every question.
const HOT_BUDGET_DIVISOR: usize = 5;
/// Divisor of the token budget: this part is for standing wishes where nothing is asked.
const START_WISHES_BUDGET_DIVISOR: usize = 3;
/// Divisor of the token budget: this part is for what the session has in mind.
const IN_MIND_BUDGET_DIVISOR: usize = 4;
/// Divisor of the token budget: this part is for verified beliefs.
const VERIFIED_BUDGET_DIVISOR: usize = 5;

impl Agent {
    /// Builds the block of text that a model is shown before it answers.
    pub(crate) async fn brief(&self, briefing: &Briefing) -> Result<Brief> {
        match &briefing.query {
            None if briefing.occasion == ContextOccasion::Restart => {
                Box::pin(self.brief_on_restart(briefing)).await
            }
            Some(query) => self.brief_on_question(query, briefing).await,
            None => self.brief_on_newest(briefing).await,
        }
    }

    async fn brief_on_question(&self, query: &str, briefing: &Briefing) -> Result<Brief> {
        let at_first = !asks_for_findings(query) && self.is_first_turn(briefing).await?;
        let text: String = query.chars().take(MAX_CONTEXT_QUERY_CHARS).collect();
        let k = if at_first { MAX_HITS_ON_FIRST_TURN } else { MAX_HITS_CONSIDERED };
        let (thread, mode) = (briefing.thread.clone(), briefing.mode);
        // What counts most is packed first.
        let profile = Profile { broad_after: 0, ..self.config.recall };
        // What is held true has a place of its own, and what was condensed is told in the words it stands on.
        let kinds = vec![RecordKind::Exchange, RecordKind::Memory];
        // What was said is quoted, and what each word is worth comes with the explanation.
        let after = self.asked_before(briefing, query).await?;
        let asked = Question { verbatim: true, explain: true, after, ..Question::new(text) };
        let question = Question { k, thread, mode, kinds, profile, ..asked };
        let mut recall = self.recall(question).await?;
        recall.hits.retain(|hit| {
            let message = hit.found.message().map(|record| &record.message);
            let said_here = message.is_some_and(|it| Some(&it.session) == briefing.session.as_ref());
            let anothers = message.is_some_and(|it| it.role != Role::User);
            let asks = message.is_some_and(|it| asks_the_same(&it.text, query));
            !(said_here || at_first && anothers || asks)
        });
        let mut page = BriefPage::new(self.token_counter(), briefing);
        let held = self.add_verified_beliefs(&mut page, briefing.tokens / VERIFIED_BUDGET_DIVISOR).await?;
        if asks_where_it_was_left(query) {
            Box::pin(self.add_where_it_was_left(&mut page)).await?;
        }
        let mut quoting = QuotationPlan::new(&recall, self.now());
        quoting.quote_in_short(&mut page);
        let budget = briefing.tokens;
        self.add_standing_memories(&mut page, budget / WISHES_BUDGET_DIVISOR, budget / HOT_BUDGET_DIVISOR)
            .await?;
        quoting.add_computed_lines(&mut page);
        quoting.quote_surest_whole(&mut page);
        let (weak, no_room) = quoting.fill_remaining_tokens(&mut page);
        Ok(page.into_brief(weak, no_room).with_gate(held))
    }

    /// The user's last words in the running session before this.
    async fn asked_before(&self, briefing: &Briefing, query: &str) -> Result<Option<String>> {
        let Some(session) = &briefing.session else { return Ok(None) };
        let said = self.store.read(|view| view.of_session(session, None, MAX_MESSAGES_BEFORE)).await?;
        let users = said.into_iter().filter(|it| it.message.role == Role::User && it.message.text != query);
        Ok(users.max_by_key(|it| (it.message.at, it.seq)).map(|it| it.message.text))
    }

    /// How many tokens a text has: as the embedder counts, if its model is loaded, or rather too many.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.token_counter().count(text)
    }

    /// Counts tokens as the embedder does, if its model is loaded; nothing is loaded for it.
    pub(super) fn token_counter(&self) -> TokenCounter {
        TokenCounter::new(self.embedders.configured().loaded())
    }

    /// Whether nobody but the user has spoken yet in the running session.
    async fn is_first_turn(&self, briefing: &Briefing) -> Result<bool> {
        let Some(session) = &briefing.session else { return Ok(false) };
        Ok(!self.store.read(|view| view.is_answered(session)).await?)
    }

    /// The working memory of a session, the newest last.
    pub async fn in_mind(&self, session: &str) -> Result<Vec<MemoryRecord>> {
        let records = self.store.read(|view| {
            let numbers: Vec<u32> = view.working(session)?.iter().map(|item| item.number).collect();
            view.memories_at(&numbers)
        });
        Ok(records.await?)
    }

    /// The working memory of the running session: after its conversation was shortened, the model no longer sees who said it.
    async fn working_memory_lines(&self, briefing: &Briefing) -> Result<Vec<ContextLine>> {
        let Some(session) = &briefing.session else { return Ok(Vec::new()) };
        let (records, now) = (self.in_mind(session).await?, self.now());
        let shown = records.iter().filter(|record| may_be_shown(&record.memory, briefing, now));
        Ok(shown.map(|record| memory_line(&record.memory)).collect())
    }

    async fn brief_on_newest(&self, briefing: &Briefing) -> Result<Brief> {
        let (mut memories, now) =
            (self.memories(None, MemoryScope::Active, MAX_NEWEST_MEMORIES).await?, self.now());
        // Of another project nothing comes; where none is named, the newest of all do.
        memories.retain(|record| may_be_shown(&record.memory, briefing, now));
        memories.sort_by_key(|record| {
            let elsewhere = briefing.thread.is_some() && record.memory.thread.is_none();
            (elsewhere, Reverse((record.memory.valid_from, record.number)))
        });
        let said = self.said_last(briefing, &memories).await?;
        let (mut page, budget) = (BriefPage::new(self.token_counter(), briefing), briefing.tokens);
        let held = self.add_verified_beliefs(&mut page, budget / VERIFIED_BUDGET_DIVISOR).await?;
        let wishes = budget / START_WISHES_BUDGET_DIVISOR;
        self.add_standing_memories(&mut page, wishes, budget / HOT_BUDGET_DIVISOR).await?;
        Box::pin(self.add_where_it_was_left(&mut page)).await?;
        let in_mind = self.working_memory_lines(briefing).await?;
        page.add_section("In mind in this session:", in_mind, budget / IN_MIND_BUDGET_DIVISOR);
        page.add_section("Said last:", said, budget / SAID_LAST_BUDGET_DIVISOR);
        page.add_section(
            "Noted last:",
            memories.iter().map(|record| memory_line(&record.memory)).collect(),
            budget,
        );
        Ok(page.into_brief(0, 0).with_gate(held))
    }

    /// The user's last words, in whatever session or project the request does not leave out, and of which no newer memory
    /// tells: the talk goes on after what was last worth noting.
    async fn said_last(&self, briefing: &Briefing, noted: &[MemoryRecord]) -> Result<Vec<ContextLine>> {
        let newest_noted = noted.iter().map(|record| record.memory.valid_from).max();
        let newest = self.messages_in_order(Timeline::Newest { k: MAX_NEWEST_MESSAGES, as_of: None }).await?;
        let tells = |record: &&MessageRecord| {
            let message = &record.message;
            let project =
                message.thread.is_none() || briefing.thread.is_none() || message.thread == briefing.thread;
            message.role == Role::User
                && newest_noted.is_none_or(|noted| message.at > noted)
                && Some(&message.session) != briefing.session.as_ref()
                && project
                && briefing.mode.is_none_or(|mode| message.mode.shares_with(mode))
                && trivial_reason(&message.text).is_none()
        };
        Ok(newest.iter().rev().filter(tells).map(|record| message_line(&record.message)).collect())
    }
}
