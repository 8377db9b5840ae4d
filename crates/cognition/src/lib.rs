//! What Cairn computes: pure functions, one file per idea, each formula in its doc comment and an anchor
//! value in its test. No input or output, no async, no database, no clock. Word lists are data files
//! under `lexicon/`, one folder a language.
//!
//! In reading order: [`keywords`] turns text into terms, [`bm25`] weighs them, [`passage`] says what of a message is
//! embedded, [`subject`] whose words a question is about, [`fusion`] makes one ranking out of several, [`title`] names a
//! session; [`entity`], [`temporal`] and [`standalone`] make the words of a message readable without it, [`formation`] the
//! statements that it makes.
//!
//! What becomes of a memory: [`importance`] and [`prediction_error`] when it is made, [`relation`] and [`synaptic`] beside
//! others, [`strength`] on top of [`retention`] and [`utility`] with use, [`tier`] and [`forgetting`] with time; [`working`]
//! is what a session has in mind.

pub mod bm25;
pub mod contradiction;
pub mod density;
pub mod emotion;
pub mod entity;
pub mod forgetting;
pub mod formation;
pub mod fusion;
pub mod importance;
pub mod injection;
pub mod keywords;
pub mod language;
pub mod observer;
pub mod passage;
mod pattern;
pub mod personal;
mod plain;
pub mod prediction_error;
pub mod relation;
pub mod retention;
pub mod secret;
pub mod sentence;
pub mod standalone;
pub mod statement;
pub mod strength;
pub mod subject;
pub mod synaptic;
pub mod temporal;
pub mod tier;
pub mod title;
mod token;
pub mod trivial;
pub mod utility;
pub mod working;
