//! Everything that ranking messages looks at.

use crate::read::{
    lane::{DenseFindings, KeywordFindings, SessionFindings},
    question::{Profile, Question, SearchScope},
};
use cairn_cognition::{subject::Subject, temporal::Window};
use cairn_domain::Time;
use cairn_store::KeywordIndex;
use std::collections::HashSet;

/// The inputs of ranking messages.
pub(crate) struct RankingInputs<'a> {
    pub(crate) index: &'a KeywordIndex,
    pub(crate) question: &'a Question,
    pub(crate) scope: &'a SearchScope,
    pub(crate) lexical: &'a KeywordFindings,
    pub(crate) dense: Option<&'a DenseFindings<'a>>,
    pub(crate) sessions: &'a SessionFindings,
    pub(crate) subject: &'a Subject,
    /// The times that the question speaks of.
    pub(crate) windows: &'a [Window],
    /// Messages that tell of such a time that is still to come, by place.
    pub(crate) foretelling: &'a HashSet<u32>,
    /// Messages that are in the running whatever the other lanes say, by place.
    pub(crate) brought: &'a [u32],
    /// Those of them that stay there even if they themselves share neither words nor meaning with the question: names lead to
    /// them, or what was remembered of them means what is asked.
    pub(crate) led_to: &'a HashSet<u32>,
    pub(crate) now: Time,
}

impl RankingInputs<'_> {
    pub(crate) fn profile(&self) -> &Profile {
        &self.question.profile
    }
}
