//! The words that give an intention away.

use crate::{lexicon::IntentionsClass, pattern::Patterns};
use std::sync::LazyLock;

pub(super) static CUES: LazyLock<Patterns<IntentionsClass>> = LazyLock::new(Patterns::read);
