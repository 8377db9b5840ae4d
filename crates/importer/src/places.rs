//! Usual places: where products leave things in a user's home.

use crate::{
    error::Result,
    product::KNOWN_PRODUCTS,
    recognize::{Survey, survey},
};
use std::path::Path;

/// Looks in the usual places of a home.
pub fn survey_home(home: &Path) -> Result<Survey> {
    let mut found = Survey::default();
    for place in KNOWN_PRODUCTS.iter().flat_map(|known| known.places) {
        let path = home.join(place);
        if path.exists() {
            let here = survey(&path)?;
            found.sources.extend(here.sources);
        }
    }
    found.sources.sort();
    found.sources.dedup();
    Ok(found)
}
