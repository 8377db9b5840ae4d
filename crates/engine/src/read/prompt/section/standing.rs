//! Standing: where the user stands in each dimension that moved, and the patterns that were found last.

use crate::{
    Result,
    quote::quoted,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, LineBlock, LineGroup, SectionHeader, SectionShare},
        page::ContextLine,
        situation::Situation,
    },
};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "standing",
    priority: 12,
    header: SectionHeader {
        first_person: "[WHERE THEY STAND — YOUR ASSESSMENT]",
        system: "[STANDING CONTEXT]",
    },
    share: SectionShare::thirtieths(3, 3),
    build,
};

/// Patterns that are shown.
const TRAIL_PATTERNS: u32 = 5;

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(standing(situation))
}

async fn standing<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    if !situation.agent.config.standing.enabled || !situation.is_start() {
        return Ok(None);
    }
    let report = situation.agent.standing(1, TRAIL_PATTERNS).await?;
    if report.trail.is_empty() {
        return Ok(None);
    }
    let moved = report.dimensions.iter().filter(|it| !it.days.is_empty() || !it.since.is_empty());
    let scores: Vec<String> =
        moved.map(|it| format!("{} {:.1} of 10 ({})", it.dimension, it.score, it.trajectory)).collect();
    let lines = report.trail.iter().map(|sign| {
        let line = format!("{} {} {}", sign.direction, sign.pattern, quoted(&sign.saw));
        // Its words may stand on the page already; what they say of the user does not.
        ContextLine::new(Vec::new(), line)
    });
    let groups = vec![LineGroup { title: "", lines: lines.collect() }];
    Ok(Some(Block::Lines(LineBlock { about: scores.join(", "), groups, most: None })))
}
