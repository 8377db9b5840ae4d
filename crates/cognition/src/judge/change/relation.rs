//! How a new statement can stand to a known one.

/// How a new statement stands to a known one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeRelation {
    /// It says the same again.
    Same,
    /// It says the same and more.
    MoreExact,
    /// It takes the place of the known one, which no longer holds.
    Replaces,
    /// Both hold: another thing, another occasion, a wish, somebody else's word.
    Beside,
    /// They have nothing to do with each other.
    Unrelated,
}

/// The relations in the order of their probabilities.
pub const CHANGE_RELATIONS: [ChangeRelation; 5] = [
    ChangeRelation::Same,
    ChangeRelation::MoreExact,
    ChangeRelation::Replaces,
    ChangeRelation::Beside,
    ChangeRelation::Unrelated,
];

impl ChangeRelation {
    /// Its name in the files of weights.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::MoreExact => "more_exact",
            Self::Replaces => "replaces",
            Self::Beside => "beside",
            Self::Unrelated => "unrelated",
        }
    }
}
