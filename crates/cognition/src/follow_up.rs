//! Follow-ups: a question that leans on the one asked just before it. "What does she do there?" and "Annesinin adı ne?" name
//! nobody; the question before does. What is searched for is then both.

use crate::{
    entity::entities, keywords::content_words, lexicon::WordList, pattern::Patterns,
    subject::question_subject,
};
use std::sync::LazyLock;

static FOLLOW_UPS: LazyLock<Patterns<()>> = LazyLock::new(|| Patterns::read_plain(WordList::FollowUps));

/// A question of no more words that tell something, and without a name, leans on the one before it.
const MAX_BARE_WORDS: usize = 2;
/// Characters of the question before that are taken along.
const MAX_BEFORE_CHARS: usize = 400;

/// The text searched for: a question, with the one asked just before it if it leans on that.
pub fn with_question_before(question: &str, before: &str) -> Option<String> {
    let before: String = before.trim().chars().take(MAX_BEFORE_CHARS).collect();
    (!before.is_empty() && leans(question)).then(|| format!("{before} {}", question.trim()))
}

fn leans(question: &str) -> bool {
    let is_bare = || {
        content_words(question) <= MAX_BARE_WORDS
            && !question_subject(question).asker
            && entities(question).is_empty()
    };
    FOLLOW_UPS.find(question).next().is_some() || is_bare()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_nobody_leans_on_the_question_before() {
        for (question, leans) in [
            ("Since when?", true),
            ("What does she do there?", true),
            ("And who tested her?", true),
            ("Annesinin adı ne?", true),
            ("Peki rengi ne?", true),
            ("Onun telefonu kaç?", true),
            ("Where do I live?", false),
            ("When did Heike start at the university?", false),
            ("Zehra nerede çalışıyor?", false),
            ("How much was the January invoice of the workshop?", false),
        ] {
            let found = with_question_before(question, "Who is Defne?");
            assert_eq!(found.is_some(), leans, "{question}");
        }
        assert_eq!(with_question_before("Since when?", " "), None);
        assert_eq!(
            with_question_before("Since when?", "Who is my boss?").as_deref(),
            Some("Who is my boss? Since when?")
        );
    }
}
