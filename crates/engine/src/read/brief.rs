//! A brief: what a model is shown of the memory before it answers, quoted and dated, within a budget. To a question come
//! the wishes that stand, what can be worked out from dated evidence, and the words that were said, the best of them whole
//! and the rest in short; without a question come the newest memories, those of the project first.

use super::{Found, Hit, Question, Recall};
use crate::{
    Agent, Result,
    quote::{FRAME, line, whole},
};
use cairn_cognition::budget::tokens;
use cairn_domain::{Category, Memory, Status, Time};

/// Memories that are looked at where nothing is asked, and for wishes that stand.
const NEWEST: u32 = 60;
const WISHES_AMONG: u32 = 500;
/// Hits that are looked at for a question.
const HITS: usize = 60;
/// The most of a question that is searched for.
const QUERY_CHARS: usize = 2_000;
/// Of the budget: for the best hits whole, and for wishes that stand.
const WHOLE_SHARE: usize = 4;
const WISHES_SHARE: usize = 10;
/// How many hits may be given whole, and how much of each.
const WHOLE_HITS: usize = 3;
const WHOLE_CHARS: usize = 700;

/// What a brief is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Briefing {
    /// What is asked.
    pub query: Option<String>,
    /// The lasting project.
    pub thread: Option<String>,
    /// The running session: what it has said itself is before the model anyway.
    pub session: Option<String>,
    /// How many tokens it may have.
    pub tokens: usize,
    /// Refs that the model has been shown already.
    pub shown: Vec<String>,
}

/// What a model is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brief {
    /// The lines; none if there is nothing to show.
    pub lines: Vec<String>,
    /// The refs that stand in them.
    pub refs: Vec<String>,
    /// What was worked out from them.
    pub worked_out: Vec<String>,
    /// About how many tokens the lines have.
    pub used: usize,
}

impl Brief {
    /// The block for the prompt; empty if there is nothing to show.
    pub fn text(&self) -> String {
        if self.lines.is_empty() {
            return String::new();
        }
        let about = "From your memory of earlier sessions; `open` and `why` give the rest of a ref.";
        let lines: Vec<&str> = self.worked_out.iter().chain(&self.lines).map(String::as_str).collect();
        format!("{about} {FRAME}\n{}", lines.join("\n"))
    }

    /// Adds a line, if there is room and its record is new.
    fn add(&mut self, reference: String, told: String, briefing: &Briefing) {
        self.add_within(reference, told, briefing, briefing.tokens);
    }

    /// The same, if with it no more than `most` tokens are used; whether it was added.
    fn add_within(&mut self, reference: String, told: String, briefing: &Briefing, most: usize) -> bool {
        let cost = tokens(&told) + 1;
        let fits = !self.knows(&reference, briefing) && self.used + cost <= most.min(briefing.tokens);
        if fits {
            self.used += cost;
            self.lines.push(told);
            self.refs.push(reference);
        }
        fits
    }

    fn knows(&self, reference: &String, briefing: &Briefing) -> bool {
        briefing.shown.contains(reference) || self.refs.contains(reference)
    }

    fn add_memory(&mut self, memory: &Memory, briefing: &Briefing) {
        self.add(memory.id.to_string(), memory_line(memory), briefing);
    }

    fn add_hit(&mut self, hit: &Hit, briefing: &Briefing, quoted: &str, most: usize) {
        // What was remembered of it may have been shown already, in its own words.
        let memories: Vec<String> = hit.memories.iter().map(|record| record.memory.id.to_string()).collect();
        if !memories.is_empty() && memories.iter().all(|memory| self.knows(memory, briefing)) {
            return;
        }
        let (who, replaced) = (who(hit), replaced(hit));
        let told = format!("{} {} {who}: {quoted}{replaced}", hit.found.reference(), hit.found.at().day());
        if self.add_within(hit.found.reference().to_string(), told, briefing, most) {
            let unknown: Vec<String> = memories.into_iter().filter(|it| !self.knows(it, briefing)).collect();
            self.refs.extend(unknown);
        }
    }
}

/// Who said it.
fn who(hit: &Hit) -> &str {
    match &hit.found {
        Found::Message(record) => &record.message.speaker,
        Found::Memory(..) => "noted",
    }
}

/// That something no longer holds, and what does.
fn replaced(hit: &Hit) -> String {
    let Some(newer) = &hit.replaced_by else { return String::new() };
    format!(" [superseded {} by {}]", newer.memory.valid_from.day(), newer.memory.id)
}

impl Agent {
    /// What a model is shown of the memory before it answers.
    pub async fn brief(&self, briefing: &Briefing) -> Result<Brief> {
        let mut brief = Brief::default();
        match &briefing.query {
            Some(query) => self.brief_on(query, briefing, &mut brief).await?,
            None => self.brief_on_newest(briefing, &mut brief).await?,
        }
        Ok(brief)
    }

    async fn brief_on(&self, query: &str, briefing: &Briefing, brief: &mut Brief) -> Result<()> {
        let text: String = query.chars().take(QUERY_CHARS).collect();
        let (thread, profile) = (briefing.thread.clone(), self.config.recall);
        let mut recall = self.recall(Question { k: HITS, thread, profile, ..Question::new(text) }).await?;
        recall.hits.retain(|hit| {
            let said_here =
                hit.found.message().is_some_and(|it| Some(&it.message.session) == briefing.session.as_ref());
            !said_here
        });
        self.add_wishes(briefing, brief).await?;
        let above = brief.used + briefing.tokens / WHOLE_SHARE;
        for hit in recall.hits.iter().take(WHOLE_HITS) {
            brief.add_hit(hit, briefing, &whole(hit.found.text(), WHOLE_CHARS).0, above);
        }
        for hit in &recall.hits {
            brief.add_hit(hit, briefing, &line(hit.found.text()), briefing.tokens);
        }
        brief.worked_out = worked_out(&recall, &brief.refs);
        Ok(())
    }

    /// The wishes that stand: preferences and instructions, the most useful first.
    async fn add_wishes(&self, briefing: &Briefing, brief: &mut Brief) -> Result<()> {
        let (mut memories, now) = (self.memories(None, false, WISHES_AMONG).await?, self.now());
        memories.retain(|record| {
            let memory = &record.memory;
            memory.category == Category::Preference
                && stands(memory, now)
                && (memory.thread.is_none() || briefing.thread.is_none() || memory.thread == briefing.thread)
        });
        let worth = |memory: &Memory| memory.utility + memory.importance;
        memories.sort_by(|a, b| worth(&b.memory).total_cmp(&worth(&a.memory)).then(b.number.cmp(&a.number)));
        for record in memories {
            let told = memory_line(&record.memory);
            brief.add_within(record.memory.id.to_string(), told, briefing, briefing.tokens / WISHES_SHARE);
        }
        Ok(())
    }

    async fn brief_on_newest(&self, briefing: &Briefing, brief: &mut Brief) -> Result<()> {
        let (mut memories, now) = (self.memories(None, false, NEWEST).await?, self.now());
        // What belongs to another project does not come at all.
        memories.retain(|record| {
            let memory = &record.memory;
            stands(memory, now) && (memory.thread.is_none() || memory.thread == briefing.thread)
        });
        memories.sort_by_key(|record| record.memory.thread.is_none());
        for record in &memories {
            brief.add_memory(&record.memory, briefing);
        }
        Ok(())
    }
}

fn memory_line(memory: &Memory) -> String {
    format!("{} {} {}", memory.id, memory.valid_from.day(), line(&memory.text))
}

/// What can be worked out from evidence that stands in the brief.
fn worked_out(recall: &Recall, refs: &[String]) -> Vec<String> {
    let shown = recall.aids.iter().filter(|aid| aid.refs.iter().all(|reference| refs.contains(reference)));
    shown.map(|aid| format!("worked out: {} ({})", aid.text, aid.refs.join(", "))).collect()
}

/// Whether a memory was not replaced and has not run out.
fn stands(memory: &Memory, now: Time) -> bool {
    memory.status != Status::Superseded && memory.valid_until.is_none_or(|until| until > now)
}
