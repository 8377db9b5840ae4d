//! The way in. First the words: `door` masks secrets, `capture` takes one message, `ingest` a whole transcript, `follow` a
//! folder of transcripts while they are being written; `embed` gives messages their vectors afterwards.
//!
//! Then what is worth keeping of them, behind the acknowledgement: `intake` leads each message through `observe` (the
//! trivial gate, filters, classes, names, emotion, density) and `prepare` (statements that stand alone), reads what is
//! known around each (`neighbourhood`; what was read in its texts once is in `readings`), lets the `gate` decide, and puts
//! together (`draft`) the memory (`shape`) with what it is bound to (`bind`, `relate`, `outdate`) and what the session has
//! in mind (`working`). `reasons` is what each step leaves behind for whoever asks why. `correct` lets somebody say that a
//! memory is wrong, `feedback` that it was of use. `knowledge` does the same with files. `refine` lets a language model, if there is one, say
//! afterwards what rules have formed. `reply` lets a write that is sent again be done once. `private` reads the diary.

mod bind;
mod capture;
mod correct;
mod door;
mod draft;
mod embed;
mod feedback;
mod follow;
mod gate;
mod ingest;
mod intake;
mod knowledge;
mod neighbourhood;
mod observe;
mod outdate;
mod prepare;
mod private;
mod readings;
mod reasons;
mod refine;
mod relate;
mod reply;
mod shape;
mod working;

pub use capture::Remembered;
pub use correct::Correction;
pub use embed::{EmbedderChange, Embedding};
pub use follow::Following;
pub use ingest::{IngestEvent, IngestReport};
pub use intake::{Formed, Forming};
pub use knowledge::KnowledgeReport;
pub use observe::ASKED;
pub(crate) use observe::{CORRECTS, DATA_SOURCE};
pub(crate) use private::private_statements;
pub(crate) use readings::Readings;
pub use reasons::{
    Classed, Contradicted, Counted, Decision, Felt, Filtered, Foreseen, NearestMemory, Reasons, Said, Weighed,
};
pub use refine::Refining;
pub(crate) use refine::{merge_question, prose_question, unfit_as_prose, unfit_for};
pub(crate) use shape::SEPARATOR;
