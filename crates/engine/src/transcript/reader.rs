//! Reads a transcript record by record.

use super::{
    chatgpt,
    claude_code::ClaudeCode,
    fields::Fields,
    format::Format,
    jsonl,
    occurrence::Occurrences,
    records::{Record, Records, without_bom},
};
use cairn_domain::Draft;
use std::io::{self, BufRead};

/// The messages of one record of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptEntry {
    /// The line it stands on, or the number of the conversation in a ChatGPT export; from 1.
    pub line: u64,
    /// Its messages in the order they were said; none if nobody said anything in it.
    pub drafts: Vec<Draft>,
}

/// A record that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {line}: {problem}")]
pub struct Malformed {
    /// Where it stands, counted like [`TranscriptEntry::line`].
    pub line: u64,
    /// The problem with it, naming the field where that is known.
    pub problem: String,
}

/// Why a step of reading gave no entry.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// This record is lost; the reader goes on with the next.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The input failed; the reader has ended.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads a transcript entry by entry, in bounded memory.
#[derive(Debug)]
pub struct TranscriptReader<R> {
    records: Records<R>,
    interpreter: RecordReader,
    failed: bool,
}

impl<R: BufRead> TranscriptReader<R> {
    /// A reader of `input`. `origin` is a short stable name of it, such as its file stem.
    pub fn new(input: R, format: Format, origin: &str) -> Self {
        let records = if format.has_lines() { Records::lines(input) } else { Records::elements(input) };
        Self { records, interpreter: RecordReader::new(format, origin), failed: false }
    }

    /// How much of the input has been read, in bytes.
    pub fn bytes_read(&self) -> u64 {
        self.records.bytes_read()
    }

    fn step(&mut self) -> Result<Option<TranscriptEntry>, ReadError> {
        let Some((line, record)) = self.records.next_record()? else { return Ok(None) };
        let read = match record {
            Record::Whole(bytes) => self.interpreter.read(bytes),
            Record::TooLong { limit_bytes } => {
                Err(format!("longer than {} MiB, which is more than one record may have", limit_bytes >> 20))
            }
        };
        match read {
            Ok(drafts) => Ok(Some(TranscriptEntry { line, drafts })),
            Err(problem) => Err(Malformed { line, problem }.into()),
        }
    }
}

impl<R: BufRead> Iterator for TranscriptReader<R> {
    type Item = Result<TranscriptEntry, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step();
        self.failed = matches!(step, Err(ReadError::Io(_)));
        step.transpose()
    }
}

/// Reads records one by one and remembers what later ones refer to. [`TranscriptReader`] feeds it a whole input; a
/// follower of a growing file keeps it between polls and feeds it each new complete line.
#[derive(Debug)]
pub struct RecordReader {
    format: RecordFormat,
    occurrences: Occurrences,
}

/// A format together with what it remembers from record to record.
#[derive(Debug)]
enum RecordFormat {
    Jsonl,
    ClaudeCode(ClaudeCode),
    ChatGpt,
    Feed,
}

impl RecordReader {
    /// A reader that has seen nothing yet. `origin` names the session of lines that name none themselves
    /// where the format is one file per session.
    pub fn new(format: Format, origin: &str) -> Self {
        let format = match format {
            Format::Jsonl => RecordFormat::Jsonl,
            Format::ClaudeCode => RecordFormat::ClaudeCode(ClaudeCode::new(origin)),
            Format::ChatGpt => RecordFormat::ChatGpt,
            Format::Feed => RecordFormat::Feed,
        };
        Self { format, occurrences: Occurrences::default() }
    }

    /// The messages of one record (a line, or one conversation of a ChatGPT export), or what is wrong
    /// with it. A blank record holds none.
    pub fn read(&mut self, record: &[u8]) -> Result<Vec<Draft>, String> {
        let record = without_bom(record).trim_ascii();
        if record.is_empty() {
            return Ok(Vec::new());
        }
        let mut drafts = match &mut self.format {
            RecordFormat::Jsonl => jsonl::drafts(Fields::parse(record)?)?,
            RecordFormat::Feed => jsonl::fed(Fields::parse(record)?)?,
            RecordFormat::ClaudeCode(session) => session.drafts(Fields::parse(record)?)?,
            RecordFormat::ChatGpt => chatgpt::drafts(record)?,
        };
        for draft in &mut drafts {
            self.occurrences.name(draft);
        }
        Ok(drafts)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::format::detect, *};
    use std::io::{BufReader, Read};

    const JSONL: &str = r#"{"id":"ext-1","session":"s1","thread":"t1","at":"2026-11-15T10:00:00Z","role":"user","text":"I moved to Lisbon."}
{"id":"ext-2","session":"s1","at":1794736900,"user":"Where do I live?","agent":"In \"Lisbon\" 🌊."}

{"text":"yes"}
{"text":"yes","mood":{"calm":[true,null]}}
"#;
    const CLAUDE_CODE: &str = r#"{"type":"summary","summary":"Fix the tide table","leafUuid":"a1"}
{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-11-15T10:00:00Z","cwd":"/home/mara/tides","message":{"role":"user","content":"Run the tests."}}
{"type":"assistant","uuid":"a1","sessionId":"s1","message":{"content":[{"type":"text","text":"Gladly."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}
{"type":"user","uuid":"u2","sessionId":"s1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"tides.rs"}]}}
"#;
    const CHATGPT: &str = r#"[{"title":"A boat","create_time":1794736800.5,"current_node":"b","conversation_id":"c1","mapping":{
 "a":{"message":{"id":"m1","author":{"role":"user"},"create_time":1794736801,"content":{"parts":["How {long}?"]}},"parent":null,"children":["b","c"]},
 "b":{"message":{"id":"m2","author":{"role":"assistant"},"content":{"parts":["Nine \"metres\"."]}},"parent":"a","children":[]},
 "c":{"message":{"id":"m3","author":{"role":"assistant"},"content":{"parts":["\ud83c\udf0a Ten."]}},"parent":"a","children":[]}}},
 {"id":"c2","mapping":{}}]
"#;
    const SAMPLES: [(Format, &str); 3] =
        [(Format::Jsonl, JSONL), (Format::ClaudeCode, CLAUDE_CODE), (Format::ChatGpt, CHATGPT)];

    /// The result for each record, in order. Reading from memory cannot fail.
    fn read(input: impl BufRead, format: Format) -> Vec<Result<TranscriptEntry, Malformed>> {
        TranscriptReader::new(input, format, "walk")
            .map(|step| match step {
                Ok(entry) => Ok(entry),
                Err(ReadError::Malformed(malformed)) => Err(malformed),
                Err(ReadError::Io(error)) => panic!("{error}"),
            })
            .collect()
    }

    /// `line:messages` for each entry, `line!` for each malformed one.
    fn outline(input: &[u8], format: Format) -> String {
        let shown = |step: &Result<TranscriptEntry, Malformed>| match step {
            Ok(entry) => format!("{}:{}", entry.line, entry.drafts.len()),
            Err(malformed) => format!("{}!", malformed.line),
        };
        read(input, format).iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    /// covers: L-28
    #[test]
    fn every_format_is_recognised_and_read_with_its_places() {
        for ((format, sample), expected) in
            SAMPLES.into_iter().zip(["1:1 2:2 4:1 5:1", "1:0 2:1 3:2 4:1", "1:3 2:0"])
        {
            assert_eq!(detect(sample.as_bytes()), Some(format));
            assert_eq!(outline(sample.as_bytes(), format), expected, "{format}");
        }
    }

    /// covers: C-158
    #[test]
    fn a_bad_line_costs_itself_and_is_counted() {
        let input =
            b"\xEF\xBB\xBF{\"text\":\"a\"}\r\n\r\nnot json\n{\"text\":\"\xff\"}\n[1]\n{\"text\":\"last\"}";
        assert_eq!(outline(input, Format::Jsonl), "1:1 3! 4! 5! 6:1");
        let conversations = br#"[{"id":"c1","mapping":null}, 7, {"mapping":{}}, {"mapping":{"#;
        assert_eq!(outline(conversations, Format::ChatGpt), "1! 2! 3:0 4!");
    }

    #[test]
    fn a_longer_version_of_a_file_names_the_same_messages_the_same() {
        let names = |input: &str| -> Vec<Option<String>> {
            read(input.as_bytes(), Format::Jsonl)
                .into_iter()
                .flat_map(|step| step.expect("a line").drafts)
                .map(|draft| draft.source_id)
                .collect()
        };
        let (short, long) = (names(JSONL), names(&format!("{JSONL}{{\"text\":\"yes\"}}")));
        assert_eq!(short, long[..short.len()]);
        let yeses = &long[long.len() - 3..];
        assert!(yeses[0] != yeses[1] && yeses[1] != yeses[2], "three times yes is three messages: {yeses:?}");
    }

    #[test]
    fn a_failing_input_ends_the_reader() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is gone"))
            }
        }
        for format in Format::ALL {
            let mut reader =
                TranscriptReader::new(BufReader::new("{}\n".as_bytes().chain(Broken)), format, "walk");
            assert!(matches!(reader.by_ref().last(), Some(Err(ReadError::Io(_)))), "{format}");
            assert!(reader.next().is_none());
        }
    }

    /// Marsaglia's xorshift: enough chance for a test, and a seed repeats it.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % limit.max(1) as u64) as usize
        }
    }

    /// `sample` with one to four accidents: a changed byte, a lost tail, or a piece of itself put elsewhere.
    fn damaged(sample: &[u8], chance: &mut Chance) -> Vec<u8> {
        const NASTY: &[u8] = b"\"\\{}[],:\n\r \0\xff\xEFu0";
        let mut bytes = sample.to_vec();
        for _ in 0..=chance.below(4) {
            let at = chance.below(bytes.len());
            match chance.below(8) {
                0 => bytes.truncate(at),
                1 | 2 => {
                    let piece = bytes[at..].iter().copied().take(chance.below(80)).collect::<Vec<u8>>();
                    let to = chance.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
                3..6 if at < bytes.len() => bytes[at] = NASTY[chance.below(NASTY.len())],
                _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << chance.below(8)),
            }
        }
        bytes
    }

    /// covers: C-158
    #[test]
    fn damaged_transcripts_are_read_to_their_end_and_every_record_is_accounted_for() {
        for seed in 1..=2_000 {
            let mut chance = Chance(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
            let input = damaged(SAMPLES[chance.below(3)].1.as_bytes(), &mut chance);
            let _ = detect(&input);
            for format in Format::ALL {
                let steps = read(&*input, format);
                let chunk = 1 + chance.below(9);
                assert_eq!(steps, read(BufReader::with_capacity(chunk, &*input), format), "seed {seed}");
                let lines: Vec<u64> = steps
                    .iter()
                    .map(|step| step.as_ref().map_or_else(|bad| bad.line, |entry| entry.line))
                    .collect();
                assert!(lines.is_sorted_by(|a, b| a < b) && lines.len() <= input.len(), "seed {seed}");
                let mut drafts = steps.iter().flatten().flat_map(|entry| &entry.drafts);
                assert!(drafts.all(|draft| !draft.text.trim().is_empty()), "seed {seed}");
                if format.has_lines() {
                    let written = without_bom(&input).split(|byte| *byte == b'\n');
                    let written = written.filter(|line| !line.trim_ascii().is_empty()).count();
                    assert_eq!(lines.len(), written, "seed {seed}: {format}");
                }
            }
        }
    }
}
