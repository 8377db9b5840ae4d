//! A page: a brief while it is written. It counts tokens, knows what stands there already, keeps quotations in the order in
//! which they were said, and puts what no longer holds beside what replaced it.

use super::briefing::{Brief, Briefing};
use cairn_cognition::budget;
use cairn_domain::{Day, Time};
use cairn_models::Embedder;
use std::sync::Arc;

/// Counts tokens: as the embedder does whose model is loaded, or by an estimate that is rather too high.
pub(crate) enum TokenCounter {
    /// With how many marks it puts around any text.
    Embedder(Arc<dyn Embedder>, usize),
    Estimate,
}

impl TokenCounter {
    pub(crate) fn new(embedder: Option<Arc<dyn Embedder>>) -> Self {
        embedder.map_or(Self::Estimate, |embedder| {
            let marks = embedder.count_tokens("");
            Self::Embedder(embedder, marks)
        })
    }

    /// How many tokens a line has.
    fn line(&self, line: &str) -> usize {
        match self {
            Self::Embedder(embedder, marks) => embedder.count_tokens(line).saturating_sub(*marks),
            Self::Estimate => budget::estimated_tokens(line) + 1,
        }
    }

    /// How many tokens a text has.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.text(text.lines().map(|line| self.line(line)).sum())
    }

    /// How many tokens a text has whose lines have so many.
    fn text(&self, lines: usize) -> usize {
        match self {
            Self::Embedder(_, marks) => lines + marks,
            Self::Estimate => lines,
        }
    }
}

/// A record on a line of its own.
pub(crate) struct ContextLine {
    /// The refs of the records on the line.
    pub(crate) refs: Vec<String>,
    /// The line.
    pub(crate) line: String,
    /// The same in short, for where there is no room for it.
    pub(crate) shorter: Option<String>,
}

impl ContextLine {
    pub(crate) fn new(refs: Vec<String>, line: String) -> Self {
        Self { refs, line, shorter: None }
    }
}

/// A record that may be quoted.
pub(crate) struct QuotedHit {
    /// Its ref, and those of the memories that it shows along with it.
    pub(crate) refs: Vec<String>,
    /// When it was said, and its place among what was said then.
    pub(crate) at: (Time, u32),
    /// The line, without the day.
    pub(crate) line: String,
    /// Where what replaced it stands: it comes right behind that.
    pub(crate) beside: Option<(Time, u32)>,
}

impl QuotedHit {
    /// Where it stands: behind what replaced it, or where it was said.
    fn place(&self) -> ((Time, u32), bool, (Time, u32)) {
        (self.beside.unwrap_or(self.at), self.beside.is_some(), self.at)
    }

    /// The day under which it stands.
    fn day(&self) -> Day {
        self.beside.unwrap_or(self.at).0.day()
    }

    /// The line as it is written: beside something of another day with its own day.
    fn written(&self) -> String {
        match self.beside {
            Some(_) => format!("{} {}", self.at.0.day(), self.line),
            None => self.line.clone(),
        }
    }
}

/// A brief while it is written.
pub(crate) struct BriefPage<'a> {
    pub(crate) counter: TokenCounter,
    pub(crate) briefing: &'a Briefing,
    /// Tokens so far, those of the frame among them.
    used: usize,
    /// Tokens that there may be, but for the note about what was left out.
    most: usize,
    refs: Vec<String>,
    identity: Vec<String>,
    identity_tokens: usize,
    worked_out: Vec<String>,
    sections: Vec<Vec<String>>,
    quotations: Vec<QuotedHit>,
}

impl<'a> BriefPage<'a> {
    pub(crate) fn new(counter: TokenCounter, briefing: &'a Briefing) -> Self {
        let used = counter.text(counter.line(budget::PROMPT_FRAME));
        let note = if briefing.tokens < LEFT_OUT_NOTE_TOKENS * 10 { 0 } else { LEFT_OUT_NOTE_TOKENS };
        let (refs, identity, identity_tokens, worked_out, sections, quotations) = Default::default();
        let most = briefing.tokens - note;
        Self {
            counter,
            briefing,
            used,
            most,
            refs,
            identity,
            identity_tokens,
            worked_out,
            sections,
            quotations,
        }
    }

    /// Whether a record stands there, or the model has been shown it before.
    pub(crate) fn shows_or_was_shown(&self, reference: &String) -> bool {
        self.briefing.shown.contains(reference) || self.refs.contains(reference)
    }

    pub(crate) fn refs(&self) -> &[String] {
        &self.refs
    }

    /// Tokens that are left.
    pub(crate) fn remaining_tokens(&self) -> usize {
        self.most.saturating_sub(self.used)
    }

    /// Uses this many tokens, if that many are left besides the `reserved` ones.
    fn reserve_tokens(&mut self, cost: usize, reserved: usize) -> bool {
        let fits = self.used + cost + reserved <= self.most;
        self.used += if fits { cost } else { 0 };
        fits
    }

    /// Writes down records under a heading, as many as have room in `most` tokens: whether there are any.
    pub(crate) fn add_section(&mut self, heading: &str, entries: Vec<ContextLine>, most: usize) -> bool {
        let mut lines = vec![heading.to_owned()];
        let mut cost = self.counter.line(heading);
        for ContextLine { refs, line, shorter } in entries {
            if refs.iter().any(|it| self.shows_or_was_shown(it)) {
                continue;
            }
            let room = most.min(self.remaining_tokens());
            let told = [Some(line), shorter].into_iter().flatten();
            let fitting =
                told.map(|line| (self.counter.line(&line), line)).find(|(more, _)| cost + more <= room);
            let Some((more, line)) = fitting else { continue };
            cost += more;
            lines.push(line);
            self.refs.extend(refs);
        }
        let fits = lines.len() > 1 && self.reserve_tokens(cost, 0);
        if fits {
            self.sections.push(lines);
        }
        fits
    }

    /// Puts texts in tags of their own before everything else; they have a budget of their own.
    pub(crate) fn add_tagged(&mut self, texts: Vec<String>) {
        self.identity_tokens += texts.iter().map(|text| self.counter.count(text)).sum::<usize>();
        self.identity.extend(texts);
    }

    pub(crate) fn identity_tokens(&self) -> usize {
        self.identity_tokens
    }

    /// Writes down a line that was worked out, if there is room.
    pub(crate) fn add_computed_line(&mut self, line: String) {
        if self.reserve_tokens(self.counter.line(&line), 0) {
            self.worked_out.push(line);
        }
    }

    /// Quotes a record, if it is new and there is room beside what is `reserved`: where it stands.
    pub(crate) fn add_quotation(&mut self, quotation: QuotedHit, reserved: usize) -> Option<usize> {
        if quotation.refs.first().is_none_or(|reference| self.shows_or_was_shown(reference)) {
            return None;
        }
        let day = quotation.day();
        let heads = self.quotations.iter().any(|other| other.day() == day);
        let head = if heads { 0 } else { self.counter.line(&day.to_string()) };
        if !self.reserve_tokens(head + self.counter.line(&quotation.written()), reserved) {
            return None;
        }
        let new: Vec<String> =
            quotation.refs.iter().filter(|it| !self.shows_or_was_shown(it)).cloned().collect();
        self.refs.extend(new);
        self.quotations.push(quotation);
        Some(self.quotations.len() - 1)
    }

    /// Says more of what is quoted at `place`, if there is room.
    pub(crate) fn replace_quotation_line(&mut self, place: usize, line: String) {
        let before = self.counter.line(&self.quotations[place].line);
        let more = self.counter.line(&line).saturating_sub(before);
        if self.reserve_tokens(more, 0) {
            self.quotations[place].line = line;
        }
    }

    /// The brief, with how many hits were left out of it because they hardly fit and because there was no room.
    pub(crate) fn into_brief(mut self, weak: usize, no_room: usize) -> Brief {
        let identity = std::mem::take(&mut self.identity);
        if self.sections.is_empty() && self.quotations.is_empty() {
            return Brief { identity, used: self.identity_tokens, weak, no_room, ..Brief::default() };
        }
        let mut lines = std::mem::take(&mut self.worked_out);
        lines.extend(std::mem::take(&mut self.sections).into_iter().flatten());
        let mut quotations = std::mem::take(&mut self.quotations);
        quotations.sort_by_key(QuotedHit::place);
        let mut day = None;
        for quotation in &quotations {
            if day.replace(quotation.day()) != Some(quotation.day()) {
                lines.push(quotation.day().to_string());
            }
            lines.push(quotation.written());
        }
        self.most = self.briefing.tokens;
        if let Some(note) = left_out_note(weak, no_room)
            && self.reserve_tokens(self.counter.line(&note), 0)
        {
            lines.push(note);
        }
        let used = self.used + self.identity_tokens;
        Brief { identity, lines, refs: self.refs, weak, no_room, used, ..Brief::default() }
    }
}

/// Tokens that are kept for the note about what was left out.
const LEFT_OUT_NOTE_TOKENS: usize = 24;

/// The note about hits that were left out.
fn left_out_note(weak: usize, no_room: usize) -> Option<String> {
    let part = |count: usize, why: &str| (count > 0).then(|| format!("{count} {why}"));
    let parts: Vec<String> =
        [part(weak, "that hardly fit"), part(no_room, "for want of room")].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("Left out: {}.", parts.join(", ")))
}
