//! Correct: somebody says that what is remembered is wrong, and what is right. The words are archived like any others and
//! become a memory that takes the place of the one they name. The user's word also replaces what else it cannot stand
//! beside; an agent's replaces what it names and nothing else, and is believed little.

use crate::{
    agent::Agent,
    error::Result,
    transcript::CORRECTION,
    write::{
        form::outcome::Formed,
        intake::{capture::Remembered, validation::validate_draft},
        metadata::CORRECTS,
        reasons::Decision,
    },
};
use cairn_domain::{Draft, Invalid, Ref, Role, Status, Time};

/// The result of a correction.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// The words of it, as they are archived.
    pub message: Remembered,
    /// The verdicts on its statements.
    pub formed: Formed,
}

impl Agent {
    /// Says that a memory, or what a message says, is wrong, and what is right. The draft says who speaks: the user, or the
    /// agent. The same words about the same record are one correction, however often they are said.
    pub(crate) async fn correct(&self, reference: Ref, said: Draft) -> Result<Correction> {
        let reference = self.behind_belief(reference).await?;
        let source_id = said.source_id.unwrap_or_else(|| format!("{CORRECTION}{reference}"));
        let role = if said.role == Role::User { Role::User } else { Role::Assistant };
        let draft = Draft { source_id: Some(source_id), role, ..said };
        let mut message = validate_draft(draft, self.now(), &self.config.capture)?;
        message.metadata.insert(CORRECTS.to_owned(), reference.to_string().into());
        let id = message.id;
        if self.store.read(|view| view.message(id)).await?.is_none() {
            let (since, thread) = self.valid_since_if_correctable(reference).await?;
            // It holds from now on, and not before what it replaces, and belongs where that belongs.
            message.at = message.at.max(since);
            message.thread = message.thread.or(thread);
        }
        let message = self.append_one(message).await?;
        let formed = self.form_message(message.message).await?;
        let of = |decision: &Decision| [decision.memory, decision.supersedes];
        let memories = formed.decisions.iter().flat_map(of).flatten().collect();
        self.believe_at_once(memories, role.as_str()).await?;
        Ok(Correction { message, formed })
    }

    /// Since when what a ref names holds, with its thread; an error if it cannot be corrected.
    async fn valid_since_if_correctable(&self, reference: Ref) -> Result<(Time, Option<String>)> {
        let Ref::Memory(id) = reference else {
            let messages = self.messages_behind(reference).await?;
            let last = messages.into_iter().map(|record| record.message).max_by_key(|message| message.at);
            return Ok(last.map_or((self.now(), None), |message| (message.at, message.thread)));
        };
        let record = self.memory(id).await?;
        let known = &record.memory;
        let refused = if known.status == Status::Superseded {
            let by = self.store.read(|view| view.memories_at(record.superseded_by.as_slice())).await?;
            let hint = match by.first() {
                Some(by) => format!("{} took its place: correct that one, if it is wrong, too", by.memory.id),
                None => "what it was read from is gone; tell what is right with `remember`".to_owned(),
            };
            Some(("holds no longer", hint))
        } else if known.immutable {
            Some(("is immutable and stays as it is", "tell what is right with `remember`".to_owned()))
        } else if known.pinned {
            let hint = format!("a person can unpin it with `cairn memories unpin {id}`, and correct it then");
            Some(("is pinned and stays as it is", hint))
        } else {
            None
        };
        match refused {
            Some((why, hint)) => Err(Invalid::new(format!("{id} {why}"), hint).into()),
            None => Ok((known.valid_from, known.thread.clone())),
        }
    }
}
