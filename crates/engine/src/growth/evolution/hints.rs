//! Hints: the friction of a project that whoever works in it now should know of, told as what was seen. What an operator accepted
//! stands in an identity file, and what was rejected is told no more.

use super::{
    material::{MaterialBounds, material},
    report::{ProposedFrictions, SeenFriction, seen_friction},
};
use crate::{
    Agent, Result,
    limits::{MAX_ASKED_SKILL_MESSAGES, MAX_TOLD_FRICTIONS},
    quote,
    write::stored_name,
};
use cairn_cognition::{
    friction::{FrictionKind, frictions},
    injection::{OrderSource, injected_order},
    keywords::query_terms,
};
use cairn_domain::{ProposalStatus, Ref};
use cairn_store::View;
use std::collections::HashSet;

/// Messages among which those of tools are looked for, as a multiple of those.
const AMONG: u32 = 10;
/// Words of a request that speak for friction, if none of them is the program or the tool.
const MIN_SHARED_TERMS: usize = 2;

impl Agent {
    /// A line for each friction of a project that a request is about; without one the most often seen.
    pub(crate) async fn friction_hints(&self, thread: &str, request: Option<&str>) -> Result<Vec<String>> {
        if !self.config.evolution.enabled {
            return Ok(Vec::new());
        }
        let (thread, now) = (stored_name(thread), self.now());
        let asked: Option<HashSet<String>> =
            request.map(|request| query_terms(request).into_iter().collect());
        let bounds =
            MaterialBounds { newest: MAX_ASKED_SKILL_MESSAGES, among: MAX_ASKED_SKILL_MESSAGES * AMONG };
        let read = move |view: &mut View<'_>| {
            let known = ProposedFrictions::read(view, now)?;
            let mut seen = Vec::new();
            for project in material(view, Some(&thread), bounds)? {
                let found = project.look(frictions);
                seen.extend(found.iter().map(|friction| seen_friction(&project, friction, &known)));
            }
            Ok(seen)
        };
        let seen = self.store.read(read).await?;
        let fitting =
            seen.iter().filter(|it| it.is_open() && asked.as_ref().is_none_or(|asked| it.is_about(asked)));
        Ok(fitting.filter_map(SeenFriction::hint).take(MAX_TOLD_FRICTIONS).collect())
    }
}

impl SeenFriction {
    /// Whether no operator has decided about it.
    pub(crate) fn is_open(&self) -> bool {
        self.proposal.is_none_or(|(_, status)| status == ProposalStatus::Pending)
    }

    /// Whether a request is about it: it names the program or the tool, or shares words with it.
    fn is_about(&self, asked: &HashSet<String>) -> bool {
        let is_work = !matches!(self.kind, FrictionKind::CorrectedHabit | FrictionKind::Unsolved);
        let program = self.subject.split_whitespace().next().filter(|_| is_work).map(query_terms);
        let shared: HashSet<String> =
            [&self.subject, &self.line].into_iter().flat_map(|text| query_terms(text)).collect();
        program.into_iter().flatten().any(|term| asked.contains(&term))
            || shared.intersection(asked).count() >= MIN_SHARED_TERMS
    }

    /// In one line, with its evidence: `msg_0123456789 “psql -c x” failed 4×; “psql --host=db -c x” worked`.
    fn hint(&self) -> Option<String> {
        let newest = self.seen.last()?;
        Some(format!("{} {}", Ref::Message(*newest).short(), self.told()?))
    }

    /// The friction in one sentence, its words quoted. None if they give orders.
    pub(crate) fn told(&self) -> Option<String> {
        let said = |text: &str| {
            let is_order = injected_order(text, OrderSource::Other).is_some();
            (!is_order && !text.is_empty()).then(|| quote::quoted(text))
        };
        let times = self.times;
        if self.kind == FrictionKind::Unsolved {
            return Some(format!("the user said {times}× that it was still not right"));
        }
        let subject = said(&self.subject)?;
        let line = said(&self.line).filter(|_| self.line != self.subject);
        let because = line.map_or_else(String::new, |line| format!(": {line}"));
        Some(match self.kind {
            FrictionKind::Detour => {
                let instead = said(self.instead.as_deref()?)?;
                format!("{subject} failed {times}×{because}; {instead} worked")
            }
            FrictionKind::Missing => format!("{subject} was not there, {times}×{because}"),
            FrictionKind::MissedEdit => format!("{subject} did not apply, {times}×{because}"),
            FrictionKind::Timeout => format!("{subject} took longer than a call may, {times}×"),
            FrictionKind::BlindRetry => {
                format!("{subject} was called again unchanged after it failed, {times}×")
            }
            FrictionKind::RepeatedFailure => format!("{subject} failed the same way {times}×{because}"),
            FrictionKind::CallLoop => {
                format!("{subject} was called again and again for the same result, {times}×")
            }
            FrictionKind::RefusedCall => format!("{subject} was not let run, {times}×"),
            FrictionKind::CorrectedHabit | FrictionKind::Unsolved => {
                format!("the user said {times}×: {subject}")
            }
        })
    }
}
