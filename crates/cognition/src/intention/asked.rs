//! Whether a sentence asks for something to be told or done later, or promises it: a request with a day or an occasion, an
//! occasion with an order beside it, a promise.

use super::{
    day::leans_on_a_day,
    grammar::{CUES, has, is_asking, is_past, is_word, may_intend, plain_of},
    moment::moment_of,
    occasion::{NamedOccasion, occasion_of},
    trigger::{IntentForm, trigger_of},
};
use crate::{
    language::is_stop_word,
    lexicon::IntentionsClass,
    pattern::PatternMatch,
    settled::is_question,
    temporal::{ToldTime, told_ahead},
};
use cairn_domain::{Role, Time, TriggerKind};

/// Words behind a request in which its time of day stands.
const MAX_WORDS_BEHIND: usize = 4;

/// Words before a request that only tell its day: "on Friday, could you …".
const MAX_WORDS_BEFORE: usize = 5;

/// A sentence as it is read: spelled out, without what is quoted in it.
pub(super) struct AskingSentence<'t> {
    pub text: &'t str,
    /// The sentence before it.
    pub earlier: Option<&'t str>,
    pub said_at: Time,
}

impl AskingSentence<'_> {
    /// How something is intended, if it is.
    pub(super) fn intent(&self, role: Role) -> Option<IntentForm> {
        if !may_intend(self.text, role) {
            return None;
        }
        let cues: Vec<_> = CUES.find(self.text).collect();
        let has = |class| cues.iter().any(|it| it.class == class);
        if has(IntentionsClass::Not) {
            return None;
        }
        let asks = is_question(self.text) && !has(IntentionsClass::Tag);
        match role {
            Role::User if cues.iter().any(|cue| self.asks(cue)) => Some(IntentForm::Told),
            Role::User => {
                let occasion = occasion_of(self.text, self.earlier).filter(|it| it.trigger.is_some())?;
                self.orders(&occasion, asks).then_some(IntentForm::Ordered)
            }
            Role::Assistant => {
                let promised = has(IntentionsClass::Promised)
                    || has(IntentionsClass::PromisedThen) && self.is_timed(IntentionsClass::PromisedThen);
                (promised && !asks && !has(IntentionsClass::Offer)).then_some(IntentForm::Told)
            }
            Role::System | Role::Tool => None,
        }
    }

    /// Whether a cue asks the reader for it, and says when if it has to.
    fn asks(&self, cue: &PatternMatch<IntentionsClass>) -> bool {
        let behind = self.text[cue.range.end..].trim_start();
        let is_back = || cue.class != IntentionsClass::AskedAt && has(behind, IntentionsClass::TakenBack);
        if !is_asking(cue.class) || is_back() {
            return false;
        }
        let place = self.place(cue);
        match cue.class {
            IntentionsClass::Asked if cue.argument == "open" => place == RequestPlace::Open,
            IntentionsClass::Asked => place != RequestPlace::Shut,
            IntentionsClass::AskedThen => {
                let fits = place == RequestPlace::Open
                    || place == RequestPlace::Unsure && cue.argument == "anywhere";
                fits && (self.is_timed(cue.class) || has(self.text, IntentionsClass::Recurs))
            }
            _ => place == RequestPlace::Open && self.is_beside_time(cue),
        }
    }

    /// Whether a request may begin where a cue stands, by the words before it.
    fn place(&self, cue: &PatternMatch<IntentionsClass>) -> RequestPlace {
        let before = self.text[..cue.range.start].trim_end();
        let classes = CUES.classes_in(before);
        if classes.contains(&IntentionsClass::Open) {
            return RequestPlace::Open;
        }
        let part = before
            .rsplit([',', ';', ':', '(', ')', '.', '!', '?', '–', '—'])
            .next()
            .unwrap_or_default()
            .trim();
        // "You remind me on Friday please": said to the reader, it asks; "you remind me of him" does not.
        let told = part.eq_ignore_ascii_case("you") && self.is_timed(cue.class);
        // "Two days before it, ping me": "it" is the day that was told.
        let leans = leans_on_a_day(part);
        if classes.contains(&IntentionsClass::Shut) && !told && !leans {
            return RequestPlace::Shut;
        }
        let ends = before.ends_with(|c: char| !c.is_alphanumeric() && c != '\'');
        let begins = ends || part.is_empty() || cue.language == "tr";
        let is_timed =
            || !told_ahead(part, self.said_at).is_empty() || moment_of(part, self.said_at).is_some() || leans;
        if begins || is_timed() || has(part, IntentionsClass::Event) {
            RequestPlace::Open
        } else {
            RequestPlace::Unsure
        }
    }

    /// Whether a day, a time of day or an occasion is told; "Friday's" and "yarınki" tell of which thing, and what a promise is
    /// "for Friday" may be for is told too.
    fn is_timed(&self, class: IntentionsClass) -> bool {
        let trigger = trigger_of(self.text, self.earlier, self.said_at, IntentForm::Told);
        if trigger.kind != TriggerKind::Day {
            return trigger.kind != TriggerKind::Anytime;
        }
        let times = told_ahead(self.text, self.said_at);
        let is_when = |time: &ToldTime| {
            let for_it = class == IntentionsClass::PromisedThen && self.is_for(time);
            !self.is_attribute(time) && !for_it
        };
        times.is_empty() || times.iter().any(is_when)
    }

    fn is_attribute(&self, time: &ToldTime) -> bool {
        let behind = self.text.split_once(&time.words).map_or("", |(_, behind)| behind);
        let is_its = |words: &str, at: fn(&str, &'static str) -> bool| at(words, "'s") || at(words, "’s");
        is_its(behind, |words, ending| words.starts_with(ending))
            || is_its(&time.words, |words, ending| words.ends_with(ending))
            || is_its(behind.trim_start(), |words, _| words.starts_with("için"))
            || plain_of(&time.words).ends_with("ki")
    }

    fn is_for(&self, time: &ToldTime) -> bool {
        let before = self.text.split_once(&time.words).map_or("", |(before, _)| before);
        time.words.to_lowercase().starts_with("for ") || before.trim_end().to_lowercase().ends_with(" for")
    }

    /// Whether the time of a request stands right behind it, or before it, and its verb may remind.
    fn is_beside_time(&self, cue: &PatternMatch<IntentionsClass>) -> bool {
        let words = &self.text[cue.range.clone()];
        let verb = words.split_whitespace().next().map(plain_of).unwrap_or_default();
        if is_stop_word(&verb) || is_word("no contact", &verb) || is_past(&verb) {
            return false;
        }
        let (before, behind) = (&self.text[..cue.range.start], &self.text[cue.range.end..]);
        let near = |time: &ToldTime| {
            let between = behind.split_once(&time.words).map(|(between, _)| between);
            let is_passed = |word: String| is_word("softly", &word) || is_word("again", &word);
            let is_near = |between: &str| between.split_whitespace().map(plain_of).all(is_passed);
            between.is_some_and(is_near) && !self.is_attribute(time)
        };
        let next: Vec<&str> = behind.split_whitespace().take(MAX_WORDS_BEHIND).collect();
        let part = before.rsplit([';', ':', '(', '.', '!', '?']).next().unwrap_or_default();
        let is_short = part.split_whitespace().count() <= MAX_WORDS_BEFORE;
        let led = || told_ahead(part, self.said_at).iter().any(|time| !self.is_attribute(time));
        told_ahead(self.text, self.said_at).iter().any(near)
            || moment_of(&next.join(" "), self.said_at).is_some()
            || leans_on_a_day(&next.join(" "))
            || is_short && led()
    }

    /// Whether a sentence with an occasion also says what to do then.
    fn orders(&self, occasion: &NamedOccasion, asks: bool) -> bool {
        let (before, behind) = (&self.text[..occasion.range.start], &self.text[occasion.range.end..]);
        let topic = occasion.trigger.as_ref().is_some_and(|it| it.kind == TriggerKind::Topic);
        let may = |part: &str, led: bool| {
            let cues: Vec<_> = CUES.find(part).collect();
            let found = |class| cues.iter().find(|it| it.class == class);
            let requested = found(IntentionsClass::Request).is_some();
            let order = cues.iter().filter(|it| it.class == IntentionsClass::Order);
            let order = order.filter(|it| it.argument != "deed" || begins(part, it.range.start));
            let wish = |it: &PatternMatch<IntentionsClass>| it.argument != "wish" || !topic || occasion.again;
            let owned = !topic || !occasion.own || occasion.again;
            let told = order.clone().any(|it| wish(it) && (owned || it.argument == "deed"));
            requested || !asks && (told || is_imperative(part)) && (led || !topic || occasion.again)
        };
        parts(behind).any(|part| may(part, true)) || parts(before).last().is_some_and(|part| may(part, false))
    }
}

/// How the words before a request leave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestPlace {
    /// A request begins there.
    Open,
    /// Somebody else does it, or says it.
    Shut,
    /// Neither is plain.
    Unsure,
}

/// The parts of what stands beside an occasion.
fn parts(words: &str) -> impl DoubleEndedIterator<Item = &str> {
    let parts = words.split([',', ';', ':', '–', '—', '(']).flat_map(|part| part.split(" - "));
    parts.map(str::trim).filter(|part| part.contains(char::is_alphanumeric)).collect::<Vec<_>>().into_iter()
}

/// Whether nobody is named before a verb: it is an order.
fn begins(part: &str, at: usize) -> bool {
    part[..at].split_whitespace().map(plain_of).all(|word| is_word("softly", &word))
}

/// Whether some words begin with an order: a verb that is known as one, or any word that a thing follows at once.
fn is_imperative(part: &str) -> bool {
    let words: Vec<String> = part.split_whitespace().map(plain_of).collect();
    let mut words = words.iter().skip_while(|word| is_word("softly", word)).map(String::as_str);
    let (Some(verb), Some(next)) = (words.next(), words.next()) else { return false };
    if is_word("deed", verb) || is_word("deed", &format!("{verb} {next}")) {
        return !is_word("no object", next);
    }
    let is_verb =
        !is_stop_word(verb) && !["ed", "ing", "ly", "s"].iter().any(|ending| verb.ends_with(ending));
    is_verb && verb.is_ascii() && is_word("object", next)
}
