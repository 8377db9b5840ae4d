//! `recall`: what answers a question.

use super::audience::Effects;
use crate::{
    Agent, Result,
    limits::check_hit_count,
    read::{Question, Recall},
};

impl Agent {
    /// Finds what answers a question: best hit first, or in the order in which things were said if the question asks for a
    /// timeline.
    pub async fn answer(&self, question: Question, effects: Effects) -> Result<Recall> {
        check_hit_count(question.k)?;
        let timeline = question.timeline;
        let mut recall = self.recall(question).await?;
        if timeline {
            recall.hits.sort_by_key(|hit| (hit.found.at(), hit.found.message().map(|record| record.seq)));
        }
        match effects {
            Effects::Strengthen => self.strengthen_answer(&recall).await?,
            Effects::None => {}
        }
        Ok(recall)
    }
}
