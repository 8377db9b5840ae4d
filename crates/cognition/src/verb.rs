//! Verbs: whether a text has one, in a language whose verbs are listed.

use crate::{
    language::LANGUAGES,
    lexicon::{ClassedEntry, FormationClass},
    reading::Reading,
    token::Token,
};
use foldhash::fast::FixedState;
use std::{collections::HashSet, sync::LazyLock};

/// Words, and endings of words behind a hyphen.
type VerbSet = HashSet<&'static str, FixedState>;

/// The verbs of a language, and how a clause without one begins.
struct VerbWords {
    begins: VerbSet,
    /// Verbs, and endings that only verbs have.
    finite: VerbSet,
    /// Endings that verbs share with plurals.
    or_plural: VerbSet,
}

/// The verbs of each language, by its place.
static VERBS: LazyLock<Vec<VerbWords>> = LazyLock::new(|| {
    let verbs = |class: FormationClass| {
        move |entry: ClassedEntry<FormationClass>| (entry.class == class).then_some(entry.text)
    };
    let of_class =
        |class| LANGUAGES.iter().map(move |it| it.classed_entries().filter_map(verbs(class)).collect());
    let begins = of_class(FormationClass::VerblessBegins);
    let verbs = of_class(FormationClass::Finite).zip(of_class(FormationClass::FiniteOrPlural));
    begins.zip(verbs).map(|(begins, (finite, or_plural))| VerbWords { begins, finite, or_plural }).collect()
});

/// Whether no word of a text is a verb: "An occupational hazard". False where the verbs of its language are not known, and where
/// a word may be one.
pub(crate) fn is_verbless(reading: &Reading) -> bool {
    let [language] = reading.languages() else { return false };
    let Some(verbs) = VERBS.get(language.place) else { return false };
    let tokens = reading.tokens();
    if !tokens.first().is_some_and(|first| is_listed(&verbs.begins, first)) {
        return false;
    }
    let before_last = &tokens[..tokens.len().saturating_sub(1)];
    !tokens.iter().any(|token| is_listed(&verbs.finite, token))
        && !before_last.iter().any(|token| is_listed(&verbs.or_plural, token))
}

fn is_listed(verbs: &VerbSet, token: &Token) -> bool {
    let word = token.whole_fold();
    let mut endings = verbs.iter().filter_map(|verb| verb.strip_prefix('-'));
    verbs.contains(&*word) || endings.any(|ending| word.len() > ending.len() + 1 && word.ends_with(ending))
}
