//! Readers of what other products leave on disk, into drafts: [`survey`] recognizes files and folders by their content,
//! [`gather()`] reads one of them with the reader of its product. Nothing is written where it is read from: databases are
//! copied with their log, archives are bounded, pickles build plain values only.
//!
//! In reading order: why something could not be read (`error`); the table of products (`product`) and forms (`form`); the pieces that are found (`gathered`); small
//! readings (`value`, `record`), opening files (`archive`, `database`, `pickle`, `chroma`); one file for each product
//! (`reader`); recognition (`shape`, `recognize`, `places`); which
//! reader a form has (`gather`); what a move would bring (`plan`), and
//! the move itself (`moving`).

#![allow(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "members and files are named by programs"
)]
#![allow(clippy::similar_names, reason = "`name`, `named` and `names` read as they mean")]

mod archive;
mod chroma;
mod database;
mod error;
mod form;
mod gather;
mod gathered;
mod moving;
mod pickle;
mod places;
mod plan;
mod product;
mod reader;
mod recognize;
mod record;
mod shape;
mod value;

pub use error::{ImporterError, Result};
pub use form::Form;
pub use gather::gather;
pub use gathered::{Gathered, GatheredKind, IdentityProposal, IdentityTarget};
pub use moving::{Moved, TenantChoice, carry_out};
pub use places::survey_home;
pub use plan::{Plan, ProductPlan, SeenMessages, gather_new, plan};
pub use product::{KNOWN_PRODUCTS, KnownProduct, Product};
pub use recognize::{Source, Survey, recognize_file, survey};
