//! Prints the answer to a question: hit by hit, with the matching words in bold.

use crate::show::{BOLD, CYAN, DIM, GREEN, YELLOW, bar, matches, one_line, snippet};
use cairn_domain::Time;
use cairn_engine::{Empty, Found, Hit, Lane, LexicalOnly, Recall, past_plan, score::Part};

/// An answer, hit by hit.
pub(crate) fn print_recall(recall: &Recall, now: Time, explain: bool) {
    for (i, hit) in recall.hits.iter().enumerate() {
        let (who, thread) = match &hit.found {
            Found::Message(record) => (record.message.shown_speaker().to_owned(), &record.message.thread),
            Found::Memory(record, _) => ("memory".to_owned(), &record.memory.thread),
            Found::Belief(record) => (format!("belief, {:.0} %", record.belief.confidence * 100.0), &None),
            Found::Digest(record, _) => (format!("digest of {}", record.digest.condenses()), &None),
            Found::Attachment(record) => {
                (format!("{}, {}", record.receipt.name, record.part.place_in_words()), &None)
            }
            Found::Shared(shared) => (format!("memory of {}", shared.owner), &shared.record.memory.thread),
        };
        let thread = thread.as_ref().map_or(String::new(), |thread| format!(" · {thread}"));
        let when = hit.found.at().minute();
        out!("{BOLD}{:>2}. {when}{BOLD:#}  {CYAN}{who}{CYAN:#}{thread}  {}", i + 1, bar(hit.confidence));
        out!("    {}", marked(&snippet(hit.found.text(), &recall.terms), &recall.terms));
        out!("    {DIM}{}{DIM:#}", hit.found.address());
        if let Some(newer) = &hit.replaced_by {
            let (since, text) = (newer.memory.valid_from.minute(), one_line(&newer.memory.text));
            out!(
                "    {YELLOW}no longer holds:{YELLOW:#} since {since} {text}  {DIM}{}{DIM:#}",
                newer.memory.id
            );
        }
        if let Some(last) = hit.last_state {
            out!("    {YELLOW}older state:{YELLOW:#} what it was last is in  {DIM}{last}{DIM:#}");
        }
        for plan in hit.memories.iter().filter_map(|record| past_plan(record, now)) {
            out!("    {YELLOW}{plan}{YELLOW:#}");
        }
        for doubt in &hit.doubts {
            let text = one_line(&doubt.memory.memory.text);
            out!(
                "    {YELLOW}may have changed:{YELLOW:#} {} {text}  {DIM}{}{DIM:#}",
                doubt.memory.memory.valid_from.day(),
                doubt.memory.memory.id
            );
        }
        if explain {
            explanation(hit);
        }
    }
    for aid in &recall.aids {
        out!("{GREEN}computed:{GREEN:#} {}  {DIM}{}{DIM:#}", aid.text, aid.refs.join(" "));
    }
    for intention in &recall.intentions {
        out!("{YELLOW}to be told now:{YELLOW:#} {}", intention.line());
    }
    for procedure in &recall.procedures {
        out!("{GREEN}worked before:{GREEN:#} {}", procedure.line());
    }
    for owner in &recall.away {
        err!("{DIM}{owner} could not be asked now{DIM:#}");
    }
    lexical_only(recall);
    let Some(empty) = recall.empty else { return };
    err!("{YELLOW}nothing found:{YELLOW:#} {}", empty_reason(empty));
    err!("{CYAN}hint:{CYAN:#} {}", cairn_wire::empty_hint(empty));
}

/// Says when and why a search went by keyword only.
fn lexical_only(recall: &Recall) {
    let (problem, hint) = match &recall.lexical_only {
        Some(LexicalOnly::NoEmbedder { problem, hint }) => (problem.clone(), hint.clone()),
        Some(LexicalOnly::NoVectors) if recall.empty != Some(Empty::NothingStored) => {
            ("no message has been embedded yet".to_owned(), "run `cairn embed`".to_owned())
        }
        None if recall.pending > 0 => {
            let problem = format!("{} message(s) are not embedded yet", recall.pending);
            err!("{DIM}{problem} and were found by keyword only; `cairn embed` embeds them{DIM:#}");
            return;
        }
        Some(LexicalOnly::NotWanted | LexicalOnly::NoVectors) | None => return,
    };
    err!("{DIM}keywords only: {problem}; {hint}{DIM:#}");
}

fn explanation(hit: &Hit) {
    let why = &hit.explanation;
    for term in why.terms.iter().filter(|term| term.share > 0.0) {
        out!(
            "    {DIM}  ({:.4}  {}, in {} message(s), idf {:.2}){DIM:#}",
            term.share,
            term.term,
            term.holding,
            term.idf
        );
    }
    for part in &why.score.parts {
        out!("    {DIM}{:>8.4}  {}{DIM:#}", part.adds, score_part_label(part.name));
    }
    let lane = |name: &str, lane: Option<Lane>| {
        lane.map_or(format!("not found by {name}"), |lane| {
            format!("rank {} by {name} ({:.3})", lane.rank, lane.score)
        })
    };
    let lanes = [("words", why.lexical_lane), ("meaning", why.dense_lane), ("memory", why.memory_lane)];
    let lanes: Vec<String> = lanes.into_iter().map(|(name, found)| lane(name, found)).collect();
    out!("    {DIM}= {:>6.4}  {}{DIM:#}", hit.score, lanes.join(", "));
}

/// A part of a score, in words.
fn score_part_label(part: Part) -> &'static str {
    match part {
        Part::Meaning => "meaning",
        Part::Words => "keywords",
        Part::Neighbours => "its neighbors in the session",
        Part::Session => "what its session is about",
        Part::Subject => "who said it",
        Part::Graph => "entities in the question",
        Part::Together => "co-activation with other hits",
        Part::Parts => "its ranks for the whole question and its parts",
        Part::Time => "the time asked about",
        Part::Kept => "worth remembering",
        Part::Remembered => "meaning of its memory",
        Part::Standing => "a standing preference",
        Part::Utility => "usefulness so far",
        Part::Held => "confidence and freshness",
        Part::Condensed => "it is a digest: its sources rank first",
        Part::Attached => "it stands in a file: what was said ranks first",
        Part::Replaces => "it replaces another hit",
        Part::Replaced => "it no longer holds",
        Part::Repeated => "a better memory of its message stands before it",
        Part::Former => "it held before, which is asked for",
        Part::Echo => "it only asks the same question",
        Part::Unreal => "it does not say what is so",
        Part::Slot => "it states what is asked",
        Part::Answers => "read beside another hit, it answers now",
        Part::AnswersLess => "read beside another hit, that one answers now",
        Part::Similarity
        | Part::Activation
        | Part::Importance
        | Part::Ranks
        | Part::Entities
        | Part::Episode
        | Part::SubTier
        | Part::Mood
        | Part::Source
        | Part::Thread
        | Part::Dormant
        | Part::Ceiling
        | Part::Step
        | Part::Recency => part.as_str(),
    }
}

fn empty_reason(empty: Empty) -> &'static str {
    match empty {
        Empty::NothingStored => "nothing is stored yet",
        Empty::Trivial => "this is not a question",
        Empty::NoWords => "the question has no word to search for",
        Empty::FilteredOut => "messages match, but the filters exclude all of them",
        Empty::NoMatch => "no message has any of these words",
        Empty::NoneOfKind => "no record of these kinds matches",
    }
}

/// The text with its matching words in bold.
fn marked(text: &str, terms: &[String]) -> String {
    let mark =
        |word: &str| if matches(word, terms) { format!("{BOLD}{word}{BOLD:#}") } else { word.to_owned() };
    text.split(' ').map(mark).collect::<Vec<_>>().join(" ")
}
