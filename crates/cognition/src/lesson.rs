//! Lessons: what went wrong, and what was done about it. Which words tell it is in `lexicon/*/lessons.txt`.

use crate::{keywords::query_terms, pattern::Patterns, relation::word_overlap};
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::read("lessons"));

/// A problem and what is told after it have at least this much in common, if they share no name.
const IN_COMMON: f64 = 0.2;

/// What kind of lesson something teaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lesson {
    /// What was thought was wrong.
    Mistake,
    /// A problem was solved.
    Success,
    /// A problem was got around.
    Workaround,
    /// The reason of a problem was found out.
    Discovery,
}

impl Lesson {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mistake => "mistake",
            Self::Success => "success",
            Self::Workaround => "workaround",
            Self::Discovery => "discovery",
        }
    }
}

/// Whether a text tells of a problem.
pub fn is_problem(text: &str) -> bool {
    PATTERNS.labels_in(text).contains(&"problem")
}

/// What a text tells that came of a problem. What found the reason is a discovery, whatever else it did.
pub fn outcome(text: &str) -> Option<Lesson> {
    let labels = PATTERNS.labels_in(text);
    let kinds =
        [("discovery", Lesson::Discovery), ("workaround", Lesson::Workaround), ("success", Lesson::Success)];
    kinds.into_iter().find(|(label, _)| labels.contains(label)).map(|(_, kind)| kind)
}

/// Whether what is told later is about the problem: they share a name, or enough words.
pub fn is_about(problem: &str, later: &str, share_a_name: bool) -> bool {
    share_a_name || word_overlap(&query_terms(problem), &query_terms(later)) >= IN_COMMON
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: K-04
    #[test]
    fn problems_and_what_came_of_them_are_told_by_their_words() {
        for (text, problem, came) in [
            ("The deploy of Atlas fails with a timeout.", true, None),
            ("Atlas doesn't start on the laptop.", true, None),
            ("User fixed the deploy of Atlas by raising the limit.", false, Some(Lesson::Success)),
            ("The deploy of Atlas works now.", false, Some(Lesson::Success)),
            ("As a workaround User restarts Atlas every night.", false, Some(Lesson::Workaround)),
            ("It turns out that Atlas needs port 5432.", false, Some(Lesson::Discovery)),
            ("User found out that the fix for Atlas was a newer driver.", false, Some(Lesson::Discovery)),
            ("Atlas'ın kurulumu hata veriyor.", true, None),
            ("Atlas çalışmıyor.", true, None),
            ("User Atlas'ın sorununu çözdü.", false, Some(Lesson::Success)),
            ("Geçici çözüm olarak Atlas her gece yeniden başlatılıyor.", false, Some(Lesson::Workaround)),
            ("Meğer Atlas 5432 portunu istiyormuş.", false, Some(Lesson::Discovery)),
            ("User lives in Lisbon.", false, None),
            ("Ana works at Bosch.", false, None),
        ] {
            assert_eq!((is_problem(text), outcome(text)), (problem, came), "{text}");
        }
        assert!(is_about("The deploy of Atlas fails.", "The deploy works now.", false));
        assert!(!is_about("The deploy of Atlas fails.", "The soup tastes better now.", false));
    }
}
