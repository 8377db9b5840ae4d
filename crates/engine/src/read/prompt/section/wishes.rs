//! Wishes that stand: preferences and orders that are to be kept, in their speaker's words. Rules come first.

use crate::{
    Result,
    continuity::IntentionScope,
    quote::{quoted, speaker},
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        lines::memory_line,
        page::ContextLine,
        situation::Situation,
    },
};
use cairn_cognition::{
    excerpt::excerpt,
    keywords::terms,
    sentence::sentences,
    tier::{SubTier, orders_a_rule, sub_tier},
};
use cairn_domain::{Category, DataSource, Memory, MessageId, Ref, Role, Tier, WhoseWord};
use cairn_store::{MemoryRecord, MemoryScope, MessageRecord};
use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "wishes",
    priority: 10,
    header: SectionHeader::plain("Wishes that stand:"),
    share: SectionShare::thirtieths(3, 10),
    build,
};

/// Memories among which wishes are looked for, and how many wishes are looked at.
const MAX_MEMORIES_SEARCHED: u32 = 500;
const MAX_WISHES: usize = 12;
/// Maximum characters of a wish.
const MAX_WISH_CHARS: usize = 200;
/// Share of the terms of a sentence that a wish must have for the sentence to be its words.
const MIN_WISH_SHARE: f64 = 0.6;

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        if situation.is_restart() {
            return Ok(None);
        }
        Ok(Block::of_lines(standing_wishes(situation).await?))
    })
}

/// The wishes that stand: preferences and instructions. Rules come first, then what is most useful.
async fn standing_wishes(situation: &Situation<'_>) -> Result<Vec<ContextLine>> {
    let mut memories = situation.agent.memories(None, MemoryScope::Active, MAX_MEMORIES_SEARCHED).await?;
    memories.retain(|record| is_wish(&record.memory) && situation.may_show(&record.memory));
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
    let (on, messages) = situation
        .agent
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
    // What is to be told later is told when its time has come.
    let intended = situation.agent.intentions(IntentionScope::All, usize::MAX).await?;
    let intended: HashSet<MessageId> = intended.iter().map(|it| it.record.message).collect();
    let waits = |record: &&MemoryRecord| {
        told(record.number).is_some_and(|record| intended.contains(&record.message.id))
    };
    let wishes = memories.iter().filter(somebodys).filter(|record| !waits(record));
    Ok(wishes.map(|record| wish_line(&record.memory, told(record.number))).collect())
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

/// Whether somebody wishes something for good: a preference, or an order that is to be kept, whatever it was taken for. Nobody
/// who is not here wishes anything of the agent.
fn is_wish(memory: &Memory) -> bool {
    // A file is read because somebody chose to.
    let is_from_outside = memory.data_source.whose_word() == WhoseWord::Outside;
    if is_from_outside && memory.data_source != DataSource::File {
        return false;
    }
    memory.category == Category::Preference || orders_a_rule(spoken_words(&memory.text))
}

/// The words of a memory that quotes its speaker (`User: “Never …”`), without what was said before them.
fn spoken_words(text: &str) -> &str {
    let text = text.split(" [after: ").next().unwrap_or(text);
    let quoted = text.split_once(": “").or_else(|| text.split_once(": \""));
    quoted.map_or(text, |(_, words)| words)
}

/// Whether a wish says how something is always to be.
fn is_rule(memory: &Memory) -> bool {
    let Memory { data_source, category, text, .. } = memory;
    orders_a_rule(spoken_words(text))
        || sub_tier(Tier::Semantic, *data_source, *category, text) == SubTier::Schematic
}
