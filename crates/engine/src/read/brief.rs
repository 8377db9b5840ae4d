//! A brief: what a model is shown of the memory before it answers, quoted and dated, within a budget. What a question is
//! about comes as the memories that its hits became, else in the words that were said; without a question come the newest
//! memories, those of the project first.

use super::Question;
use crate::{
    Agent, Result,
    quote::{FRAME, line},
};
use cairn_domain::{Memory, Message, Status, Time};

/// Characters of a token, as a rule.
const TOKEN_CHARS: usize = 4;
/// Memories that are looked at where nothing is asked.
const NEWEST: u32 = 60;
/// Hits that are looked at for a question.
const HITS: usize = 24;
/// The most of a question that is searched for.
const QUERY_CHARS: usize = 2_000;

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
}

impl Brief {
    /// The block for the prompt; empty if there is nothing to show.
    pub fn text(&self) -> String {
        if self.lines.is_empty() {
            return String::new();
        }
        let about = "From your memory of earlier sessions; `open` and `why` give the rest of a ref.";
        format!("{about} {FRAME}\n{}", self.lines.join("\n"))
    }

    /// Adds a line, if there is room and its record is new.
    fn add(&mut self, reference: String, told: String, briefing: &Briefing) {
        let used: usize = self.lines.iter().map(|line| line.chars().count() + 1).sum();
        let fits = used + told.chars().count() < briefing.tokens * TOKEN_CHARS;
        if fits && !briefing.shown.contains(&reference) && !self.refs.contains(&reference) {
            self.lines.push(told);
            self.refs.push(reference);
        }
    }

    fn add_memory(&mut self, memory: &Memory, briefing: &Briefing) {
        let told = format!("{} {} {}", memory.id, memory.valid_from.day(), line(&memory.text));
        self.add(memory.id.to_string(), told, briefing);
    }

    fn add_message(&mut self, message: &Message, briefing: &Briefing) {
        let told =
            format!("{} {} {}: {}", message.id, message.at.day(), message.speaker, line(&message.text));
        self.add(message.id.to_string(), told, briefing);
    }
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
        let (k, thread, profile) = (HITS, briefing.thread.clone(), self.config.recall);
        let recall = self.recall(Question { k, thread, profile, ..Question::new(text) }).await?;
        for hit in &recall.hits {
            let message = &hit.record.message;
            if Some(&message.session) == briefing.session.as_ref() {
                continue;
            }
            let (memories, _) = self.formed_from(message.id).await?;
            let now = self.now();
            for record in memories.iter().filter(|record| stands(&record.memory, now)) {
                brief.add_memory(&record.memory, briefing);
            }
            // What became a memory is told by it; if that was replaced since, it is not brought up again.
            if memories.is_empty() {
                brief.add_message(message, briefing);
            }
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

/// Whether a memory was not replaced and has not run out.
fn stands(memory: &Memory, now: Time) -> bool {
    memory.status != Status::Superseded && memory.valid_until.is_none_or(|until| until > now)
}
