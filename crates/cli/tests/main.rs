//! The product, as people and programs meet it: the real binary, in homes of its own. One binary of tests, since
//! each would carry the whole product.

mod bad_input;
mod beliefs;
mod bundle;
mod correct;
mod diary;
mod durability;
mod embedding;
mod erase;
mod eval;
mod handoff;
mod health;
mod hook;
mod ingest;
mod init;
mod language;
mod list;
mod look;
mod low_risk;
mod mcp;
mod memories;
mod operator;
mod postgres;
mod privacy;
mod ranking;
mod recall;
mod remember;
mod review;
mod rhythm;
mod scope;
mod serve;
mod setup;
mod story;
mod support;
mod usage;
mod watch;
