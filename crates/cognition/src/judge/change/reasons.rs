//! Reasons: the features that spoke loudest, in words that a person understands.

use super::{
    cues::CueClass,
    feature::ChangeFeature,
    overlap::{named_again, other_value, overlap, recount},
    side::ChangePair,
    words::{TextValue, VALUE_KINDS, ValueKind},
};

/// Maximum words named as shared.
const MAX_SHARED: usize = 4;

/// The reasons of a verdict in words, loudest first, each once, at most `most`.
pub(super) fn spoken_reasons(
    pair: &ChangePair<'_>,
    strongest: impl Iterator<Item = ChangeFeature>,
    most: usize,
) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for reason in strongest.filter_map(|feature| spoken(pair, feature)) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons.truncate(most);
    reasons
}

/// A feature of a pair in words; `None` if it is nothing that a person could check.
fn spoken(pair: &ChangePair<'_>, feature: ChangeFeature) -> Option<String> {
    use ChangeFeature as F;
    let new = &pair.new.message;
    match feature {
        F::Says(class) | F::ClauseSays(class) => new.said(class).map(|said| cue_reason(class, said)),
        F::Asks | F::ClauseAsks => new.asks.then(|| "asks a question".to_owned()),
        F::Quotes => new.quotes.then(|| "quotes somebody".to_owned()),
        F::FewWords => Some("says only a few words".to_owned()),
        F::NewByAgent | F::AgentOffers => Some("said by the agent".to_owned()),
        F::DenialDiffers => Some("one denies, the other does not".to_owned()),
        F::NamesAnother => {
            first_unknown_name(pair).map(|name| format!("about somebody or something else: {name}"))
        }
        F::OtherRelative => new.relatives.first().map(|other| format!("about somebody else: {other}")),
        F::Leads => new
            .said(CueClass::Scoped)
            .or(new.said(CueClass::Lead))
            .map(|said| format!("only for: \"{said}\"")),
        F::TurnsOnKnown => turning_word(pair),
        F::ChangeAlike
        | F::ChangeTopic
        | F::ChangeReal
        | F::ChangeCount
        | F::AnyChange
        | F::AnyChangeClause
        | F::AnyStrongChange
        | F::AnyUnrealClause => changing_word(pair),
        F::WordsNone => Some("no word in common".to_owned()),
        F::CosineMessage | F::CosineBest => Some("close in meaning".to_owned()),
        F::WordsOfKnown
        | F::WordsOfNew
        | F::WordsShared
        | F::WordsRare
        | F::WordsClauseRare
        | F::WordsMasked
        | F::WordsBeforeOfKnown => shared_words(pair),
        F::ValueNamedAgain => {
            named_again(&pair.known.message, new).map(|old| format!("names the known value: {}", old.written))
        }
        F::Other(_)
        | F::ValueOther
        | F::ValueOtherClause
        | F::ValueRecounted
        | F::ValueUnknown
        | F::ValueNoneNew
        | F::ValueNoneKnown
        | F::ValueOtherAlike
        | F::ValueOtherRare => other_values(pair),
        F::KnownLength
        | F::NewLength
        | F::OnlyNew(_)
        | F::KnownSays(_)
        | F::UnrealCount
        | F::KnownAsks
        | F::Exclaims
        | F::KnownByUser
        | F::NearSession => None,
    }
}

fn turning_word(pair: &ChangePair<'_>) -> Option<String> {
    use CueClass::{Corrected, Denied, Ended, Switched};
    let classes = [Switched, Ended, Corrected, Denied];
    let said = classes.iter().find_map(|class| pair.new.message.said(*class))?;
    Some(format!("says \"{said}\" of what is known"))
}

fn changing_word(pair: &ChangePair<'_>) -> Option<String> {
    use CueClass::{Began, Corrected, Ended, Fresh, Now, Raised, Switched};
    let classes = [Switched, Ended, Corrected, Now, Began, Fresh, Raised];
    let found = classes.iter().find_map(|class| pair.new.message.said(*class).map(|said| (*class, said)))?;
    Some(cue_reason(found.0, found.1))
}

fn shared_words(pair: &ChangePair<'_>) -> Option<String> {
    let mut shared = overlap(&pair.known.message, &pair.new.message).shared;
    shared.truncate(MAX_SHARED);
    (!shared.is_empty()).then(|| format!("speaks of the same: {}", shared.join(", ")))
}

fn other_values(pair: &ChangePair<'_>) -> Option<String> {
    let (known, new) = (&pair.known.message, &pair.new.message);
    let then = |(old, value): (&TextValue, &TextValue)| format!("{}, then {}", old.written, value.written);
    if let Some(found) = recount(known, new) {
        return Some(format!("another number for the same thing: {}", then(found)));
    }
    let found = VALUE_KINDS.iter().find_map(|kind| other_value(known, new, *kind))?;
    let kind = match found.0.kind {
        ValueKind::Number => "number",
        ValueKind::Clock => "time",
        ValueKind::Weekday => "day",
        ValueKind::Date => "date",
        ValueKind::Money => "sum",
        ValueKind::Code => "code",
        ValueKind::Name => "name",
    };
    Some(format!("another {kind}: {}", then(found)))
}

fn first_unknown_name<'a>(pair: &ChangePair<'a>) -> Option<&'a str> {
    let (_, new) = other_value(&pair.known.message, &pair.new.message, ValueKind::Name)
        .or_else(|| other_value(&pair.known.message, &pair.new.message, ValueKind::Code))?;
    Some(new.written.as_str())
}

fn cue_reason(class: CueClass, said: &str) -> String {
    let meant = match class {
        CueClass::Ended => "says that something is over",
        CueClass::Corrected => "corrects something",
        CueClass::Supposing => "supposes, wishes or doubts",
        CueClass::Planned => "speaks of a plan",
        CueClass::Once => "speaks of the past",
        CueClass::Briefly => "holds for a short time",
        CueClass::Reported => "passes on what somebody says",
        CueClass::Invented => "a story, a joke or a sample",
        CueClass::Beside => "comes beside another",
        CueClass::Scoped => "holds for some occasions only",
        CueClass::Refused => "a change was refused",
        CueClass::Asking => "asks",
        CueClass::Offer => "offers something",
        CueClass::AskToDo => "asks for something to be done",
        CueClass::OtherPerson => "about somebody else",
        CueClass::Now
        | CueClass::Switched
        | CueClass::Began
        | CueClass::Fresh
        | CueClass::Done
        | CueClass::Raised
        | CueClass::Same
        | CueClass::Still
        | CueClass::Denied
        | CueClass::SpeakerSelf
        | CueClass::Pronoun
        | CueClass::Number
        | CueClass::Weekday
        | CueClass::Month
        | CueClass::Lead
        | CueClass::Clock
        | CueClass::Money
        | CueClass::Stop => return format!("says \"{said}\""),
    };
    format!("{meant}: \"{said}\"")
}
