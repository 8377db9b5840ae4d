//! Work with tools as hosts record it: one message for a call, another for what came back. Questions in free words about it name
//! neither a step nor an event; they ask what was done before or after something, what failed, or how something stands now.

use super::asked::{CUES, Occurrence, RunQuestion};
use crate::{
    keywords::query_terms,
    lexicon::RunQuestionsClass as Cue,
    skill::{ToolMessage, ToolOutcome, tool_steps},
};
use std::{cmp::Reverse, collections::HashSet};

/// Steps that are told.
const MAX_TOLD_STEPS: usize = 4;
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

    /// The messages that answer a question, best first; none if it does not ask in such a way.
    pub fn answering(&self, question: &str) -> Vec<usize> {
        let asked = RunQuestion::read(question);
        if self.is_empty() || !asked.steps.is_empty() || asked.range.is_some() {
            return Vec::new();
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
        if asked.asks(Cue::Blocked) { self.failures(&asked) } else { Vec::new() }
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
        } else if asked.asks(Cue::Now) {
            later().rfind(|it| it.written == step.written)
        } else {
            None
        }?;
        Some([self.places[other.result], self.places[other.call]])
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

    /// The steps that failed and have to do with a question, those that share the most words with it first.
    fn failures(&self, asked: &RunQuestion) -> Vec<usize> {
        let terms = query_terms(&asked.things.concat().join(" "));
        let failed = self.steps.iter().enumerate().filter(|(_, step)| step.failed && !step.looks);
        let mut found: Vec<(usize, usize)> =
            failed.map(|(at, step)| (self.shared_terms(step, &terms), at)).collect();
        found.retain(|(shared, _)| *shared > 0 || terms.is_empty());
        if asked.occurrence != Occurrence::First {
            found.reverse();
        }
        found.sort_by_key(|(shared, _)| Reverse(*shared));
        let steps: Vec<&WorkStep> =
            found.iter().take(MAX_TOLD_STEPS).map(|(_, at)| &self.steps[*at]).collect();
        self.told(&steps, true)
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
mod tests {
    use super::*;
    use cairn_domain::Time;

    /// A shift at a shop: what was run, and what came back.
    const WORK: [(&str, &str); 12] = [
        (
            "psql shop -c 'CREATE INDEX orders_email'",
            "ERROR:  canceling statement due to lock timeout\nexit code 1",
        ),
        ("psql shop -c 'CREATE INDEX CONCURRENTLY orders_email'", "CREATE INDEX"),
        ("npm run migrate", "error: column \"currency\" contains null values\nexit code 1"),
        ("npm run migrate", "migrated 1 file in 2.4 s"),
        ("npm test", "Tests: 3 failed, 118 passed\nexit code 1"),
        ("npm test", "Tests: 121 passed"),
        ("df -h /srv", "/dev/sda1 40G 38G 2.0G 95% /srv"),
        ("docker system prune -f", "Total reclaimed space: 11.2GB"),
        ("df -h /srv", "/dev/sda1 40G 27G 13G 68% /srv"),
        ("git push origin main", "remote: error: Protected branch update failed\nexit code 1"),
        ("git push origin HEAD:currency", "* [new branch] HEAD -> currency"),
        ("kubectl rollout status web", "deployment web successfully rolled out"),
    ];

    fn checked(ask: impl Fn(&ToolWork<'_>) -> Vec<usize>) -> String {
        let calls: Vec<String> = WORK
            .iter()
            .map(|(line, _)| format!("Bash {{\"command\":\"{}\"}}", line.replace('"', "\\\"")))
            .collect();
        let message = |place: usize, text| {
            let at = Time::from_millis(place as i64 * 1000);
            (place, ToolMessage { exchange: 0, session: 0, speaker: "Bash", text, at, is_error: false })
        };
        let halves = WORK.iter().zip(&calls).enumerate().flat_map(|(at, ((_, result), call))| {
            [message(2 * at, call.as_str()), message(2 * at + 1, *result)]
        });
        let name = |place: usize| format!("{}{}", place / 2, if place.is_multiple_of(2) { "c" } else { "r" });
        ask(&ToolWork::read(halves)).into_iter().map(name).collect::<Vec<_>>().join(" ")
    }

    /// covers: C-259
    #[test]
    fn work_is_found_by_what_it_was_before_or_after_and_by_what_failed() {
        for (question, expected) in [
            ("What did I try before the migration?", "1c 1r 0c 0r"),
            ("What did the agent do after the tests passed?", "6c 6r 7c 7r 8c 8r 9c 9r"),
            ("testlerden sonra ne yaptım?", "6c 6r 7c 7r 8c 8r 9c 9r"),
            ("migrate çalıştırmadan önce ne denedim?", "1c 1r 0c 0r"),
            ("Why did the first migration fail?", "2r 2c"),
            ("Which tests failed?", "4r 4c"),
            ("What did I run last?", "11c 11r 10c 10r 9c 9r 8c 8r"),
            ("Where is the harbor?", ""),
        ] {
            // What answers best comes first; what fits less may follow.
            let found = checked(|work| work.answering(question));
            assert!(
                found.starts_with(expected) && found.is_empty() == expected.is_empty(),
                "{question}: {found}"
            );
        }
    }

    /// covers: C-259
    #[test]
    fn what_worked_is_told_instead_of_what_failed_and_the_last_state_instead_of_an_older_one() {
        for (question, place, expected) in [
            ("Where did I push it?", 18, "10r 10c"),
            ("Why could I not push it?", 18, ""),
            ("How full is the disk now?", 13, "8r 8c"),
            ("How full was the disk?", 13, ""),
            ("How full is the disk now?", 17, ""),
        ] {
            let told = checked(|work| work.instead(question, place).map(Vec::from).unwrap_or_default());
            assert_eq!(told, expected, "{question}");
        }
    }
}
