//! Attaching files, and looking at what was attached.

use super::{
    file::{read_file, too_large},
    receipt::{NamedBytes, receipt},
    state::{FileState, StateCheck, file_state},
};
use crate::{
    Agent, EngineError, Result,
    limits::{MAX_ATTACHED_FILES, MAX_ATTACHMENT_BYTES},
    quote::beginning,
};
use cairn_cognition::secret::mask;
use cairn_domain::{Attachment, AttachmentId, AttachmentState, AttachmentTurn, Invalid, MessageId};
use cairn_store::{AttachmentFilter, NewAttachment, View};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// How long reading and parsing one file may take in all; a file system that hangs costs no more.
const READ_TIMEOUT: Duration = Duration::from_mins(1);
/// Characters of what an agent last said about an attachment.
const OBSERVATION_CHARS: usize = 240;

/// The turn in which files appear.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttachmentTarget {
    /// The run.
    pub session: Option<String>,
    /// The lasting project.
    pub thread: Option<String>,
}

/// A file that came over the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentUpload {
    /// Its name.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A file that was attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// Its receipt.
    pub attachment: Attachment,
    /// Whether the same content had been attached before.
    pub known: bool,
}

/// The outcome for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachOutcome {
    /// The file, as it was named.
    pub file: String,
    /// Its receipt, or why it has none.
    pub result: std::result::Result<AttachedFile, Invalid>,
}

/// An attachment as it stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenAttachment {
    /// Its receipt.
    pub attachment: Attachment,
    /// How its file stands beside it.
    pub state: AttachmentState,
    /// Where the same content is now, if it was moved.
    pub moved_to: Option<PathBuf>,
    /// The turns it appeared in, the first one first.
    pub turns: Vec<AttachmentTurn>,
    /// The first words of the agent after it appeared last, with their message.
    pub observation: Option<(MessageId, String)>,
}

impl SeenAttachment {
    /// Why what is known of it may not be what its file says; none if it is.
    pub fn verification_gap(&self) -> Option<String> {
        let name = crate::quote::name(&self.attachment.name);
        let gap = match self.state {
            AttachmentState::There | AttachmentState::Uploaded => return None,
            AttachmentState::Changed => format!("the file {name} was changed after it was attached"),
            AttachmentState::Moved => {
                let to = self.moved_to.as_ref().map_or_else(String::new, |to| to.display().to_string());
                format!("the file {name} was moved to {}", crate::quote::line(&to))
            }
            AttachmentState::Gone => format!("the file {name} is no longer where it was attached from"),
        };
        Some(format!("[VERIFICATION GAP: {gap}; what stands here is what it said then]"))
    }
}

impl Agent {
    /// Attaches files to a turn. Each gets its receipt, durable when this returns, or a reason why not; what is refused does not
    /// stop the others.
    pub async fn attach_files(
        &self,
        paths: &[PathBuf],
        target: &AttachmentTarget,
    ) -> Result<Vec<AttachOutcome>> {
        check_count(paths.len())?;
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            let (named, path) = (path.display().to_string(), path.clone());
            files.push((named, self.in_time(move || Ok(named_bytes(read_file(&path)?))).await?));
        }
        self.attach_named(files, target).await
    }

    /// The same with files that came over the network.
    pub async fn attach_uploads(
        &self,
        uploads: Vec<AttachmentUpload>,
        target: &AttachmentTarget,
    ) -> Result<Vec<AttachOutcome>> {
        check_count(uploads.len())?;
        let named = |AttachmentUpload { name, bytes }: AttachmentUpload| {
            let file =
                std::path::Path::new(&name).file_name().and_then(|it| it.to_str()).unwrap_or("unnamed");
            let size = bytes.len() as u64;
            let result = if size > MAX_ATTACHMENT_BYTES {
                Err(too_large(&name, size))
            } else {
                Ok(NamedBytes { name: file.to_owned(), bytes, source: None, modified_ns: 0, note: None })
            };
            (name.clone(), result)
        };
        self.attach_named(uploads.into_iter().map(named).collect(), target).await
    }

    async fn attach_named(
        &self,
        files: Vec<(String, std::result::Result<NamedBytes, Invalid>)>,
        target: &AttachmentTarget,
    ) -> Result<Vec<AttachOutcome>> {
        let message = self.last_said(target).await?;
        let (now, mut new, mut outcomes) = (self.now(), Vec::new(), Vec::new());
        let mut pictures = Vec::new();
        for (file, read) in files {
            let shown = read.as_ref().ok().filter(|it| self.may_be_described(&it.bytes));
            let shown = shown.map(|it| it.bytes.clone());
            let made = match read {
                Ok(bytes) => {
                    let extractor = Arc::clone(&self.extractor);
                    self.in_time(move || Ok(receipt(bytes, extractor.as_ref(), now))).await?
                }
                Err(refused) => Err(refused),
            };
            let result = match made {
                Ok((attachment, parts)) => match self.known_or_erased(attachment.id).await? {
                    Err(refused) => Err(refused),
                    Ok(known) => {
                        pictures.extend(shown.map(|bytes| (outcomes.len(), bytes)));
                        let AttachmentTarget { session, thread } = target.clone();
                        let turn =
                            AttachmentTurn { attachment: attachment.id, session, thread, message, at: now };
                        new.push(NewAttachment { attachment: attachment.clone(), parts, turn });
                        Ok(AttachedFile { attachment, known })
                    }
                },
                Err(refused) => Err(refused),
            };
            outcomes.push(AttachOutcome { file, result });
        }
        if !new.is_empty() {
            self.store.attach(new).await?;
        }
        self.look_at(pictures, &mut outcomes).await?;
        Ok(outcomes)
    }

    /// Lets a model describe pictures whose receipts are durable, and tells the receipts.
    async fn look_at(&self, pictures: Vec<(usize, Vec<u8>)>, outcomes: &mut [AttachOutcome]) -> Result<()> {
        for (at, bytes) in pictures {
            let Ok(AttachedFile { attachment, .. }) = &mut outcomes[at].result else { continue };
            *attachment = self.attachment(attachment.id).await?.attachment;
            let Some((seen, parts)) = self.described(attachment, &bytes).await else { continue };
            self.store.describe_attachment(seen.clone(), parts).await?;
            *attachment = seen;
        }
        Ok(())
    }

    /// Whether an attachment is known; refused if an operator has erased it.
    async fn known_or_erased(&self, id: AttachmentId) -> Result<std::result::Result<bool, Invalid>> {
        let hash = [id.to_string()];
        let known = self.store.read(|view| Ok((view.attachment(id)?, view.erased_sources(&hash)?))).await?;
        Ok(match known {
            (known, erased) if erased.is_empty() => Ok(known.is_some()),
            _ => Err(Invalid::new(
                "this content was erased by an operator",
                "what was erased stays erased; none of it was stored",
            )),
        })
    }

    /// The message that was said last in the session of a turn.
    async fn last_said(&self, target: &AttachmentTarget) -> Result<Option<MessageId>> {
        let Some(session) = &target.session else { return Ok(None) };
        let said = self.store.read(|view| view.of_session(session, None, 1)).await?;
        Ok(said.into_iter().max_by_key(|record| record.seq).map(|record| record.message.id))
    }

    /// Runs work that blocks, for as long as reading a file may take.
    async fn in_time<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> std::result::Result<T, Invalid> + Send + 'static,
    ) -> Result<std::result::Result<T, Invalid>> {
        match tokio::time::timeout(READ_TIMEOUT, tokio::task::spawn_blocking(work)).await {
            Ok(done) => done.map_err(|_| EngineError::from(unfinished("reading it failed"))),
            Err(_) => Ok(Err(unfinished("reading it took too long"))),
        }
    }

    /// Attachments as they stand now, the last to appear first: of a session or a thread, or all of them.
    pub async fn attachments(&self, filter: &AttachmentTarget, limit: u32) -> Result<Vec<SeenAttachment>> {
        self.seen_attachments(filter, limit, StateCheck::Thorough).await
    }

    pub(crate) async fn seen_attachments(
        &self,
        filter: &AttachmentTarget,
        limit: u32,
        check: StateCheck,
    ) -> Result<Vec<SeenAttachment>> {
        let found = self.store.read(|view| {
            let (session, thread) = (filter.session.as_deref(), filter.thread.as_deref());
            let all = view.attachments(AttachmentFilter { session, thread }, limit)?;
            all.into_iter().map(|attachment| seen(view, attachment)).collect::<cairn_store::Result<Vec<_>>>()
        });
        let found = found.await?;
        let looked = self.in_time(move || Ok(found.into_iter().map(|it| look(it, check)).collect())).await?;
        Ok(looked?)
    }

    /// One attachment as it stands now.
    pub async fn attachment(&self, id: AttachmentId) -> Result<SeenAttachment> {
        let found = self.store.read(|view| view.attachment(id)?.map(|it| seen(view, it)).transpose()).await?;
        let found = found.ok_or_else(|| EngineError::NotFound(id.to_string()))?;
        let looked = self.in_time(move || Ok(look(found, StateCheck::Thorough))).await?;
        Ok(looked?)
    }
}

fn check_count(files: usize) -> Result<()> {
    match files {
        0 => Err(Invalid::new("there is no file to attach", "name at least one").into()),
        1..=MAX_ATTACHED_FILES => Ok(()),
        _ => {
            let problem = format!("{files} files at once are too many");
            Err(Invalid::new(problem, format!("attach at most {MAX_ATTACHED_FILES} at a time")).into())
        }
    }
}

fn unfinished(problem: &str) -> Invalid {
    Invalid::new(problem, "none of it was stored; try again, or attach a copy on a local disk")
}

fn named_bytes(file: super::file::ReadFile) -> NamedBytes {
    let name = file.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let link = |named: &PathBuf| format!("`{}` is a link to it", named.display());
    NamedBytes {
        name,
        bytes: file.bytes,
        source: Some(mask(&file.path.display().to_string()).text.into_owned()),
        modified_ns: file.modified_ns,
        note: file.named.as_ref().map(link),
    }
}

/// Whether somebody wanted forgotten what rests on a message.
fn is_message_forgotten(view: &mut View<'_>, seq: u32) -> cairn_store::Result<bool> {
    let numbers: Vec<u32> =
        view.memories_on_messages(&[seq])?.into_iter().map(|(_, number)| number).collect();
    Ok(view.memories_at(&numbers)?.iter().any(|record| record.memory.is_forgotten()))
}

/// An attachment with its turns and what was last said about it; its file is not looked at yet.
fn seen(view: &mut View<'_>, attachment: Attachment) -> cairn_store::Result<SeenAttachment> {
    let turns = view.attachment_turns(attachment.id)?;
    let mut observation = None;
    for turn in turns.iter().rev() {
        let Some(session) = &turn.session else { continue };
        let Some(seq) = view.first_answer_after(session, turn.message, turn.at)? else { continue };
        if is_message_forgotten(view, seq)? {
            continue;
        }
        if let Some(record) = view.messages_at(&[seq])?.pop() {
            let words = beginning(&record.message.text, OBSERVATION_CHARS);
            observation = Some((record.message.id, words));
            break;
        }
    }
    Ok(SeenAttachment { attachment, state: AttachmentState::Uploaded, moved_to: None, turns, observation })
}

fn look(seen: SeenAttachment, check: StateCheck) -> SeenAttachment {
    let FileState { state, moved_to } = file_state(&seen.attachment, check);
    SeenAttachment { state, moved_to, ..seen }
}
