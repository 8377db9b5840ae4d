//! Evidence: what answers the question, in the words it was said in. The surest whole, the less sure in short, the unsure left
//! out and counted.

use crate::{
    Result,
    limits::MAX_CONTEXT_QUERY_CHARS,
    read::{
        prompt::{
            block::{Block, BuildFuture, ContextSection, SectionHeader, SectionShare},
            quoting::QuotationPlan,
            situation::Situation,
        },
        question::{Profile, Question},
    },
};
use cairn_cognition::{echo::asks_the_same, subject::asks_for_findings};
use cairn_domain::{RecordKind, Role};

pub(super) const SECTION: ContextSection = ContextSection {
    name: "evidence",
    priority: 10,
    header: SectionHeader::plain(""),
    share: SectionShare::thirtieths(30, 0),
    build,
};

/// Messages of the running session among which the question before is looked for.
const MAX_MESSAGES_BEFORE: u32 = 12;
/// Maximum hits considered for a question.
const MAX_HITS_CONSIDERED: usize = 80;
/// The same on the first turn of a session, of which only the user's words are taken.
const MAX_HITS_ON_FIRST_TURN: usize = 160;

fn build<'a>(situation: &'a Situation<'a>) -> BuildFuture<'a> {
    Box::pin(evidence(situation))
}

async fn evidence<'a>(situation: &'a Situation<'a>) -> Result<Option<Block<'a>>> {
    let (briefing, agent) = (situation.briefing, situation.agent);
    let Some(query) = &briefing.query else { return Ok(None) };
    let at_first = !asks_for_findings(query) && is_first_turn(situation).await?;
    let text: String = query.chars().take(MAX_CONTEXT_QUERY_CHARS).collect();
    let k = if at_first { MAX_HITS_ON_FIRST_TURN } else { MAX_HITS_CONSIDERED };
    let (thread, mode) = (briefing.thread.clone(), briefing.mode);
    // What counts most is packed first.
    let profile = Profile { broad_after: 0, ..agent.config.recall };
    // What is held true has a place of its own, and what was condensed is told in the words it stands on.
    let kinds = vec![RecordKind::Exchange, RecordKind::Memory, RecordKind::Attachment];
    // What was said is quoted, and what each word is worth comes with the explanation.
    let after = asked_before(situation, query).await?;
    let asked = Question { verbatim: true, explain: true, after, ..Question::new(text) };
    let mut recall = agent.recall(Question { k, thread, mode, kinds, profile, ..asked }).await?;
    recall.hits.retain(|hit| {
        let message = hit.found.message().map(|record| &record.message);
        let said_here = message.is_some_and(|it| Some(&it.session) == briefing.session.as_ref());
        let anothers = message.is_some_and(|it| it.role != Role::User);
        let asks = message.is_some_and(|it| asks_the_same(&it.text, query));
        !(said_here || at_first && anothers || asks)
    });
    let recall = situation.keep_recall(recall);
    Ok(Some(Block::Quotations(Box::new(QuotationPlan::new(recall, situation.now)))))
}

/// The user's last words in the running session before this.
async fn asked_before(situation: &Situation<'_>, query: &str) -> Result<Option<String>> {
    let Some(session) = &situation.briefing.session else { return Ok(None) };
    let said = situation.agent.store.read(|view| view.of_session(session, None, MAX_MESSAGES_BEFORE)).await?;
    let users = said.into_iter().filter(|it| it.message.role == Role::User && it.message.text != query);
    Ok(users.max_by_key(|it| (it.message.at, it.seq)).map(|it| it.message.text))
}

/// Whether nobody but the user has spoken yet in the running session.
async fn is_first_turn(situation: &Situation<'_>) -> Result<bool> {
    let Some(session) = &situation.briefing.session else { return Ok(false) };
    Ok(!situation.agent.store.read(|view| view.is_answered(session)).await?)
}
