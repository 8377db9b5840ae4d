//! A question as it is understood: what is searched for, whose words it is about, which times it speaks of, what shape its
//! answer has.

use super::{Profile, Question};
use crate::{Agent, Result};
use cairn_cognition::{
    hyde::hypothetical_answers,
    intent::{Intent, Shape, intent},
    keywords::speaker_term,
    subject::{Subject, subject, without},
    temporal::{Window, windows},
};
use cairn_domain::Time;
use cairn_store::{Filter, KeywordIndex, View, Wanted};

/// Messages that a time brings into the running, the newest of it.
const MOST_IN_TIME: usize = 400;

/// What a question asks.
pub(super) struct Asked {
    /// What is searched for: the question without the names of those whose words it asks for.
    pub(super) text: String,
    /// Whose words it is about; of the names in it, those of people who have spoken.
    pub(super) subject: Subject,
    /// The times it speaks of.
    pub(super) windows: Vec<Window>,
    /// What it is after.
    pub(super) intent: Intent,
}

impl Agent {
    /// Understands a question, with what is known of who has spoken.
    pub(super) async fn asked(&self, question: &Question, now: Time) -> Result<Asked> {
        let (profile, text) = (&question.profile, question.text.clone());
        let (mut subject, intent) = (subject(&text), intent(&text));
        // How something went as a whole is told by both sides.
        subject.asker &= intent.shape != Shape::Summary;
        let now = question.as_of.unwrap_or(now);
        let windows = if profile.time > 0.0 { windows(&text, now) } else { Vec::new() };
        if profile.named_speaker == 0.0 || subject.names.is_empty() {
            subject.names.clear();
            return Ok(Asked { text, subject, windows, intent });
        }
        let terms: Vec<String> = subject.names.iter().map(|name| speaker_term(name)).collect();
        let filter = Filter { mode: question.mode, as_of: question.as_of, ..Filter::default() };
        let spoken = |view: &mut View<'_>| {
            let search = view.search(&Wanted::said_by(&terms))?;
            let index = search.keywords();
            Ok(terms.iter().map(|term| has_spoken(index, term, &filter)).collect::<Vec<bool>>())
        };
        let mut spoken = self.store.read(spoken).await?.into_iter();
        subject.names.retain(|_| spoken.next().unwrap_or_default());
        Ok(Asked { text: without(&text, &subject.names), subject, windows, intent })
    }
}

/// Whether somebody has said anything that the asker may know of. Of an excerpt that is known only if nothing is hidden.
fn has_spoken(index: &KeywordIndex, term: &str, filter: &Filter) -> bool {
    if !filter.hides() {
        return index.holding(term) > 0;
    }
    let mut spoken = false;
    index.for_each(term, |place, _| spoken |= filter.sees(&index.documents()[place as usize]));
    spoken
}

impl Asked {
    /// What answers could look like, if the profile wants them searched for.
    pub(super) fn hypothetical_answers(&self, profile: &Profile) -> Vec<String> {
        if profile.hyde { hypothetical_answers(&self.text, self.intent.kind) } else { Vec::new() }
    }

    /// The messages of the times that it speaks of, by seq, at most so many of each; `newest` tells the last so many that were
    /// said within a time.
    pub(super) fn in_time(
        &self,
        profile: &Profile,
        mut newest: impl FnMut(Option<Time>, Option<Time>, usize) -> cairn_store::Result<Vec<u32>>,
    ) -> cairn_store::Result<Vec<u32>> {
        let mut found = Vec::new();
        if profile.time > 0.0 {
            for window in &self.windows {
                found.extend(newest(window.from, window.to, MOST_IN_TIME)?);
            }
        }
        Ok(found)
    }
}
