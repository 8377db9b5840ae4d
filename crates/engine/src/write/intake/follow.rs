//! Follow: transcripts taken in while they are being written. Nobody has to log anything; what an agent's
//! host writes down anyway is read as it grows.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    transcript::{Format, RecordReader, detect},
    write::intake::{
        ingest::{IngestEvent, IngestReport, IngestStep, transcript_files, validated_steps},
        validation::validate_transcript_draft,
    },
};
use std::{
    collections::HashMap,
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// Bytes read of one file at a time.
const READ_CHUNK_BYTES: u64 = 4 << 20;

/// How far each file of a followed folder was read.
#[derive(Default)]
pub struct Following {
    files: HashMap<PathBuf, Followed>,
}

impl Following {
    /// Goes on with a file of this format where somebody had come to.
    pub fn resume(path: &Path, format: Format, offset: u64) -> Self {
        let origin = path.file_stem().unwrap_or_default().to_string_lossy();
        let followed = Followed { reader: RecordReader::new(format, &origin), offset, line: 0 };
        Self { files: HashMap::from([(path.to_owned(), followed)]) }
    }

    /// How far a file was read, in bytes.
    pub fn offset(&self, path: &Path) -> Option<u64> {
        self.files.get(path).map(|followed| followed.offset)
    }
}

/// A file that is being followed.
struct Followed {
    reader: RecordReader,
    offset: u64,
    line: u64,
}

impl Agent {
    /// Takes in what the transcripts below `folder` have gained since `following` last looked. Only whole lines
    /// are read; a file that shrank is read again from its beginning, which adds nothing twice.
    pub async fn follow(
        &self,
        folder: &Path,
        following: &mut Following,
        on_event: &mut (dyn FnMut(IngestEvent<'_>) + Send),
    ) -> Result<IngestReport> {
        let mut report = IngestReport::default();
        for path in transcript_files(folder)? {
            let Ok(metadata) = path.metadata() else { continue };
            let followed = following.files.get(&path);
            if followed.is_none_or(|followed| metadata.len() < followed.offset) {
                let Some(format) = line_format(&path)? else { continue };
                let origin = path.file_stem().unwrap_or_default().to_string_lossy();
                let reader = RecordReader::new(format, &origin);
                following.files.insert(path.clone(), Followed { reader, offset: 0, line: 0 });
            }
            while let Some(followed) = following.files.get_mut(&path)
                && followed.offset < metadata.len()
            {
                let Some(steps) = self.read_new_lines(&path, followed)? else { break };
                let offset = followed.offset;
                self.write_batch(steps.into_iter(), offset, &mut report, on_event).await?;
            }
        }
        self.finish_ingest(report).await?;
        Ok(report)
    }

    /// The messages of the next complete lines; `None` if no line is complete yet.
    fn read_new_lines(&self, path: &Path, followed: &mut Followed) -> Result<Option<Vec<IngestStep>>> {
        let mut bytes = Vec::new();
        let mut most = READ_CHUNK_BYTES;
        let whole = loop {
            let mut file = File::open(path).map_err(EngineError::file("open", path))?;
            let seek = file.seek(SeekFrom::Start(followed.offset));
            bytes.clear();
            let read = seek.and_then(|_| file.take(most).read_to_end(&mut bytes));
            read.map_err(EngineError::file("read", path))?;
            match bytes.iter().rposition(|byte| *byte == b'\n') {
                Some(last) => break last + 1,
                // A line longer than what was read: read more of it, unless the file ends here.
                None if bytes.len() as u64 == most => most *= 4,
                None => return Ok(None),
            }
        };
        let (limits, now) = (self.config.capture, self.now());
        let validate = |draft| validate_transcript_draft(draft, now, &limits);
        let mut steps = Vec::new();
        for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            followed.line += 1;
            match followed.reader.read(line) {
                Ok(drafts) => steps.extend(validated_steps(drafts, followed.line, &validate)),
                Err(problem) => steps.push(IngestStep::Malformed { line: followed.line, problem }),
            }
        }
        followed.offset += whole as u64;
        Ok(Some(steps))
    }
}

/// The format of a file that can be followed line by line, once it has enough in it to tell.
fn line_format(path: &Path) -> Result<Option<Format>> {
    let mut head = Vec::new();
    let file = File::open(path).map_err(EngineError::file("open", path))?;
    file.take(64 << 10).read_to_end(&mut head).map_err(EngineError::file("read", path))?;
    Ok(detect(&head).filter(|format| head.contains(&b'\n') && format.has_lines()))
}
