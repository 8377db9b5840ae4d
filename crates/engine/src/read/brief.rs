//! A brief: what a model is shown of the memory before it answers, quoted and dated, within a budget. To a question come
//! the wishes that stand, what is always kept in mind, what can be worked out from dated evidence, and the words that were
//! said: the surest whole, the less sure in short, the unsure left out and counted. Without a question come the newest
//! memories, those of the project first.

use super::{
    Found, Hit, Profile, Question, Recall,
    disputed::{Disputed, Mark},
    page::{Counter, Page, Quotation},
    standing::{belongs, entry},
};
use crate::{
    Agent, Result,
    belief::Trusted,
    quote::{beginning, line, quoted},
};
use cairn_cognition::{
    belief::gate::GateReceipt,
    budget::FRAME,
    confidence::{Given, SHORT_CHARS, given},
    entity::entities,
    excerpt::excerpt,
    keywords::terms,
};
use cairn_domain::{MessageId, Mode, RecordKind, Ref, Role, Status, Time};
use cairn_store::MemoryRecord;
use std::collections::{HashMap, HashSet};

/// Memories that are looked at where nothing is asked.
const NEWEST: u32 = 60;
/// Hits that are looked at for a question, and on the first turn of a session, of which only the user's words are taken.
const HITS: usize = 80;
const HITS_AT_FIRST: usize = 160;
/// The most of a question that is searched for.
const QUERY_CHARS: usize = 2_000;
/// Of the budget: one part in so many for sure hits to stand whole, for wishes that stand, for what is always in mind, for
/// what is held true.
const WHOLE_SHARE: usize = 4;
const WISHES_SHARE: usize = 10;
const HOT_SHARE: usize = 5;
const HELD_SHARE: usize = 5;
/// The most characters of a hit that is given whole; of a longer one its opening and what is worth most to the question.
const WHOLE_CHARS: usize = 700;
/// The most characters of a speaker's or a project's name, and of what a message says that no longer holds.
const NAME_CHARS: usize = 40;
const OVER_CHARS: usize = 100;
/// A word with this rarity is held by one message in twenty.
const RARE: f64 = 3.0;

/// What a brief is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Briefing {
    /// What is asked.
    pub query: Option<String>,
    /// The lasting project.
    pub thread: Option<String>,
    /// The running session: what it has said itself is before the model anyway.
    pub session: Option<String>,
    /// The posture that is asked in: only what modes that share with it have said is shown. `None`: all.
    pub mode: Option<Mode>,
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
    /// The refs of what stands in them.
    pub refs: Vec<String>,
    /// Hits that were left out because they hardly fit.
    pub weak: usize,
    /// Hits that were left out because there was no room.
    pub no_room: usize,
    /// How many tokens the block has: as the embedder counts whose model is loaded, or rather too many.
    pub used: usize,
    /// What the gate did that stands before everything that is given as true.
    pub gate: GateReceipt,
    /// In `diagnostic`, the refs of what would be given as true in `enforce`.
    pub would: Vec<String>,
}

impl Brief {
    /// The block for the prompt; empty if there is nothing to show.
    pub fn text(&self) -> String {
        if self.lines.is_empty() { String::new() } else { format!("{FRAME}\n{}", self.lines.join("\n")) }
    }

    fn with_gate(self, Trusted { would, receipt, .. }: Trusted) -> Self {
        let would = would.iter().map(|record| record.belief.id.to_string()).collect();
        Self { gate: receipt, would, ..self }
    }
}

impl Agent {
    /// What a model is shown of the memory before it answers.
    pub async fn brief(&self, briefing: &Briefing) -> Result<Brief> {
        match &briefing.query {
            Some(query) => self.brief_on(query, briefing).await,
            None => self.brief_on_newest(briefing).await,
        }
    }

    async fn brief_on(&self, query: &str, briefing: &Briefing) -> Result<Brief> {
        let at_first = self.is_first_turn(briefing).await?;
        let text: String = query.chars().take(QUERY_CHARS).collect();
        let k = if at_first { HITS_AT_FIRST } else { HITS };
        let (thread, mode) = (briefing.thread.clone(), briefing.mode);
        // What counts most is packed first.
        let profile = Profile { broad_after: 0, ..self.config.recall };
        // What is held true has a place of its own, and what was condensed is told in the words it stands on.
        let kinds = vec![RecordKind::Exchange, RecordKind::Memory];
        // What each word is worth comes with the explanation.
        let question = Question { k, thread, mode, kinds, profile, explain: true, ..Question::new(text) };
        let mut recall = self.recall(question).await?;
        recall.hits.retain(|hit| {
            let message = hit.found.message().map(|record| &record.message);
            let said_here = message.is_some_and(|it| Some(&it.session) == briefing.session.as_ref());
            let anothers = message.is_some_and(|it| it.role != Role::User);
            !(said_here || at_first && anothers)
        });
        let mut page = Page::new(self.counter(), briefing);
        let held = self.add_held(&mut page, briefing.tokens / HELD_SHARE).await?;
        let mut quoting = Quoting::new(&recall);
        quoting.in_short(&mut page);
        let budget = briefing.tokens;
        self.add_standing(&mut page, budget / WISHES_SHARE, budget / HOT_SHARE).await?;
        quoting.work_out(&mut page);
        quoting.whole(&mut page);
        let (weak, no_room) = quoting.fill(&mut page);
        Ok(page.finish(weak, no_room).with_gate(held))
    }

    /// How many tokens a text has: as the embedder counts, if its model is loaded, or rather too many.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.counter().count(text)
    }

    /// Counts tokens as the embedder does, if its model is loaded; nothing is loaded for it.
    fn counter(&self) -> Counter {
        Counter::new(self.embedders.configured().loaded())
    }

    /// Whether nobody but the user has spoken yet in the running session.
    async fn is_first_turn(&self, briefing: &Briefing) -> Result<bool> {
        let Some(session) = &briefing.session else { return Ok(false) };
        Ok(!self.store.read(|view| view.is_answered(session)).await?)
    }

    async fn brief_on_newest(&self, briefing: &Briefing) -> Result<Brief> {
        let (mut memories, now) = (self.memories(None, false, NEWEST).await?, self.now());
        // What belongs to another project does not come at all.
        memories.retain(|record| belongs(&record.memory, briefing, now));
        memories.retain(|record| record.memory.thread.is_none() || record.memory.thread == briefing.thread);
        memories.sort_by_key(|record| record.memory.thread.is_none());
        let (mut page, budget) = (Page::new(self.counter(), briefing), briefing.tokens);
        let held = self.add_held(&mut page, budget / HELD_SHARE).await?;
        self.add_standing(&mut page, budget / WISHES_SHARE, budget / HOT_SHARE).await?;
        page.section("Noted last:", memories.iter().map(|record| entry(&record.memory)).collect(), budget);
        Ok(page.finish(0, 0).with_gate(held))
    }
}

/// Whether a hit, or all that was remembered of it, has been shown already.
fn is_known(hit: &Hit, page: &Page<'_>) -> bool {
    let memories: Vec<String> = hit.memories.iter().map(|record| record.memory.id.to_string()).collect();
    page.knows(&hit.found.reference().to_string())
        || (!memories.is_empty() && memories.iter().all(|memory| page.knows(memory)))
}

/// What of a file a hit was read from; the same words in two files are one source.
fn source(hit: &Hit) -> Option<&str> {
    match &hit.found {
        Found::Message(_) | Found::Belief(_) | Found::Digest(..) => None,
        Found::Memory(record, _) => record.memory.source_hash.as_deref(),
    }
}

/// How hits are quoted, step by step: all that are sure enough in short, as many as have room beside what is kept for the
/// rest; the surest whole; then, if there is room, more in short.
struct Quoting<'a> {
    recall: &'a Recall,
    /// What each word of the question is worth: the rarer, the more.
    worth: HashMap<&'a str, f64>,
    /// The proper nouns of the question that few messages hold, in lower case.
    names: Vec<String>,
    /// What hits say against each other.
    disputed: Disputed,
    /// The newest message among the hits that rests behind each memory, by the memory's number.
    standing: HashMap<u32, (Time, u32, MessageId)>,
    /// Sure hits that are quoted in short, with their places on the page.
    sure: Vec<(usize, &'a Hit)>,
    /// Hits that had no room yet.
    waiting: Vec<&'a Hit>,
    /// How many hits hardly fit.
    weak: usize,
}

impl<'a> Quoting<'a> {
    fn new(recall: &'a Recall) -> Self {
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
        let disputed = Disputed::among(recall, &worth);
        let (sure, waiting, weak) = Default::default();
        Self { recall, worth, names, disputed, standing, sure, waiting, weak }
    }

    /// Quotes every hit that is sure enough in short; what is not is counted.
    fn in_short(&mut self, page: &mut Page<'_>) {
        let tokens = page.briefing.tokens;
        let reserved = page.left() / WHOLE_SHARE + tokens / WISHES_SHARE;
        let mut sources: HashSet<&str> = HashSet::new();
        for hit in &self.recall.hits {
            if is_known(hit, page) || !source(hit).is_none_or(|source| sources.insert(source)) {
                continue;
            }
            let given = self.given(hit);
            if given == Given::LeftOut {
                self.weak += 1;
                continue;
            }
            match page.quote(self.quotation(hit, Given::Short, page), reserved) {
                Some(place) if given == Given::Whole => self.sure.push((place, hit)),
                Some(_) => {}
                None => self.waiting.push(hit),
            }
        }
    }

    /// Writes down what can be worked out from what is quoted.
    fn work_out(&self, page: &mut Page<'_>) {
        for aid in &self.recall.aids {
            if aid.refs.iter().all(|reference| page.refs().contains(reference)) {
                let short = |it: &String| it.parse().map_or_else(|_| it.clone(), |it: Ref| it.short());
                let refs: Vec<String> = aid.refs.iter().map(short).collect();
                page.work_out(format!("worked out: {} ({})", aid.text, refs.join(", ")));
            }
        }
    }

    /// Lets the surest stand whole.
    fn whole(&self, page: &mut Page<'_>) {
        for (place, hit) in &self.sure {
            page.say_more(*place, self.quotation(hit, Given::Whole, page).line);
        }
    }

    /// Fills what room is left; tells how many hits hardly fit and how many had no room.
    fn fill(self, page: &mut Page<'_>) -> (usize, usize) {
        let no_room = |hit: &&&Hit| page.quote(self.quotation(hit, Given::Short, page), 0).is_none();
        (self.weak, self.waiting.iter().filter(no_room).count())
    }

    /// How much of a hit is given. What holds the rare proper nouns of the question is given however little it is
    /// like it otherwise.
    fn given(&self, hit: &Hit) -> Given {
        let given = given(hit.confidence);
        let named = || {
            let text = hit.found.text().to_lowercase();
            !self.names.is_empty() && self.names.iter().all(|name| text.contains(name.as_str()))
        };
        if given == Given::LeftOut && named() { Given::Short } else { given }
    }

    /// A hit as it is quoted: whole with all that is known of it, or in short.
    fn quotation(&self, hit: &Hit, given: Given, page: &Page<'_>) -> Quotation {
        let worth = |sentence: &str| {
            let found = terms(sentence);
            found.counts.iter().filter_map(|(term, _)| self.worth.get(term.as_str())).sum()
        };
        let chars = if given == Given::Whole { WHOLE_CHARS } else { SHORT_CHARS };
        let words = quoted(&excerpt(hit.found.text(), chars, worth));
        let (who, thread) = match &hit.found {
            Found::Message(record) => (record.message.speaker.as_str(), &record.message.thread),
            Found::Memory(record, _) => ("noted", &record.memory.thread),
            Found::Belief(_) => ("held true", &None),
            Found::Digest(..) => ("digest", &None),
        };
        let thread = thread.as_ref().filter(|_| given == Given::Whole);
        let thread = thread.filter(|thread| Some(*thread) != page.briefing.thread.as_ref());
        let thread = thread.map_or(String::new(), |thread| format!(" ({})", beginning(thread, NAME_CHARS)));
        let (mark, beside) = self.replaced(hit, page);
        let reference = hit.found.reference();
        let line = format!("{} {}{thread}: {words}{mark}", reference.short(), beginning(who, NAME_CHARS));
        let memories = hit.memories.iter().map(|record| record.memory.id.to_string());
        let refs = std::iter::once(reference.to_string()).chain(memories).collect();
        Quotation { refs, at: at(hit), line, beside }
    }

    /// That something no longer holds, and what does: with the place of what replaced it, if that stands on the page, or with
    /// its words. Of what holds in part, what does not, and what somebody said against it.
    fn replaced(&self, hit: &Hit, page: &Page<'_>) -> (String, Option<(Time, u32)>) {
        let message = hit.found.message().map(|record| record.message.id);
        let disputed = message.and_then(|message| self.disputed.mark(message)).cloned().unwrap_or_default();
        let Mark { changed, conflicts, beside, .. } = disputed;
        let Some(newer) = &hit.replaced_by else {
            return (no_longer_holds(hit) + &changed + &conflicts, beside);
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

/// The proper nouns of a question that few messages hold, in lower case.
fn rare_names(question: &str, worth: &HashMap<&str, f64>) -> Vec<String> {
    let rare = |name: &str| {
        let words = terms(name);
        words.counts.iter().any(|(term, _)| worth.get(term.as_str()).is_some_and(|worth| *worth >= RARE))
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
    }
}

/// What was remembered of a message that holds in part, and holds no more.
fn no_longer_holds(hit: &Hit) -> String {
    let replaced = |record: &&MemoryRecord| record.memory.status == Status::Superseded;
    let over = hit.memories.iter().filter(replaced);
    let texts: Vec<String> = over.map(|record| quoted(&beginning(&record.memory.text, OVER_CHARS))).collect();
    if texts.is_empty() { String::new() } else { format!(" [no longer holds: {}]", texts.join(", ")) }
}
