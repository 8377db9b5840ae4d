//! Which messages of a run answer a question: what it asks about, and beside each of them what explains it.

use super::{
    answer::RunAnswer,
    asked::{Occurrence, RunQuestion},
    recorded::{RecordedMessage, RecordedRun},
};
use crate::lexicon::{RunEventsClass as Event, RunQuestionsClass as Cue};

/// Events that change who has a thing.
const HANDLING: [Event; 4] = [Event::Take, Event::Put, Event::Drop, Event::Consume];
/// Events that change anything.
const CHANGING: [Event; 8] = [
    Event::Take,
    Event::Put,
    Event::Drop,
    Event::Consume,
    Event::Open,
    Event::Close,
    Event::Unlock,
    Event::Lock,
];
/// Events that open or close.
const SHUTTING: [Event; 4] = [Event::Open, Event::Close, Event::Unlock, Event::Lock];

/// Changes that tell a state, newest first.
const MAX_STATE_CHANGES: usize = 6;
/// Times a thing was seen that are told.
const MAX_SIGHTINGS: usize = 4;

/// A run and a question about it.
struct Search<'a> {
    run: &'a RecordedRun,
    asked: &'a RunQuestion,
    /// The things it names that the run knows.
    things: Vec<&'a [String]>,
}

/// The messages that answer.
pub(super) fn answering(run: &RecordedRun, asked: &RunQuestion) -> RunAnswer {
    let known = |thing: &&Vec<String>| run.messages.iter().any(|message| message.names(thing));
    let things = asked.things.iter().filter(known).map(Vec::as_slice).collect();
    let search = Search { run, asked, things };
    let other = |messages| RunAnswer { messages, older_states: Vec::new() };
    if let Some(messages) = search.by_number() {
        return other(messages);
    }
    if let Some(answer) = search.by_state() {
        return answer;
    }
    let found = search.by_event().filter(|found| !found.is_empty());
    other(found.or_else(|| search.by_last_mention()).unwrap_or_default())
}

impl Search<'_> {
    fn asks(&self, cue: Cue) -> bool {
        self.asked.asks(cue)
    }

    fn results(&self, mut holds: impl FnMut(&RecordedMessage) -> bool) -> Vec<usize> {
        self.run.find(|message| message.is_result() && holds(message))
    }

    /// The last of what holds before a message, newest first.
    fn before(&self, index: usize, n: usize, holds: impl Fn(&RecordedMessage) -> bool) -> Vec<usize> {
        let earlier = (0..index).rev().filter(|it| self.run.messages[*it].is_result());
        earlier.filter(|it| holds(&self.run.messages[*it])).take(n).collect()
    }

    fn action_of(&self, index: usize) -> Option<usize> {
        index.checked_sub(1).filter(|before| self.run.messages[*before].is_action())
    }

    /// Steps that the question names by their numbers.
    fn by_number(&self) -> Option<Vec<usize>> {
        if let Some(range) = &self.asked.range {
            let within = |message: &RecordedMessage| range.contains(&message.step);
            return Some(if self.asks(Cue::Holding) || self.asks(Cue::Change) {
                let changes: &[Event] = if self.asks(Cue::Holding) { &HANDLING } else { &CHANGING };
                self.results(|message| within(message) && message.did(changes))
            } else if self.asks(Cue::Route) {
                self.results(|message| within(message) && message.arrives)
            } else if self.asks(Cue::Command) {
                self.run.find(|message| within(message) && message.is_action())
            } else {
                self.run.find(within)
            });
        }
        match self.asked.steps[..] {
            [step] if !self.asks_for_state() => Some(self.one_step(step)),
            [] | [_] => None,
            _ => {
                let mut found = self.run.find(|message| self.asked.steps.contains(&message.step));
                found.reverse();
                Some(found)
            }
        }
    }

    fn one_step(&self, step: u32) -> Vec<usize> {
        let mut found = self.run.find(|message| message.step == step);
        if !self.asks(Cue::Command) || self.asks(Cue::Why) || self.asks(Cue::Blocked) || self.asks(Cue::View)
        {
            found.reverse();
        }
        found
    }

    fn asks_for_state(&self) -> bool {
        self.asks(Cue::Holding)
            || self.asks(Cue::OpenOrClosed)
            || (self.asks(Cue::Where) && !self.things.is_empty())
    }

    /// The last observed state of a thing, up to a step or the end, older ones behind it.
    fn by_state(&self) -> Option<RunAnswer> {
        let bound =
            self.asked.steps.first().map_or(u32::MAX, |step| {
                if self.asks(Cue::BeforeStep) { step.saturating_sub(1) } else { *step }
            });
        let bounded = !self.asked.steps.is_empty();
        let newest = |mut found: Vec<usize>| {
            found.reverse();
            found.truncate(MAX_STATE_CHANGES);
            let older_states = found.iter().skip(1).copied().collect();
            RunAnswer { messages: found, older_states }
        };
        if self.asks(Cue::Holding) && (bounded || (self.asks(Cue::End) && self.things.is_empty())) {
            let tells =
                |it: &RecordedMessage| it.did(&HANDLING) || it.events.contains(&Event::Carry) && !it.failed;
            return Some(newest(self.results(|it| it.step <= bound && tells(it))));
        }
        if self.asks(Cue::OpenOrClosed) {
            let tells =
                |it: &RecordedMessage| it.did(&SHUTTING) && self.things.iter().any(|thing| it.heads(thing));
            return Some(newest(self.results(|it| it.step <= bound && tells(it))));
        }
        let thing = self.things.first().filter(|_| bounded)?;
        let mut answer = newest(self.results(|it| it.step <= bound && it.did(&HANDLING) && it.heads(thing)));
        let found = &mut answer.messages;
        let place = found.first().map(|newest| self.before(*newest, 1, |it| it.arrives)).unwrap_or_default();
        found.splice(found.len().min(1)..found.len().min(1), place);
        Some(answer)
    }

    /// The thing that was used, seen or met.
    fn by_event(&self) -> Option<Vec<usize>> {
        if let Some(quoted) = &self.asked.quoted
            && self.asks(Cue::Command)
        {
            return Some(self.quoted_actions(quoted));
        }
        if self.asks(Cue::Start) {
            return self.results(|_| true).first().map(|first| vec![*first]);
        }
        if self.asks(Cue::Gain) {
            let gains = self.results(|message| message.gains);
            return Some(self.with_actions(gains));
        }
        let handled = self.asked.events.iter().any(|event| CHANGING.contains(event));
        if self.asks(Cue::View)
            && self.asked.occurrence != Occurrence::Any
            && !handled
            && !self.things.is_empty()
        {
            return Some(self.sightings());
        }
        if self.asks(Cue::Reach)
            && let Some(place) = self.things.last()
        {
            let found = self.in_asked_order(self.results(|it| it.arrives && it.heads(place)));
            return Some(if self.asks(Cue::Introduced) { found } else { self.with_actions(found) });
        }
        if self.asks(Cue::Blocked)
            && let Some(thing) = self.things.last()
        {
            return Some(self.results(|it| it.failed && it.heads(thing))).filter(|found| !found.is_empty());
        }
        self.examined().or_else(|| Some(self.with_explanations(self.events()?)))
    }

    /// The last results that begin with a thing, where it is asked how it stands in the end.
    fn by_last_mention(&self) -> Option<Vec<usize>> {
        let thing = self.things.first().filter(|_| self.asks(Cue::End) || self.asks(Cue::Now))?;
        Some(self.results(|it| it.heads(thing)).into_iter().rev().take(MAX_SIGHTINGS).collect())
    }

    fn quoted_actions(&self, quoted: &[String]) -> Vec<usize> {
        let mut found = self.run.find(|it| it.is_action() && it.words == quoted);
        if found.is_empty() {
            found = self.run.find(|it| it.is_action() && it.names(quoted));
        }
        found.into_iter().flat_map(|index| [Some(index), self.next_action(index)]).flatten().collect()
    }

    fn next_action(&self, index: usize) -> Option<usize> {
        let mut later = index + 1..self.run.messages.len();
        later.find(|it| self.run.messages[*it].is_action()).filter(|_| self.asks(Cue::Next))
    }

    fn with_actions(&self, found: Vec<usize>) -> Vec<usize> {
        found.into_iter().flat_map(|index| [Some(index), self.action_of(index)]).flatten().collect()
    }

    /// The first or last times that each thing was seen, in turn.
    fn sightings(&self) -> Vec<usize> {
        let of_each: Vec<Vec<usize>> =
            self.things.iter().map(|thing| self.in_asked_order(self.results(|it| it.names(thing)))).collect();
        let turns = (0..MAX_SIGHTINGS).flat_map(|turn| of_each.iter().filter_map(move |one| one.get(turn)));
        turns.copied().collect()
    }

    fn in_asked_order(&self, mut found: Vec<usize>) -> Vec<usize> {
        if self.asked.occurrence == Occurrence::Last {
            found.reverse();
        }
        found
    }

    /// How a thing looked when it was looked at.
    fn examined(&self) -> Option<Vec<usize>> {
        let thing = self.things.first()?;
        if !self.asks(Cue::Described) && !self.asked.events.contains(&Event::Examine) {
            return None;
        }
        let looks =
            self.run.find(|it| it.is_action() && it.events.contains(&Event::Examine) && it.names(thing));
        Some(looks.into_iter().flat_map(|index| [index + 1, index]).collect())
    }

    /// The events that are asked about, in the order asked for.
    fn events(&self) -> Option<Vec<usize>> {
        let kinds = self.event_kinds()?;
        let with = |kinds: &[Event], things: &[&[String]]| {
            self.results(|it| it.did(kinds) && things.iter().all(|thing| it.heads(thing)))
        };
        let mut found = with(&kinds, &self.things);
        for thing in &self.things {
            if found.is_empty() {
                found = with(&kinds, &[thing]);
            }
        }
        if let (true, Some(thing)) = (found.is_empty(), self.things.first()) {
            let mut wider = kinds;
            if wider.contains(&Event::Put) || wider.contains(&Event::Drop) {
                wider.extend([Event::Put, Event::Drop]);
            }
            if wider.contains(&Event::Open) {
                wider.push(Event::Unlock);
            }
            found = with(&wider, &[thing]);
        }
        Some(self.in_asked_order(found)).filter(|found| !found.is_empty())
    }

    fn event_kinds(&self) -> Option<Vec<Event>> {
        let mut kinds: Vec<Event> =
            self.asked.events.iter().filter(|it| CHANGING.contains(it)).copied().collect();
        if self.asks(Cue::TakenAway) {
            kinds = vec![Event::Drop, Event::Put, Event::Consume];
        } else if self.asks(Cue::Gone) {
            kinds = vec![Event::Consume, Event::Drop, Event::Put];
        } else if self.asks(Cue::History) {
            kinds = HANDLING.to_vec();
        } else if kinds.is_empty() && self.asks(Cue::Holding) {
            kinds = vec![Event::Take];
        }
        Some(kinds).filter(|kinds| !kinds.is_empty())
    }

    /// Each event, and behind it what explains it: the next action, the place, what was so before.
    fn with_explanations(&self, events: Vec<usize>) -> Vec<usize> {
        let (mut found, things) = (Vec::new(), &self.things);
        let heads_all = |it: &RecordedMessage| things.iter().all(|thing| it.heads(thing));
        for index in events {
            found.push(index);
            found.extend(self.next_action(index));
            if self.asks(Cue::Room) {
                found.extend(self.before(index, 1, |it| it.arrives));
            }
            if self.asks(Cue::BeforeThat)
                && let Some(thing) = things.first()
            {
                found.extend(self.before(index, 2, |it| it.did(&HANDLING) && it.heads(thing)));
            }
            if self.asks(Cue::BeforeItGot) {
                found.extend(self.before(index, 2, |it| it.did(&[Event::Take]) && !heads_all(it)));
            } else if self.asks(Cue::Holding) && self.asks(Cue::WhenIt) {
                found.extend(self.before(index, 2, |it| it.did(&HANDLING)));
            }
            if self.asks(Cue::MadePossible) {
                let enables = [Event::Open, Event::Unlock, Event::Take];
                let named = |it: &RecordedMessage| things.iter().any(|thing| it.heads(thing));
                found.extend(self.before(index, 3, |it| it.did(&enables) && (named(it) || opens(it))));
                found.extend(self.action_of(index));
            }
            if self.asks(Cue::CameIntoView) {
                found.extend(self.before(index, 1, |_| true));
            }
            if self.asks(Cue::WhichAction) {
                found.extend(self.action_of(index));
            }
        }
        found
    }
}

/// Whether something that unlocks things came to hand.
fn opens(message: &RecordedMessage) -> bool {
    message.did(&[Event::Take])
        && message.head.iter().any(|word| word.ends_with("key") || word == "token" || word == "password")
}
