//! The user's words about what other agents share: saying the same confirms a shared memory, saying what cannot hold beside it
//! contradicts it, and either moves the trust in its owner. What the agent says, or quotes, moves nothing. Homes elsewhere are not
//! asked: of what they gave nothing was kept that could be compared.

use super::trust::TrustReason;
use crate::{
    agent::Agent,
    error::Result,
    meter::fallback,
    write::{AnalysisCache, MessageOrigin, Neighborhood, NeighborhoodQuery, Proposition, every_statement},
};
use cairn_cognition::contradiction::{
    Clash, ClashRule, Saying, contradiction, same_matter, same_proposition,
};
use cairn_domain::{
    AgentName, MemoryId, MemoryShare, MessageId, Mode, SharedRef, Time, TrustJudgment, TrustVerdict,
    WhoseWord,
};
use cairn_store::{MessageRecord, View};
use std::collections::BTreeMap;

/// The job under which it is done.
const HEAR_JOB: &str = "hear";
/// How long a process may keep it in hand.
const LEASE_MS: i64 = 60_000;
/// Messages that are read at a time, the newest of those that nobody has read.
const MAX_HEARD_MESSAGES: u32 = 200;
/// Owners whose memories are compared.
const MAX_COMPARED_OWNERS: usize = 32;

/// A message of the user, in statements.
struct UsersWord {
    message: MessageId,
    at: Time,
    mode: Mode,
    said: Vec<Proposition>,
}

impl Agent {
    /// Lets what the user said since the last time move the trust in the owners of shared memories; how many verdicts that were.
    pub async fn hear_about_shared(&self) -> Result<usize> {
        let (sources, jobs, messages) = self
            .store
            .read_on_writer(|view| Ok((view.shared_sources()?, view.jobs()?, view.next_seq()?)))
            .await?;
        let reached = jobs.into_iter().find(|job| job.name == HEAR_JOB).map_or(0, |job| job.watermark as u32);
        if sources.is_empty() || reached >= messages {
            return Ok(0);
        }
        let (now, holder) = (self.now(), self.holder());
        let until = Time::from_millis(now.millis() + LEASE_MS);
        if !self.store.claim_job(HEAR_JOB, holder.clone(), now, until).await? {
            return Ok(0);
        }
        let words = self.users_words(reached.max(messages.saturating_sub(MAX_HEARD_MESSAGES))).await;
        let mut noted = Ok(0);
        if let Ok(words) = &words
            && !words.is_empty()
        {
            let owners: Vec<AgentName> = sources.into_iter().map(|(owner, _)| owner).collect();
            noted = self.judge_by(words, &owners[..owners.len().min(MAX_COMPARED_OWNERS)]).await;
        }
        self.store.finish_job(HEAR_JOB, holder, i64::from(messages), self.now()).await?;
        words?;
        noted
    }

    /// The user's statements from a message on.
    async fn users_words(&self, from: u32) -> Result<Vec<UsersWord>> {
        let records: Vec<(MessageRecord, Option<MessageRecord>)> = self
            .store
            .read_on_writer(move |view| {
                let mut records = Vec::new();
                for record in view.messages_from(from, MAX_HEARD_MESSAGES)? {
                    if MessageOrigin::of(&record.message).data_source.whose_word() == WhoseWord::User {
                        let before = view.message_before(record.seq)?;
                        records.push((record, before));
                    }
                }
                Ok(records)
            })
            .await?;
        let word = |(record, before): (MessageRecord, Option<MessageRecord>)| {
            let message = &record.message;
            let said = every_statement(message, before.as_ref().map(|before| &before.message));
            UsersWord { message: message.id, at: message.at, mode: message.mode, said }
        };
        Ok(records.into_iter().map(word).filter(|word| !word.said.is_empty()).collect())
    }

    async fn judge_by(&self, words: &[UsersWord], owners: &[AgentName]) -> Result<usize> {
        let (now, mut noted) = (self.now(), 0);
        for owner in owners {
            let Ok(Some(store)) = self.owners.store(owner, now).await else {
                fallback("shared_away");
                continue;
            };
            let verdicts = store.read(|view| verdicts_on_shared(view, &self.name, words, now)).await?;
            if verdicts.is_empty() {
                continue;
            }
            let judgments = self.store.read(|view| view.trust_judgments(owner)).await?;
            for (memory, (verdict, message)) in verdicts {
                if last_word_of_user(&judgments, memory) != Some(verdict) {
                    let reference = SharedRef { owner: owner.clone(), memory };
                    self.record_trust(&reference, verdict, WhoseWord::User, TrustReason::Said(message))
                        .await?;
                    noted += 1;
                }
            }
        }
        Ok(noted)
    }
}

/// The last verdict of the user's words on each memory that an owner shares and that they are about, with the message that holds it.
fn verdicts_on_shared(
    view: &mut View<'_>,
    reader: &AgentName,
    words: &[UsersWord],
    now: Time,
) -> cairn_store::Result<BTreeMap<MemoryId, (TrustVerdict, MessageId)>> {
    let mut verdicts = BTreeMap::new();
    let Some(share) = view.narrow_to_share(reader, now)? else { return Ok(verdicts) };
    let analysis_cache = &AnalysisCache::default();
    for UsersWord { message, at, mode, said } in words {
        for proposition in said {
            let (text, statements) = (proposition.text.as_str(), proposition.statements.as_slice());
            let around = NeighborhoodQuery {
                text,
                vector: None,
                statements,
                session: None,
                analysis_cache,
                mode: *mode,
                at: *at,
            };
            let said = Saying { text, statements };
            let found = shared_verdicts(&Neighborhood::read(view, &around)?, &share, &said, *at);
            verdicts.extend(found.into_iter().map(|(memory, verdict)| (memory, (verdict, *message))));
        }
    }
    Ok(verdicts)
}

/// The verdicts of one statement on the shared memories around it.
fn shared_verdicts(
    around: &Neighborhood,
    share: &MemoryShare,
    said: &Saying<'_>,
    at: Time,
) -> Vec<(MemoryId, TrustVerdict)> {
    let mut verdicts = Vec::new();
    for near in around.like() {
        let memory = &near.record.memory;
        // What was said before the memory was made is not about it.
        if !share.covers(memory, &near.entities) || memory.valid_from > at {
            continue;
        }
        let known = Saying { text: &memory.text, statements: near.statements() };
        let verdict = match contradiction(&known, said) {
            // It was so, and is over: nobody was wrong.
            Some(clash) if clash.clash == Clash::Ended || clash.rule == ClashRule::NamesOldValue => None,
            Some(_) => Some(TrustVerdict::Contradicted),
            None => (same_proposition(&known, said) || same_matter(&known, said).is_some())
                .then_some(TrustVerdict::Confirmed),
        };
        verdicts.extend(verdict.map(|verdict| (memory.id, verdict)));
    }
    verdicts
}

/// The verdict that stands for a memory by the user's word.
fn last_word_of_user(judgments: &[TrustJudgment], memory: MemoryId) -> Option<TrustVerdict> {
    let by_user = |one: &&TrustJudgment| one.memory == memory && one.by == WhoseWord::User;
    judgments.iter().rev().find(by_user).map(|one| one.verdict)
}
