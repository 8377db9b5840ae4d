//! Abbreviations: words whose full stop need not end a sentence. One list in each language, for everything that reads a text.

use crate::lexicon::{AbbreviationsClass, classed_entries};
use foldhash::fast::FixedState;
use std::{collections::HashMap, sync::LazyLock};

/// Each abbreviation without its last full stop.
static ABBREVIATIONS: LazyLock<HashMap<&'static str, AbbreviationsClass, FixedState>> =
    LazyLock::new(|| classed_entries().map(|entry| (entry.text, entry.class)).collect());

/// The class of an abbreviation, given without its last full stop; none of any other word.
pub(crate) fn abbreviation(word: &str) -> Option<AbbreviationsClass> {
    ABBREVIATIONS.get(word.to_lowercase().as_str()).copied()
}

/// Whether a name or a number follows an abbreviation, so that a capital after it begins no sentence.
pub(crate) fn leads_to_a_name(class: AbbreviationsClass) -> bool {
    match class {
        AbbreviationsClass::Title | AbbreviationsClass::NameFollows => true,
        AbbreviationsClass::Company | AbbreviationsClass::Plain => false,
    }
}
