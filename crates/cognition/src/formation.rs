//! Formation: the statements that a message makes, without a model. What belongs together stays together: a message is one
//! statement unless it says something of two subjects, each in words of its own. Questions, greetings and praise are left
//! out; what a question tells before it asks is kept.

mod clause;

use crate::{
    entity::{Mention, entities_in},
    reading::Reading,
    standalone::{SpeakerContext, standalone_in},
    temporal::{Foresight, dated_in, foresight_in},
};
use cairn_domain::Time;
use clause::{Clause, clauses, telling};

/// Maximum statements formed from one message.
pub const MAX_FORMED: usize = 3;

/// Maximum sentences of a message that are read.
const MAX_SENTENCES: usize = 200;

/// A statement formed from a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormedStatement {
    /// The statement, readable without its conversation, with its dates.
    pub text: String,
    /// The words of the message that it stands on, as they were said.
    pub said: String,
    /// The same with the subject that they leave out: "work there" after "I live here and" is "I work there".
    pub stated: String,
    /// The entities that these words name.
    pub entities: Vec<Mention>,
    /// The plan that they tell.
    pub foresight: Option<Foresight>,
}

/// The statements of a message, in its order, at most [`MAX_FORMED`].
pub fn form(message: &Reading, context: &SpeakerContext, said_at: Time) -> Vec<FormedStatement> {
    let mut groups: Vec<Clause> = Vec::new();
    for sentence in message.sentence_readings().take(MAX_SENTENCES) {
        let Some(told) = telling(&sentence) else { continue };
        for clause in clauses(&told) {
            match groups.last_mut() {
                Some(group) if !clause.alone && !group.is_apart_from(&clause) => group.append(clause),
                _ => groups.push(clause),
            }
        }
    }
    let rest = groups.split_off(groups.len().min(MAX_FORMED));
    if let Some(last) = groups.last_mut() {
        for clause in rest {
            last.append(clause);
        }
    }
    groups.into_iter().map(|group| formed(group, context, said_at)).collect()
}

fn formed(group: Clause, context: &SpeakerContext, said_at: Time) -> FormedStatement {
    let Clause { said, stated, mentions, .. } = group;
    let stated_reading = Reading::of(&stated);
    let said_alone = (said != stated).then(|| Reading::of(&said));
    let said_reading = said_alone.as_ref().unwrap_or(&stated_reading);
    let dated = dated_in(&stated_reading, said_at).text;
    let text = if dated == stated {
        standalone_in(&stated_reading, context)
    } else {
        standalone_in(&Reading::of(&dated), context)
    };
    FormedStatement {
        text,
        entities: mentions.unwrap_or_else(|| entities_in(said_reading)),
        foresight: foresight_in(said_reading, said_at),
        said,
        stated,
    }
}

#[cfg(test)]
mod tests;
