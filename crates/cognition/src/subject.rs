//! Subject: whose words a question is about. "When did I move?" asks for what the asker said, "what did you recommend?"
//! for what the agent said, "where does Caroline work?" for what Caroline said. Phrases are data, one file a language.

use crate::{
    keywords::{content_words, names, plain_words},
    lexicon::{SpeakerClass, WordList, plain_entries},
    pattern::Patterns,
};
use std::sync::LazyLock;

/// Whose words a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    /// It is about the asker.
    pub asker: bool,
    /// It asks what the agent said or did.
    pub agent: bool,
    /// Words that may be the name of somebody who spoke.
    pub names: Vec<String>,
}

/// Consecutive words.
type Phrase = Vec<&'static str>;

static ASKER: LazyLock<Vec<Phrase>> = LazyLock::new(|| phrase_list(WordList::Asker));
static FINDINGS: LazyLock<Patterns<()>> = LazyLock::new(|| Patterns::read_plain(WordList::Findings));
static LEFT_OFF: LazyLock<Patterns<()>> = LazyLock::new(|| Patterns::read_plain(WordList::LeftOff));
/// Pronouns, and endings of verbs in languages that have them for it.
static SPEAKER: LazyLock<Patterns<SpeakerClass>> = LazyLock::new(Patterns::read);
static AGENT: LazyLock<Vec<Phrase>> = LazyLock::new(|| phrase_list(WordList::Agent));

fn phrase_list(list: WordList) -> Vec<Phrase> {
    plain_entries(list).map(|phrase| phrase.split_whitespace().collect()).collect()
}

/// Whose words a question is about. What the agent said is asked for even if it was about the asker.
pub fn question_subject(question: &str) -> Subject {
    let words = plain_words(question);
    let holds = |phrases: &[Phrase]| {
        phrases.iter().any(|phrase| words.windows(phrase.len()).any(|window| window == &phrase[..]))
    };
    let agent = holds(&AGENT);
    let speaks_of_itself = || SPEAKER.find(question).any(|found| found.class == SpeakerClass::Alone);
    Subject { asker: !agent && (holds(&ASKER) || speaks_of_itself()), agent, names: names(question) }
}

/// Whether a question asks for what was found out or decided together, or for what the agent said: others' words answer it as
/// well as the asker's.
pub fn asks_for_findings(question: &str) -> bool {
    question_subject(question).agent || FINDINGS.find(question).next().is_some()
}

/// Whether a question asks where a talk or a piece of work was left.
pub fn asks_where_it_was_left(question: &str) -> bool {
    LEFT_OFF.find(question.trim_end_matches(['?', '!', '.', ' '])).next().is_some()
}

/// A question without the names of those whose words it asks for: who spoke is known, and their words seldom name them.
/// It stays as it is if nothing to search for were left.
pub fn without_names(question: &str, speakers: &[String]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for word in question.split_whitespace() {
        let named = names(word);
        if named.is_empty() || named.iter().any(|name| !speakers.contains(name)) {
            kept.push(word);
        }
    }
    let rest = kept.join(" ");
    if content_words(&rest) == 0 { question.to_owned() } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_it_was_left_is_asked_in_many_words() {
        for (question, asks) in [
            ("where were we?", true),
            ("Where did we leave off yesterday?", true),
            ("So, what were we working on?", true),
            ("What's next?", true),
            ("Nerede kalmıştık?", true),
            ("Son durum ne?", true),
            ("Where were the keys?", false),
            ("Where were we in Lisbon last summer, the hotel or the flat?", false),
            ("What is next to the harbor?", false),
            ("Where do I live?", false),
        ] {
            assert_eq!(asks_where_it_was_left(question), asks, "{question}");
        }
    }

    #[test]
    fn a_question_says_whose_words_it_is_about() {
        for (question, asker, agent) in [
            ("When did I move to Lisbon?", true, false),
            ("What’s my cat called?", true, false),
            ("I'm looking for a flat", true, false),
            ("What did you recommend for my knee?", false, true),
            ("Which book have you suggested?", false, true),
            ("Can you list my flights?", true, false),
            ("Where does Caroline work?", false, false),
            ("Kedimin adı ne?", false, false),
            ("Benim kedimin adı ne?", true, false),
            ("Nerede oturuyorum?", true, false),
            ("Depozitodan ne kadar geri aldım?", true, false),
            ("Zehra nerede oturuyor?", false, false),
            ("Bana ne önermiştin?", false, true),
            ("", false, false),
        ] {
            let subject = question_subject(question);
            assert_eq!((subject.asker, subject.agent), (asker, agent), "{question}");
        }
    }

    #[test]
    fn some_questions_ask_for_what_was_found_out() {
        for question in [
            "What did we find out about the login bug?",
            "What was the cause of the outage?",
            "How was the timeout fixed?",
            "What did you recommend for the index?",
            "Giriş hatası hakkında ne bulduk?",
        ] {
            assert!(asks_for_findings(question), "{question}");
        }
        for question in ["What about the gauge at the harbour?", "Where do I live?", "Fix the login bug"] {
            assert!(!asks_for_findings(question), "{question}");
        }
    }

    #[test]
    fn who_is_asked_about_is_left_out_of_what_is_asked() {
        let speakers = ["caroline".to_owned(), "ayse".to_owned()];
        for (question, asked) in [
            ("Where does Caroline work?", "Where does work?"),
            ("What is Caroline's sister called?", "What is sister called?"),
            ("Ayşe'nin evi nerede?", "evi nerede?"),
            ("Where does Bora work?", "Where does Bora work?"),
            ("Caroline?", "Caroline?"),
            ("", ""),
        ] {
            assert_eq!(without_names(question, &speakers), asked);
        }
    }

    #[test]
    fn names_are_words_without_their_endings() {
        assert_eq!(question_subject("Where is Caroline's sister Zoë?").names, ["caroline", "sister", "zoe"]);
        assert_eq!(question_subject("Ayşe'nin evi nerede?").names, ["ayse", "evi"]);
    }
}
