//! Roots: which sources are one. What is said twice in one exchange, copied from file to file or told again by an agent that
//! heard it from the user is an echo, and counts once.

use cairn_domain::Time;

/// Where words come from that speak for or against a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotedSource<'a> {
    /// The exchange they were said in, the file they stand in, or what else they are one with.
    pub origin: &'a str,
    /// Who spoke: `user`, `assistant`, `file`, `lesson` …
    pub role: &'a str,
    /// The hash of the words.
    pub quote_hash: &'a str,
    /// When they were said.
    pub at: Time,
}

/// The agent, as a role.
const ASSISTANT: &str = "assistant";
/// The user, as a role.
const USER: &str = "user";
/// The role of words that were read from a file.
const FILE: &str = "file";

/// The root of each of several sources that all say the same: echoes have the root of what they echo.
pub fn roots(sources: &[QuotedSource<'_>]) -> Vec<String> {
    let first_heard = sources.iter().filter(|source| source.role == USER).min_by_key(|source| source.at);
    let root = |source: &QuotedSource<'_>| match source.role {
        ASSISTANT => first_heard.filter(|heard| heard.at <= source.at).unwrap_or(source).origin.to_owned(),
        FILE => {
            let same =
                |other: &&QuotedSource<'_>| other.role == FILE && other.quote_hash == source.quote_hash;
            sources.iter().find(same).unwrap_or(source).origin.to_owned()
        }
        _ => source.origin.to_owned(),
    };
    sources.iter().map(root).collect()
}

/// How much the words of somebody count: a person's, a file's and an outcome's fully, anything else by half.
pub fn weight(role: &str) -> f64 {
    match role {
        USER | FILE | "feedback" | "operator" => 1.0,
        _ => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn independent(sources: &[(&str, &str, &str, i64)]) -> usize {
        let sources: Vec<QuotedSource<'_>> = sources
            .iter()
            .map(|(origin, role, quote_hash, at)| QuotedSource {
                origin,
                role,
                quote_hash,
                at: Time::from_millis(*at),
            })
            .collect();
        roots(&sources).into_iter().collect::<BTreeSet<_>>().len()
    }

    /// covers: X-K3
    #[test]
    fn an_echo_counts_once() {
        for (what, sources, expected) in [
            ("said once", &[("ex_1", "user", "a", 1)][..], 1),
            ("said on two days", &[("ex_1", "user", "a", 1), ("ex_2", "user", "a", 9)], 2),
            ("confirmed in its exchange", &[("ex_1", "user", "a", 1), ("ex_1", "assistant", "b", 2)], 1),
            ("told again by the agent", &[("ex_1", "user", "a", 1), ("ex_7", "assistant", "b", 9)], 1),
            (
                "told again and again",
                &[
                    ("ex_1", "user", "a", 1),
                    ("ex_7", "assistant", "b", 9),
                    ("ex_8", "assistant", "c", 10),
                    ("ex_9", "assistant", "b", 11),
                ],
                1,
            ),
            ("said first by the agent", &[("ex_1", "assistant", "a", 1), ("ex_2", "user", "b", 9)], 2),
            ("two files", &[("file:a", "file", "a", 1), ("file:b", "file", "b", 1)], 2),
            ("a file and its copy", &[("file:a", "file", "a", 1), ("file:b", "file", "a", 1)], 1),
            ("a file and the user", &[("file:a", "file", "a", 1), ("ex_1", "user", "a", 1)], 2),
        ] {
            assert_eq!(independent(sources), expected, "{what}");
        }
    }

    /// covers: K-39
    #[test]
    fn a_persons_word_counts_fully_and_an_agents_by_half() {
        assert!(["user", "file", "feedback"].iter().all(|role| weight(role) > 0.99));
        assert!(["assistant", "system", "reflection"].iter().all(|role| (weight(role) - 0.5).abs() < 1e-9));
    }
}
