//! The names of the features of a pair. They are the names in the file of weights, so a name never changes its meaning.

use super::{
    cues::{CUE_NAMES, CueClass},
    words::ValueKind,
};

/// A feature of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeFeature {
    /// How alike the vectors of the messages are.
    CosineMessage,
    /// … and the best of those of the parts of the new one.
    CosineBest,
    /// The share of the words of the known passage that the new one has …
    WordsOfKnown,
    /// … and the other way round.
    WordsOfNew,
    /// Words in common …
    WordsShared,
    /// … that are rare …
    WordsRare,
    /// … in the new clause.
    WordsClauseRare,
    /// Weight of the shared words that are no values.
    WordsMasked,
    /// The share of the words of the known passage that the turn before the new one has.
    WordsBeforeOfKnown,
    /// No word in common.
    WordsNone,
    /// How long the known message is.
    KnownLength,
    /// How long the new message is.
    NewLength,
    /// Both give a value of this kind, and another one.
    Other(ValueKind),
    /// Only the new one gives a value of this kind.
    OnlyNew(ValueKind),
    /// The new message gives a value that could take the place of a known one …
    ValueOther,
    /// … or its clause does.
    ValueOtherClause,
    /// Another number for the same thing.
    ValueRecounted,
    /// The new message names the known value.
    ValueNamedAgain,
    /// Values of the new message that the known one does not give.
    ValueUnknown,
    /// The new message gives no value.
    ValueNoneNew,
    /// The known message gives no value.
    ValueNoneKnown,
    /// Another value, as far as the vectors are alike.
    ValueOtherAlike,
    /// Another value, as far as rare words are shared.
    ValueOtherRare,
    /// About somebody or something else with a name.
    NamesAnother,
    /// About somebody else by what they are.
    OtherRelative,
    /// Begins with an occasion, a place or a thing of its own.
    Leads,
    /// The new message has a cue of this class.
    Says(CueClass),
    /// The new clause has one.
    ClauseSays(CueClass),
    /// The known message has one.
    KnownSays(CueClass),
    /// One denies, the other does not.
    DenialDiffers,
    /// The new message speaks of a change …
    AnyChange,
    /// … or its clause does …
    AnyChangeClause,
    /// … in a word that means nothing else.
    AnyStrongChange,
    /// The new clause says nothing that is so now.
    AnyUnrealClause,
    /// A change, as far as the vectors are alike.
    ChangeAlike,
    /// A change, as far as the words are shared.
    ChangeTopic,
    /// A change that is so now.
    ChangeReal,
    /// Classes of words for a change.
    ChangeCount,
    /// Classes of words for what is not so now.
    UnrealCount,
    /// A word of change or denial beside something known.
    TurnsOnKnown,
    /// An assistant offers something.
    AgentOffers,
    /// The new message asks.
    Asks,
    /// The new clause asks.
    ClauseAsks,
    /// The known message asks.
    KnownAsks,
    /// The new message exclaims.
    Exclaims,
    /// The new message quotes.
    Quotes,
    /// The new message is hardly more than a value.
    FewWords,
    /// The agent says the new message.
    NewByAgent,
    /// The user said the known message.
    KnownByUser,
    /// Both were said shortly after each other.
    NearSession,
}

impl ChangeFeature {
    /// Its name in the file of weights.
    pub(super) fn name(self) -> String {
        let of_class = |prefix: &str, class: CueClass| {
            let named = CUE_NAMES.iter().find(|(known, _)| *known == class);
            format!("{prefix}_{}", named.map_or("", |(_, name)| name).replace(' ', "_"))
        };
        let name = match self {
            Self::Other(kind) => return format!("other_{}", kind.name()),
            Self::OnlyNew(kind) => return format!("only_new_{}", kind.name()),
            Self::Says(class) => return of_class("says", class),
            Self::ClauseSays(class) => return of_class("clause_says", class),
            Self::KnownSays(class) => return of_class("known_says", class),
            Self::CosineMessage => "cosine_message",
            Self::CosineBest => "cosine_best",
            Self::WordsOfKnown => "words_of_known",
            Self::WordsOfNew => "words_of_new",
            Self::WordsShared => "words_shared",
            Self::WordsRare => "words_rare",
            Self::WordsClauseRare => "words_clause_rare",
            Self::WordsMasked => "words_masked",
            Self::WordsBeforeOfKnown => "words_before_of_known",
            Self::WordsNone => "words_none",
            Self::KnownLength => "known_length",
            Self::NewLength => "new_length",
            Self::ValueOther => "value_other",
            Self::ValueOtherClause => "value_other_clause",
            Self::ValueRecounted => "value_recounted",
            Self::ValueNamedAgain => "value_named_again",
            Self::ValueUnknown => "value_unknown",
            Self::ValueNoneNew => "value_none_new",
            Self::ValueNoneKnown => "value_none_known",
            Self::ValueOtherAlike => "value_other_alike",
            Self::ValueOtherRare => "value_other_rare",
            Self::NamesAnother => "names_another",
            Self::OtherRelative => "other_relative",
            Self::Leads => "leads",
            Self::DenialDiffers => "denial_differs",
            Self::AnyChange => "any_change",
            Self::AnyChangeClause => "any_change_clause",
            Self::AnyStrongChange => "any_strong_change",
            Self::AnyUnrealClause => "any_unreal_clause",
            Self::ChangeAlike => "change_alike",
            Self::ChangeTopic => "change_topic",
            Self::ChangeReal => "change_real",
            Self::ChangeCount => "change_count",
            Self::UnrealCount => "unreal_count",
            Self::TurnsOnKnown => "turns_on_known",
            Self::AgentOffers => "agent_offers",
            Self::Asks => "asks",
            Self::ClauseAsks => "clause_asks",
            Self::KnownAsks => "known_asks",
            Self::Exclaims => "exclaims",
            Self::Quotes => "quotes",
            Self::FewWords => "few_words",
            Self::NewByAgent => "new_by_agent",
            Self::KnownByUser => "known_by_user",
            Self::NearSession => "near_session",
        };
        name.to_owned()
    }
}
