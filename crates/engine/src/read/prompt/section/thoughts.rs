//! Contemplation: what the agent has been thinking about. Where a session begins, and only what a part of the growth that is
//! switched on has left; nothing of it is held true.

use crate::{
    Result,
    growth::{NightReport, Thoughts},
    quote::quoted,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        page::ContextLine,
        situation::Situation,
    },
};

pub(super) const CONTEMPLATION: ContextSection = ContextSection {
    name: "contemplation",
    priority: 7,
    header: SectionHeader {
        first_person: "[WHAT YOU'VE BEEN THINKING ABOUT]",
        system: "[CONTEMPLATION STATE]",
    },
    share: SectionShare::thirtieths(0, 3),
    build: build_contemplation,
};

pub(super) const GROWTH_VECTORS: ContextSection = ContextSection {
    name: "growth vectors",
    priority: 7,
    header: SectionHeader { first_person: "[PATTERNS YOU'RE DEVELOPING]", system: "[GROWTH VECTORS]" },
    share: SectionShare::thirtieths(0, 2),
    build: build_vectors,
};

pub(super) const NIGHT: ContextSection = ContextSection {
    name: "nightshift report",
    priority: 7,
    header: SectionHeader {
        first_person: "[WHAT YOU THOUGHT ABOUT OVERNIGHT]",
        system: "[NIGHTSHIFT REPORT]",
    },
    share: SectionShare::thirtieths(0, 3),
    build: build_night,
};

fn build_contemplation<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let Some(thoughts) = thoughts(situation).await? else { return Ok(None) };
        let open = thoughts.open.iter().map(|(inquiry, refs)| {
            ContextLine::new(refs.clone(), format!("open: {}", quoted(&inquiry.question)))
        });
        let settled = thoughts.synthesis.iter().map(|(pass, refs)| {
            let line = format!("came to, {}: {}", pass.made_at.day(), quoted(&pass.text));
            ContextLine::new(refs.clone(), line)
        });
        Ok(Block::of_lines(open.chain(settled).collect()))
    })
}

fn build_vectors<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        let Some(thoughts) = thoughts(situation).await? else { return Ok(None) };
        let line = |pattern: &crate::growth::GrowthPattern| {
            let (text, times) = (quoted(&pattern.text), pattern.times);
            // Its records may stand on the page already; the sentence is another.
            ContextLine::new(Vec::new(), format!("{text} ({times}×, not part of who you are yet)"))
        };
        Ok(Block::of_lines(thoughts.patterns.iter().map(line).collect()))
    })
}

fn build_night<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(async move {
        if !situation.is_start() || !situation.agent.config.growth.context {
            return Ok(None);
        }
        let NightReport { lines } = situation.agent.night_report().await?;
        Ok(Block::of_lines(lines.into_iter().map(|line| ContextLine::new(Vec::new(), line)).collect()))
    })
}

async fn thoughts(situation: &Situation<'_>) -> Result<Option<Thoughts>> {
    if !situation.is_start() || !situation.agent.config.growth.context {
        return Ok(None);
    }
    situation.agent.thoughts().await.map(Some)
}
