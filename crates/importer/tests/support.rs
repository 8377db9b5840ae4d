//! Files in the forms of other products, and what becomes of them.

use cairn_importer::{Gathered, Plan, gather, plan, survey};
use jiff::tz::TimeZone;
use rusqlite::Connection;
use serde_json::Value;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A folder for one test.
pub(crate) struct Fixture(TempDir);

impl Fixture {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, contents).expect("written");
        path
    }

    pub(crate) fn json(&self, name: &str, value: &Value) -> PathBuf {
        self.write(name, value.to_string())
    }

    pub(crate) fn lines(&self, name: &str, lines: &[Value]) -> PathBuf {
        self.write(name, lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat())
    }

    pub(crate) fn database(&self, name: &str, sql: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        Connection::open(&path).expect("a database").execute_batch(sql).expect("its rows");
        path
    }

    pub(crate) fn zip(&self, name: &str, members: &[(&str, Value)]) -> PathBuf {
        let path = self.path(name);
        let mut zip = zip::ZipWriter::new(fs::File::create(&path).expect("a file"));
        for (name, value) in members {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a member");
            zip.write_all(value.to_string().as_bytes()).expect("written");
        }
        zip.finish().expect("closed");
        path
    }
}

/// The becoming of a path: a line for each piece, `kind role speaker: words`, and what is left.
pub(crate) fn becomes(path: &Path) -> Vec<String> {
    let sources = survey(path).expect("a survey").sources;
    assert!(!sources.is_empty(), "{} is known", path.display());
    let mut lines = Vec::new();
    for source in &sources {
        gather(source, &sources, &TimeZone::UTC, &mut |piece| match piece {
            Gathered::Words { draft, kind, tenant, .. } => {
                let speaker = draft.speaker.as_deref().map_or(String::new(), |name| format!(" {name}"));
                let tenant = tenant.map_or(String::new(), |tenant| format!(" of {tenant}"));
                lines.push(format!(
                    "{} {}{speaker}{tenant}: {}",
                    kind.plural(),
                    draft.role.as_str(),
                    draft.text
                ));
            }
            Gathered::Proposal(proposal) => {
                lines.push(format!("{}: {}", proposal.target.file_name(), proposal.text));
            }
            Gathered::Knowledge { path, .. } => {
                lines.push(format!("knowledge {}", path.file_name().unwrap_or_default().to_string_lossy()));
            }
            Gathered::LeftOut { why, count } => lines.push(format!("left {count}: {why}")),
            Gathered::Counted { .. } => {}
        })
        .expect("read");
    }
    lines
}

pub(crate) fn planned(path: &Path) -> Plan {
    plan(&survey(path).expect("a survey").sources, &TimeZone::UTC).expect("a plan")
}

pub(crate) fn assert_lines(path: &Path, expected: &[&str]) {
    let found = becomes(path);
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found, expected);
}
