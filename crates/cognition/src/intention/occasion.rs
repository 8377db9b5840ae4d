//! Occasions: a clause that tells by what something becomes due: who comes up, which file is worked on, what is spoken of.

use super::grammar::{CUES, has, is_past, is_word, plain_of};
use crate::{
    file_name::file_names, language::is_stop_word, lexicon::IntentionsClass, pattern::PatternMatch,
    temporal::told_ahead,
};
use cairn_domain::{IntentionTrigger, Time, TriggerKind};
use std::ops::Range;

/// Words of a topic, and of a person who has no name.
const MAX_TOPIC_WORDS: usize = 4;
const MAX_PERSON_WORDS: usize = 3;
/// Letters of the ending of a file, in a clause that says it is worked on.
const MAX_ENDING_LETTERS: usize = 6;

/// The clause, and what it waits for.
#[derive(Debug)]
pub(super) struct NamedOccasion {
    /// Where it stands in its sentence.
    pub range: Range<usize>,
    /// The thing that makes it due; none if nothing is named.
    pub trigger: Option<IntentionTrigger>,
    /// Whether it says that it comes once more: "next time", "again".
    pub again: bool,
    /// Whether the speaker alone is to do it: "when I …".
    pub own: bool,
}

/// The first occasion of a sentence that names something, else the first; `earlier` is the sentence before it.
pub(super) fn occasion_of(sentence: &str, earlier: Option<&str>) -> Option<NamedOccasion> {
    let cues: Vec<_> = CUES.find(sentence).collect();
    let events = cues.iter().filter(|it| it.class == IntentionsClass::Event);
    let read = |event: &PatternMatch<IntentionsClass>| match event.language {
        "tr" => turkish(sentence, event, &cues),
        _ => english(sentence, event, &cues, earlier),
    };
    let mut found: Vec<NamedOccasion> = events.filter_map(read).collect();
    found.sort_by_key(|it| (it.trigger.is_none(), it.range.start));
    found.into_iter().next()
}

fn english(
    sentence: &str,
    event: &PatternMatch<IntentionsClass>,
    cues: &[PatternMatch<IntentionsClass>],
    earlier: Option<&str>,
) -> Option<NamedOccasion> {
    let begin = event.range.end;
    let clause =
        OccasionClause { body: &sentence[begin..clause_end(sentence, begin, cues)], kind: event.argument };
    // "Önce" is no "once", and what was is no occasion.
    if !sentence[event.range.clone()].is_ascii() || clause.is_none() {
        return None;
    }
    let before = &sentence[..event.range.start];
    let trigger = clause.file().or_else(|| clause.told());
    let trigger = trigger.or_else(|| clause.person(before, earlier)).or_else(|| clause.own_topic(earlier));
    if trigger.is_none() && event.argument == "should" {
        return None;
    }
    let again = matches!(event.argument, "next" | "before") || has(clause.body, IntentionsClass::Again);
    let own = clause.body.trim_start().to_lowercase().starts_with(['i']) && clause.is_spoken();
    Some(NamedOccasion { range: event.range.start..begin + clause.body.len(), trigger, again, own })
}

/// Where a clause ends: at a comma or a dash, where something is asked for or to be done, or where it is told what.
fn clause_end(sentence: &str, begin: usize, cues: &[PatternMatch<IntentionsClass>]) -> usize {
    let rest = &sentence[begin..];
    let marks = [", ", "; ", ": ", " - ", " – ", " — ", " (", ". ", " that ", "? ", "! "];
    let mark = marks.iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
    let ends = |it: &&PatternMatch<IntentionsClass>| match it.class {
        IntentionsClass::Asked
        | IntentionsClass::AskedThen
        | IntentionsClass::AskedAt
        | IntentionsClass::Request => true,
        IntentionsClass::Order => {
            it.argument != "deed" || is_second(rest, it.range.start.wrapping_sub(begin))
        }
        _ => false,
    };
    let cue = cues.iter().filter(|it| it.range.start > begin).filter(ends).map(|it| it.range.start);
    let cue = cue.filter(|start| rest[..start - begin].split_whitespace().count() >= 2).min();
    let to_do = rest.match_indices(" to ").find(|(at, to)| {
        let next = rest[at + to.len()..].split_whitespace().next().unwrap_or_default();
        is_word("deed", &plain_of(next))
    });
    let ends = [Some(mark), cue.map(|cue| cue - begin), to_do.map(|(at, _)| at)];
    let end = begin + ends.into_iter().flatten().min().unwrap_or(rest.len());
    begin + sentence[begin..end].trim_end_matches(|c: char| !c.is_alphanumeric()).len()
}

/// Whether a verb at a place of a clause is another one than the verb of the clause itself, and has no subject: what is to
/// be done behind an occasion that no comma ends.
fn is_second(rest: &str, at: usize) -> bool {
    let before: Vec<String> = rest[..at].split_whitespace().map(plain_of).collect();
    let is_somebody =
        |word: &String| matches!(word.as_str(), "i" | "we" | "you" | "he" | "she" | "they" | "it");
    let last_binds = before.last().is_some_and(|word| is_stop_word(word) && !is_word("softly", word));
    let shown = |word: &String| {
        matches!(word.as_str(), "again" | "here" | "there" | "up" | "back" | "in" | "her" | "him")
    };
    before.len() >= 2
        && !before.iter().any(|word| is_word("aux", word))
        && !before.iter().skip(1).any(is_somebody)
        && (!last_binds || before.last().is_some_and(shown))
}

/// The clause of an occasion behind its first word.
struct OccasionClause<'t> {
    body: &'t str,
    kind: &'static str,
}

impl OccasionClause<'_> {
    fn words(&self) -> impl Iterator<Item = &str> {
        self.body.split_whitespace()
    }

    /// The first word without what hangs on it: "we" of "we're".
    fn subject(&self) -> String {
        let first = self.words().next().map(plain_of).unwrap_or_default();
        first.split('\'').next().unwrap_or_default().to_owned()
    }

    /// Whether it is none: a question ("when do we …"), a number ("once a week"), or the past.
    fn is_none(&self) -> bool {
        let asks = matches!(
            self.subject().as_str(),
            "do" | "does"
                | "did"
                | "will"
                | "is"
                | "are"
                | "was"
                | "were"
                | "can"
                | "should"
                | "would"
                | "a"
                | "an"
        );
        asks && self.kind != "next" || is_past(self.body)
    }

    /// Whether those do it who speak here.
    fn is_spoken(&self) -> bool {
        is_word("speaker", &self.subject())
    }

    /// A file that is worked on; in such a clause a word with a stop in it is one.
    fn file(&self) -> Option<IntentionTrigger> {
        let is_file = |word: &&str| {
            let (name, ending) = word.rsplit_once('.').unwrap_or_default();
            let is_ending = |c: char| c.is_ascii_alphanumeric();
            name.len() > 1
                && (2..=MAX_ENDING_LETTERS).contains(&ending.len())
                && ending.chars().all(is_ending)
        };
        let dotted = || self.words().map(|word| word.trim_end_matches(['.', ','])).find(is_file);
        let file = file_names(self.body).first().copied().or_else(dotted)?;
        Some(IntentionTrigger::at(TriggerKind::File, file))
    }

    fn person(&self, before: &str, earlier: Option<&str>) -> Option<IntentionTrigger> {
        let cues: Vec<_> = CUES.find(self.body).collect();
        let met = cues.iter().find(|it| it.class == IntentionsClass::Meets);
        let spoken = self.is_spoken();
        let comes = cues.iter().filter(|it| it.class == IntentionsClass::Comes && it.range.start > 0);
        let comes = comes.min_by_key(|it| (it.range.start, it.argument)).filter(|_| !spoken);
        let somebody = match (comes, met.filter(|_| spoken)) {
            (Some(comes), _) => named(&self.body[..comes.range.start], comes.argument == "somebody"),
            (None, Some(met)) => named(&self.body[met.range.end..], met.argument == "somebody"),
            (None, None) => named(self.words().next()?, false),
        };
        let name = match somebody? {
            Somebody::Named(name) => name,
            Somebody::Told => last_name(before).or_else(|| last_name(earlier?))?,
        };
        Some(IntentionTrigger::at(TriggerKind::Person, name))
    }

    /// The topic, or the name, that comes up or is worked on.
    fn told(&self) -> Option<IntentionTrigger> {
        let cues: Vec<_> = CUES.find(self.body).collect();
        let cue =
            |class| cues.iter().filter(move |it| it.class == class).max_by_key(|it| it.argument == "before");
        let words = match (cue(IntentionsClass::ComesUp), cue(IntentionsClass::Touched)) {
            (Some(up), _) if up.argument == "before" => topic_words(&self.body[up.range.end..]),
            (Some(found), _) | (None, Some(found)) if !self.is_spoken() => {
                let before = &self.body[..found.range.start];
                if let Some(Somebody::Named(name)) = named(before, false) {
                    return Some(IntentionTrigger::at(TriggerKind::Person, name));
                }
                topic_words(before)
            }
            _ => return None,
        };
        topic_at(&words)
    }

    /// The topic of something that the speakers do: the words without its verb.
    fn own_topic(&self, earlier: Option<&str>) -> Option<IntentionTrigger> {
        let again = self.kind == "next" || has(self.body, IntentionsClass::Again);
        let subject = self.subject();
        let is_meant = match subject.as_str() {
            "you" => again,
            _ => self.is_spoken() && (self.kind != "if" || again || self.body.contains(" ever ")),
        };
        let is_passed = |word: &String| is_word("idle", word) || matches!(word.as_str(), "am" | "are" | "is");
        let words: Vec<String> = self.words().skip(1).map(plain_of).skip_while(is_passed).collect();
        let verb = words.first().filter(|_| is_meant)?;
        if subject != "we" && is_word("rule", verb) || is_word("aux", verb) || verb.contains('\'') {
            return None;
        }
        let is_being = self.body.split_whitespace().take(2).any(|word| {
            let word = plain_of(word);
            word.contains('\'') || matches!(word.as_str(), "am" | "are" | "is")
        });
        let is_verb = !is_being || verb.ends_with("ing");
        let rest = words[usize::from(is_verb)..].join(" ");
        let named = topic_words(&rest);
        if !named.is_empty() || !is_verb {
            return topic_at(&named);
        }
        let is_it = rest.split(' ').any(|word| matches!(word, "it" | "this" | "that" | "them"));
        let told = earlier.filter(|_| is_it).map(thing_of).filter(|told| !told.is_empty());
        let told = told.or_else(|| (!is_stop_word(verb)).then(|| vec![verb.clone()]))?;
        topic_at(&told)
    }
}

/// Somebody who comes up.
enum Somebody {
    Named(String),
    /// He or she of whom was spoken before.
    Told,
}

/// Who some words name: a name, or, if only people do what is told, whoever does it.
fn named(words: &str, is_person: bool) -> Option<Somebody> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let plain: Vec<String> = words.iter().map(|word| plain_of(word)).collect();
    let first = plain.first()?.split('\'').next()?.to_owned();
    if matches!(first.as_str(), "he" | "she" | "they" | "him" | "her" | "them") {
        return Some(Somebody::Told);
    }
    if let Some(name) = words.iter().find_map(|word| name_of(word)) {
        return Some(Somebody::Named(name));
    }
    let is_own = first == "my" || is_person;
    let stops = |word: &&String| !is_stop_word(word) && !is_word("idle", word) && !is_word("speaker", word);
    let leads = |word: &&String| is_word("object", word) || is_word("idle", word);
    let kept = plain.iter().skip_while(leads).collect::<Vec<_>>();
    kept.first().filter(|_| is_own && !is_word("speaker", &first))?;
    let kept: Vec<&str> =
        kept.into_iter().take_while(stops).take(MAX_PERSON_WORDS).map(String::as_str).collect();
    (!kept.is_empty()).then(|| Somebody::Named(kept.join(" ")))
}

/// A word with a capital, without what hangs on it, that is neither "I" nor a title.
fn name_of(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).split(['\'', '’']).next()?;
    let is_name = word.starts_with(char::is_uppercase) && word.chars().count() > 1;
    let is_time = |words: &str| !told_ahead(words, Time::from_millis(0)).is_empty();
    let is_day = || is_time(word) || is_time(&format!("in {word}"));
    (is_name && !is_word("title", &plain_of(word)) && !is_day()).then(|| word.to_owned())
}

/// The last name inside of some words; the first word has a capital of its own.
fn last_name(words: &str) -> Option<String> {
    words.split_whitespace().skip(1).filter_map(name_of).last()
}

/// The thing that a sentence speaks of last: "the logo thing".
fn thing_of(sentence: &str) -> Vec<String> {
    let plain: Vec<String> = sentence.split_whitespace().map(plain_of).collect();
    let behind = plain
        .iter()
        .rposition(|word| matches!(word.as_str(), "the" | "my" | "our" | "your" | "this" | "that"));
    behind.map_or_else(Vec::new, |at| topic_words(&plain[at + 1..].join(" ")))
}

/// The words of a topic: neither stop words nor what says that it comes up again.
fn topic_words(words: &str) -> Vec<String> {
    let words =
        words.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    let is_told =
        |word: &String| !word.is_empty() && !is_stop_word(word) && !is_word("idle", &plain_of(word));
    words.filter(is_told).take(MAX_TOPIC_WORDS).collect()
}

fn topic_at(words: &[String]) -> Option<IntentionTrigger> {
    (!words.is_empty()).then(|| IntentionTrigger::at(TriggerKind::Topic, words.join(" ")))
}

fn turkish(
    sentence: &str,
    event: &PatternMatch<IntentionsClass>,
    cues: &[PatternMatch<IntentionsClass>],
) -> Option<NamedOccasion> {
    if is_word("no event", &plain_of(&sentence[event.range.clone()])) {
        return None;
    }
    let is_mark = |c: char| matches!(c, ',' | ';' | ':' | '!' | '?');
    let begin = sentence[..event.range.start].rfind(is_mark).map_or(0, |at| at + 1);
    // "Bir dahaki sefere … dokunduğumuzda": the verb ends it.
    let same = |it: &&PatternMatch<IntentionsClass>| {
        let events = it.class == IntentionsClass::Event && it.language == event.language;
        events
            && it.range.start >= begin
            && !sentence[event.range.start.min(it.range.start)..it.range.start].contains(is_mark)
    };
    let end = cues.iter().filter(same).map(|it| it.range.end).max().unwrap_or(event.range.end);
    let own = cues
        .iter()
        .any(|it| it.class == IntentionsClass::Event && it.argument == "own" && it.range.end <= end);
    let body = &sentence[begin..end];
    let again = has(body, IntentionsClass::Again);
    let clause = OccasionClause { body, kind: event.argument };
    let trigger = clause.file().or_else(|| turkish_trigger(body, own, again));
    Some(NamedOccasion { range: begin..end, trigger, again, own: false })
}

/// The person or the topic of a clause whose last word is its verb.
fn turkish_trigger(body: &str, own: bool, again: bool) -> Option<IntentionTrigger> {
    let cues: Vec<_> = CUES.find(body).filter(|it| it.language == "tr").collect();
    if let Some(up) = cues.iter().find(|it| it.class == IntentionsClass::ComesUp) {
        return topic_at(&topic_words(&body[..up.range.start]));
    }
    let words: Vec<&str> = body.split_whitespace().collect();
    let last = words.iter().rposition(|word| !is_word("joint", &plain_of(word)))?;
    let end = words[last].as_ptr() as usize - body.as_ptr() as usize + words[last].len();
    let comes = cues.iter().filter(|it| it.class == IntentionsClass::Comes && it.range.end == end);
    let comes = comes.min_by_key(|it| it.range.start);
    if let Some(name) = comes.and_then(|comes| turkish_person(&words[..last], comes.argument, own)) {
        return Some(IntentionTrigger::at(TriggerKind::Person, name));
    }
    let named = topic_words(&words[..last].join(" "));
    topic_at(&named).filter(|_| own || again)
}

/// Who comes, by the words before the verb.
fn turkish_person(words: &[&str], comes: &str, own: bool) -> Option<String> {
    let is_passed = |word: &&&str| is_word("idle", &plain_of(word));
    let before: Vec<&str> = words.iter().rev().skip_while(is_passed).copied().collect();
    let word = *before.first()?;
    let has_ending = word.contains(['\'', '’']);
    if let Some(name) = name_of(word) {
        // "Ayrıştırıcıya döndüğümüzde": what we go back to is nobody, unless an apostrophe tells a name.
        return (comes == "somebody" || !own || has_ending).then_some(name);
    }
    let plain = plain_of(word);
    let is_with = ["la", "le"].iter().any(|ending| plain.len() > 4 && plain.ends_with(ending));
    let is_mine = plain.len() > 3 && plain.ends_with('m');
    (comes == "somebody" && (is_with || is_mine || own)).then(|| plain.clone()).filter(|_| is_with || is_mine)
}
