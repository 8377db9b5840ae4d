//! When rhythms run and how far they go: the part of the configuration that is about them.

use crate::rhythm::{
    kind::RhythmKind,
    schedule::{HoursOfDay, parse_cron, time_zone},
};
use cairn_domain::Category;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// When rhythms run and how far they go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RhythmConfig {
    /// The time zone of every schedule, such as `Europe/Istanbul`.
    pub time_zone: String,
    /// By schedule, the night shift (dream, rehearsal) works in these hours only, such as `22:00-07:00`. Empty: at any.
    pub night: String,
    /// By schedule, the night shift waits until nobody has spoken for so long.
    pub idle_seconds: u64,
    /// A run waits up to so long after its moment, so that many agents do not begin at once.
    pub jitter_seconds: u64,
    /// A run that takes longer is left, and goes on at the next opportunity.
    pub longest_seconds: u64,
    /// Records looked at in one transaction.
    pub batch: u32,
    /// Maximum active memories; beyond that the least useful go dormant.
    pub most_active: u64,
    /// Maximum relations out of one memory; beyond that the least certain are pruned.
    pub most_relations: u32,
    /// Maximum memories rehearsed per cycle.
    pub most_rehearsed: usize,
    /// Maximum memories compared with all others for redundancy in one dream.
    pub most_compared: u32,
    /// Maximum clusters made into themes in one dream …
    pub most_themes: u32,
    /// … and how many of those may be put to a language model, if there is one.
    pub most_calls: u32,
    /// When the rhythms run, as cron expressions.
    pub schedule: Schedules,
}

/// When the rhythms run that belong to no layer, as cron expressions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Schedules {
    /// New messages become memories.
    pub intake: String,
    /// The whole night.
    pub dream: String,
    /// Memories about to fade are rehearsed.
    pub rehearsal: String,
    /// Days, weeks, months, entities and categories are condensed.
    pub digests: String,
    /// Duplicates go dormant, and disk space is freed.
    pub compaction: String,
    /// Memories that agree become beliefs.
    pub beliefs: String,
    /// Beliefs that are due are looked at again.
    pub revalidation: String,
    /// Whatever did not fit is thought about, and passes that are due are made.
    pub contemplation: String,
    /// Finished days are weighed for where the user stands.
    pub standing: String,
    /// Friction in work with tools is proposed to be taken away.
    pub evolution: String,
}

impl Schedules {
    /// The schedule of every rhythm that has one of its own, in the order in which they are carried out.
    pub(crate) fn by_kind(&self) -> [(RhythmKind, &str); 10] {
        [
            (RhythmKind::Intake, &self.intake),
            (RhythmKind::Dream, &self.dream),
            (RhythmKind::Rehearsal, &self.rehearsal),
            (RhythmKind::Digests, &self.digests),
            (RhythmKind::Compaction, &self.compaction),
            (RhythmKind::Beliefs, &self.beliefs),
            (RhythmKind::Revalidation, &self.revalidation),
            (RhythmKind::Contemplation, &self.contemplation),
            (RhythmKind::Standing, &self.standing),
            (RhythmKind::Evolution, &self.evolution),
        ]
    }
}

/// A layer: its horizon and how often it is consolidated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerConfig {
    /// When it is consolidated, as a cron expression.
    pub consolidation_interval: String,
    /// Days after which a memory is no longer recent in it.
    pub horizon_days: f64,
    /// How fast what was decided about a memory goes out of date, a day.
    pub decay_rate: f64,
    /// The categories of new memories that this layer takes, such as `plan`; the three layers that there are by default go
    /// by how a memory is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<Category>,
}

/// The layers by name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Layers(pub BTreeMap<String, LayerConfig>);

impl Default for RhythmConfig {
    fn default() -> Self {
        Self {
            time_zone: "UTC".to_owned(),
            night: String::new(),
            idle_seconds: 120,
            jitter_seconds: 60,
            longest_seconds: 300,
            batch: 500,
            most_active: 50_000,
            most_relations: 64,
            most_rehearsed: 50,
            most_compared: 10_000,
            most_themes: 50,
            most_calls: 5,
            schedule: Schedules::default(),
        }
    }
}

impl Default for Schedules {
    fn default() -> Self {
        Self {
            intake: "*/15 * * * *".to_owned(),
            dream: "30 3 * * *".to_owned(),
            rehearsal: "0 15 * * *".to_owned(),
            digests: "50 * * * *".to_owned(),
            compaction: "40 4 * * 0".to_owned(),
            beliefs: "25 * * * *".to_owned(),
            revalidation: "40 4 * * *".to_owned(),
            contemplation: "*/20 * * * *".to_owned(),
            standing: "50 4 * * *".to_owned(),
            evolution: "55 4 * * *".to_owned(),
        }
    }
}

impl Default for Layers {
    fn default() -> Self {
        let layer = |interval: &str, horizon_days, decay_rate| LayerConfig {
            consolidation_interval: interval.to_owned(),
            horizon_days,
            decay_rate,
            categories: Vec::new(),
        };
        Self(BTreeMap::from([
            ("working".to_owned(), layer("5 * * * *", 1.0, 0.70)),
            ("short-term".to_owned(), layer("10 */6 * * *", 14.0, 0.23)),
            ("long-term".to_owned(), layer("20 4 * * *", 180.0, 0.023)),
        ]))
    }
}

impl Layers {
    /// The layer that takes memories of a category, the first by name.
    pub(crate) fn taking(&self, category: Category) -> Option<&str> {
        let takes = |(_, layer): &(&String, &LayerConfig)| layer.categories.contains(&category);
        self.0.iter().find(takes).map(|(name, _)| name.as_str())
    }
}

impl<'de> Deserialize<'de> for Layers {
    /// A default layer keeps its defaults for every setting that is left out.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let said = BTreeMap::<String, toml::Table>::deserialize(deserializer)?;
        let mut layers = Self::default();
        for (name, said) in said {
            let known = layers.0.get(&name).map(toml::Table::try_from).transpose().map_err(Error::custom)?;
            let mut whole = known.unwrap_or_default();
            whole.extend(said);
            let layer = whole.try_into().map_err(|error| Error::custom(format!("layers.{name}: {error}")))?;
            layers.0.insert(name, layer);
        }
        Ok(layers)
    }
}

impl RhythmConfig {
    /// The first setting that is out of range, as a sentence.
    pub(crate) fn problem(&self, layers: &Layers) -> Option<String> {
        let zone = time_zone(&self.time_zone).err().map(|problem| format!("rhythms.time_zone: {problem}"));
        let night = HoursOfDay::parse(&self.night).err().map(|problem| format!("rhythms.night: {problem}"));
        let cron =
            |name: String, text: &str| parse_cron(text).err().map(|problem| format!("{name}: {problem}"));
        let mut own = self.schedule.by_kind().into_iter();
        let crons = own.find_map(|(kind, text)| cron(format!("rhythms.schedule.{}", kind.as_str()), text));
        let of_layers = layers.0.iter().find_map(|(name, layer)| {
            let fits = |value: f64| value.is_finite() && value > 0.0;
            if name.is_empty() || name.len() > 40 || name.contains([':', ' ']) {
                return Some(format!("layers.{name}: a layer has a name of up to 40 letters without spaces"));
            }
            if !fits(layer.horizon_days) || !fits(layer.decay_rate) {
                return Some(format!("layers.{name}: horizon_days and decay_rate are numbers above 0"));
            }
            cron(format!("layers.{name}.consolidation_interval"), &layer.consolidation_interval)
        });
        let batch = (!(1..=10_000).contains(&self.batch))
            .then(|| format!("rhythms.batch = {}, and it must lie between 1 and 10000", self.batch));
        zone.or(night).or(crons).or(of_layers).or(batch)
    }
}
