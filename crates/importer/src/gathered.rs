//! The pieces that a reader finds, and the hand that takes them: whoever plans counts them, whoever imports stores them.

use crate::product::Product;
use cairn_domain::{Draft, Metadata, Role, Time};
use cairn_engine::DATA_SOURCE;
use serde_json::Value;
use std::path::PathBuf;

/// The kind of thing that a gathered message is in the other product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GatheredKind {
    /// Words somebody, or a tool, said.
    Message,
    /// A statement that the product held.
    Memory,
    /// A summary of other things.
    Digest,
    /// How two things belong together, as a sentence.
    Relation,
    /// A text that lay with the rest: an attachment, a document of a project.
    Document,
}

impl GatheredKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Message, Self::Memory, Self::Digest, Self::Relation, Self::Document];

    /// Several of it.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Message => "messages",
            Self::Memory => "memories",
            Self::Digest => "digests",
            Self::Relation => "relations",
            Self::Document => "documents",
        }
    }
}

/// The identity file that a text is proposed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdentityTarget {
    /// Who the agent is.
    Soul,
    /// Who the user is.
    Anchor,
    /// How the agent works.
    Agents,
}

impl IdentityTarget {
    /// The file's name.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Soul => "SOUL.md",
            Self::Anchor => "ANCHOR.md",
            Self::Agents => "AGENTS.md",
        }
    }
}

/// A text that would change who the agent is, if an operator wanted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityProposal {
    /// The file it is for.
    pub target: IdentityTarget,
    /// Where it stood.
    pub origin: String,
    /// The words.
    pub text: String,
}

/// One piece of what was found.
#[derive(Debug, Clone, PartialEq)]
pub enum Gathered {
    /// A message to be stored.
    Words {
        /// The message.
        draft: Box<Draft>,
        /// Its kind in the other product.
        kind: GatheredKind,
        /// Whose it is, where several people or agents share a store.
        tenant: Option<String>,
        /// Names that it counts under, beside its kind.
        marks: Vec<&'static str>,
    },
    /// A text for an identity file.
    Proposal(IdentityProposal),
    /// A file, or a folder of them, to be read as knowledge.
    Knowledge {
        /// The path.
        path: PathBuf,
        /// The thread it belongs to.
        thread: Option<String>,
    },
    /// Something that is not taken, and why.
    LeftOut {
        /// The reason, with what it is.
        why: String,
        /// How many.
        count: u64,
    },
    /// Something counted that becomes no message of its own.
    Counted {
        /// Its name, in the plural.
        what: &'static str,
        /// How many.
        count: u64,
    },
}

/// A reader's hands: the product's name, and where each piece goes.
pub(crate) struct Gatherer<'a> {
    product: Product,
    tenant: Option<String>,
    marks: Vec<&'static str>,
    take: &'a mut dyn FnMut(Gathered),
}

impl<'a> Gatherer<'a> {
    pub(crate) fn new(product: Product, take: &'a mut dyn FnMut(Gathered)) -> Self {
        Self { product, tenant: None, marks: Vec::new(), take }
    }

    /// Whose the next pieces are.
    pub(crate) fn tenant(&mut self, tenant: Option<String>) {
        self.tenant = tenant.filter(|name| !name.trim().is_empty());
    }

    /// Lets the next message count under this name, too.
    pub(crate) fn mark(&mut self, mark: &'static str) {
        self.marks.push(mark);
    }

    /// The product's own id as a source id: every piece has one.
    #[allow(clippy::unnecessary_wraps, reason = "a draft takes it so")]
    pub(crate) fn id(&self, id: &str) -> Option<String> {
        Some(format!("{}:{id}", self.product.name()))
    }

    fn words(&mut self, kind: GatheredKind, draft: Draft) {
        let marks = std::mem::take(&mut self.marks);
        if !draft.text.trim().is_empty() {
            let tenant = self.tenant.clone();
            (self.take)(Gathered::Words { draft: Box::new(draft), kind, tenant, marks });
        }
    }

    /// Words somebody, or a tool, said.
    pub(crate) fn said(&mut self, draft: Draft) {
        self.words(GatheredKind::Message, draft);
    }

    /// Something that nobody said: the product speaks.
    pub(crate) fn fed(&mut self, kind: GatheredKind, mut draft: Draft) {
        draft.role = Role::Tool;
        draft.speaker.get_or_insert_with(|| self.product.name().to_owned());
        draft.metadata.insert(DATA_SOURCE.to_owned(), "feed".into());
        if kind == GatheredKind::Digest {
            draft.metadata.insert("derived".to_owned(), true.into());
        }
        self.words(kind, draft);
    }

    pub(crate) fn proposal(&mut self, target: IdentityTarget, origin: impl Into<String>, text: &str) {
        if !text.trim().is_empty() {
            let (origin, text) = (origin.into(), text.trim().to_owned());
            (self.take)(Gathered::Proposal(IdentityProposal { target, origin, text }));
        }
    }

    pub(crate) fn knowledge(&mut self, path: PathBuf, thread: Option<String>) {
        (self.take)(Gathered::Knowledge { path, thread });
    }

    pub(crate) fn left_out(&mut self, why: impl Into<String>, count: u64) {
        if count > 0 {
            (self.take)(Gathered::LeftOut { why: why.into(), count });
        }
    }

    pub(crate) fn counted(&mut self, what: &'static str, count: u64) {
        (self.take)(Gathered::Counted { what, count });
    }
}

/// A draft with a source id, said at a moment.
pub(crate) fn draft(
    role: Role,
    source_id: Option<String>,
    at: Option<Time>,
    text: impl Into<String>,
) -> Draft {
    Draft { source_id, at, ..Draft::new(role, text) }
}

/// The same with one more field, unless that is empty.
pub(crate) fn with(mut draft: Draft, name: &str, value: &Value) -> Draft {
    let is_empty = match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    if !is_empty {
        draft.metadata.insert(name.to_owned(), value.clone());
    }
    draft
}

/// The same as [`with`] for several fields of one record.
pub(crate) fn with_fields(draft: Draft, record: &Value, names: &[&str]) -> Draft {
    names.iter().fold(draft, |draft, name| with(draft, name, &record[*name]))
}

/// Every field of a record but some.
pub(crate) fn rest_of(record: &Value, but: &[&str]) -> Metadata {
    let fields = record.as_object().into_iter().flatten();
    let kept = fields.filter(|(name, value)| !but.contains(&name.as_str()) && !value.is_null());
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}
