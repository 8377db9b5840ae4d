//! `recall`: what answers a question.

use super::audience::Effects;
use crate::{
    Agent, Result,
    limits::check_hit_count,
    read::{Hit, Question, Recall},
    write::stored_name,
};
use cairn_cognition::intent::AnswerKind;

impl Agent {
    /// Finds what answers a question: best hit first, or in the order in which things were said if the question asks for a
    /// timeline.
    pub async fn answer(&self, question: Question, effects: Effects) -> Result<Recall> {
        check_hit_count(question.k)?;
        let stored = |name: Option<String>| name.as_deref().map(stored_name);
        let question =
            Question { session: stored(question.session), thread: stored(question.thread), ..question };
        let (timeline, session) = (question.timeline, question.session.clone());
        // What is due is due now and what works works now, and neither belongs to a kind of record.
        let tells_doing = question.as_of.is_none() && question.kinds.is_empty() && !timeline;
        // A question without a session belongs to its day.
        let told_in = session.clone().unwrap_or_else(|| self.now().day().to_string());
        let thread = question.thread.clone();
        let peers = self.ask_peers(&question).await?;
        let mut recall = self.recall_with(question, peers).await?;
        if tells_doing {
            recall.intentions = self.intentions_called_for(&recall.query, &told_in).await?;
            if recall.intent.kind == AnswerKind::Howto {
                let fitting = self.fitting_skills(thread.as_deref(), &recall.query).await?;
                recall.procedures = fitting.procedures;
            }
        }
        if timeline {
            recall.hits.sort_by_key(|hit| (hit.found.at(), hit.found.message().map(|record| record.seq)));
        }
        match effects {
            Effects::Strengthen => {
                self.wake_named(&recall).await?;
                self.strengthen_answer(&recall, session.as_deref()).await?;
                let told = recall.intentions.iter().map(|it| it.record.message).collect();
                self.note_told_intentions(told, Some(&told_in)).await?;
            }
            Effects::None => {}
        }
        Ok(recall)
    }

    /// Wakes the forgotten memories of an answer: the question named them word for word.
    async fn wake_named(&self, recall: &Recall) -> Result<()> {
        let own = recall.hits.iter().flat_map(Hit::own_memories);
        for record in own.filter(|record| record.memory.is_forgotten()) {
            self.wake_memory(record.memory.id).await?;
        }
        Ok(())
    }
}
