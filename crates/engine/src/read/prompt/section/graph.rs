//! The graph: how who and what is spoken about belongs together with others, as the memories that hold have it. Spoken about is
//! what the question names, and in a session of high entropy what its last exchange named, too.

use crate::{
    Result,
    quote::name,
    read::prompt::{
        block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
        page::ContextLine,
        situation::Situation,
    },
};
use cairn_cognition::entity::{entities, slug};
use cairn_domain::{Memory, Ref};
use cairn_store::{EntityRecord, MemoryRecord, View};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "graph",
    priority: 9,
    header: SectionHeader::plain("How they belong together:"),
    share: SectionShare::thirtieths(4, 4),
    build,
};

/// Who and what is spoken about, at most.
const MAX_SPOKEN_ABOUT: usize = 3;
/// Others that each is shown with …
const MAX_OTHERS: u32 = 3;
/// … of the memories that name both, the newest that are looked at.
const MAX_COMMON: u32 = 8;

/// Two entities in memories that name both, the newest first.
struct EntityPair {
    one: EntityRecord,
    other: EntityRecord,
    times: u32,
    common: Vec<MemoryRecord>,
    /// The attribute of a statement about the one whose value is the other, or the reverse.
    stated: Option<(bool, String)>,
}

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(graph(situation))
}

async fn graph<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    if situation.is_restart() {
        return Ok(None);
    }
    let mut spoken = situation.briefing.query.clone().unwrap_or_default();
    for seen in unsettled(situation).await? {
        spoken.push('\n');
        spoken.push_str(&seen);
    }
    let mut slugs: Vec<String> = Vec::new();
    for mention in entities(&spoken) {
        if !slugs.contains(&mention.slug) {
            slugs.push(mention.slug);
        }
    }
    if slugs.is_empty() {
        return Ok(None);
    }
    let pairs = situation.agent.store.read(|view| pairs_of(view, &slugs)).await?;
    Ok(Block::of_lines(pairs.iter().filter_map(|pair| pair_line(situation, pair)).collect()))
}

/// Where its entropy is high, what the session's last exchange was unsettled by.
async fn unsettled(situation: &Situation<'_>) -> Result<Vec<String>> {
    let config = &situation.agent.config.coherence;
    let Some(session) = situation.briefing.session.as_deref().filter(|_| config.enabled) else {
        return Ok(Vec::new());
    };
    let state = situation.agent.coherence_state(session).await?;
    let high = state.filter(|state| state.newest.entropy > config.anchors_above);
    Ok(high.into_iter().flat_map(|state| state.newest.parts).map(|part| part.saw).collect())
}

fn pairs_of(view: &mut View<'_>, slugs: &[String]) -> cairn_store::Result<Vec<EntityPair>> {
    let mut pairs: Vec<EntityPair> = Vec::new();
    let mut known: Vec<EntityRecord> = Vec::new();
    for slug in slugs {
        if known.len() == MAX_SPOKEN_ABOUT {
            break;
        }
        known.extend(view.entity(slug)?.filter(|entity| !known.contains(entity)));
    }
    for one in known {
        for (other, times) in view.together_with(one.id, MAX_OTHERS)? {
            if pairs.iter().any(|pair| pair.one.id == other.id && pair.other.id == one.id) {
                continue;
            }
            let numbers = view.naming_both(one.id, other.id, MAX_COMMON)?;
            let stated = statement_between(view, &numbers, [&one, &other])?;
            let common = view.memories_at(&numbers)?;
            pairs.push(EntityPair { one: one.clone(), other, times, common, stated });
        }
    }
    Ok(pairs)
}

/// The attribute by which a memory states one entity of the other, and whether it is the second of the first.
fn statement_between(
    view: &mut View<'_>,
    numbers: &[u32],
    [one, other]: [&EntityRecord; 2],
) -> cairn_store::Result<Option<(bool, String)>> {
    for number in numbers {
        for stated in view.statements(*number)?.into_iter().filter(|stated| !stated.negated) {
            let (subject, value) = (slug(&stated.subject), slug(&stated.value));
            if subject == one.slug && value == other.slug {
                return Ok(Some((true, stated.attribute)));
            }
            if subject == other.slug && value == one.slug {
                return Ok(Some((false, stated.attribute)));
            }
        }
    }
    Ok(None)
}

/// The line of a pair; none if the model has every memory before it that names both, or may be shown none of them.
fn pair_line(situation: &Situation<'_>, pair: &EntityPair) -> Option<ContextLine> {
    let briefing = situation.briefing;
    let may_show = |memory: &Memory| {
        // The session's own words are before the model anyway.
        let said_here = briefing.session.is_some() && memory.session == briefing.session;
        situation.may_show(memory) && !said_here && !briefing.shown.contains(&memory.id.to_string())
    };
    let newest = pair.common.iter().map(|record| &record.memory).find(|memory| may_show(memory))?;
    let (one, other) = (name(&pair.one.name), name(&pair.other.name));
    let how = match &pair.stated {
        Some((true, attribute)) => format!("{one} — {} — {other}", name(attribute)),
        Some((false, attribute)) => format!("{other} — {} — {one}", name(attribute)),
        None => format!("{one} — {other}"),
    };
    let times = if pair.times == 1 { "1 memory".to_owned() } else { format!("{} memories", pair.times) };
    // The memory itself may be quoted further down: its ref stands in the line, but the line does not stand for it.
    Some(ContextLine::new(Vec::new(), format!("{how} ({times}, {})", Ref::Memory(newest.id).short())))
}
