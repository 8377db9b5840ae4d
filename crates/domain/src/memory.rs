//! Memories: captured, cited units. The words by which a memory's state is told; the two axes `status` and `tier` are
//! independent, and `layer` is a third.

use crate::word::words;

words!(
    /// What kind of thing a memory says.
    Category, "a category" {
        /// What somebody likes, wants or works by.
        Preference = "preference",
        /// How something is.
        Fact = "fact",
        /// What was decided.
        Decision = "decision",
        /// What was wrong, and is right now.
        Correction = "correction",
        /// What somebody means to do.
        Plan = "plan",
        /// Who or what somebody or something is.
        Entity = "entity",
        /// What happens again and again.
        Pattern = "pattern",
        /// How something is done.
        Procedure = "procedure",
        /// A plain statement of no class.
        Other = "other",
    }
);

words!(
    /// What made a memory what it is.
    Form, "a form" {
        /// Something that was said to be so.
        Fact = "fact",
        /// Something that happened.
        Episode = "episode",
        /// Something to do differently.
        Lesson = "lesson",
        /// A periodic look back.
        Reflection = "reflection",
        /// What several memories are about.
        Theme = "theme",
        /// What several memories repeat.
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
    /// What the prediction-error gate decided about a statement.
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
    /// What an entity is.
    EntityKind, "a kind of entity" {
        /// A technology.
        Tech = "tech",
        /// An organisation.
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
    /// What a piece of evidence does for what rests on it.
    Stance, "a stance" {
        /// It speaks for it.
        Support = "support",
        /// It speaks against it.
        Contradict = "contradict",
        /// It stands beside it.
        Context = "context",
    }
);

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
