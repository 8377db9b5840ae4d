//! The dense lane: messages that mean what the question means, whatever their words.

use super::Question;
use crate::{Agent, Result};
use cairn_models::Calibration;
use cairn_store::{Near, Search, Wanted};
use std::sync::Arc;

/// What a question means.
pub(super) struct Meaning {
    pub(super) vector: Arc<[f32]>,
    /// What distances from it mean.
    pub(super) calibration: Calibration,
}

impl Agent {
    /// The `n` messages nearest to a text, by number: as recall finds them, and by comparing every vector exactly.
    pub async fn compare_scans(&self, text: &str, n: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let question = Question::new(text);
        let asked = self.asked(&question, self.now()).await?;
        let Ok(meaning) = self.meaning_of(&question, &asked).await? else { return Ok(Default::default()) };
        let later_part_penalty = self.config.recall.later_part as f32;
        let near = Near { vector: &meaning.vector, n, later_part_penalty };
        let wanted = Wanted::near(near);
        let scans = self.store.read(|view| {
            let search = view.search(&wanted)?;
            let seq = |(place, _)| search.keywords().documents()[place as usize].seq;
            Ok((search.nearest(&wanted).into_iter().map(seq).collect(), search.nearest_exact(near)?))
        });
        Ok(scans.await?)
    }
}

/// Messages looked at for each hit asked for, and at least. Three times as many would be enough to fuse ranks; sums
/// profit from more.
const NEAREST_PER_HIT: usize = 8;
const NEAREST_AT_LEAST: usize = 200;

/// What a question is near to, if vectors of that kind answer here.
pub(super) fn near<'a>(meaning: Option<&'a Meaning>, question: &Question) -> Option<Near<'a>> {
    let n = NEAREST_AT_LEAST.max(question.k * NEAREST_PER_HIT);
    let later_part_penalty = question.profile.later_part as f32;
    meaning.map(|meaning| Near { vector: &meaning.vector, n, later_part_penalty })
}

/// Tells how alike the question and some messages are.
type Compare<'a> = dyn Fn(&[u32]) -> cairn_store::Result<Vec<Option<f32>>> + Send + 'a;

/// The lane's findings.
pub(super) struct Dense<'a> {
    compare: Box<Compare<'a>>,
    calibration: Calibration,
    /// The messages nearest to the question, best first, with their cosine.
    pub(super) nearest: Vec<(u32, f32)>,
}

impl<'a> Dense<'a> {
    /// `None` if nothing here can be compared with what the question means.
    pub(super) fn search(
        search: &'a Search<'_>,
        wanted: &Wanted<'a>,
        meaning: Option<&Meaning>,
    ) -> Option<Self> {
        let (near, calibration) = (wanted.near?, meaning?.calibration);
        let fits = search.dimension() == Some(near.vector.len());
        let compare = Box::new(move |places: &[u32]| search.cosines(near, places));
        fits.then(|| Self { compare, calibration, nearest: search.nearest(wanted) })
    }

    /// How alike the question and some messages are, if they have vectors.
    pub(super) fn cosines(&self, places: &[u32]) -> cairn_store::Result<Vec<Option<f32>>> {
        (self.compare)(places)
    }

    /// The cosine of the nearest message.
    pub(super) fn best(&self) -> f32 {
        self.nearest.first().map_or(0.0, |(_, cosine)| *cosine)
    }

    /// More alike than this a message outside of `nearest` is not.
    pub(super) fn least(&self) -> f32 {
        self.nearest.last().map_or(0.0, |(_, cosine)| *cosine)
    }

    pub(super) fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}
