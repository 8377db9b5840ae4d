//! Intentions: what somebody means to do later, told in talk. "Remind me on Friday", "next time we touch billing", an agent's
//! promise to come back to something. Each has a trigger: a day, a person, a file, a topic, or none. Plans and appointments
//! are none: nobody asked to be told of them.

mod moment;

use crate::{
    file_name::file_names,
    keywords::plain_words,
    language::is_stop_word,
    lexicon::IntentionsClass,
    pattern::Patterns,
    sentence::sentences,
    settled::{is_question, is_same_word},
    temporal::{ToldTime, told_ahead},
};
use cairn_domain::{Day, IntentionTrigger, MILLIS_PER_DAY, Role, Time, TriggerKind};
use moment::{minute_of, moment_of};
use regex::Regex;
use std::sync::LazyLock;

static CUES: LazyLock<Patterns<IntentionsClass>> = LazyLock::new(Patterns::read);

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
        let trigger = is_intention(sentence, role).then(|| trigger_of(sentence, said_at))?;
        Some(ToldIntention { words: sentence.trim().to_owned(), trigger })
    };
    sentences(text).into_iter().filter_map(intention).collect()
}

/// The day that some words name, where nothing else is to be read in them.
pub fn named_day(words: &str, said_at: Time) -> Option<Day> {
    due_day_of(words, said_at)
}

/// Whether some words speak of a person or a topic: each word of the subject is there, with another ending if it is long enough.
pub fn speaks_of(said: &str, subject: &str) -> bool {
    let (said, wanted) = (plain_words(said), plain_words(subject));
    !wanted.is_empty() && wanted.iter().all(|word| said.iter().any(|other| is_same_word(word, other)))
}

fn is_intention(sentence: &str, role: Role) -> bool {
    let cues = CUES.classes_in(sentence);
    let has = |cue| cues.contains(&cue);
    if has(IntentionsClass::Not) {
        return false;
    }
    let asks = is_question(sentence) && !has(IntentionsClass::Tag);
    match role {
        Role::User => has(IntentionsClass::Asked) || has(IntentionsClass::Event) && !asks && orders(sentence),
        Role::Assistant => has(IntentionsClass::Promised) && !asks,
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
    let is_told = CUES.classes_in(beside.trim()).contains(&IntentionsClass::Told);
    !is_told && [first, rest].iter().all(|part| part.split_whitespace().count() >= 2)
}

fn trigger_of(sentence: &str, said_at: Time) -> IntentionTrigger {
    if let Some(day) = due_day_of(sentence, said_at) {
        return IntentionTrigger::on_day(day, minute_of(sentence));
    }
    let Some(event) = CUES.find(sentence).find(|found| found.class == IntentionsClass::Event) else {
        let moment = moment_of(sentence, said_at);
        return moment.map_or_else(IntentionTrigger::anytime, |(day, minute)| {
            IntentionTrigger::on_day(day, Some(minute))
        });
    };
    if let Some(file) = file_names(sentence).first() {
        return IntentionTrigger::at(TriggerKind::File, *file);
    }
    if let Some(name) = PERSON.captures(sentence).and_then(|found| found.get(1).or_else(|| found.get(2))) {
        return IntentionTrigger::at(TriggerKind::Person, name.as_str());
    }
    if let Some(topic) = TOPIC.captures(sentence).and_then(|found| found.iter().skip(1).flatten().next()) {
        return IntentionTrigger::at(TriggerKind::Topic, plain_words(topic.as_str()).join(" "));
    }
    let clause = sentence[event.range.start..].split([',', '.', ';']).next().unwrap_or_default();
    let cue = plain_words(&sentence[event.range.clone()]);
    // In Turkish the verb ends the occasion: what stands before it in the cue is the topic, and what follows is to be done.
    let is_verb_last = event.language == "tr" && cue.len() > 1 && !sentence.contains(',');
    let (clause, cue) = if is_verb_last {
        (&sentence[event.range.clone()], cue[cue.len() - 1..].to_vec())
    } else {
        (clause, cue)
    };
    let mut topic: Vec<String> = plain_words(clause).into_iter().filter(|word| !is_stop_word(word)).collect();
    if topic.iter().any(|word| !cue.contains(word)) {
        topic.retain(|word| !cue.contains(word));
    }
    if topic.is_empty() {
        return IntentionTrigger::anytime();
    }
    IntentionTrigger::at(TriggerKind::Topic, topic.join(" "))
}

/// The first day that is named and not over: the first of several days, the day before if it is to be done before that.
fn due_day_of(sentence: &str, said_at: Time) -> Option<Day> {
    let today = said_at.day();
    let due = |time: &ToldTime| {
        let day = if time.span.from >= today { time.span.from } else { time.span.to };
        if day < today {
            return None;
        }
        let start = sentence.find(time.words.as_str())?;
        let ending = |sign: char| sign.is_alphanumeric() || matches!(sign, '\'' | '’');
        let behind = sentence[start + time.words.len()..].trim_start_matches(ending);
        let before = sentence[..start].trim_end().to_lowercase().ends_with("before")
            || behind.trim_start().to_lowercase().starts_with("önce");
        let earlier = before.then(|| day_before(day)).flatten().filter(|earlier| *earlier >= today);
        Some(earlier.unwrap_or(day))
    };
    told_ahead(sentence, said_at).iter().find_map(due)
}

fn day_before(day: Day) -> Option<Day> {
    let noon: Time = format!("{day}T12:00:00Z").parse().ok()?;
    Some(Time::from_millis(noon.millis() - MILLIS_PER_DAY).day())
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

    #[test]
    fn a_person_or_a_topic_is_known_by_its_words() {
        for (said, subject, is_there) in [
            ("Ece is on the phone", "Ece", true),
            ("Ece'yi aradım", "Ece", true),
            ("let us work on billing", "billing", true),
            ("fatura koduna bakalım", "fatura kodu", true),
            ("the onboarding page", "onboarding flow", false),
            ("what is for lunch?", "Ece", false),
        ] {
            assert_eq!(speaks_of(said, subject), is_there, "{said} / {subject}");
        }
    }
}
