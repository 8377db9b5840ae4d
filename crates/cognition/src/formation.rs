//! Formation: the statements that a message makes, without a model. What belongs together stays together: a message is one
//! statement unless it says something of two subjects, each in words of its own. Questions, greetings and praise are left
//! out; what a question tells before it asks is kept.

mod clause;

use crate::{
    entity::{Mention, entities},
    sentence::sentences,
    standalone::{Context, standalone},
    temporal::{Foresight, dated, foresight},
    token::read,
};
use cairn_domain::Time;
use clause::{Clause, clauses, telling};

/// One message makes at most this many statements.
pub const MOST_FORMED: usize = 3;

/// At most this many sentences of a message are read.
const SENTENCES: usize = 200;

/// A statement formed from a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formed {
    /// What it says, standing alone and with its dates.
    pub text: String,
    /// The words of the message that it stands on, as they were said.
    pub said: String,
    /// The same with the subject that they leave out: "work there" after "I live here and" is "I work there".
    pub stated: String,
    /// Whom and what these words name.
    pub entities: Vec<Mention>,
    /// What they say of the time to come.
    pub foresight: Option<Foresight>,
}

/// The statements of a message, in its order, at most [`MOST_FORMED`].
pub fn form(text: &str, context: &Context, said_at: Time) -> Vec<Formed> {
    let mut groups: Vec<Clause> = Vec::new();
    for sentence in sentences(read(text)).into_iter().take(SENTENCES) {
        let Some(told) = telling(sentence) else { continue };
        for clause in clauses(&told) {
            match groups.last_mut() {
                Some(group) if !clause.alone && !group.is_apart_from(&clause) => group.append(clause),
                _ => groups.push(clause),
            }
        }
    }
    let rest = groups.split_off(groups.len().min(MOST_FORMED));
    if let Some(last) = groups.last_mut() {
        for clause in rest {
            last.append(clause);
        }
    }
    groups.into_iter().map(|group| formed(group, context, said_at)).collect()
}

fn formed(group: Clause, context: &Context, said_at: Time) -> Formed {
    let Clause { said, stated, mentions, .. } = group;
    Formed {
        text: standalone(&dated(&stated, said_at).text, context),
        entities: mentions.unwrap_or_else(|| entities(&said)),
        foresight: foresight(&said, said_at),
        said,
        stated,
    }
}

#[cfg(test)]
mod tests;
