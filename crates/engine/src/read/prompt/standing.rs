//! Memories that come with every question: wishes that stand, in their speaker's words, and hot memories.

use super::{
    briefing::Briefing,
    page::{BriefPage, ContextLine},
};
use crate::{
    Agent, Result,
    quote::{line, quoted, speaker},
};
use cairn_cognition::{
    confidence::SHORTENED_CHARS,
    excerpt::excerpt,
    keywords::terms,
    sentence::sentences,
    tier::{SubTier, orders_a_rule, sub_tier},
};
use cairn_domain::{Category, Memory, Message, Ref, Role, Status, Tier, Time};
use cairn_store::{MemoryRecord, MemoryScope, MessageRecord};
use std::{cmp::Reverse, collections::HashMap};

/// Memories among which wishes are looked for, and how many wishes are looked at.
const MAX_MEMORIES_SEARCHED: u32 = 500;
const MAX_WISHES: usize = 12;
/// Maximum characters of a wish.
const MAX_WISH_CHARS: usize = 200;
/// Share of the terms of a sentence that a wish must have for the sentence to be its words.
const MIN_WISH_SHARE: f64 = 0.6;

impl Agent {
    /// Writes down wishes that stand in `wishes` tokens and what is always kept in mind in `hot` tokens.
    pub(crate) async fn add_standing_memories(
        &self,
        page: &mut BriefPage<'_>,
        wishes: usize,
        hot: usize,
    ) -> Result<()> {
        let now = self.now();
        let standing = self.standing_wishes(page.briefing, now).await?;
        page.add_section("Wishes that stand:", standing, wishes);
        let kept = self.hot().await?;
        let kept = kept.iter().filter(|record| may_be_shown(&record.memory, page.briefing, now));
        page.add_section(
            "Always kept in mind:",
            kept.map(|record| memory_line(&record.memory)).collect(),
            hot,
        );
        Ok(())
    }

    /// The wishes that stand: preferences and instructions. Rules come first, then what is most useful.
    async fn standing_wishes(&self, briefing: &Briefing, now: Time) -> Result<Vec<ContextLine>> {
        let mut memories = self.memories(None, MemoryScope::Active, MAX_MEMORIES_SEARCHED).await?;
        memories.retain(|record| is_wish(&record.memory) && may_be_shown(&record.memory, briefing, now));
        let worth = |memory: &Memory| memory.utility + memory.importance;
        memories.sort_by(|a, b| {
            let rank = |record: &MemoryRecord| Reverse(is_rule(&record.memory));
            rank(a)
                .cmp(&rank(b))
                .then(worth(&b.memory).total_cmp(&worth(&a.memory)))
                .then(b.number.cmp(&a.number))
        });
        memories.truncate(MAX_WISHES);
        let numbers: Vec<u32> = memories.iter().map(|record| record.number).collect();
        let (on, messages) = self
            .store
            .read(|view| {
                let on = view.messages_of_memories(&numbers)?;
                let seqs: Vec<u32> = on.iter().map(|(_, seq)| *seq).collect();
                let messages = view.messages_at(&seqs)?.into_iter().map(|record| (record.seq, record));
                Ok((on, messages.collect::<HashMap<u32, MessageRecord>>()))
            })
            .await?;
        let said = |number: u32| on.iter().filter(move |(of, _)| *of == number).map(|(_, seq)| *seq);
        // An agent repeats what it was told to do, and has no wishes of its own. The newest of several stands last.
        let told = |number: u32| {
            let mut all = said(number).filter_map(|seq| messages.get(&seq));
            all.rfind(|record| record.message.role == Role::User)
        };
        let somebodys =
            |record: &&MemoryRecord| told(record.number).is_some() || said(record.number).next().is_none();
        let wishes = memories.iter().filter(somebodys);
        Ok(wishes.map(|record| wish_line(&record.memory, told(record.number))).collect())
    }
}

/// A wish in the words that it was said in, or as it was noted.
fn wish_line(memory: &Memory, said: Option<&MessageRecord>) -> ContextLine {
    let Some(MessageRecord { message, .. }) = said else { return memory_line(memory) };
    let meant = terms(&memory.text);
    let shared = |sentence: &str| {
        let known = |term: &String| meant.counts.binary_search_by(|(known, _)| known.cmp(term)).is_ok();
        let terms = terms(sentence);
        let shared = terms.counts.iter().filter(|(term, _)| known(term)).count() as f64;
        (shared, shared / (terms.counts.len() as f64).max(1.0))
    };
    // What else was said in the same breath is no wish.
    let wished: Vec<&str> = sentences(&message.text)
        .into_iter()
        .filter(|sentence| shared(sentence).1 >= MIN_WISH_SHARE)
        .collect();
    let wished = if wished.is_empty() { message.text.clone() } else { wished.join(" ") };
    let words = quoted(&excerpt(&wished, MAX_WISH_CHARS, |sentence| shared(sentence).0));
    let who = speaker(message);
    let refs = vec![memory.id.to_string(), message.id.to_string()];
    ContextLine::new(refs, format!("{} {} {who}: {words}", Ref::Memory(memory.id).short(), message.at.day()))
}

/// A memory on a line.
pub(crate) fn memory_line(memory: &Memory) -> ContextLine {
    let line =
        format!("{} {} {}", Ref::Memory(memory.id).short(), memory.valid_from.day(), line(&memory.text));
    ContextLine::new(vec![memory.id.to_string()], line)
}

/// A message on a line: who said what, shortened.
pub(crate) fn message_line(message: &Message) -> ContextLine {
    let who = speaker(message);
    let words = quoted(&excerpt(&message.text, SHORTENED_CHARS, |_| 0.0));
    let line = format!("{} {} {who}: {words}", Ref::Message(message.id).short(), message.at.day());
    ContextLine::new(vec![message.id.to_string()], line)
}

/// Whether somebody wishes something for good: a preference, or an order that is to be kept, whatever it was taken for.
fn is_wish(memory: &Memory) -> bool {
    memory.category == Category::Preference || orders_a_rule(spoken_words(&memory.text))
}

/// The words of a memory that quotes its speaker: “User: "Never …"”.
fn spoken_words(text: &str) -> &str {
    let quoted = text.split_once(": “").or_else(|| text.split_once(": \""));
    quoted.map_or(text, |(_, words)| words)
}

/// Whether a wish says how something is always to be.
fn is_rule(memory: &Memory) -> bool {
    let Memory { data_source, category, text, .. } = memory;
    orders_a_rule(spoken_words(text))
        || sub_tier(Tier::Semantic, *data_source, *category, text) == SubTier::Schematic
}

/// Whether a memory holds and may be shown in this project and this posture.
pub(crate) fn may_be_shown(memory: &Memory, briefing: &Briefing, now: Time) -> bool {
    let stands = memory.status != Status::Superseded && !memory.is_forgotten();
    let holds = stands && memory.valid_until.is_none_or(|until| until > now);
    let project = memory.thread.is_none() || briefing.thread.is_none() || memory.thread == briefing.thread;
    holds && project && briefing.mode.is_none_or(|mode| memory.mode.shares_with(mode))
}
