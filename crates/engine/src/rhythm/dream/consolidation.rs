//! Theme consolidation: what fades and belongs together becomes one theme that quotes all of it, rests on the same words and
//! stands for the memories it was made of. With a language model the theme is worded as one text, if rules find every name
//! and number of it in what it was made of; without one it is a list: a title of what its members share, and each member in
//! its own words with its ref. A theme matters as much as its members do on average.
//!
//! Memories whose value can only be one at a time (where somebody lives) are left alone: such a memory is replaced when
//! the value changes, and a theme would not be. Categories that are kept forever are left alone, too.

use crate::{
    agent::Agent,
    error::Result,
    rhythm::{
        derived_memory::{DerivedKind, InitialWeight, derived_memory, derived_record, mean_importance},
        single_value::holds_single_value,
        step_context::{StepContext, StepDecision},
        watermark::{self, TOO_SOON, applied},
    },
    write::{MERGED_TEXT_SEPARATOR, merge_question, unfit_for},
};
use cairn_cognition::{
    forgetting::may_go_dormant,
    promotion::is_held,
    quoted_list::{MAX_QUOTATION_CHARS, quotation, quoted_line, quoted_lines, quoted_list, shared_title},
    rehearsal::is_fading,
    retention::RetentionCurve,
};
use cairn_domain::{
    Category, DataSource, Evidence, Form, Memory, MemoryId, Privacy, TemporalType, Time, may_join,
};
use cairn_store::{
    ClusterRecord, MemoryAttachments, MemoryChange, MemoryEffect, MemoryEnd, MemoryRecord, NewMemory,
    NewMention, RhythmBatch, StatementRecord, View,
};

/// Clusters looked at in one batch, until one is made into a theme.
const CLUSTERS_PER_BATCH: u32 = 20;
/// Members read for one cluster.
const MAX_MEMBERS: u32 = 50;
/// A theme is no longer than this.
const MAX_THEME_CHARS: usize = 1_000;
/// Statements, names and pieces of evidence that a theme takes over.
const MAX_BOUND_RECORDS: usize = 32;
/// How stable a theme is at first.
const STABILITY_DAYS: f64 = 30.0;
/// Characters of a line of a theme besides the words that it quotes, at most: marks and a ref.
const MAX_LINE_MARKS: usize = 40;
/// A place is how many themes were made, how many calls, and the next cluster.
const PLACES_PER_THEME: i64 = 1 << 40;
const PLACES_PER_CALL: i64 = 1 << 24;

/// The members of a cluster that become a theme.
struct ThemeMaterial {
    name: String,
    members: Vec<MemoryRecord>,
    bound: MemoryAttachments,
    /// A theme of the same cluster that already exists.
    known: Option<MemoryRecord>,
    generation: usize,
}

pub(in crate::rhythm) async fn decide(agent: &Agent, context: &StepContext<'_>) -> Result<StepDecision> {
    let now = context.now;
    if !agent.store.read(|view| applied(view, watermark::CONSOLIDATION, now)).await?.is_due {
        return Ok(StepDecision::nothing(TOO_SOON));
    }
    let mut decided = decide_next_theme(agent, context).await?;
    if decided.next.is_none() {
        decided.batch.watermarks.push((watermark::CONSOLIDATION.to_owned(), now.millis()));
    }
    Ok(decided)
}

async fn decide_next_theme(agent: &Agent, context: &StepContext<'_>) -> Result<StepDecision> {
    let (themes, calls) =
        (context.place / PLACES_PER_THEME, context.place % PLACES_PER_THEME / PLACES_PER_CALL);
    let at = (context.place % PLACES_PER_CALL) as u32;
    if themes >= i64::from(context.config.most_themes) {
        return Ok(StepDecision::nothing(format!("{themes} themes; the rest in another night")));
    }
    let now = context.now;
    let (version, found, next) = agent
        .store
        .read(|view| {
            let version = view.memory_version()?;
            let (found, next) = next_theme(view, at, now)?;
            Ok((version, found, next))
        })
        .await?;
    let place = |themes: i64, calls: i64, next: u32| {
        themes * PLACES_PER_THEME + calls * PLACES_PER_CALL + i64::from(next)
    };
    let Some(material) = found else {
        let batch = RhythmBatch { version, looked_at: CLUSTERS_PER_BATCH, ..RhythmBatch::default() };
        return Ok(StepDecision { batch, next: next.map(|next| place(themes, calls, next)) });
    };
    let mut calls = calls;
    let mut text = material.quoted();
    let mut by = "its texts, quoted one below the other".to_owned();
    let strictest = material.members.iter().map(|record| record.memory.privacy).max();
    let privacy = strictest.unwrap_or(Privacy::Open);
    let may_ask = privacy != Privacy::Private && agent.language.may_see(privacy);
    if calls < i64::from(context.config.most_calls) && may_ask {
        calls += 1;
        let side_by_side = material.side_by_side();
        let texts: Vec<&str> = side_by_side.split(MERGED_TEXT_SEPARATOR).collect();
        let asked = agent.language.ask(&merge_question(&texts), privacy, agent.now()).await;
        match asked.answer.map(|answer| answer.value["text"].as_str().unwrap_or_default().trim().to_owned()) {
            Ok(told) => match unfit_for(&told, &side_by_side) {
                None => (text, by) = (told, "worded by a language model".to_owned()),
                Some(why) => by = format!("{by}; a language model's wording was refused: {why}"),
            },
            Err(error) => by = format!("{by}; no language model answered: {error}"),
        }
    }
    let mut batch = material.batch(&text, &by, now);
    (batch.version, batch.looked_at) = (version, 1);
    let next = next.map(|next| place(themes + 1, calls, next));
    Ok(StepDecision { batch, next })
}

/// The next cluster from `at` on that makes a theme, among a few; and where to go on.
fn next_theme(
    view: &mut View<'_>,
    at: u32,
    now: Time,
) -> cairn_store::Result<(Option<ThemeMaterial>, Option<u32>)> {
    let rows = view.clusters(at, CLUSTERS_PER_BATCH * MAX_MEMBERS)?;
    let Some(last) = rows.last().map(|row| row.place) else { return Ok((None, None)) };
    let last = last.min(at + CLUSTERS_PER_BATCH - 1);
    for place in at..=last {
        let members: Vec<&ClusterRecord> = rows.iter().filter(|row| row.place == place).collect();
        if let Some(material) = ThemeMaterial::read(view, &members, now)? {
            return Ok((Some(material), Some(place + 1)));
        }
    }
    Ok((None, Some(last + 1)))
}

impl ThemeMaterial {
    fn read(view: &mut View<'_>, rows: &[&ClusterRecord], now: Time) -> cairn_store::Result<Option<Self>> {
        let Some(name) = rows.first().map(|row| row.name.clone()) else { return Ok(None) };
        let numbers: Vec<u32> = rows.iter().map(|row| row.number).collect();
        let mut members = Vec::new();
        for record in view.memories_at(&numbers)? {
            if may_join_theme(&record.memory, now) && !holds_single_value(view, record.number)? {
                members.push(record);
            }
        }
        let Some(first) = members.first().map(|record| record.memory.clone()) else { return Ok(None) };
        // A theme takes the place of its members: nobody's word is replaced by another's.
        let belongs =
            |memory: &Memory| memory.mode == first.mode && may_join(first.data_source, memory.data_source);
        members.retain(|record| belongs(&record.memory));
        let (known, generation) = last_theme(view, &name, first.mode.as_str())?;
        let known = known.filter(|known| belongs(&known.memory));
        let mut room = MAX_THEME_CHARS;
        room = room.saturating_sub(known.as_ref().map_or(0, |known| known.memory.text.chars().count()));
        members.retain(|record| {
            let length = record.memory.text.chars().count().min(MAX_QUOTATION_CHARS) + MAX_LINE_MARKS;
            let fits = length <= room;
            room -= if fits { length } else { 0 };
            fits
        });
        if members.len() < cairn_cognition::cluster::MIN_CLUSTER_SIZE {
            return Ok(None);
        }
        let bound = bound_of_members(view, &members, now)?;
        Ok(Some(Self { name, members, bound, known, generation }))
    }

    /// The members, the oldest first.
    fn in_order(&self) -> Vec<&MemoryRecord> {
        let mut members: Vec<&MemoryRecord> = self.members.iter().collect();
        members.sort_by_key(|record| (record.memory.valid_from, record.number));
        members
    }

    /// The lines of a theme that is there already.
    fn known_lines(&self) -> Vec<String> {
        let Some(known) = &self.known else { return Vec::new() };
        let lines = quoted_lines(&known.memory.text);
        if lines.is_empty() {
            return vec![quoted_line(&known.memory.text, &known.memory.id.to_string())];
        }
        lines.into_iter().map(str::to_owned).collect()
    }

    /// A title of what the members share and their texts below it, those of a theme that is there first.
    fn quoted(&self) -> String {
        let members = self.in_order();
        let mut lines = self.known_lines();
        let of_known: Vec<String> =
            lines.iter().filter_map(|line| quotation(line)).map(str::to_owned).collect();
        lines.extend(
            members.iter().map(|record| quoted_line(&record.memory.text, &record.memory.id.to_string())),
        );
        let own = members.iter().map(|record| record.memory.text.as_str());
        let texts: Vec<&str> = of_known.iter().map(String::as_str).chain(own).collect();
        let named: Vec<Vec<String>> = texts.iter().map(|text| self.names_in(text)).collect();
        let title = shared_title(&texts, &named).unwrap_or_else(|| self.topic());
        quoted_list(&title, &lines)
    }

    /// The entity that the members name, else the days they are of.
    fn topic(&self) -> String {
        if let Some(entity) = self.bound.mentions.iter().find(|mention| mention.slug == self.name) {
            return entity.name.clone();
        }
        let members = self.in_order();
        let day =
            |record: Option<&&MemoryRecord>| record.map(|record| record.memory.valid_from.day().to_string());
        let (first, last) =
            (day(members.first()).unwrap_or_default(), day(members.last()).unwrap_or_default());
        if first == last { first } else { format!("{first} – {last}") }
    }

    /// The names of the members that a text has.
    fn names_in(&self, text: &str) -> Vec<String> {
        let names = self.bound.mentions.iter().map(|mention| mention.name.clone());
        let lower = text.to_lowercase();
        names.filter(|name| lower.contains(&name.to_lowercase())).collect()
    }

    /// The texts of all members, those of a theme that is there first, for a language model to word as one.
    fn side_by_side(&self) -> String {
        let known = self.known_lines();
        let known = known.iter().filter_map(|line| quotation(line)).map(str::to_owned);
        let own = self.in_order().into_iter().map(|record| record.memory.text.clone());
        known.chain(own).collect::<Vec<String>>().join(MERGED_TEXT_SEPARATOR)
    }

    fn batch(self, text: &str, by: &str, now: Time) -> RhythmBatch {
        let topic = self.topic();
        let reason = format!("{} memories about {topic} were fading: {by}", self.members.len());
        let theme = match &self.known {
            Some(known) => MemoryEnd::Known(known.number),
            None => MemoryEnd::Made(0),
        };
        let mut batch = RhythmBatch::default();
        for record in &self.members {
            let what = MemoryChange::Replaced { by: theme, was: record.memory.status, until: now };
            let reason = format!("it was fading and is told in the theme of {topic}");
            batch.effects.push(MemoryEffect { on: MemoryEnd::Known(record.number), what, reason });
        }
        if let Some(known) = self.known {
            let (was, text) = (known.memory.text, text.to_owned());
            let what = MemoryChange::Says { was, text, bound: Box::new(self.bound) };
            batch.effects.push(MemoryEffect { on: theme, what, reason });
        } else {
            let id = theme_id(&self.name, self.members[0].memory.mode.as_str(), self.generation);
            batch.made.push(theme_memory(id, text, &self.members, self.bound, reason, now));
        }
        batch
    }
}

/// Whether a memory may become part of a theme: it fades, and nothing holds it.
fn may_join_theme(memory: &Memory, now: Time) -> bool {
    memory.is_active()
        && memory.temporal_type == TemporalType::Persistent
        && memory.source_hash.is_none()
        && !is_held(memory)
        && is_fading(memory, now, RetentionCurve::Seed)
        && may_go_dormant(memory.category, memory.valid_from.days_until(now))
}

fn theme_id(name: &str, mode: &str, generation: usize) -> MemoryId {
    MemoryId::of(&format!("theme:{mode}:{name}"), generation)
}

/// The newest theme of a cluster that still has room, and the generation of the next.
fn last_theme(
    view: &mut View<'_>,
    name: &str,
    mode: &str,
) -> cairn_store::Result<(Option<MemoryRecord>, usize)> {
    let (mut last, mut generation) = (None, 0);
    while let Some(theme) = view.memory(theme_id(name, mode, generation))? {
        (last, generation) = (Some(theme), generation + 1);
    }
    let open = |theme: &MemoryRecord| {
        let memory = &theme.memory;
        memory.is_active() && !memory.immutable && memory.text.chars().count() < MAX_THEME_CHARS * 3 / 4
    };
    Ok((last.filter(open), generation))
}

/// The evidence, statements and names of a theme: the union over its members, within bounds.
fn bound_of_members(
    view: &mut View<'_>,
    members: &[MemoryRecord],
    now: Time,
) -> cairn_store::Result<MemoryAttachments> {
    let mut bound = MemoryAttachments::default();
    for record in members {
        for one in view.evidence_of(record.number)? {
            bound.evidence.push(Evidence { recorded_at: now, ..one });
        }
        for statement in view.statements(record.number)? {
            bound.statements.push(StatementRecord { number: 0, ..statement });
        }
        for entity in view.entities_of(record.number)? {
            let mention = NewMention { kind: entity.kind, name: entity.name, slug: entity.slug, alias: None };
            if !bound.mentions.contains(&mention) {
                bound.mentions.push(mention);
            }
        }
    }
    bound.evidence.truncate(4 * MAX_BOUND_RECORDS);
    bound.statements.truncate(MAX_BOUND_RECORDS);
    bound.mentions.truncate(MAX_BOUND_RECORDS);
    Ok(bound)
}

/// A theme that stands for its members.
fn theme_memory(
    id: MemoryId,
    text: &str,
    members: &[MemoryRecord],
    bound: MemoryAttachments,
    reason: String,
    now: Time,
) -> NewMemory {
    let first = &members[0].memory;
    let all = |same: &dyn Fn(&Memory) -> Option<String>| {
        same(first).filter(|value| members.iter().all(|record| same(&record.memory).as_ref() == Some(value)))
    };
    let category = members.iter().all(|record| record.memory.category == first.category);
    let category = if category { first.category } else { Category::Other };
    let source = members.iter().all(|record| record.memory.data_source == first.data_source);
    let weight = InitialWeight { importance: mean_importance(members), stability_days: STABILITY_DAYS };
    let memory = Memory {
        thread: all(&|memory| memory.thread.clone()),
        mode: first.mode,
        valid_from: members.iter().map(|record| record.memory.valid_from).min().unwrap_or(now),
        data_source: if source { first.data_source } else { DataSource::System },
        source_confidence: members.iter().map(|record| record.memory.source_confidence).fold(1.0, f64::min),
        privacy: members.iter().map(|record| record.memory.privacy).max().unwrap_or(Privacy::Open),
        utility: members.iter().map(|record| record.memory.utility).fold(0.5, f64::max),
        ..derived_memory(id, text.to_owned(), DerivedKind { form: Form::Theme, category, weight }, now)
    };
    derived_record(memory, bound, reason)
}
