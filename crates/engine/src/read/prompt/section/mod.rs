//! Sections of a context: each one file with its priority, its two headers, its share of the budget and how it is built.
//! Nothing else knows them: whoever adds one writes a file and a line of [`SECTIONS`].

mod attached;
mod awareness;
mod coherence;
mod evidence;
mod graph;
mod hot;
mod identity;
mod in_mind;
mod intentions;
mod last_words;
mod leases;
mod left_off;
mod noted;
mod proof;
mod restart;
mod said_last;
mod skills;
mod standing;
mod thoughts;
mod truth;
mod wishes;

use super::block::ContextSection;

/// Every section, in the order of their priorities; of the same priority in the order they are put on the page.
pub(super) const SECTIONS: &[ContextSection] = &[
    identity::SECTION,
    restart::SECTION,
    intentions::SECTION,
    coherence::SECTION,
    thoughts::CONTEMPLATION,
    thoughts::GROWTH_VECTORS,
    thoughts::NIGHT,
    truth::SECTION,
    graph::SECTION,
    awareness::SECTION,
    leases::SECTION,
    evidence::SECTION,
    wishes::SECTION,
    hot::SECTION,
    left_off::SECTION,
    attached::SECTION,
    last_words::SECTION,
    in_mind::SECTION,
    said_last::SECTION,
    noted::SECTION,
    standing::SECTION,
    skills::SECTION,
    proof::SECTION,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// covers: W-105, W-108, W-120
    #[test]
    fn there_is_one_section_of_each_name_in_the_order_of_priorities() {
        let names: HashSet<&str> = SECTIONS.iter().map(|section| section.name).collect();
        assert_eq!(names.len(), SECTIONS.len());
        assert!(SECTIONS.is_sorted_by_key(|section| section.priority));
        for section in SECTIONS {
            let header = &section.header;
            assert_eq!(header.first_person.is_empty(), header.system.is_empty(), "{}", section.name);
        }
    }
}
