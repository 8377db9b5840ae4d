//! A question about a run: which steps it names, what was done, with which things, and what beside it is asked for.

use super::recorded::{EVENTS, thing_words};
use crate::{
    language::is_stop_word,
    lexicon::{RunEventsClass, RunQuestionsClass, classed_entries},
    pattern::Patterns,
};
use std::{collections::HashSet, ops::RangeInclusive, sync::LazyLock};

pub(super) static CUES: LazyLock<Patterns<RunQuestionsClass>> = LazyLock::new(Patterns::read);

/// Words that are no thing.
static NO_THING: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let entries = classed_entries::<RunQuestionsClass>();
    entries.filter(|entry| entry.class == RunQuestionsClass::NoThing).map(|entry| entry.text).collect()
});

/// Which of several is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occurrence {
    First,
    Last,
    Any,
}

/// A question about a run, read.
pub(super) struct RunQuestion {
    cues: Vec<RunQuestionsClass>,
    /// The events that are asked for.
    pub(super) events: Vec<RunEventsClass>,
    /// The steps it names, in order.
    pub(super) steps: Vec<u32>,
    /// The steps from one to another, if it names them so.
    pub(super) range: Option<RangeInclusive<u32>>,
    /// The words of what it quotes.
    pub(super) quoted: Option<Vec<String>>,
    /// The things it names, in order.
    pub(super) things: Vec<Vec<String>>,
    pub(super) occurrence: Occurrence,
}

impl RunQuestion {
    pub(super) fn read(question: &str) -> Self {
        use RunQuestionsClass as Cue;
        let (mut plain, quoted) =
            (String::new(), question.split('"').nth(1).filter(|it| !it.trim().is_empty()));
        for part in question.split('"').step_by(2) {
            plain.push_str(part);
            plain.push_str(" . ");
        }
        let (mut cues, mut steps, mut range) = (Vec::new(), Vec::new(), None);
        for found in CUES.find(&plain) {
            if !cues.contains(&found.class) {
                cues.push(found.class);
            }
            match found.class {
                Cue::Step => steps.extend(numbers(&plain[found.range])),
                Cue::Range => {
                    let ends: Vec<u32> = numbers(&plain[found.range]).collect();
                    range = range.or_else(|| Some(*ends.first()?..=*ends.last()?));
                }
                _ => {}
            }
        }
        let has = |cue| cues.contains(&cue);
        let occurrence = match (has(Cue::First), has(Cue::Last)) {
            (true, _) => Occurrence::First,
            (false, true) => Occurrence::Last,
            (false, false) => Occurrence::Any,
        };
        Self {
            events: EVENTS.classes_in(&plain),
            steps,
            range,
            quoted: quoted.map(thing_words),
            things: things(&plain),
            occurrence,
            cues,
        }
    }

    pub(super) fn asks(&self, cue: RunQuestionsClass) -> bool {
        self.cues.contains(&cue)
    }

    /// Whether it names a step, or says anything about what was done.
    pub(super) fn is_about_steps(&self) -> bool {
        use RunQuestionsClass as Cue;
        // Those are read where a host records calls and results of its own.
        let of_work = [
            Cue::NoThing,
            Cue::Now,
            Cue::Past,
            Cue::Course,
            Cue::Fixed,
            Cue::BeforeWhatFollows,
            Cue::BeforeWhatPrecedes,
            Cue::AfterWhatFollows,
            Cue::AfterWhatPrecedes,
        ];
        let about = |cue: &Cue| !of_work.contains(cue);
        !self.steps.is_empty() || !self.events.is_empty() || self.cues.iter().any(about)
    }
}

fn numbers(text: &str) -> impl Iterator<Item = u32> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

/// The things a question names: words side by side that are neither grammar nor about runs as such.
fn things(question: &str) -> Vec<Vec<String>> {
    let mut things: Vec<Vec<String>> = Vec::new();
    let mut thing: Vec<String> = Vec::new();
    let chunks = question.split_whitespace();
    for chunk in chunks {
        let closes = chunk.ends_with([',', '.', ';', ':', '?', '!', ')']);
        if chunk.starts_with('(') {
            things.extend((!thing.is_empty()).then(|| std::mem::take(&mut thing)));
        }
        let lower = chunk.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let lower = lower.split('\'').next().unwrap_or_default();
        if is_thing_word(lower) {
            thing.extend(thing_words(lower));
        } else {
            things.extend((!thing.is_empty()).then(|| std::mem::take(&mut thing)));
        }
        if closes {
            things.extend((!thing.is_empty()).then(|| std::mem::take(&mut thing)));
        }
    }
    things.extend((!thing.is_empty()).then_some(thing));
    things.retain(|thing| !thing.iter().all(|word| word.bytes().all(|b| b.is_ascii_digit())));
    things
}

fn is_thing_word(word: &str) -> bool {
    !word.is_empty() && !is_stop_word(word) && !NO_THING.contains(word) && EVENTS.classes_in(word).is_empty()
}
