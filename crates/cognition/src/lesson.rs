//! Lessons: what went wrong, and what was done about it. Which words tell it is in `lexicon/*/lessons.txt`.

use crate::{keywords::query_terms, lexicon::LessonsClass, pattern::Patterns, relation::word_overlap};
use std::sync::LazyLock;

static LESSON_PATTERNS: LazyLock<Patterns<LessonsClass>> = LazyLock::new(Patterns::read);

/// Minimum word overlap of a problem and its outcome, if they share no name.
const MIN_WORD_OVERLAP: f64 = 0.2;

/// The kind of a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lesson {
    /// An assumption was wrong.
    Mistake,
    /// A problem was solved.
    Success,
    /// A problem was avoided.
    Workaround,
    /// The cause of a problem was found.
    Discovery,
}

impl Lesson {
    /// The word for it.
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
    LESSON_PATTERNS.classes_in(text).contains(&LessonsClass::Problem)
}

/// The outcome of a problem that a text tells. Finding the cause makes it a discovery, whatever else happened.
pub fn problem_outcome(text: &str) -> Option<Lesson> {
    let classes = LESSON_PATTERNS.classes_in(text);
    let kinds = [
        (LessonsClass::Discovery, Lesson::Discovery),
        (LessonsClass::Workaround, Lesson::Workaround),
        (LessonsClass::Success, Lesson::Success),
    ];
    kinds.into_iter().find(|(class, _)| classes.contains(class)).map(|(_, kind)| kind)
}

/// Whether what is told later is about the problem by its words. Where both name the same thing, no word needs to be shared.
pub fn is_about(problem: &str, later: &str) -> bool {
    word_overlap(&query_terms(problem), &query_terms(later)) >= MIN_WORD_OVERLAP
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
            assert_eq!((is_problem(text), problem_outcome(text)), (problem, came), "{text}");
        }
        assert!(is_about("The deploy of Atlas fails.", "The deploy works now."));
        assert!(!is_about("The deploy of Atlas fails.", "The soup tastes better now."));
    }
}
