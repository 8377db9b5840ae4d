//! Reflect: the agent looks back on records and says what it makes of them. Its words are archived like any others and become one
//! memory that names what it looks back on; they join, strengthen and replace nothing.

use crate::{
    agent::Agent,
    error::Result,
    write::{
        form::outcome::Formed,
        intake::{capture::Remembered, validation::validate_draft},
        metadata::REFLECTS_ON,
    },
};
use cairn_domain::{Draft, Invalid, Ref, Role};

/// The beginning of the id under which a reflection is known.
const REFLECTION: &str = "reflection:";

/// The result of a reflection.
#[derive(Debug, Clone, PartialEq)]
pub struct Reflection {
    /// The words of it, as they are archived.
    pub message: Remembered,
    /// The verdict on it.
    pub formed: Formed,
}

impl Agent {
    /// Keeps what the agent makes of some records. The same words about the same records are one reflection.
    pub(crate) async fn reflect_on(&self, refs: &[Ref], said: Draft) -> Result<Reflection> {
        let mut named = Vec::with_capacity(refs.len());
        for reference in refs {
            named.push(self.checked_for_reflection(*reference).await?.to_string());
        }
        named.sort_unstable();
        named.dedup();
        let hash = blake3::hash(format!("{}\n{}", named.join(" "), said.text.trim()).as_bytes()).to_hex();
        let source_id = said.source_id.unwrap_or_else(|| format!("{REFLECTION}{}", &hash[..24]));
        let draft = Draft { source_id: Some(source_id), role: Role::Assistant, speaker: None, ..said };
        let mut message = validate_draft(draft, self.now(), &self.config.capture)?;
        message.metadata.insert(REFLECTS_ON.to_owned(), named.into());
        let message = self.append_one(message).await?;
        let formed = self.form_message(message.message).await?;
        Ok(Reflection { message, formed })
    }

    /// The record that is looked back on; an error if it is not there or was made of others.
    async fn checked_for_reflection(&self, reference: Ref) -> Result<Ref> {
        let reference = self.behind_belief(reference).await?;
        match reference {
            Ref::Memory(id) => drop(self.memory(id).await?),
            Ref::Message(_) | Ref::Exchange(_) => drop(self.messages_behind(reference).await?),
            Ref::Belief(_) | Ref::Digest(_) | Ref::Attachment(_) => {
                let problem = format!("{reference} is made of other records");
                return Err(Invalid::new(problem, "name the memories or messages behind it").into());
            }
        }
        Ok(reference)
    }
}
