//! How the hits of a brief are quoted: the surest whole, the less sure in short, the unsure left out and counted.

use super::{
    disputed::{DisputeMark, DisputedMessages},
    page::{BriefPage, QuotedHit},
};
use crate::{
    quote::{beginning, line, name, quoted, speaker},
    read::question::{Doubt, Found, Hit, Recall, past_plan},
};
use cairn_cognition::{
    confidence::{PromptShare, SHORTENED_CHARS, prompt_share},
    entity::entities,
    excerpt::excerpt,
    keywords::terms,
};
use cairn_domain::{MessageId, Ref, Status, Time};
use cairn_store::MemoryRecord;
use std::collections::{HashMap, HashSet};

/// Divisor of the remaining tokens: this part is reserved so that certain hits can be quoted whole.
const WHOLE_BUDGET_DIVISOR: usize = 4;
/// Divisor of the token budget: this part is left for standing wishes.
const WISHES_BUDGET_DIVISOR: usize = 10;
/// Maximum characters of a hit that is quoted whole; a longer one is cut to its opening and the sentences worth most.
const WHOLE_QUOTE_CHARS: usize = 700;
/// Maximum characters quoted of what no longer holds.
const REPLACED_QUOTE_CHARS: usize = 100;
/// Inverse document frequency from which a word counts as rare: one message in twenty holds it.
const RARE_WORD_IDF: f64 = 3.0;

/// Whether a hit, or all that was remembered of it, has been shown already.
fn is_shown_already(hit: &Hit, page: &BriefPage<'_>) -> bool {
    let memories: Vec<String> = hit.memories.iter().map(|record| record.memory.id.to_string()).collect();
    page.shows_or_was_shown(&hit.found.address())
        || (!memories.is_empty() && memories.iter().all(|memory| page.shows_or_was_shown(memory)))
}

/// Hash of the file passage a hit was read from; the same words in two files are one source.
fn file_source(hit: &Hit) -> Option<&str> {
    match &hit.found {
        Found::Message(_)
        | Found::Belief(_)
        | Found::Digest(..)
        | Found::Attachment(_)
        | Found::Shared(_) => None,
        Found::Memory(record, _) => record.memory.source_hash.as_deref(),
    }
}

/// How hits are quoted, step by step: all that are sure enough in short, as many as have room beside what is kept for the
/// rest; the surest whole; then, if there is room, more in short.
pub(crate) struct QuotationPlan<'a> {
    recall: &'a Recall,
    now: Time,
    /// Weight of each word of the question: the rarer, the more.
    worth: HashMap<&'a str, f64>,
    /// The proper nouns of the question that few messages hold, in lower case.
    names: Vec<String>,
    /// Hits that contradict each other.
    disputed: DisputedMessages,
    /// The newest message among the hits that rests behind each memory, by the memory's number.
    standing: HashMap<u32, (Time, u32, MessageId)>,
    /// Sure hits that are quoted in short, with their places on the page.
    sure: Vec<(usize, &'a Hit)>,
    /// Hits that had no room yet.
    waiting: Vec<&'a Hit>,
    /// How many hits hardly fit.
    weak: usize,
}

impl<'a> QuotationPlan<'a> {
    pub(crate) fn new(recall: &'a Recall, now: Time) -> Self {
        let mut standing = HashMap::new();
        for hit in &recall.hits {
            let Some(record) = hit.found.message() else { continue };
            let place = (record.message.at, record.seq, record.message.id);
            for memory in &hit.memories {
                let known = standing.entry(memory.number).or_insert(place);
                *known = (*known).max(place);
            }
        }
        let explained = recall.hits.iter().find(|hit| !hit.explanation.terms.is_empty());
        let words = explained.into_iter().flat_map(|hit| &hit.explanation.terms);
        let worth: HashMap<&str, f64> = words.map(|word| (word.term.as_str(), word.idf)).collect();
        let names = rare_names(&recall.query, &worth);
        let disputed = DisputedMessages::among(recall, &worth);
        let (sure, waiting, weak) = Default::default();
        Self { recall, now, worth, names, disputed, standing, sure, waiting, weak }
    }

    /// Quotes every hit that is sure enough in short; what is not is counted.
    pub(crate) fn quote_in_short(&mut self, page: &mut BriefPage<'_>) {
        let tokens = page.briefing.tokens;
        let reserved = page.remaining_tokens() / WHOLE_BUDGET_DIVISOR + tokens / WISHES_BUDGET_DIVISOR;
        let mut sources: HashSet<&str> = HashSet::new();
        for hit in &self.recall.hits {
            if is_shown_already(hit, page) || !file_source(hit).is_none_or(|source| sources.insert(source)) {
                continue;
            }
            let given = self.amount_given(hit);
            if given == PromptShare::LeftOut {
                self.weak += 1;
                continue;
            }
            match page.add_quotation(self.quotation(hit, PromptShare::Short, page), reserved) {
                Some(place) if given == PromptShare::Whole => self.sure.push((place, hit)),
                Some(_) => {}
                None => self.waiting.push(hit),
            }
        }
    }

    /// Writes down what can be worked out from what is quoted.
    pub(crate) fn add_computed_lines(&self, page: &mut BriefPage<'_>) {
        for aid in &self.recall.aids {
            if aid.refs.iter().all(|reference| page.refs().contains(reference)) {
                let short = |it: &String| it.parse().map_or_else(|_| it.clone(), |it: Ref| it.short());
                let refs: Vec<String> = aid.refs.iter().map(short).collect();
                page.add_computed_line(format!("worked out: {} ({})", aid.text, refs.join(", ")));
            }
        }
    }

    /// Lets the surest stand whole.
    pub(crate) fn quote_surest_whole(&self, page: &mut BriefPage<'_>) {
        for (place, hit) in &self.sure {
            page.replace_quotation_line(*place, self.quotation(hit, PromptShare::Whole, page).line);
        }
    }

    /// Fills what room is left; tells how many hits hardly fit and how many had no room.
    pub(crate) fn fill_remaining_tokens(self, page: &mut BriefPage<'_>) -> (usize, usize) {
        let no_room =
            |hit: &&&Hit| page.add_quotation(self.quotation(hit, PromptShare::Short, page), 0).is_none();
        (self.weak, self.waiting.iter().filter(no_room).count())
    }

    /// How much of a hit is given. What holds the rare proper nouns of the question is given however little it is
    /// like it otherwise.
    fn amount_given(&self, hit: &Hit) -> PromptShare {
        let given = prompt_share(hit.fit);
        let named = || {
            let text = hit.found.text().to_lowercase();
            !self.names.is_empty() && self.names.iter().all(|name| text.contains(name.as_str()))
        };
        if given == PromptShare::LeftOut && named() { PromptShare::Short } else { given }
    }

    /// A hit as it is quoted: whole with all that is known of it, or in short.
    fn quotation(&self, hit: &Hit, given: PromptShare, page: &BriefPage<'_>) -> QuotedHit {
        let worth = |sentence: &str| {
            let found = terms(sentence);
            found.counts.iter().filter_map(|(term, _)| self.worth.get(term.as_str())).sum()
        };
        let chars = if given == PromptShare::Whole { WHOLE_QUOTE_CHARS } else { SHORTENED_CHARS };
        let words = quoted(&excerpt(hit.found.text(), chars, worth));
        let (who, thread) = match &hit.found {
            Found::Message(record) => (speaker(&record.message), &record.message.thread),
            Found::Memory(record, _) => ("noted".to_owned(), &record.memory.thread),
            Found::Belief(_) => ("held true".to_owned(), &None),
            Found::Digest(..) => ("digest".to_owned(), &None),
            Found::Attachment(record) => {
                (format!("file {} {}", name(&record.receipt.name), record.part.place_in_words()), &None)
            }
            Found::Shared(shared) => (format!("noted by agent {}", shared.owner), &None),
        };
        let thread = thread.as_ref().filter(|_| given == PromptShare::Whole);
        let thread = thread.filter(|thread| Some(*thread) != page.briefing.thread.as_ref());
        let thread = thread.map_or(String::new(), |thread| format!(" ({})", name(thread)));
        let (mark, beside) = self.replacement_mark(hit, page);
        let line = format!("{} {who}{thread}: {words}{mark}", hit.found.short_address());
        let memories = hit.memories.iter().map(|record| record.memory.id.to_string());
        let refs = std::iter::once(hit.found.address()).chain(memories).collect();
        QuotedHit { refs, at: at(hit), line, beside }
    }

    /// That something no longer holds, and what does: with the place of what replaced it, if that stands on the page, or with
    /// its words. Of what holds in part, what does not, and what somebody said against it.
    fn replacement_mark(&self, hit: &Hit, page: &BriefPage<'_>) -> (String, Option<(Time, u32)>) {
        let message = hit.found.message().map(|record| record.message.id);
        let disputed = message.and_then(|message| self.disputed.mark(message)).cloned().unwrap_or_default();
        let DisputeMark { changed, conflicts, beside, .. } = disputed;
        let Some(newer) = &hit.replaced_by else {
            let doubted = if changed.is_empty() { doubt_mark(hit) } else { String::new() };
            let older = older_state_mark(hit);
            return (replaced_part_mark(hit, self.now) + &older + &changed + &doubted + &conflicts, beside);
        };
        let (day, memory) = (newer.memory.valid_from.day(), &newer.memory);
        let standing = self.standing.get(&newer.number);
        if let Some((at, seq, message)) =
            standing.filter(|(.., message)| page.refs().contains(&message.to_string()))
        {
            let message = Ref::Message(*message).short();
            (format!(" [superseded {day} by {message}]{conflicts}"), Some((*at, *seq)))
        } else {
            let newer = Ref::Memory(memory.id).short();
            (format!(" [superseded {day} by {newer}: {}]{conflicts}", line(&memory.text)), None)
        }
    }
}

/// That something may have changed, and what may have changed it.
fn doubt_mark(hit: &Hit) -> String {
    let Some(Doubt { memory, .. }) = hit.doubts.first() else { return String::new() };
    let (day, newer) = (memory.memory.valid_from.day(), Ref::Memory(memory.memory.id).short());
    format!(" [may have changed {day}, see {newer}: {}]", line(&memory.memory.text))
}

/// That the state it shows is not the last one.
fn older_state_mark(hit: &Hit) -> String {
    hit.last_state
        .map_or_else(String::new, |last| format!(" [older state, last in {}]", Ref::Message(last).short()))
}

/// The proper nouns of a question that few messages hold, in lower case.
fn rare_names(question: &str, worth: &HashMap<&str, f64>) -> Vec<String> {
    let rare = |name: &str| {
        let words = terms(name);
        words
            .counts
            .iter()
            .any(|(term, _)| worth.get(term.as_str()).is_some_and(|worth| *worth >= RARE_WORD_IDF))
    };
    let names = entities(question).into_iter().map(|name| &question[name.range]);
    names.filter(|name| rare(name)).map(str::to_lowercase).collect()
}

/// Where a hit stands in the order of what was said.
fn at(hit: &Hit) -> (Time, u32) {
    match &hit.found {
        Found::Message(record) => (record.message.at, record.seq),
        Found::Memory(record, _) => (record.memory.valid_from, record.number),
        Found::Belief(record) => (record.belief.last_supported_at, record.number),
        Found::Digest(record, _) => (record.digest.until, record.number),
        Found::Attachment(record) => (record.receipt.attached_at, record.number),
        Found::Shared(shared) => (shared.record.memory.valid_from, shared.record.number),
    }
}

/// Mark with the memories of a message that no longer hold, if others still do, and with plans whose time is over.
fn replaced_part_mark(hit: &Hit, now: Time) -> String {
    let replaced =
        |record: &&MemoryRecord| record.memory.status == Status::Superseded && record.superseded_by.is_some();
    let over = hit.memories.iter().filter(replaced);
    let texts: Vec<String> =
        over.map(|record| quoted(&beginning(&record.memory.text, REPLACED_QUOTE_CHARS))).collect();
    let mut marks: Vec<String> = hit
        .memories
        .iter()
        .filter_map(|record| past_plan(record, now))
        .map(|it| format!(" [{it}]"))
        .collect();
    if !texts.is_empty() {
        marks.push(format!(" [no longer holds: {}]", texts.join(", ")));
    }
    marks.concat()
}
