//! Memories: captured, cited units, and what they rest on. The axes `status`, `tier` and `layer` are independent.

use crate::{MemoryId, Mode, Time, word::words};
use serde::{Deserialize, Serialize};

/// The layer of what the running session has in mind.
pub const WORKING_LAYER: &str = "working";
/// The layer of what was captured and not yet reviewed.
pub const SHORT_TERM_LAYER: &str = "short-term";
/// The layer of what lasts.
pub const LONG_TERM_LAYER: &str = "long-term";
/// The layer of what somebody wanted forgotten: nothing shows it, and no rhythm tends it, until it is woken.
pub const FORGOTTEN_LAYER: &str = "forgotten";

/// A captured unit: what it says, since when it holds, how strong it is. Its text is that of its newest revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Its name everywhere.
    pub id: MemoryId,
    /// The statement, understood without the conversation it comes from.
    pub text: String,
    /// How it came to be.
    pub form: Form,
    /// The kind of thing it says.
    pub category: Category,
    /// Where it stands in its life.
    pub status: Status,
    /// How it is kept.
    pub tier: Tier,
    /// Its horizon.
    pub layer: String,
    /// The run it comes from.
    pub session: Option<String>,
    /// The lasting project it belongs to.
    pub thread: Option<String>,
    /// The posture it was said in.
    pub mode: Mode,
    /// Whether it ends by itself.
    pub temporal_type: TemporalType,
    /// Since when it holds.
    pub valid_from: Time,
    /// Until when, if that is known.
    pub valid_until: Option<Time>,
    /// When it was written down.
    pub recorded_at: Time,
    /// Which step wrote it.
    pub write_source: WriteSource,
    /// Where its words come from.
    pub data_source: DataSource,
    /// How far its source can be trusted, 0 to 1.
    pub source_confidence: f64,
    /// The hash of the source it was read from, if that can change.
    pub source_hash: Option<String>,
    /// Who may see it outside its agent.
    pub privacy: Privacy,
    /// No rhythm lets it go.
    pub pinned: bool,
    /// Nothing changes what it says, either.
    pub immutable: bool,
    /// It was made in a moment of great arousal.
    pub flashbulb: bool,
    /// How much it matters, 0 to 1.
    pub importance: f64,
    /// How useful it has been, 0 to 1.
    pub utility: f64,
    /// When its utility last drifted.
    pub utility_at: Time,
    /// How well it is stored, 1 to 10; never less.
    pub storage: f64,
    /// How long it stays, in days.
    pub stability: f64,
    /// How often it was used.
    pub accesses: u32,
    /// When it was last used.
    pub accessed_at: Time,
    /// How often it was shown.
    pub surfaced: u32,
    /// How it felt, -1 to 1.
    pub valence: f64,
    /// How much, 0 to 1.
    pub arousal: f64,
    /// As what.
    pub emotion: Option<Ekman>,
}

impl Memory {
    /// Since when it counts against what else was said: a time that had not come when it was written down wins nothing.
    pub fn counts_since(&self) -> Time {
        self.valid_from.min(self.recorded_at)
    }

    /// Whether it counts: it is neither replaced nor deprecated nor at rest.
    pub fn is_active(&self) -> bool {
        matches!(self.status, Status::New | Status::Current) && self.tier != Tier::Dormant
    }

    /// Whether somebody wanted it forgotten: it stays unseen until it is woken. What only faded is dormant, and still found.
    pub fn is_forgotten(&self) -> bool {
        self.layer == FORGOTTEN_LAYER
    }

    /// Where it stands, in a word: its status, or `forgotten`.
    pub fn standing(&self) -> &'static str {
        if self.is_forgotten() { "forgotten" } else { self.status.as_str() }
    }

    /// Whether it holds at `now` and is neither replaced nor forgotten.
    pub fn holds(&self, now: Time) -> bool {
        self.status != Status::Superseded
            && !self.is_forgotten()
            && self.valid_from <= now
            && self.valid_until.is_none_or(|until| until > now)
    }
}

/// One source that a record rests on, and whether it speaks for the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// A ref: `msg_…`, `file:PATH#L1-L9`.
    pub source: String,
    /// For or against.
    pub stance: Stance,
    /// How much it counts, 1 as a rule.
    pub weight: f64,
    /// Who spoke.
    pub role: String,
    /// The words it rests on, verbatim.
    pub excerpt: String,
    /// Echoes of one source have one root, and count once.
    pub root: String,
    /// When it was linked.
    pub recorded_at: Time,
}

impl Evidence {
    /// A message's, or a file's, words that speak for a record.
    pub fn support(source: String, role: &str, excerpt: &str, recorded_at: Time) -> Self {
        let (root, stance) = (source.clone(), Stance::Support);
        Self {
            source,
            stance,
            weight: 1.0,
            role: role.to_owned(),
            excerpt: excerpt.to_owned(),
            root,
            recorded_at,
        }
    }

    /// The hash of the words, by which a source can be checked later.
    pub fn quote_hash(&self) -> String {
        blake3::hash(self.excerpt.as_bytes()).to_hex()[..32].to_owned()
    }
}

words!(
    /// The kind of thing a memory says.
    Category, "a category" {
        /// A taste, a wish or a way of working.
        Preference = "preference",
        /// How something is.
        Fact = "fact",
        /// A choice that was made.
        Decision = "decision",
        /// Something that was wrong, and how it is right.
        Correction = "correction",
        /// An intention.
        Plan = "plan",
        /// Who or what somebody or something is.
        Entity = "entity",
        /// Something that happens again and again.
        Pattern = "pattern",
        /// How something is done.
        Procedure = "procedure",
        /// A plain statement of no class.
        Other = "other",
    }
);

words!(
    /// How a memory came to be.
    Form, "a form" {
        /// Something that was said to be so.
        Fact = "fact",
        /// Something that happened.
        Episode = "episode",
        /// Something to do differently.
        Lesson = "lesson",
        /// A periodic look back.
        Reflection = "reflection",
        /// A subject that several memories share.
        Theme = "theme",
        /// Something that several memories repeat.
        Pattern = "pattern",
        /// How something is done.
        Procedure = "procedure",
        /// Something intended, valid for a while.
        Plan = "plan",
        /// Generated from other records.
        Summary = "summary",
    }
);

words!(
    /// Where a memory stands in its life.
    Status, "a status" {
        /// Not reviewed yet.
        New = "new",
        /// Reviewed, and standing.
        Current = "current",
        /// Reviewed, and no longer of use.
        Deprecated = "deprecated",
        /// Replaced by another, or run out.
        Superseded = "superseded",
    }
);

words!(
    /// How a memory is kept.
    Tier, "a tier" {
        /// In the running session.
        Working = "working",
        /// As it was captured.
        Episodic = "episodic",
        /// Promoted to knowledge.
        Semantic = "semantic",
        /// In cold storage: it does not decay, and wakes when it is used.
        Dormant = "dormant",
    }
);

words!(
    /// Which step wrote a memory.
    WriteSource, "a write source" {
        /// Kept as it was observed.
        Observer = "observer",
        /// Formed from what was observed.
        Formation = "formation",
        /// Made in a dream.
        Dream = "dream",
        /// Asked for by a person.
        Manual = "manual",
    }
);

words!(
    /// Where the words of a memory come from.
    DataSource, "a data source" {
        /// A person said it.
        UserMessage = "user_message",
        /// The agent said it.
        AssistantMessage = "assistant_message",
        /// The host or a tool said it.
        System = "system",
        /// Another agent shared it.
        Federation = "federation",
        /// It stands in a file.
        File = "file",
        /// A task put it out.
        Task = "task",
        /// It came with a feed from outside.
        Feed = "feed",
        /// A person showed it: it was quoted, pasted, forwarded or only supposed.
        Shown = "shown",
    }
);

words!(
    /// Who may see a memory outside its agent: logs, events and exports redact by it.
    Privacy, "a privacy tier" {
        /// Nothing personal.
        Open = "open",
        /// Holds personal data.
        Personal = "personal",
        /// Nobody but the agent.
        Private = "private",
    }
);

words!(
    /// Whether what a memory says ends by itself.
    TemporalType, "a temporal type" {
        /// It holds until something else does.
        Persistent = "persistent",
        /// It holds for a while.
        TimeBounded = "time_bounded",
    }
);

words!(
    /// The prediction-error gate's decision about a statement.
    Verdict, "a verdict" {
        /// It is new: a memory is made.
        Create = "create",
        /// It adds to a memory: that gets another revision.
        Update = "update",
        /// It is known: that memory becomes stronger.
        Reinforce = "reinforce",
        /// It replaces a memory, which holds no longer.
        Supersede = "supersede",
        /// It is not worth a memory.
        Skip = "skip",
    }
);

words!(
    /// How two memories are related.
    RelationKind, "a kind of relation" {
        /// The first replaces the second.
        Supersedes = "supersedes",
        /// They cannot both hold.
        Contradicts = "contradicts",
        /// The first brings about the second.
        Causes = "causes",
        /// The first says more about the second.
        Elaborates = "elaborates",
        /// They speak of the same entities.
        SameEntity = "same_entity",
        /// They have something in common.
        RelatedTo = "related_to",
    }
);

words!(
    /// The kind of thing an entity is.
    EntityKind, "a kind of entity" {
        /// A technology.
        Tech = "tech",
        /// An organization.
        Org = "org",
        /// A person.
        Person = "person",
        /// A place.
        Place = "place",
        /// A project or product.
        Project = "project",
        /// A tool or service.
        Tool = "tool",
        /// Anything else with a name.
        Concept = "concept",
    }
);

words!(
    /// Ekman's basic emotions.
    Ekman, "an emotion" {
        /// Joy.
        Joy = "joy",
        /// Anger.
        Anger = "anger",
        /// Fear.
        Fear = "fear",
        /// Sadness.
        Sadness = "sadness",
        /// Surprise.
        Surprise = "surprise",
        /// Disgust.
        Disgust = "disgust",
    }
);

words!(
    /// Whether a piece of evidence speaks for the record that rests on it, against it, or neither.
    Stance, "a stance" {
        /// It speaks for it.
        Support = "support",
        /// It speaks against it.
        Contradict = "contradict",
        /// It stands beside it.
        Context = "context",
    }
);

impl Form {
    /// Whether such a memory was told, and not made of others.
    pub fn is_told(self) -> bool {
        match self {
            Self::Fact | Self::Episode | Self::Plan | Self::Procedure => true,
            Self::Lesson | Self::Reflection | Self::Theme | Self::Pattern | Self::Summary => false,
        }
    }
}

impl Category {
    /// The form in which a statement of this category is kept.
    pub fn form(self) -> Form {
        match self {
            Self::Plan => Form::Plan,
            Self::Procedure => Form::Procedure,
            Self::Pattern => Form::Pattern,
            Self::Other => Form::Episode,
            Self::Preference | Self::Fact | Self::Decision | Self::Correction | Self::Entity => Form::Fact,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-136, C-163, C-164, X-B7, X-B9
    #[test]
    fn every_word_reads_back_and_others_are_refused_with_the_list() {
        for category in Category::ALL {
            assert_eq!(category.as_str().parse(), Ok(category));
            assert_eq!(serde_json::to_value(category).expect("a word"), category.as_str());
        }
        let refused = "sometimes".parse::<Tier>().expect_err("not a tier");
        assert_eq!(refused.problem, "`sometimes` is not a tier");
        assert_eq!(refused.hint, "use one of working, episodic, semantic, dormant");
    }
}
