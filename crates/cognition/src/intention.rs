//! Intentions: what somebody means to do later, told in talk. "Remind me on Friday", "next time we touch billing", an agent's
//! promise to come back to something. Each has a trigger: a day, a person, a file, a topic, or none. Plans and appointments
//! are none: nobody asked to be told of them.

mod cues;
mod day;
mod moment;
mod topic;

use crate::{
    file_name::file_names,
    keywords::plain_words,
    lexicon::IntentionsClass,
    pattern::PatternMatch,
    sentence::sentences,
    settled::{is_question, is_same_word},
    temporal::told_ahead,
};
use cairn_domain::{Day, IntentionTrigger, Role, Time, TriggerKind};
use cues::CUES;
use day::{due_day_of, next_morning};
use moment::{minute_of, moment_of};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};
use topic::topic_of;

/// A person behind the words that make them a trigger, or before them in Turkish.
static PERSON: LazyLock<Regex> = LazyLock::new(|| {
    let english = concat!(
        r"(?:(?i:when(?:ever)?|once|if|as soon as|next time|after|before)\s+",
        r"(?:(?i:i|we|you)(?:['’](?:m|re)|\s+am|\s+are)?\s+(?i:next\s+|ever\s+)?(?i:see|seeing|meet|meeting|call|phone|text|email|visit|visiting",
        r"|talk(?:ing)? to|talk(?:ing)? with|speak(?:ing)? to|speak(?:ing)? with|write to)\s+)?",
        r"(\p{Lu}\p{L}+))"
    );
    let turkish = concat!(
        r"(?:(\p{Lu}\p{L}+)(?:['’]\p{L}+)?\s+(?:ile\s+)?(?:geri\s+)?(?:ara|yaz|gel|dön|gör|konuş|görüş|cevap|yanıt|uğra|var)\p{Ll}*",
        r"(?:\s+ver\p{Ll}*)?(?:nca|nce|ınca|ince|unca|ünce|ında|inde|unda|ünde|ımda|imde|umda|ümde|ımızda|imizde|umuzda|ümüzde|[ıiuüae]rken|[ıiuüae]?rs[ae]))"
    );
    Regex::new(&format!("{english}|{turkish}")).expect("a pattern")
});

/// The topic that is waited for, where the words say that it is one.
static TOPIC: LazyLock<Regex> = LazyLock::new(|| {
    let english = r"(?i:(?:topic|subject|question|matter) of (?:(?:the|my|our|his|her|their) )?([\p{L}\p{N} -]{2,40}?)|\s(\p{L}+)) (?i:comes|is brought) up";
    let turkish = r"(\p{L}+) (?:konusu|meselesi|bahsi) (?:bir daha |tekrar |yeniden )?(?:aç|geç|gel)";
    Regex::new(&format!("(?:{english})|(?:{turkish})")).expect("a pattern")
});

/// An intention as it was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldIntention {
    /// The sentence, verbatim.
    pub words: String,
    /// The thing that makes it due.
    pub trigger: IntentionTrigger,
}

/// The intentions that a message tells, in its order; `said_at` is the time on the speaker's clock, so that days are theirs.
pub fn told_intentions(text: &str, role: Role, said_at: Time) -> Vec<ToldIntention> {
    let intention = |sentence: &str| {
        let trigger = is_intention(sentence, role, said_at).then(|| trigger_of(sentence, said_at))?;
        Some(ToldIntention { words: sentence.trim().to_owned(), trigger })
    };
    sentences(text).into_iter().filter_map(intention).collect()
}

/// The day that some words name, where nothing else is to be read in them.
pub fn named_day(words: &str, said_at: Time) -> Option<Day> {
    due_day_of(words, said_at)
}

/// Whether some words speak of a person or a topic: the words of the subject are there, with another ending if they are long
/// enough; of three or more all but a third.
pub fn speaks_of(said: &str, subject: &str) -> bool {
    let (said, wanted) = (plain_words(said), plain_words(subject));
    let is_said = |word: &&String| said.iter().any(|other| is_same_word(word, other));
    !wanted.is_empty() && wanted.iter().filter(is_said).count() * 3 >= wanted.len() * 2
}

/// The words of an intention that say what is to be done: neither the request nor the occasion or the day.
pub fn errand(words: &str, said_at: Time) -> String {
    let cues: Vec<_> = CUES.find(words).collect();
    let is_request = |class| matches!(class, IntentionsClass::Asked | IntentionsClass::AskedThen);
    let request = cues.iter().find(|it| is_request(it.class));
    // "Remind me when Ece is spoken of: tell her", as it is set.
    let set = request.and_then(|it| words[it.range.end..].split_once(": "));
    let is_event = |part: &str| CUES.classes_in(part).contains(&IntentionsClass::Event);
    let mut kept = match (set, words.split_once(',').filter(|_| is_event(words))) {
        (Some((_, behind)), _) => behind.to_owned(),
        (None, Some((first, rest))) => if is_event(first) { rest } else { first }.to_owned(),
        (None, None) => behind_occasion(words, &cues),
    };
    for cue in cues.iter().filter(|it| is_request(it.class)) {
        kept = kept.replace(&words[cue.range.clone()], " ");
    }
    for time in told_ahead(&kept, said_at) {
        kept = kept.replace(&time.words, " ");
    }
    kept
}

/// The words behind an occasion that no comma parts from what is to be done.
fn behind_occasion(words: &str, cues: &[PatternMatch<IntentionsClass>]) -> String {
    let ends = cues.iter().filter(|it| it.class == IntentionsClass::Event).map(|it| it.range.end);
    words[ends.max().unwrap_or(0)..].to_owned()
}

fn is_intention(sentence: &str, role: Role, said_at: Time) -> bool {
    let cues: Vec<_> = CUES.find(sentence).collect();
    let has = |class| cues.iter().any(|it| it.class == class);
    // "I want to be reminded" asks, whatever "reminded" tells elsewhere.
    let is_asked = |range: &Range<usize>| {
        let mut asked = cues.iter().filter(|it| it.class == IntentionsClass::Asked);
        asked.any(|it| it.range.start < range.start && range.end <= it.range.end)
    };
    if cues.iter().any(|it| it.class == IntentionsClass::Not && !is_asked(&it.range)) {
        return false;
    }
    let asks = is_question(sentence) && !has(IntentionsClass::Tag);
    let is_dated = || trigger_of(sentence, said_at).day.is_some();
    match role {
        Role::User => {
            has(IntentionsClass::Asked)
                || has(IntentionsClass::AskedThen) && is_dated()
                || has(IntentionsClass::Event) && !asks && orders(sentence)
        }
        Role::Assistant => {
            !asks && (has(IntentionsClass::Promised) || has(IntentionsClass::PromisedThen) && is_dated())
        }
        Role::System | Role::Tool => false,
    }
}

/// Whether a sentence with an occasion also says what to do then: a clause beside the occasion that does not only tell, or, if
/// no comma parts them, an order behind it.
fn orders(sentence: &str) -> bool {
    let Some((first, rest)) = sentence.split_once(',') else {
        let occasion = CUES.find(sentence).find(|found| found.class == IntentionsClass::Event);
        return occasion.is_some_and(|occasion| {
            CUES.classes_in(&sentence[occasion.range.end..]).contains(&IntentionsClass::Order)
        });
    };
    let is_event = |clause: &str| CUES.classes_in(clause).contains(&IntentionsClass::Event);
    let beside = if is_event(first) { rest } else { first };
    let beside = CUES.classes_in(beside.trim());
    let is_told = beside.contains(&IntentionsClass::Told) && !beside.contains(&IntentionsClass::Order);
    !is_told && [first, rest].iter().all(|part| part.split_whitespace().count() >= 2)
}

fn trigger_of(sentence: &str, said_at: Time) -> IntentionTrigger {
    if let Some(day) = due_day_of(sentence, said_at) {
        return IntentionTrigger::on_day(day, minute_of(sentence));
    }
    let events: Vec<_> = CUES.find(sentence).filter(|found| found.class == IntentionsClass::Event).collect();
    if events.is_empty() {
        if let Some((day, minute)) = moment_of(sentence, said_at) {
            return IntentionTrigger::on_day(day, Some(minute));
        }
        let morning = next_morning(sentence, said_at);
        return morning.map_or_else(IntentionTrigger::anytime, |day| {
            IntentionTrigger::on_day(day, minute_of(sentence))
        });
    }
    if let Some(file) = file_names(sentence).first() {
        return IntentionTrigger::at(TriggerKind::File, *file);
    }
    if let Some(name) = person_of(sentence) {
        return IntentionTrigger::at(TriggerKind::Person, name);
    }
    if let Some(topic) = TOPIC.captures(sentence).and_then(|found| found.iter().skip(1).flatten().next()) {
        return IntentionTrigger::at(TriggerKind::Topic, plain_words(topic.as_str()).join(" "));
    }
    topic_of(sentence, &events)
        .map_or_else(IntentionTrigger::anytime, |topic| IntentionTrigger::at(TriggerKind::Topic, topic))
}

/// The person whose coming up is the occasion.
fn person_of(sentence: &str) -> Option<&str> {
    let found = PERSON.captures(sentence)?;
    if let Some(english) = found.get(1) {
        return Some(english.as_str());
    }
    let name = found.get(2)?.as_str();
    let behind = sentence.split_once(name)?.1;
    // "Ayrıştırıcıya döndüğümüzde": what we go back to is nobody, unless an apostrophe tells a name.
    let verb = found[0].to_lowercase();
    let we_return =
        verb.contains("dön") && ["düğüm", "ersek", "ersem"].iter().any(|ending| verb.contains(ending));
    (!we_return || behind.starts_with(['\'', '’'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-261
    #[test]
    fn an_intention_is_known_by_who_says_it_and_its_trigger_is_read() {
        let said: Time = "2026-11-18T10:00:00Z".parse().expect("a time");
        let day = |day: &str| IntentionTrigger::on_day(day.parse().expect("a day"), None);
        let (ece, billing) = ("Ece", "src/billing.rs");
        for (role, text, trigger) in [
            (Role::User, "Remind me on Friday to send the invoice.", Some(day("2026-11-20"))),
            (Role::User, "Remind me before Friday to send the invoice.", Some(day("2026-11-19"))),
            (Role::Assistant, "I'll remind you tomorrow.", Some(day("2026-11-19"))),
            (Role::Assistant, "Remind me on Friday.", None),
            (
                Role::User,
                "When Ece calls, tell her about the lease.",
                Some(IntentionTrigger::at(TriggerKind::Person, ece)),
            ),
            (
                Role::User,
                "Next time we touch src/billing.rs, check the rounding.",
                Some(IntentionTrigger::at(TriggerKind::File, billing)),
            ),
            (
                Role::User,
                "When Ece calls tell her about the lease.",
                Some(IntentionTrigger::at(TriggerKind::Person, ece)),
            ),
            (
                Role::User,
                "Ece ile konuştuğumuzda tekneyi sorayım.",
                Some(IntentionTrigger::at(TriggerKind::Person, ece)),
            ),
            (Role::User, "When Ece calls the dog barks.", None),
            (Role::User, "Ece gelince ev kalabalık olur.", None),
            (
                Role::User,
                "Remind me at 5 pm to call Deniz.",
                Some(IntentionTrigger::on_day("2026-11-18".parse().expect("a day"), Some(1_020))),
            ),
            (Role::User, "That reminds me of Friday.", None),
            (Role::User, "Remind me to water the plants.", Some(IntentionTrigger::anytime())),
        ] {
            let found = told_intentions(text, role, said);
            assert_eq!(found.first().map(|it| it.trigger.clone()), trigger, "{text}");
        }
    }

    /// covers: C-261
    #[test]
    fn some_are_told_only_with_a_day_and_a_topic_is_told_without_its_verb() {
        let said: Time = "2026-11-18T10:00:00Z".parse().expect("a time");
        let day = |day: &str| IntentionTrigger::on_day(day.parse().expect("a day"), None);
        for (role, text, trigger) in [
            (Role::User, "I want to be reminded on Friday.", Some(day("2026-11-20"))),
            (Role::User, "Could you let me know on Friday that the permit ends?", Some(day("2026-11-20"))),
            (Role::User, "Let me know if you need anything.", None),
            (Role::Assistant, "I'll take another look at this tomorrow.", Some(day("2026-11-19"))),
            (Role::Assistant, "I'll look into it.", None),
            (
                Role::User,
                "When I'm next in Porto, I want to buy that cheese.",
                Some(IntentionTrigger::at(TriggerKind::Topic, "porto")),
            ),
            (
                Role::User,
                "Bir dahaki sefere fatura koduna dokunduğumuzda, yuvarlamaya bak.",
                Some(IntentionTrigger::at(TriggerKind::Topic, "fatura koduna")),
            ),
            (
                Role::User,
                "Sürüm çıkarmadan önce hata yazısını kaldıralım.",
                Some(IntentionTrigger::at(TriggerKind::Topic, "sürüm")),
            ),
            (
                Role::User,
                "Ayrıştırıcıya döndüğümüzde, eski grameri silelim.",
                Some(IntentionTrigger::at(TriggerKind::Topic, "ayrıştırıcıya")),
            ),
            (
                Role::User,
                "Next time we open the budget we should fix the totals.",
                Some(IntentionTrigger::at(TriggerKind::Topic, "budget")),
            ),
            (Role::User, "If Ece calls it off, we lose the deposit.", None),
        ] {
            let found = told_intentions(text, role, said);
            assert_eq!(found.first().map(|it| it.trigger.clone()), trigger, "{text}");
        }
    }

    #[test]
    fn a_person_or_a_topic_is_known_by_its_words() {
        for (said, subject, is_there) in [
            ("Ece is on the phone", "Ece", true),
            ("Ece'yi aradım", "Ece", true),
            ("let us work on billing", "billing", true),
            ("fatura koduna bakalım", "fatura kodu", true),
            ("the onboarding page", "onboarding flow", false),
            ("the onboarding of new users", "onboarding flow users", true),
            ("what is for lunch?", "Ece", false),
        ] {
            assert_eq!(speaks_of(said, subject), is_there, "{said} / {subject}");
        }
    }

    /// covers: C-261
    #[test]
    fn an_errand_is_what_is_to_be_done() {
        let said: Time = "2026-11-18T10:00:00Z".parse().expect("a time");
        for (words, errand_words) in [
            ("Remind me on Friday to send the invoice.", "to send the invoice."),
            ("When Ece calls, tell her the lease is signed.", "tell her the lease is signed."),
            ("When Ece calls tell her the lease is signed.", "tell her the lease is signed."),
            ("Remind me when Ece is spoken of: tell her", "tell her"),
            ("Don't let me forget the dentist on Monday.", "the dentist ."),
            ("Ece ile konuştuğumuzda tekneyi sorayım.", "tekneyi sorayım."),
        ] {
            let found = errand(words, said);
            assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), errand_words, "{words}");
        }
    }
}
