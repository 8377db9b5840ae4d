//! Work with tools as hosts record it: one message for a call, another for what came back. Questions in free words about it name
//! neither a step nor an event; they ask what was done before or after something, what failed, or how something stands now.

use super::{
    asked::{CUES, Occurrence, RunQuestion},
    tells_event,
};
use crate::{
    keywords::query_terms,
    lexicon::{RunEventsClass, RunQuestionsClass as Cue},
    log_excerpt::searched_output,
    skill::{ToolMessage, ToolOutcome, tool_steps},
};
use std::collections::HashSet;

/// Steps that are told.
const MAX_TOLD_STEPS: usize = 4;
/// Steps that are told where no word says which are asked about.
const MAX_GUESSED_STEPS: usize = 2;
/// Outputs that are read for a failure that they show.
const MAX_READ_OUTPUTS: usize = 10;
/// Results of the same call that are told.
const MAX_TOLD_RESULTS: usize = 8;
/// Bytes at the beginning of a message whose words count.
const MAX_READ_BYTES: usize = 4 << 10;

/// One step of work: a call, and what came back.
struct WorkStep {
    call: usize,
    result: usize,
    /// The things that were done: `git push`.
    kinds: Vec<String>,
    /// The command with its arguments, or the tool with its file.
    written: String,
    failed: bool,
    /// Whether it only looks at something.
    looks: bool,
    /// Whether its result shows how something stands: it looks, or is a command.
    shows: bool,
}

/// Work with tools, read out of the messages of a session; they are known by their places.
pub struct ToolWork<'a> {
    messages: Vec<ToolMessage<'a>>,
    /// The place in the session of each of them.
    places: Vec<usize>,
    steps: Vec<WorkStep>,
}

impl<'a> ToolWork<'a> {
    /// Reads the messages of tools, each with its place in the session, in order.
    pub fn read(messages: impl IntoIterator<Item = (usize, ToolMessage<'a>)>) -> Self {
        let (places, messages): (Vec<usize>, Vec<ToolMessage<'a>>) = messages.into_iter().unzip();
        let mut steps: Vec<WorkStep> = Vec::new();
        for step in tool_steps(&messages) {
            let shows = step.looks || step.written.is_some();
            let written = step.written.unwrap_or(step.label);
            let failed = step.outcome == ToolOutcome::Failed;
            match steps.last_mut().filter(|last| last.call == step.call) {
                // Another command of the same line.
                Some(last) => {
                    last.kinds.push(step.kind);
                    last.failed |= failed;
                    last.looks &= step.looks;
                }
                None => steps.push(WorkStep {
                    call: step.call,
                    result: step.result,
                    kinds: vec![step.kind],
                    written,
                    failed,
                    looks: step.looks,
                    shows,
                }),
            }
        }
        steps.sort_by_key(|step| step.call);
        Self { messages, places, steps }
    }

    /// Whether no call is recorded with its result.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The places of the calls.
    pub fn calls(&self) -> HashSet<usize> {
        self.steps.iter().map(|step| self.places[step.call]).collect()
    }

    /// The other half of a step: the result of a call, or the call behind a result.
    pub fn other_half(&self, place: usize) -> Option<usize> {
        let step = self.step_at(place)?;
        let (call, result) = (self.places[step.call], self.places[step.result]);
        Some(if place == call { result } else { call })
    }

    /// The messages that answer a question, best first; none if it does not ask in such a way. `ranked` are the places of the messages
    /// that fit it, best first: they tell what it is about where it shares no words with a step.
    pub fn answering(&self, question: &str, ranked: &[usize]) -> Vec<usize> {
        let asked = RunQuestion::read(question);
        if self.is_empty() || !asked.steps.is_empty() || asked.range.is_some() {
            return Vec::new();
        }
        if asked.asks(Cue::Course) {
            return self.course(ranked);
        }
        if asked.asks(Cue::Command) {
            if let Some(beside) = Beside::read(question) {
                return self.beside(&beside);
            }
            if asked.things.is_empty() && asked.occurrence == Occurrence::Last {
                let newest: Vec<&WorkStep> = self.steps.iter().rev().take(MAX_TOLD_STEPS).collect();
                return self.told(&newest, false);
            }
        }
        if asked.asks(Cue::Fixed) {
            return self.fixes(&asked, ranked);
        }
        if !asked.asks(Cue::Blocked) {
            return Vec::new();
        }
        let failed: Vec<&WorkStep> =
            self.failures(&asked, ranked).into_iter().map(|at| &self.steps[at]).collect();
        self.told(&failed, true)
    }

    /// The step to tell instead of the one that a message belongs to: the one that worked instead of one that failed, and the last
    /// of the same where it is asked how something stands now. Its messages, the telling one first.
    pub fn instead(&self, question: &str, place: usize) -> Option<[usize; 2]> {
        let asked = RunQuestion::read(question);
        if asked.asks(Cue::Blocked) || asked.asks(Cue::Why) || asked.occurrence == Occurrence::First {
            return None;
        }
        let step = self.step_at(place)?;
        let later = || self.steps.iter().filter(|it| it.call > step.call);
        let other = if step.failed {
            later().find(|it| !it.failed && it.kinds == step.kinds)
        } else if asked.asks(Cue::Now) || asked.asks(Cue::End) || !asked.asks(Cue::Past) {
            later().rfind(|it| it.written == step.written)
        } else {
            None
        }?;
        Some([self.places[other.result], self.places[other.call]])
    }

    /// The result of the last time that the same was called, if a message is the result of an earlier one. To change a file again
    /// shows nothing of it.
    pub fn later_result(&self, place: usize) -> Option<usize> {
        let step = self.step_at(place).filter(|step| self.places[step.result] == place && step.shows)?;
        let last = self.steps.iter().rfind(|it| it.written == step.written)?;
        (last.call > step.call).then_some(self.places[last.result])
    }

    fn step_at(&self, place: usize) -> Option<&WorkStep> {
        self.steps.iter().find(|step| self.places[step.call] == place || self.places[step.result] == place)
    }

    /// The steps beside the one that a clause tells of: those before it, the last first, or those after it.
    fn beside(&self, beside: &Beside) -> Vec<usize> {
        let shared: Vec<usize> =
            self.steps.iter().map(|step| self.shared_terms(step, &beside.terms)).collect();
        let most = shared.iter().copied().max().unwrap_or_default();
        if most == 0 {
            return Vec::new();
        }
        let told: Vec<usize> = (0..shared.len()).filter(|at| shared[*at] == most).collect();
        let worked: Vec<usize> = told.iter().copied().filter(|at| !self.steps[*at].failed).collect();
        if beside.is_before {
            let Some(at) = told.first() else { return Vec::new() };
            let before: Vec<&WorkStep> = self.steps[..*at].iter().rev().take(MAX_TOLD_STEPS).collect();
            return self.told(&before, false);
        }
        let Some(at) = worked.last().or(told.last()) else { return Vec::new() };
        let after: Vec<&WorkStep> = self.steps[at + 1..].iter().take(MAX_TOLD_STEPS).collect();
        self.told(&after, false)
    }

    /// The places among the steps of those that failed and that a question is about: those that share the most words with it, the
    /// last first unless the first is asked for; those that fit it best, if none shares a word.
    fn failures(&self, asked: &RunQuestion, ranked: &[usize]) -> Vec<usize> {
        // That it failed is what is asked, and no word of what failed.
        let asks = |word: &&String| {
            let cues = CUES.classes_in(word);
            cues.contains(&Cue::Blocked) || cues.contains(&Cue::Fixed)
        };
        let things: Vec<&str> =
            asked.things.iter().flatten().filter(|word| !asks(word)).map(String::as_str).collect();
        let terms = query_terms(&things.join(" "));
        let failed = self.steps.iter().enumerate().filter(|(_, step)| step.failed && !step.looks);
        let mut found: Vec<(usize, usize)> =
            failed.map(|(at, step)| (self.shared_terms(step, &terms), at)).collect();
        // One that shares fewer words with the question than another is not what it asks about.
        let most = found.iter().map(|(shared, _)| *shared).max().unwrap_or_default();
        if most == 0 && !terms.is_empty() {
            let shown = self.shown_failures(&terms, ranked);
            if !shown.is_empty() {
                return shown;
            }
            let failed = |at: &usize| self.steps[*at].failed && !self.steps[*at].looks;
            return self.ranked_steps(ranked).into_iter().filter(failed).take(MAX_GUESSED_STEPS).collect();
        }
        found.retain(|(shared, _)| *shared == most);
        if asked.occurrence != Occurrence::First {
            found.reverse();
        }
        found.into_iter().take(MAX_TOLD_STEPS).map(|(_, at)| at).collect()
    }

    /// The steps whose output shows a failure in a line that names all that a question is about, as a log does that was looked at; among
    /// those that fit it best.
    fn shown_failures(&self, terms: &[String], ranked: &[usize]) -> Vec<usize> {
        let names_all = |line: &str| {
            let words: HashSet<String> = query_terms(line).into_iter().collect();
            tells_event(line, RunEventsClass::Fail) && terms.iter().all(|term| words.contains(term))
        };
        let shows = |at: &usize| {
            let output = searched_output(self.messages[self.steps[*at].result].text);
            output.lines().any(names_all)
        };
        self.ranked_steps(ranked)
            .into_iter()
            .take(MAX_READ_OUTPUTS)
            .filter(shows)
            .take(MAX_GUESSED_STEPS)
            .collect()
    }

    /// The steps between a failure and the next time that the same worked, and that time.
    fn fixes(&self, asked: &RunQuestion, ranked: &[usize]) -> Vec<usize> {
        for at in self.failures(asked, ranked) {
            let worked = |it: &&WorkStep| !it.failed && it.kinds == self.steps[at].kinds;
            let Some(again) = self.steps[at + 1..].iter().position(|it| worked(&it)) else { continue };
            let between = self.steps[at + 1..at + 1 + again].iter().rev();
            let mut told: Vec<&WorkStep> =
                between.filter(|it| !it.failed && !it.looks).take(MAX_TOLD_STEPS - 1).collect();
            told.push(&self.steps[at + 1 + again]);
            return self.told(&told, false);
        }
        Vec::new()
    }

    /// The results of the same call again and again, in order: of the first of what fits that was called more than once.
    fn course(&self, ranked: &[usize]) -> Vec<usize> {
        let same = |step: &WorkStep| -> Vec<usize> {
            let all = self.steps.iter().filter(|it| it.shows && it.written == step.written);
            all.map(|it| self.places[it.result]).collect()
        };
        let steps = self.ranked_steps(ranked).into_iter().take(MAX_TOLD_STEPS);
        let mut all = steps.map(|at| same(&self.steps[at])).find(|all| all.len() > 1).unwrap_or_default();
        all.drain(..all.len().saturating_sub(MAX_TOLD_RESULTS));
        all
    }

    /// The places of the steps that some messages belong to, each once, in the order of the messages.
    fn ranked_steps(&self, ranked: &[usize]) -> Vec<usize> {
        let mut found = Vec::new();
        for place in ranked {
            let of = |step: &WorkStep| self.places[step.call] == *place || self.places[step.result] == *place;
            if let Some(at) = self.steps.iter().position(of)
                && !found.contains(&at)
            {
                found.push(at);
            }
        }
        found
    }

    /// The messages of steps: each call with its result, or the result first.
    fn told(&self, steps: &[&WorkStep], result_first: bool) -> Vec<usize> {
        let halves = |step: &&WorkStep| {
            let (call, result) = (self.places[step.call], self.places[step.result]);
            if result_first { [result, call] } else { [call, result] }
        };
        steps.iter().flat_map(halves).collect()
    }

    fn shared_terms(&self, step: &WorkStep, terms: &[String]) -> usize {
        let read = |index: usize| {
            let text = self.messages[index].text;
            query_terms(&text[..text.floor_char_boundary(MAX_READ_BYTES)])
        };
        let words: HashSet<String> = read(step.call).into_iter().chain(read(step.result)).collect();
        terms.iter().filter(|term| words.contains(*term)).count()
    }
}

/// A clause that says before or after what something was done.
struct Beside {
    is_before: bool,
    terms: Vec<String>,
}

impl Beside {
    fn read(question: &str) -> Option<Self> {
        let told = |found: crate::pattern::PatternMatch<Cue>| {
            let (is_before, clause) = match found.class {
                Cue::BeforeWhatFollows => (true, &question[found.range.end..]),
                Cue::AfterWhatFollows => (false, &question[found.range.end..]),
                Cue::BeforeWhatPrecedes => (true, &question[..found.range.end]),
                Cue::AfterWhatPrecedes => (false, &question[..found.range.end]),
                _ => return None,
            };
            Some(Self { is_before, terms: query_terms(clause) })
        };
        CUES.find(question).find_map(told).filter(|beside| !beside.terms.is_empty())
    }
}

#[cfg(test)]
mod tests;
