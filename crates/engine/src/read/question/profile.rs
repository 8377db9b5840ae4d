//! Ranking profiles: every weight that ranking uses, in one value. What each was measured to be worth stands in
//! `docs/decisions/0005-ranking.md`. A profile of one's own is a file `profiles/NAME.toml` in the home: what it does not
//! say is as in the default.

use crate::{config_range::check_range, error::EngineError};
use cairn_cognition::{bm25::Bm25, score::Weights};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, io, path::Path};

/// Each takes as long as embedding a paragraph, and who asks waits.
const MAX_RIVALS: usize = 8;

/// The weights of a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// How the lanes become one ranking.
    pub fusion: Fusion,
    /// The weight of what a message means.
    pub dense: f64,
    /// The weight of the words it shares with the question.
    pub lexical: f64,
    /// Weight of the words of the message before and after it in its session.
    pub neighbour: f64,
    /// The same for the message two before and two after.
    pub second_neighbour: f64,
    /// A message of this many terms lends and borrows half as much.
    pub neighbour_terms: f64,
    /// Weight of a session that is about the question.
    pub session: f64,
    /// Weight of being said by the one whose words are asked for: the asker, or the agent.
    pub own_words: f64,
    /// Weight of a speaker who is named in the question.
    pub named_speaker: f64,
    /// Weight of being said in a time the question speaks of.
    pub time: f64,
    /// Weight of a step of a run that answers a question about the run; 0: runs are ranked as conversations are.
    pub run: f64,
    /// How many of the best are read together with the question, to tell which answers it now; 0: the order stays.
    pub rivals: usize,
    /// Weight of a message of which something was worth remembering.
    pub kept: f64,
    /// Weight of the meaning of what was remembered of a message.
    pub remembered: f64,
    /// Weight of a wish that stands: a preference, an instruction.
    pub standing: f64,
    /// Weight of having been useful, or not.
    pub utility: f64,
    /// Weight of names and relations that lead from the question to a memory.
    pub graph: f64,
    /// Weight of having often been recalled together with another candidate.
    pub together: f64,
    /// Whether a question that asks several things is also asked in parts.
    pub decompose: bool,
    /// Whether what an answer could look like is searched for beside the question.
    pub hyde: bool,
    /// Whether the question is also searched for in another language, word by word.
    pub glosses: bool,
    /// How much less alike a part after a message's opening counts.
    pub later_part: f64,
    /// Boost of a message said just now.
    pub recency: f64,
    /// In how many days that falls to 1/e.
    pub recency_tau_days: f64,
    /// Factor for a message of the thread asked in.
    pub thread_boost: f64,
    /// How much relevance counts where hits are to differ from each other, the rest for differing; 1: they need not.
    pub relevance: f64,
    /// After this many hits, every session comes up before any comes up again; 0: hits stay in the order of their
    /// scores.
    pub broad_after: usize,
    /// The keyword lane.
    pub bm25: Bm25,
    /// Weights of a memory's score where memories are asked for.
    pub memory: Weights,
}

/// How the lanes become one ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fusion {
    /// The weighted sum of each lane's share of its best score: margins count.
    Sum,
    /// The weighted sum of reciprocal ranks: only order counts.
    ReciprocalRank,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            fusion: Fusion::Sum,
            dense: 1.0,
            lexical: 0.6,
            neighbour: 0.5,
            second_neighbour: 0.3,
            neighbour_terms: 300.0,
            session: 0.3,
            own_words: 0.5,
            named_speaker: 0.3,
            time: 0.6,
            run: 1.0,
            rivals: 1,
            kept: 0.1,
            remembered: 0.3,
            standing: 0.1,
            utility: 0.2,
            graph: 0.1,
            together: 0.05,
            decompose: false,
            hyde: false,
            glosses: true,
            later_part: 0.15,
            recency: 0.0,
            recency_tau_days: 14.0,
            thread_boost: 1.8,
            relevance: 1.0,
            broad_after: 8,
            bm25: Bm25::default(),
            memory: Weights::default(),
        }
    }
}

impl Profile {
    /// The ranking of the seed documents: each message on its own, reciprocal ranks of both lanes, the recent first,
    /// answers that differ.
    pub fn seed() -> Self {
        Self {
            fusion: Fusion::ReciprocalRank,
            dense: 0.8,
            lexical: 0.15,
            neighbour: 0.0,
            second_neighbour: 0.0,
            session: 0.0,
            own_words: 0.0,
            named_speaker: 0.0,
            time: 0.0,
            run: 0.0,
            rivals: 0,
            kept: 0.0,
            remembered: 0.0,
            standing: 0.0,
            utility: 0.0,
            graph: 0.0,
            together: 0.05,
            decompose: true,
            hyde: true,
            glosses: false,
            later_part: 0.0,
            recency: 0.15,
            relevance: cairn_cognition::diversity::MMR_LAMBDA,
            broad_after: 0,
            bm25: Bm25::USUAL,
            ..Self::default()
        }
    }

    /// The profiles of a folder, each called as its file. A missing folder has none.
    pub(crate) fn read_all(folder: &Path) -> Result<BTreeMap<String, Self>, EngineError> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(EngineError::file("read", folder)(error)),
        };
        let mut profiles = BTreeMap::new();
        for entry in entries {
            let path = entry.map_err(EngineError::file("read", folder))?.path();
            let name = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
            if let Some(name) = name.filter(|_| path.extension().is_some_and(|it| it == "toml")) {
                profiles.insert(name, Self::read(&path)?);
            }
        }
        Ok(profiles)
    }

    fn read(path: &Path) -> Result<Self, EngineError> {
        let text = fs::read_to_string(path).map_err(EngineError::file("read", path))?;
        let profile = toml::from_str::<Self>(&text).map_err(|error| error.to_string().trim_end().to_owned());
        let checked = profile.and_then(|profile| profile.check("").map(|()| profile));
        checked.map_err(|problem| EngineError::Config { path: path.to_owned(), problem })
    }

    /// Whether every weight may be what it is; `within` is what stands before their names where they are written.
    pub(crate) fn check(&self, within: &str) -> Result<(), String> {
        for (name, weight, least, most) in [
            ("bm25.k1", self.bm25.k1, 0.0, 10.0),
            ("bm25.b", self.bm25.b, 0.0, 1.0),
            ("dense", self.dense, 0.0, 10.0),
            ("lexical", self.lexical, 0.0, 10.0),
            ("neighbour", self.neighbour, 0.0, 1.0),
            ("second_neighbour", self.second_neighbour, 0.0, 1.0),
            ("neighbour_terms", self.neighbour_terms, 1.0, 1e9),
            ("session", self.session, 0.0, 10.0),
            ("own_words", self.own_words, 0.0, 10.0),
            ("named_speaker", self.named_speaker, 0.0, 10.0),
            ("time", self.time, 0.0, 10.0),
            ("run", self.run, 0.0, 10.0),
            ("kept", self.kept, 0.0, 10.0),
            ("remembered", self.remembered, 0.0, 10.0),
            ("standing", self.standing, 0.0, 10.0),
            ("utility", self.utility, 0.0, 10.0),
            ("graph", self.graph, 0.0, 10.0),
            ("together", self.together, 0.0, 10.0),
            ("later_part", self.later_part, 0.0, 10.0),
            ("recency", self.recency, 0.0, 10.0),
            ("recency_tau_days", self.recency_tau_days, 0.01, 36_500.0),
            ("thread_boost", self.thread_boost, 1.0, 10.0),
            ("relevance", self.relevance, 0.0, 1.0),
        ] {
            check_range(&format!("{within}{name}"), weight, least, most)?;
        }
        check_range(&format!("{within}rivals"), self.rivals as f64, 0.0, MAX_RIVALS as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    /// covers: X-P1
    #[test]
    fn the_seeds_weights_are_kept_as_they_were_written() {
        let written = Profile {
            fusion: Fusion::ReciprocalRank,
            dense: 0.8,
            lexical: 0.15,
            recency: 0.15,
            recency_tau_days: 14.0,
            thread_boost: 1.8,
            relevance: 0.7,
            bm25: Bm25 { k1: 1.2, b: 0.75 },
            ..Profile::seed()
        };
        assert_eq!(Profile::seed(), written);
    }

    /// covers: X-P1
    #[test]
    fn a_profile_of_ones_own_is_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let profiles = folder.path().join("profiles");
        fs::create_dir(&profiles).expect("made");
        fs::write(profiles.join("terse.toml"), "lexical = 0.9\n").expect("written");
        fs::write(profiles.join("notes.txt"), "no profile").expect("written");
        fs::write(folder.path().join("config.toml"), "[recall]\nneighbour = 0.3\n").expect("written");
        let config = Config::read(&folder.path().join("config.toml")).expect("read");
        let own = Profile { neighbour: 0.3, ..Profile::default() };
        assert_eq!(config.ranking_profile("default"), Ok(own), "the configured one");
        assert_eq!(config.ranking_profile("seed"), Ok(Profile::seed()));
        assert_eq!(config.ranking_profile("terse"), Ok(Profile { lexical: 0.9, ..Profile::default() }));
        let unknown = config.ranking_profile("best").expect_err("nobody wrote it");
        assert_eq!(unknown.hint, "use default, seed, terse, or write profiles/NAME.toml");
        fs::write(profiles.join("terse.toml"), "lexical = -1\n").expect("written");
        let refused = Config::read(&folder.path().join("config.toml")).expect_err("less than nothing");
        assert!(refused.to_string().contains("lexical = -1"), "{refused}");
    }
}
