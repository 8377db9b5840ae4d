//! The thing that makes an intention due: a day, a person, a file, a topic, or nothing.

use super::{
    day::{due_day_of, ends_with_then, leans_on_a_day, next_morning},
    grammar::CUES,
    moment::{minute_of, moment_of},
    occasion::occasion_of,
};
use crate::{lexicon::IntentionsClass, temporal::told_ahead};
use cairn_domain::{Day, IntentionTrigger, Time};

/// How something is intended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IntentForm {
    /// Somebody asks for it or promises it.
    Told,
    /// It is to be done on an occasion.
    Ordered,
}

/// The thing that makes an intention due: a day, or the occasion; the occasion alone if it is to be done then. `earlier` is the
/// sentence before, which may have told the day: "the night before".
pub(super) fn trigger_of(
    sentence: &str,
    earlier: Option<&str>,
    said_at: Time,
    intent: IntentForm,
) -> IntentionTrigger {
    let occasion = || occasion_of(sentence, earlier).and_then(|it| it.trigger);
    if let Some(trigger) = (intent == IntentForm::Ordered).then(occasion).flatten() {
        return trigger;
    }
    let on = |day| IntentionTrigger::on_day(day, minute_of(sentence));
    let (any, of_request) = (|| due_day_of(sentence, said_at), || day_of_request(sentence, said_at));
    // "The clocks change on Sunday, so remind me on Saturday": of several days the one beside the request counts.
    let several = told_ahead(sentence, said_at).len() > 1;
    let day = if several { of_request().or_else(any) } else { any().or_else(of_request) };
    if let Some(day) = day {
        return on(day);
    }
    if let Some(trigger) = occasion() {
        return trigger;
    }
    if let Some((day, minute)) = moment_of(sentence, said_at) {
        return IntentionTrigger::on_day(day, Some(minute));
    }
    let told = earlier.filter(|_| leans_on_a_day(sentence) || ends_with_then(sentence));
    let told = told.and_then(|earlier| due_day_of(&format!("{earlier} {sentence}"), said_at));
    told.or_else(|| next_morning(sentence, said_at)).map_or_else(IntentionTrigger::anytime, on)
}

/// The day right beside a request, behind it if it stands on both sides: "remind me tomorrow to wish her well for Friday", "by Friday it must
/// be there, on Thursday ask me", also where the rest of the sentence only wishes or supposes.
fn day_of_request(sentence: &str, said_at: Time) -> Option<Day> {
    let is_request = |class| {
        matches!(
            class,
            IntentionsClass::Asked
                | IntentionsClass::AskedThen
                | IntentionsClass::Promised
                | IntentionsClass::PromisedThen
        )
    };
    let mut requests = CUES.find(sentence).filter(|it| is_request(it.class));
    requests.find_map(|it| {
        let behind = sentence[it.range.end..].split(" to ").next().unwrap_or_default();
        let behind = behind.split(", ").next().unwrap_or_default();
        let before = sentence[..it.range.start].rsplit([',', ';', ':']).next().unwrap_or_default();
        // A Turkish verb comes last.
        let (first, second) = if it.language == "tr" { (before, behind) } else { (behind, before) };
        due_day_of(first, said_at).or_else(|| due_day_of(second, said_at))
    })
}
