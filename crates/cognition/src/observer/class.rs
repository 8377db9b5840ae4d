//! Classes: what kind of thing a text says, by the words that give it away.

use crate::{lexicon::CategoriesClass, pattern::Patterns};
use cairn_domain::Category;
use std::sync::LazyLock;

/// Confidence that each further match adds.
const FURTHER_MATCH_CONFIDENCE: f64 = 0.1;
/// Maximum confidence.
const MAX_CONFIDENCE: f64 = 0.95;
/// Minimum names of a text about entities.
const MIN_ENTITIES: usize = 2;

/// One kind of thing that a text says.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryMatch {
    /// The kind.
    pub category: Category,
    /// How sure that is.
    pub confidence: f64,
    /// The words that matched.
    pub because: String,
}

static CATEGORY_PATTERNS: LazyLock<Patterns<CategoriesClass>> = LazyLock::new(Patterns::read);

fn category(class: CategoriesClass) -> Category {
    match class {
        CategoriesClass::Correction => Category::Correction,
        CategoriesClass::Preference => Category::Preference,
        CategoriesClass::Decision => Category::Decision,
        CategoriesClass::Fact => Category::Fact,
        CategoriesClass::Plan => Category::Plan,
        CategoriesClass::Procedure => Category::Procedure,
    }
}

/// How much one match of a class says.
fn first_match_confidence(category: Category) -> f64 {
    match category {
        Category::Correction => 0.4,
        Category::Decision => 0.35,
        Category::Preference | Category::Entity | Category::Plan => 0.3,
        Category::Fact | Category::Procedure | Category::Pattern | Category::Other => 0.25,
    }
}

/// The kinds of thing that a text with so many names says, the surest first. None is no reason to skip it: it is a plain
/// statement, of category other.
///
/// confidence = min(0.95, base + 0.1·(matches − 1))
pub fn matched_categories(text: &str, entities: usize) -> Vec<CategoryMatch> {
    let mut found: Vec<(Category, Vec<&str>)> = Vec::new();
    let mut taken: Vec<(Category, std::ops::Range<usize>)> = Vec::new();
    for hit in CATEGORY_PATTERNS.find(text) {
        let category = category(hit.class);
        let overlaps = |(of, range): &(Category, std::ops::Range<usize>)| {
            *of == category && range.start < hit.range.end && hit.range.start < range.end
        };
        if taken.len() >= 64 || taken.iter().any(overlaps) {
            continue;
        }
        taken.push((category, hit.range.clone()));
        let words = text[hit.range].trim();
        match found.iter_mut().find(|(known, _)| *known == category) {
            Some((_, because)) => because.push(words),
            None => found.push((category, vec![words])),
        }
    }
    let mut classes: Vec<CategoryMatch> = found
        .into_iter()
        .map(|(category, because)| CategoryMatch {
            category,
            confidence: (first_match_confidence(category)
                + FURTHER_MATCH_CONFIDENCE * (because.len() - 1) as f64)
                .min(MAX_CONFIDENCE),
            because: because.join(", "),
        })
        .collect();
    if entities >= MIN_ENTITIES {
        let because = format!("{entities} names");
        classes.push(CategoryMatch {
            category: Category::Entity,
            confidence: first_match_confidence(Category::Entity),
            because,
        });
    }
    classes.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-67, C-68, C-69, C-70, C-71
    #[test]
    fn words_give_a_class_away_and_are_named() {
        for (text, category, confidence) in [
            ("Actually, the invoice goes to Graz.", Category::Correction, 0.4),
            ("That was wrong, it should be 480.", Category::Correction, 0.5),
            ("Aslında toplantı salı günü değil.", Category::Correction, 0.4),
            ("I prefer tabs.", Category::Preference, 0.3),
            ("My favorite tea is oolong and I hate coffee.", Category::Preference, 0.4),
            ("Kahveyi sütlü seviyorum.", Category::Preference, 0.3),
            ("We decided to rent a van.", Category::Decision, 0.35),
            ("I'm going with Hetzner, we chose the small plan.", Category::Decision, 0.45),
            ("Hetzner'i seçtik.", Category::Decision, 0.35),
            ("My name is Ana.", Category::Fact, 0.25),
            ("The version is 2.3", Category::Fact, 0.25),
            ("Adım Deniz.", Category::Fact, 0.25),
            ("I'm planning to move in May.", Category::Plan, 0.3),
            ("Yarın Bursa'ya gideceğim.", Category::Plan, 0.3),
            ("To restart it, run make again.", Category::Procedure, 0.25),
            ("Önce fişi çek, sonra kapağı aç.", Category::Procedure, 0.25),
        ] {
            let classes = matched_categories(text, 0);
            let first = classes.first().unwrap_or_else(|| panic!("{text}: none"));
            assert_eq!(first.category, category, "{text}: {classes:?}");
            assert!((first.confidence - confidence).abs() < 1e-9, "{text}: {classes:?}");
            assert!(!first.because.is_empty());
        }
    }

    /// covers: C-70, X-C22
    #[test]
    fn two_names_make_a_text_rich_and_none_at_all_is_a_plain_statement() {
        assert_eq!(matched_categories("Rob met Carla.", 2)[0].category, Category::Entity);
        assert!((matched_categories("Rob met Carla.", 9)[0].confidence - 0.3).abs() < 1e-9);
        assert_eq!(matched_categories("The kiln fires slowly.", 1), []);
        assert_eq!(matched_categories("", 0), []);
    }

    #[test]
    fn confidence_is_bounded() {
        let text =
            "I prefer tea. I love jazz. I hate rain. I enjoy chess. My favourite colour is red. ".repeat(50);
        let classes = matched_categories(&text, 0);
        assert!((classes[0].confidence - 0.95).abs() < 1e-9);
    }
}
