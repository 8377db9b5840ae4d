//! The computations of Cairn: pure functions, one file per idea, each formula in its doc comment and an anchor value in
//! its test. No input or output, no async, no database, no clock. Word lists are data files under `lexicon/`, one
//! folder per language.
//!
//! In reading order: `lexicon` holds the word lists and [`language`] says which of them a text is read with; `literal` and
//! `pattern` look for expressions; `plain`, `token`, `verb`, `abbreviation`, [`sentence`] and [`reading`] take a text apart. [`keywords`]
//! turns text into terms, [`bm25`] weighs them, [`passage`] says what of a message is embedded, [`log_excerpt`] what of a long
//! output of a tool is searched, [`subject`] whose words a question is about, [`fusion`] makes one ranking out of several,
//! [`title`] names a session. `unit_interval` and [`cosine`] are the numbers that all of it is made of.
//!
//! How a message is read: [`trivial`] stops what says nothing, [`observer`] what is not worth looking at, [`secret`], [`personal`] and
//! [`injection`] find what is masked, private or gives orders; [`shown`] tells which of its words are somebody else's.
//! [`entity`], [`temporal`] and [`standalone`] make its words readable without it, [`statement`] says who has which value of
//! what, [`density`] and [`emotion`] how much it says and how it was felt; [`judge`] asks small trained models what no list of words can
//! say, and [`formation`] makes its statements.
//!
//! How a question is answered: [`intent`] says what it is after and [`route`] how that is searched for, [`temporal::windows`]
//! which time it speaks of, [`follow_up`] whether it leans on the one before, [`echo`] what only asks the same, [`gloss`] what it says in another language, [`decompose`] what it asks one by one, [`hyde`] what an answer could look like; [`pagerank`] walks
//! the graph, [`run`] reads what an agent did step by step, [`activation`] and [`score`] rank memories, [`diversity`] leaves out what says the same, [`hot`] is always at
//! hand, [`confidence`], [`excerpt`] and [`budget`] say what reaches a prompt, [`aid`] what can be worked out, [`dispute`]
//! what its quotations say against each other, [`proof`] which claims are true only now, [`hebbian`] what being given does to a memory.
//!
//! The life of a memory: [`importance`] and [`prediction_error`] when it is made, [`relation`], [`contradiction`] and [`synaptic`] beside
//! others, [`strength`] on top of [`retention`] and [`utility`] with use, [`tier`] and [`forgetting`] with time;
//! [`working`] is what a session has in mind. At night [`promotion`], [`rehearsal`] and [`cluster`] decide, in a layer
//! [`review`]; [`parent_entity`], [`stretch`], [`quoted_list`] and [`lesson`] are what is condensed. [`belief`] is what several memories say of one thing,
//! [`source_trust`] how far another agent's memories are trusted. For whoever comes back, [`remark_cue`]
//! says what is worth telling, [`due`] what is due, [`intention`] what is meant for later, [`settled`] what is done, [`file_name`] which files were named, [`skill`] how work with tools went and [`friction`] what made it hard again and again. [`entropy`] says how far an exchange
//! departs from what is known, [`standing`] where the user stands, [`wellbeing`] whether it has become late; [`principles`] reads the
//! principles of an identity and [`alignment`] tells how a sentence stands to them, [`contemplation`] what comes of what did not fit, [`dynamics`] the state in which
//! an agent was while something happened.
//!
//! Before an agent acts, [`govern`] decides by an operator's rules how the action goes on.

mod abbreviation;
pub mod activation;
pub mod aid;
pub mod alignment;
pub mod belief;
pub mod bm25;
pub mod budget;
pub mod cluster;
pub mod confidence;
pub mod contemplation;
pub mod contradiction;
pub mod cosine;
pub mod decompose;
pub mod density;
pub mod dispute;
pub mod diversity;
pub mod due;
pub mod dynamics;
pub mod echo;
pub mod emotion;
pub mod entity;
pub mod entropy;
pub mod excerpt;
pub mod file_name;
pub mod follow_up;
pub mod forgetting;
pub mod formation;
pub mod friction;
pub mod fusion;
pub mod gloss;
pub mod govern;
pub mod hebbian;
pub mod hot;
pub mod hyde;
pub mod importance;
pub mod injection;
pub mod intent;
pub mod intention;
pub mod judge;
pub mod keywords;
pub mod language;
pub mod lesson;
mod lexicon;
mod literal;
pub mod log_excerpt;
pub mod observer;
pub mod pagerank;
pub mod parent_entity;
pub mod passage;
mod pattern;
pub mod personal;
mod plain;
pub mod prediction_error;
pub mod principles;
pub mod promotion;
pub mod proof;
pub mod quoted_list;
pub mod reading;
pub mod rehearsal;
pub mod relation;
pub mod remark_cue;
pub mod retention;
pub mod review;
pub mod route;
pub mod run;
pub mod score;
pub mod secret;
pub mod sentence;
pub mod settled;
pub mod shown;
pub mod skill;
pub mod source_trust;
pub mod standalone;
pub mod standing;
pub mod statement;
pub mod strength;
pub mod stretch;
pub mod subject;
pub mod synaptic;
pub mod temporal;
pub mod tier;
pub mod title;
mod token;

pub mod trivial;
mod unit_interval;
pub mod utility;
mod verb;
pub mod wellbeing;
pub mod working;
