//! A question as it is understood: what is searched for, whose words it is about, which times it speaks of, what shape its
//! answer has.

use super::{Profile, Question};
use crate::{Agent, Result};
use cairn_cognition::{
    follow_up::with_question_before,
    gloss::{glossed_question, searched_words},
    hyde::hypothetical_answers,
    intent::{AnswerShape, Intent, question_intent},
    keywords::{query_words, speaker_term},
    subject::{Subject, question_subject, without_names},
    temporal::{Window, windows},
};
use cairn_domain::Time;
use cairn_store::{IndexQuery, KeywordIndex, MessageFilter, View};

/// Messages that a time brings into the running, the newest of it.
const MAX_MESSAGES_PER_WINDOW: usize = 400;

/// A question as understood: text to search for, speaker, times and intent.
pub(crate) struct UnderstoodQuestion {
    /// The text to search for: the question without the names of those whose words it asks for.
    pub(crate) text: String,
    /// Whose words it is about; of the names in it, those of people who have spoken.
    pub(crate) subject: Subject,
    /// The times it speaks of.
    pub(crate) windows: Vec<Window>,
    /// The kind of answer it is after.
    pub(crate) intent: Intent,
}

impl Agent {
    /// Understands a question, with what is known of who has spoken.
    pub(crate) async fn understand_question(
        &self,
        question: &Question,
        now: Time,
    ) -> Result<UnderstoodQuestion> {
        let (profile, asked) = (&question.profile, &question.text);
        let intent = question_intent(asked);
        let both = question.after.as_deref().and_then(|before| with_question_before(asked, before));
        let text = both.unwrap_or_else(|| asked.clone());
        let mut subject = question_subject(&text);
        // How something went as a whole is told by both sides.
        subject.asker &= intent.shape != AnswerShape::Summary;
        let now = question.as_of.unwrap_or(now);
        let windows = if profile.time > 0.0 { windows(&text, now) } else { Vec::new() };
        if profile.named_speaker == 0.0 || subject.names.is_empty() {
            subject.names.clear();
            return Ok(UnderstoodQuestion { text, subject, windows, intent });
        }
        let terms: Vec<String> = subject.names.iter().map(|name| speaker_term(name)).collect();
        let filter = MessageFilter { mode: question.mode, as_of: question.as_of, ..MessageFilter::default() };
        let spoken = |view: &mut View<'_>| {
            let search = view.search(&IndexQuery::said_by(&terms))?;
            let index = search.keywords();
            Ok(terms.iter().map(|term| has_spoken(index, term, &filter)).collect::<Vec<bool>>())
        };
        let mut spoken = self.store.read(spoken).await?.into_iter();
        subject.names.retain(|_| spoken.next().unwrap_or_default());
        Ok(UnderstoodQuestion { text: without_names(&text, &subject.names), subject, windows, intent })
    }
}

/// Whether somebody has said anything that the asker may know of. Of an excerpt that is known only if nothing is hidden.
fn has_spoken(index: &KeywordIndex, term: &str, filter: &MessageFilter) -> bool {
    if !filter.hides() {
        return index.document_frequency(term) > 0;
    }
    let mut spoken = false;
    index.for_each(term, |place, _| spoken |= filter.sees(&index.documents()[place as usize]));
    spoken
}

impl UnderstoodQuestion {
    /// The terms that each of its words may stand as.
    pub(crate) fn searched_terms(&self, profile: &Profile) -> Vec<Vec<String>> {
        if profile.glosses { searched_words(&self.text) } else { query_words(&self.text) }
    }

    /// Further texts to search for, if the profile wants it: hypothetical answers, and the question in another language.
    pub(crate) fn other_wordings(&self, profile: &Profile) -> Vec<String> {
        let answers =
            if profile.hyde { hypothetical_answers(&self.text, self.intent.kind) } else { Vec::new() };
        let glossed = glossed_question(&self.text).filter(|_| profile.glosses);
        answers.into_iter().chain(glossed).collect()
    }

    /// The messages of the times that it speaks of, by seq, at most so many of each; `newest` tells the last so many that were
    /// said within a time.
    pub(crate) fn messages_in_windows(
        &self,
        profile: &Profile,
        mut newest: impl FnMut(Option<Time>, Option<Time>, usize) -> cairn_store::Result<Vec<u32>>,
    ) -> cairn_store::Result<Vec<u32>> {
        let mut found = Vec::new();
        if profile.time > 0.0 {
            for window in &self.windows {
                found.extend(newest(window.from, window.to, MAX_MESSAGES_PER_WINDOW)?);
            }
        }
        Ok(found)
    }
}
