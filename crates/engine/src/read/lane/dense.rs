//! The dense lane: messages that mean what the question means, whatever their words.

use crate::{
    Agent, Result,
    limits::QUERY_EMBED_TIMEOUT,
    read::question::{LexicalOnly, Question, UnderstoodQuestion},
};
use cairn_cognition::hyde::weighted_centroid;
use cairn_models::{Calibration, ModelError};
use cairn_store::{IndexQuery, IndexSearcher, NearestQuery};
use std::sync::Arc;

/// The vector of a question.
pub(crate) struct QuestionVector {
    pub(crate) vector: Arc<[f32]>,
    /// The embedder that made it.
    pub(crate) embedder: String,
    /// How to read distances from it.
    pub(crate) calibration: Calibration,
}

impl Agent {
    /// The vector of a question by the embedder that made this agent's vectors.
    pub(in crate::read) async fn question_vector(
        &self,
        question: &Question,
        asked: &UnderstoodQuestion,
    ) -> Result<std::result::Result<QuestionVector, LexicalOnly>> {
        let Some(active) = self.active_embedder().await? else { return Ok(Err(self.why_no_vectors())) };
        let session = question.session.as_deref().unwrap_or_default();
        let answered = match self.embedders.named(&active.name) {
            Ok((embedder, spec)) => {
                let vector = async {
                    let vector = embedder.embed_query(session, &asked.text, self.now()).await?;
                    let answers = asked.other_wordings(&question.profile);
                    if answers.is_empty() {
                        return Ok(vector);
                    }
                    let answers = embedder.embed(answers).await?;
                    let all = std::iter::once(&*vector).chain(answers.iter().map(Vec::as_slice));
                    Ok(weighted_centroid(&all.map(|vector| (1.0, vector)).collect::<Vec<_>>()).into())
                };
                let vector = tokio::time::timeout(QUERY_EMBED_TIMEOUT, vector).await;
                let vector = vector.unwrap_or_else(|_| Err(embed_timed_out(&active.name)));
                let embedder = active.name.clone();
                vector.map(|vector| QuestionVector { vector, embedder, calibration: spec.calibration })
            }
            Err(error) => Err(error),
        };
        let hint = |error: &ModelError| error.hint().to_owned();
        Ok(answered
            .map_err(|error| LexicalOnly::NoEmbedder { problem: error.to_string(), hint: hint(&error) }))
    }

    /// The `n` messages nearest to a text, by number: as recall finds them, and by comparing every vector exactly.
    pub async fn compare_scans(&self, text: &str, n: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let question = Question::new(text);
        let asked = self.understand_question(&question, self.now()).await?;
        let Ok(meaning) = self.question_vector(&question, &asked).await? else {
            return Ok(Default::default());
        };
        let later_part_penalty = self.config.recall.later_part as f32;
        let near = NearestQuery { vector: &meaning.vector, n, later_part_penalty };
        let wanted = IndexQuery::near(near);
        let scans = self.store.read(|view| {
            let search = view.search(&wanted)?;
            let seq = |(place, _)| search.keywords().documents()[place as usize].seq;
            Ok((search.nearest(&wanted).into_iter().map(seq).collect(), search.nearest_exact(near)?))
        });
        Ok(scans.await?)
    }
}

fn embed_timed_out(embedder: &str) -> ModelError {
    ModelError::Unreachable {
        server: embedder.to_owned(),
        problem: format!("nothing came within {} s", QUERY_EMBED_TIMEOUT.as_secs()),
    }
}

/// Messages looked at for their meaning, however many hits are asked for: the first hits are the same for everybody.
const NEAREST_MESSAGES: usize = 320;

/// The nearest-neighbor search to run, if the question has a vector.
pub(crate) fn nearest_wanted<'a>(
    meaning: Option<&'a QuestionVector>,
    question: &Question,
) -> Option<NearestQuery<'a>> {
    let (n, later_part_penalty) = (NEAREST_MESSAGES, question.profile.later_part as f32);
    meaning.map(|meaning| NearestQuery { vector: &meaning.vector, n, later_part_penalty })
}

/// Tells how alike the question and some messages are.
type Compare<'a> = dyn Fn(&[u32]) -> cairn_store::Result<Vec<Option<f32>>> + Send + 'a;

/// The lane's findings.
pub(crate) struct DenseFindings<'a> {
    compare: Box<Compare<'a>>,
    calibration: Calibration,
    /// The messages nearest to the question, best first, with their cosine.
    pub(crate) nearest: Vec<(u32, f32)>,
}

impl<'a> DenseFindings<'a> {
    /// `None` if nothing here can be compared with what the question means.
    pub(crate) fn search(
        search: &'a IndexSearcher<'_>,
        wanted: &IndexQuery<'a>,
        meaning: Option<&QuestionVector>,
    ) -> Option<Self> {
        let (near, calibration) = (wanted.near?, meaning?.calibration);
        let fits = search.dimension() == Some(near.vector.len());
        let compare = Box::new(move |places: &[u32]| search.cosines(near, places));
        fits.then(|| Self { compare, calibration, nearest: search.nearest(wanted) })
    }

    /// How alike the question and some messages are, if they have vectors.
    pub(crate) fn cosines(&self, places: &[u32]) -> cairn_store::Result<Vec<Option<f32>>> {
        (self.compare)(places)
    }

    /// Whether the filter leaves no message to compare.
    pub(crate) fn is_empty(&self) -> bool {
        self.nearest.is_empty()
    }

    /// The cosine of the nearest message.
    pub(crate) fn best_cosine(&self) -> f32 {
        self.nearest.first().map_or(0.0, |(_, cosine)| *cosine)
    }

    /// More alike than this a message outside of `nearest` is not.
    pub(crate) fn least_cosine(&self) -> f32 {
        self.nearest.last().map_or(0.0, |(_, cosine)| *cosine)
    }

    pub(crate) fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}
