//! Knowledge: files of the workspace become memories that cite their lines. What has not changed is not read again; what
//! has changed replaces what it said before; what is gone holds no longer.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    limits::{MAX_KNOWLEDGE_FILE_BYTES, MAX_KNOWLEDGE_FILES},
    retry::Attempts,
    stored_json::to_stored_json,
    write::{
        decide::neighborhood::text_overlap,
        form::{
            explanation::said_statements,
            memory::MemoryBase,
            records::{mention_records, statement_records},
        },
        prepare::observe::{MessageOrigin, POISONED_CONFIDENCE, TextCharacter, text_character},
        reasons::Reasons,
    },
};
use cairn_cognition::{
    entity::{Mention, entities},
    injection::{OrderSource, injected_order},
    keywords::terms,
    observer::message_segments,
    secret::mask,
    statement::{Statement, statements},
    strength::Strength,
};
use cairn_domain::{Category, DataSource, Evidence, Form, Memory, MemoryId, Tier, Time, Verdict};
use cairn_store::{
    Committed, EmbedderRecord, Formation, MemoryAttachments, MemoryEnd, MemoryRecord, NewMemory, Superseded,
};
use std::{
    collections::HashSet,
    fs, io,
    ops::AddAssign,
    path::{Path, PathBuf},
};

/// Characters of a paragraph that its memory tells; its lines are cited in full.
const PASSAGE_CHARS: usize = 500;
/// Passages embedded and written at a time.
const BATCH: usize = 64;
/// From this share of words in common on, a passage is what another has become.
const SAME_PLACE: f64 = 0.3;
/// How much what stands in a file matters before anybody has used it.
const IMPORTANCE: f64 = 0.5;
/// Extensions of files that are read as text.
const ENDINGS: [&str; 5] = ["md", "markdown", "txt", "rst", "org"];

/// Counts of an import of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KnowledgeReport {
    /// Files read.
    pub files: u64,
    /// Passages that are new.
    pub added: u64,
    /// Passages that were known.
    pub unchanged: u64,
    /// Passages that hold no longer.
    pub superseded: u64,
    /// Files left out because they are larger than [`MAX_KNOWLEDGE_FILE_BYTES`].
    pub too_large: usize,
    /// Files left out because there are more than [`MAX_KNOWLEDGE_FILES`].
    pub beyond_limit: usize,
}

impl KnowledgeReport {
    /// Sentences about the files that were left out.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.too_large > 0 {
            let mib = MAX_KNOWLEDGE_FILE_BYTES >> 20;
            notes.push(format!("left out {} file(s) larger than {mib} MiB", self.too_large));
        }
        if self.beyond_limit > 0 {
            let (left, limit) = (self.beyond_limit, MAX_KNOWLEDGE_FILES);
            notes.push(format!("left out {left} file(s) beyond the first {limit}"));
        }
        notes
    }
}

impl AddAssign for KnowledgeReport {
    fn add_assign(&mut self, more: Self) {
        self.files += more.files;
        self.added += more.added;
        self.unchanged += more.unchanged;
        self.superseded += more.superseded;
        self.too_large += more.too_large;
        self.beyond_limit += more.beyond_limit;
    }
}

/// A paragraph of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KnowledgePassage {
    /// The headings above it.
    headings: String,
    /// Its words, secrets masked.
    text: String,
    /// Its first and last line, from 1.
    lines: (usize, usize),
    hash: String,
}

/// The name of a file as a source. A file whose name holds a secret is cited without it, and cannot be read again by that name.
fn source_name(file: &Path) -> String {
    format!("file:{}", mask(&file.display().to_string()).text)
}

/// Whether passages of a file are written after this batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MorePassages {
    Follow,
    None,
}

impl Agent {
    /// Reads a file, or the text files of a folder, as knowledge, of one project if `thread` names it. What stood in a file
    /// of that folder that is gone holds no longer.
    pub async fn learn(
        &self,
        path: &Path,
        thread: Option<&str>,
        on_file: &mut (dyn FnMut(&Path) + Send),
    ) -> Result<KnowledgeReport> {
        // One file has one name, wherever somebody stands who names it.
        let path = &path.canonicalize().map_err(EngineError::file("read", path))?;
        let TextFiles { paths, too_large, beyond_limit } = TextFiles::at(path)?;
        let mut report = KnowledgeReport { too_large, beyond_limit, ..KnowledgeReport::default() };
        let mut roots = HashSet::new();
        for file in paths {
            on_file(&file);
            let bytes = fs::read(&file).map_err(EngineError::file("read", &file))?;
            let text = String::from_utf8_lossy(&bytes);
            let root = source_name(&file);
            self.learn_file(&root, thread, &passages(&text), &mut report).await?;
            report.files += 1;
            roots.insert(root);
        }
        if path.is_dir() {
            let folder = format!("{}{}", source_name(path), std::path::MAIN_SEPARATOR);
            let known = self.store.read(|view| view.sources_below(&folder)).await?;
            let is_gone = |root: &String| !Path::new(&root["file:".len()..]).exists();
            for root in known.iter().filter(|root| !roots.contains(*root) && is_gone(root)) {
                self.learn_file(root, thread, &[], &mut report).await?;
            }
        }
        Ok(report)
    }

    /// Brings what is known of a file up to its passages, a batch at a time. Whoever comes second looks again at what the
    /// first has written.
    async fn learn_file(
        &self,
        root: &str,
        thread: Option<&str>,
        passages: &[KnowledgePassage],
        report: &mut KnowledgeReport,
    ) -> Result<()> {
        let (mut added, mut attempts) = (0, Attempts::at("take a file in"));
        let hashes: Vec<String> = passages.iter().map(|passage| passage.hash.clone()).collect();
        let erased = self.store.read(|view| view.erased_sources(&hashes)).await?;
        loop {
            let (version, known) =
                self.store.read(|view| Ok((view.memory_version()?, view.memories_from(root)?))).await?;
            let hash_of = |record: &MemoryRecord| record.memory.source_hash.clone();
            let is_new = |passage: &&KnowledgePassage| {
                !erased.contains(&passage.hash)
                    && !known.iter().any(|known| hash_of(known).as_ref() == Some(&passage.hash))
            };
            let is_gone = |known: &&MemoryRecord| {
                !passages.iter().any(|passage| hash_of(known).as_ref() == Some(&passage.hash))
            };
            let new: Vec<&KnowledgePassage> = passages.iter().filter(is_new).collect();
            let gone: Vec<&MemoryRecord> = known.iter().filter(is_gone).collect();
            if new.is_empty() && gone.is_empty() {
                self.cite_anew(root, passages, &known).await?;
                break;
            }
            let batch = &new[..new.len().min(BATCH)];
            let more = if new.len() > BATCH { MorePassages::Follow } else { MorePassages::None };
            let mut formation = self.written(root, version, batch, gone, more).await?;
            for new in &mut formation.made {
                new.memory.thread = thread.map(str::to_owned);
            }
            let superseded = formation.superseded.len() as u64;
            if self.store.commit(formation, self.now()).await? == Committed::Stale {
                attempts.overtaken().await?;
                continue;
            }
            added += batch.len();
            report.superseded += superseded;
        }
        report.added += added as u64;
        report.unchanged += (passages.len() - added) as u64;
        Ok(())
    }

    /// Moves the citation of every passage whose lines moved within its file.
    async fn cite_anew(
        &self,
        root: &str,
        passages: &[KnowledgePassage],
        known: &[MemoryRecord],
    ) -> Result<()> {
        let read = |view: &mut cairn_store::View<'_>| {
            let mut moved = Vec::new();
            for record in known {
                let hash = record.memory.source_hash.as_ref();
                let Some(passage) = passages.iter().find(|passage| hash == Some(&passage.hash)) else {
                    continue;
                };
                let (cited, now) = (view.evidence_of(record.number)?, passage.source(root));
                if cited.iter().any(|evidence| evidence.root == root && evidence.source != now) {
                    moved.push((record.number, now));
                }
            }
            Ok(moved)
        };
        let moved = self.store.read(read).await?;
        if !moved.is_empty() {
            self.store.cite(root.to_owned(), moved).await?;
        }
        Ok(())
    }

    /// Memories of passages; each takes the place of the one among `gone` that it is most like. With the last of them goes
    /// what nothing took the place of.
    async fn written(
        &self,
        root: &str,
        version: i64,
        passages: &[&KnowledgePassage],
        mut gone: Vec<&MemoryRecord>,
        more: MorePassages,
    ) -> Result<Formation> {
        let (embedder, mut vectors) =
            self.embed_texts(passages.iter().map(|passage| passage.told()).collect()).await.unzip();
        let (now, mut formation) = (self.now(), Formation { version, ..Formation::default() });
        let supersede = |record: &MemoryRecord, by, reason: &str| Superseded {
            number: record.number,
            by,
            until: now.max(record.memory.valid_from),
            reason: reason.to_owned(),
        };
        for (at, passage) in passages.iter().enumerate() {
            let vector = vectors.as_mut().and_then(|vectors| vectors.get_mut(at)).map(std::mem::take);
            let vector = embedder.as_ref().map(|it: &EmbedderRecord| it.id).zip(vector);
            let like = |record: &&MemoryRecord| text_overlap(&passage.told(), &record.memory.text);
            let best = (0..gone.len()).max_by(|a, b| like(&gone[*a]).total_cmp(&like(&gone[*b])));
            if let Some(replaced) = best.filter(|best| like(&gone[*best]) >= SAME_PLACE) {
                let record = gone.swap_remove(replaced);
                formation.superseded.push(supersede(
                    record,
                    Some(MemoryEnd::Made(at)),
                    "the file says something else there now",
                ));
            }
            formation.made.push(passage.memory(root, version, vector, now)?);
        }
        if more == MorePassages::None {
            let left = gone.iter().map(|record| supersede(record, None, "it no longer stands in the file"));
            formation.superseded.extend(left);
        }
        Ok(formation)
    }
}

impl KnowledgePassage {
    /// The lines of its file.
    fn source(&self, root: &str) -> String {
        format!("{root}#L{}-L{}", self.lines.0, self.lines.1)
    }

    /// The text of its memory.
    fn told(&self) -> String {
        let text: String = self.text.chars().take(PASSAGE_CHARS).collect();
        if self.headings.is_empty() { text } else { format!("{}: {text}", self.headings) }
    }

    fn memory(
        &self,
        root: &str,
        version: i64,
        vector: Option<(u32, Vec<f32>)>,
        now: Time,
    ) -> cairn_store::Result<NewMemory> {
        let data_source = DataSource::File;
        let origin = MessageOrigin {
            data_source,
            explicit: false,
            meant: false,
            corrects: false,
            reflects: false,
            named: false,
        };
        let poison = injected_order(&self.text, OrderSource::Other).is_some();
        let (character, told) = (text_character(&self.text), self.told());
        let text = if poison { format!("{root} holds this text: “{told}”") } else { told };
        let category = match character.category() {
            _ if poison => Category::Other,
            Category::Other | Category::Preference | Category::Correction => Category::Fact,
            category => category,
        };
        let found = if poison { Vec::new() } else { statements(&self.text, "") };
        let names = if poison { Vec::new() } else { entities(&self.text) };
        let source = self.source(root);
        let reasons = reasons(&character, &names, &found, &source);
        let evidence =
            Evidence { root: root.to_owned(), ..Evidence::support(source.clone(), "file", &self.text, now) };
        let confidence = if poison { POISONED_CONFIDENCE } else { character.base_confidence(origin) };
        let base = MemoryBase {
            // What is taken out of a file and put back is another memory.
            id: MemoryId::of(&format!("{root}#{}@{version}", self.hash), 0),
            text,
            category,
            character: &character,
            data_source: DataSource::File,
            confidence,
            importance: IMPORTANCE,
            strength: Strength::new(now, 0.0),
            at: now,
            now,
        };
        let source_hash = Some(self.hash.clone());
        let memory = Memory { form: Form::Fact, tier: Tier::Semantic, source_hash, ..base.memory() };
        Ok(NewMemory {
            memory,
            verdict: Verdict::Create,
            reason: reasons.reason.clone(),
            reasons: to_stored_json("the reasons of a memory", &reasons)?,
            bound: MemoryAttachments {
                evidence: vec![evidence],
                statements: statement_records(&found, origin.base_confidence()),
                mentions: mention_records(&names, &self.text),
                relations: Vec::new(),
                vector,
            },
            tag_ms: None,
            in_mind: false,
            superseded_by: None,
        })
    }
}

/// The paragraphs of a text that say something, each with the headings above it.
fn passages(text: &str) -> Vec<KnowledgePassage> {
    let (mut headings, mut passages): (Vec<(usize, &str)>, Vec<KnowledgePassage>) = (Vec::new(), Vec::new());
    let (mut paragraph, mut fenced): (Vec<(usize, &str)>, bool) = (Vec::new(), false);
    for (number, line) in text.lines().enumerate().chain(std::iter::once((usize::MAX, ""))) {
        let trimmed = line.trim();
        let fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        let depth = trimmed.len() - trimmed.trim_start_matches('#').len();
        let heading = !fenced && (1..=6).contains(&depth) && trimmed[depth..].starts_with(' ');
        let item = !fenced && ["- ", "* ", "+ "].iter().any(|bullet| trimmed.starts_with(bullet));
        if fence || heading || item || (trimmed.is_empty() && !fenced) {
            finish(&mut paragraph, &headings, &mut passages);
        }
        if fence {
            fenced = !fenced;
        } else if heading {
            headings.retain(|(above, _)| *above < depth);
            headings.push((depth, trimmed[depth..].trim()));
        } else if !trimmed.is_empty() && !fenced {
            paragraph.push((number + 1, trimmed));
        }
    }
    // What stands twice under one heading is said once.
    let mut seen = HashSet::new();
    passages.retain(|passage| seen.insert(passage.hash.clone()));
    passages
}

/// Turns the lines of a paragraph into a passage, unless they say nothing.
fn finish(
    paragraph: &mut Vec<(usize, &str)>,
    headings: &[(usize, &str)],
    passages: &mut Vec<KnowledgePassage>,
) {
    let lines = std::mem::take(paragraph);
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return };
    let words: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
    let text = words.join("\n");
    let says_nothing =
        terms(&text).length < 3 || message_segments(&text).iter().all(|segment| segment.stopped.is_some());
    if says_nothing && injected_order(&text, OrderSource::Other).is_none() {
        return;
    }
    let text = mask(text.trim_start_matches(['-', '*', '+', ' '])).text.into_owned();
    let headings: Vec<&str> = headings.iter().map(|(_, heading)| *heading).collect();
    let headings = headings.join(" › ");
    let hash = blake3::hash(format!("{headings}\n{text}").as_bytes()).to_hex()[..32].to_owned();
    passages.push(KnowledgePassage { headings, text, lines: (first.0, last.0), hash });
}

/// The reasons stored with the memory of a passage.
fn reasons(character: &TextCharacter, names: &[Mention], found: &[Statement], source: &str) -> Reasons {
    Reasons {
        classes: character.classes.clone(),
        entities: names.iter().map(Mention::uri).collect(),
        emotion: character.felt.clone(),
        density: character.density,
        statements: said_statements(found),
        verdict: Some(Verdict::Create),
        reason: format!("it stands in {source}"),
        ..Reasons::default()
    }
}

/// The text files at a path, in order, and how many of them are left out.
#[derive(Debug, Default)]
struct TextFiles {
    paths: Vec<PathBuf>,
    too_large: usize,
    beyond_limit: usize,
}

impl TextFiles {
    fn at(path: &Path) -> Result<Self> {
        let mut found = Self::default();
        if path.is_file() {
            found.paths.push(path.to_owned());
            return Ok(found);
        }
        let mut folders = vec![path.to_owned()];
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(&folder).map_err(EngineError::file("list", &folder))?;
            for entry in
                entries.collect::<io::Result<Vec<_>>>().map_err(EngineError::file("list", &folder))?
            {
                let (path, hidden) = (entry.path(), entry.file_name().to_string_lossy().starts_with('.'));
                let Ok(about) = entry.metadata() else { continue };
                let ending =
                    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
                if about.is_dir() && !hidden {
                    folders.push(path);
                } else if about.is_file() && ENDINGS.contains(&ending.as_str()) {
                    if about.len() <= MAX_KNOWLEDGE_FILE_BYTES {
                        found.paths.push(path);
                    } else {
                        found.too_large += 1;
                    }
                }
            }
        }
        found.paths.sort();
        found.beyond_limit = found.paths.len().saturating_sub(MAX_KNOWLEDGE_FILES);
        found.paths.truncate(MAX_KNOWLEDGE_FILES);
        Ok(found)
    }
}
