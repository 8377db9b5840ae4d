//! Assembly: what a model is shown of the memory before it answers, section by section, within a budget of tokens.

use super::{
    block::{Block, ContextSection},
    briefing::{Brief, Briefing},
    page::{BriefPage, TokenCounter},
    quoting::QuotationPlan,
    report::{SectionOutcome, SectionReport},
    section::SECTIONS,
    situation::Situation,
};
use crate::{Agent, Result, belief::SupposedDecision, meter};
use cairn_store::MemoryRecord;
use std::time::Instant;

/// The state of the page before a section.
#[derive(Clone, Copy)]
struct PageMark {
    tokens: usize,
    refs: usize,
    identity_tokens: usize,
}

/// Hits that are quoted in short and wait for what room is left.
struct WaitingQuotations<'a> {
    /// Where the report of their section stands.
    report: usize,
    plan: QuotationPlan<'a>,
}

impl Agent {
    /// Builds the block of text that a model is shown before it answers.
    pub(crate) async fn brief(
        &self,
        briefing: &Briefing,
        supposed: Option<&SupposedDecision>,
    ) -> Result<Brief> {
        let situation = Situation::new(self, briefing, supposed);
        let mut page = BriefPage::new(self.token_counter(), briefing);
        let mut reports: Vec<SectionReport> = Vec::with_capacity(SECTIONS.len());
        let mut waiting: Vec<WaitingQuotations<'_>> = Vec::new();
        for section in SECTIONS {
            let begun = Instant::now();
            let mark = page.mark();
            let outcome = match (section.build)(&situation).await? {
                None => SectionOutcome::Silent,
                Some(Block::Quotations(mut plan)) => {
                    // Where it was left comes first if that is asked.
                    if !situation.asks_where_it_was_left() {
                        plan.quote_in_short(&mut page);
                    }
                    waiting.push(WaitingQuotations { report: reports.len(), plan: *plan });
                    SectionOutcome::Included
                }
                Some(block) => page.add(section, &situation, block),
            };
            reports.push(page.report(section, mark, outcome, begun));
        }
        let (mut weak, mut no_room) = (0, 0);
        for WaitingQuotations { report, mut plan } in waiting {
            let begun = Instant::now();
            let mark = page.mark();
            if situation.asks_where_it_was_left() {
                plan.quote_in_short(&mut page);
            }
            plan.add_computed_lines(&mut page);
            plan.quote_surest_whole(&mut page);
            let (hardly_fit, left_over) = plan.fill_remaining_tokens(&mut page);
            (weak, no_room) = (weak + hardly_fit, no_room + left_over);
            let told = page.report(&SECTIONS[report], mark, SectionOutcome::Included, begun);
            reports[report].add(told, left_over);
        }
        for report in &reports {
            meter::section(report.name, report.took);
        }
        let brief = page.into_brief(weak, no_room);
        if brief.lines.is_empty() && brief.identity.is_empty() {
            // The time alone is no context.
            reports.iter_mut().for_each(SectionReport::take_back);
        }
        let brief = Brief { sections: reports, ..brief };
        Ok(match situation.into_gate() {
            Some(gate) => brief.with_gate(gate),
            None => brief,
        })
    }

    /// How many tokens a text has: as the embedder counts, if its model is loaded, or rather too many.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.token_counter().count(text)
    }

    /// Counts tokens as the embedder does, if its model is loaded; nothing is loaded for it.
    pub(super) fn token_counter(&self) -> TokenCounter {
        TokenCounter::new(self.embedders.configured().loaded())
    }

    /// The working memory of a session, the newest last.
    pub async fn in_mind(&self, session: &str) -> Result<Vec<MemoryRecord>> {
        let records = self.store.read(|view| {
            let numbers: Vec<u32> = view.working(session)?.iter().map(|item| item.number).collect();
            view.memories_at(&numbers)
        });
        Ok(records.await?)
    }
}

impl SectionReport {
    /// Nothing of it is there after all.
    fn take_back(&mut self) {
        if self.outcome == SectionOutcome::Included {
            (self.outcome, self.tokens) = (SectionOutcome::Silent, 0);
        }
    }

    /// Adds what came of hits in the end.
    fn add(&mut self, last: Self, no_room: usize) {
        self.tokens += last.tokens;
        self.took += last.took;
        self.refs.extend(last.refs);
        self.outcome = match (self.refs.is_empty(), no_room) {
            (false, _) => SectionOutcome::Included,
            (true, 0) => SectionOutcome::Silent,
            (true, _) => SectionOutcome::NoRoom,
        };
    }
}

impl BriefPage<'_> {
    fn mark(&self) -> PageMark {
        let (tokens, refs) = (self.remaining_tokens(), self.refs().len());
        PageMark { tokens, refs, identity_tokens: self.identity_tokens() }
    }

    /// Puts a block on the page: whether any of it is there, or why not.
    fn add(
        &mut self,
        section: &ContextSection,
        situation: &Situation<'_>,
        block: Block<'_>,
    ) -> SectionOutcome {
        let before = self.mark().tokens;
        let most = section.share.tokens(situation);
        let mut known = false;
        match block {
            Block::Lines(lines) => {
                let mut all = lines.groups.iter().flat_map(|group| &group.lines).peekable();
                known = all.peek().is_some()
                    && all.all(|line| line.refs.iter().any(|it| self.shows_or_was_shown(it)));
                self.add_block(section.header.in_framing(situation.framing), lines, most);
            }
            Block::Tagged(texts) => {
                self.add_tagged(texts);
                return SectionOutcome::Included;
            }
            Block::Resume(lines) => self.add_resume(lines),
            Block::Quotations(_) => {}
        }
        match (before > self.mark().tokens, known) {
            (true, _) => SectionOutcome::Included,
            (false, true) => SectionOutcome::ShownBefore,
            (false, false) => SectionOutcome::NoRoom,
        }
    }

    /// The report of a section that has put on the page what is there since.
    fn report(
        &self,
        section: &ContextSection,
        since: PageMark,
        outcome: SectionOutcome,
        begun: Instant,
    ) -> SectionReport {
        SectionReport {
            name: section.name,
            priority: section.priority,
            outcome,
            tokens: since.tokens - self.remaining_tokens() + self.identity_tokens() - since.identity_tokens,
            took: begun.elapsed(),
            refs: self.refs()[since.refs..].to_vec(),
        }
    }
}
