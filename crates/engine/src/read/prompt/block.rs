//! Blocks: what a section is made of. A section builds a [`Block`] out of the [`Situation`] that the model is in, or none;
//! `assemble` puts the blocks on the page.

use super::{
    framing::Framing,
    page::{BriefPage, ContextLine},
    quoting::QuotationPlan,
    situation::Situation,
};
use crate::{Result, continuity::ResumeLines};
use std::pin::Pin;

/// One section.
pub(crate) struct ContextSection {
    pub(crate) name: &'static str,
    /// The least comes first.
    pub(crate) priority: u8,
    pub(crate) header: SectionHeader,
    pub(crate) share: SectionShare,
    pub(crate) build: for<'a> fn(&'a Situation<'a>) -> BuildFuture<'a>,
}

/// A block that is being built.
pub(crate) type BuildFuture<'a> = Pin<Box<dyn Future<Output = Result<Option<Block<'a>>>> + Send + 'a>>;

/// How a section is headed, as the model's own or as the system's. The safety frame is the same in both.
pub(crate) struct SectionHeader {
    pub(crate) first_person: &'static str,
    pub(crate) system: &'static str,
}

impl SectionHeader {
    /// A header that names nobody.
    pub(crate) const fn plain(text: &'static str) -> Self {
        Self { first_person: text, system: text }
    }

    pub(crate) fn in_framing(&self, framing: Framing) -> &'static str {
        match framing {
            Framing::FirstPerson => self.first_person,
            Framing::System => self.system,
        }
    }
}

/// The part of the token budget that a section may take, to a question and without one: one in so many, in thirtieths.
#[derive(Clone, Copy)]
pub(crate) struct SectionShare {
    pub(crate) asked_thirtieths: usize,
    pub(crate) start_thirtieths: usize,
}

impl SectionShare {
    pub(crate) const fn thirtieths(asked: usize, start: usize) -> Self {
        Self { asked_thirtieths: asked, start_thirtieths: start }
    }

    pub(crate) fn tokens(self, situation: &Situation<'_>) -> usize {
        let part = if situation.is_asked() { self.asked_thirtieths } else { self.start_thirtieths };
        situation.briefing.tokens * part / 30
    }
}

/// The text of a section before it is put on the page.
pub(crate) enum Block<'a> {
    /// Lines under the section's header.
    Lines(LineBlock),
    /// Texts in tags of their own, before everything else.
    Tagged(Vec<String>),
    /// The last exchanges of a session, the last ones first to be sure of their place.
    Resume(ResumeLines),
    /// Hits, as many and as much of each as there is room for.
    Quotations(Box<QuotationPlan<'a>>),
}

/// Lines under a header, in groups with titles of their own.
#[derive(Default)]
pub(crate) struct LineBlock {
    /// Stands behind the header.
    pub(crate) about: String,
    pub(crate) groups: Vec<LineGroup>,
    /// Tokens that it may have in any case.
    pub(crate) most: Option<usize>,
}

/// Lines under a title; without one right under the header.
pub(crate) struct LineGroup {
    pub(crate) title: &'static str,
    pub(crate) lines: Vec<ContextLine>,
}

impl Block<'_> {
    /// Lines right under the header; none of none.
    pub(crate) fn of_lines(lines: Vec<ContextLine>) -> Option<Self> {
        let groups = vec![LineGroup { title: "", lines }];
        let is_empty = groups.iter().all(|group| group.lines.is_empty());
        (!is_empty).then(|| Self::Lines(LineBlock { groups, ..LineBlock::default() }))
    }

    /// The header alone, with these words behind it.
    pub(crate) fn of_header(about: String) -> Self {
        Self::Lines(LineBlock { about, ..LineBlock::default() })
    }
}

impl BriefPage<'_> {
    /// Puts lines under their header on the page, in at most `most` tokens.
    pub(crate) fn add_block(&mut self, header: &str, block: LineBlock, most: usize) {
        let most = block.most.map_or(most, |bound| bound.min(most));
        let before = self.remaining_tokens();
        let head =
            [header, block.about.as_str()].iter().filter(|it| !it.is_empty()).copied().collect::<Vec<_>>();
        let mut head = Some(head.join(" "));
        if block.groups.is_empty() {
            self.add_computed_line(head.take().unwrap_or_default());
            return;
        }
        for LineGroup { title, lines } in block.groups {
            let room = most.saturating_sub(before - self.remaining_tokens());
            let heading = match (&head, title) {
                (Some(head), "") => head.clone(),
                (Some(head), title) => format!("{head}\n{title}"),
                (None, title) => title.to_owned(),
            };
            if self.add_section(&heading, lines, room) {
                head = None;
            }
        }
    }
}
