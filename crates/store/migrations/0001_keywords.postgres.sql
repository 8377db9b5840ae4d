-- The keyword index, where embedded mode has files: derived from the messages, written in the same transaction, and made
-- anew by `cairn rebuild`.

-- One message. `terms` are halves of the hashes of its terms, each mixed with the agent's number, so that the lists of the
-- GIN index belong to one agent each. `document` is what scoring needs of it, with the other halves: see keyword/table.rs.
CREATE TABLE keyword (
    agent_id   BIGINT    NOT NULL,
    seq        BIGINT    NOT NULL,
    session_id BIGINT    NOT NULL,
    thread_id  BIGINT,
    mode       TEXT      NOT NULL,
    role       TEXT      NOT NULL,
    said_at    BIGINT    NOT NULL,
    terms      INTEGER[] NOT NULL,
    document   BYTEA     NOT NULL,
    PRIMARY KEY (agent_id, seq)
);
CREATE INDEX keyword_by_term ON keyword USING gin (terms) WITH (gin_pending_list_limit = 1024);
CREATE INDEX keyword_by_session ON keyword (agent_id, session_id, seq);
CREATE INDEX keyword_by_thread ON keyword (agent_id, thread_id, seq);

-- The messages of an agent that hold one of the terms `rare`, or terms of two of the words `a`, `b` and `c`: of any `two`, of the
-- `first` and another, or of all `three`; with `most` the newest so many, looked for among the newest 20,000: for words that stand everywhere. Behind row-level security no statement may use the index over terms, so this function looks from before the
-- wall, and keeps to the agent that the connection has set as `cairn.agent` by itself.
CREATE FUNCTION keyword_hits(
    agent BIGINT, rare INTEGER[], a INTEGER[], b INTEGER[], c INTEGER[], together TEXT, said_by BIGINT, modes TEXT[],
    session BIGINT, thread BIGINT, sender TEXT, most BIGINT
) RETURNS TABLE (seq BIGINT, document BYTEA)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
    terms TEXT := 'k.terms && $2';
    rest TEXT := 'k.agent_id = $1';
BEGIN
    IF agent IS DISTINCT FROM (SELECT x.agent_id FROM agent AS x WHERE x.name = current_setting('cairn.agent', true)) THEN
        RETURN;
    END IF;
    IF c IS NOT NULL AND together = 'three' THEN
        terms := terms || ' OR (k.terms && $3 AND k.terms && $4 AND k.terms && $5)';
    ELSIF b IS NOT NULL THEN
        terms := terms || ' OR (k.terms && $3 AND k.terms && $4)';
        IF c IS NOT NULL THEN terms := terms || ' OR (k.terms && $3 AND k.terms && $5)'; END IF;
        IF c IS NOT NULL AND together = 'two' THEN terms := terms || ' OR (k.terms && $4 AND k.terms && $5)'; END IF;
    END IF;
    IF said_by IS NOT NULL THEN rest := rest || ' AND k.said_at <= $6'; END IF;
    IF modes IS NOT NULL THEN rest := rest || ' AND k.mode = ANY($7)'; END IF;
    IF session IS NOT NULL THEN rest := rest || ' AND k.session_id = $8'; END IF;
    IF thread IS NOT NULL THEN rest := rest || ' AND k.thread_id = $9'; END IF;
    IF sender IS NOT NULL THEN rest := rest || ' AND k.role = $10'; END IF;
    IF most IS NULL THEN
        RETURN QUERY EXECUTE 'SELECT k.seq, k.document FROM keyword AS k WHERE (' || terms || ') AND ' || rest
            USING agent, rare, a, b, c, said_by, modes, session, thread, sender;
    ELSE
        RETURN QUERY EXECUTE 'SELECT k.seq, k.document FROM (SELECT k.seq, k.document, k.terms FROM keyword AS k WHERE ' || rest
            || ' ORDER BY k.seq DESC LIMIT 20000) AS k WHERE ' || terms || ' ORDER BY k.seq DESC LIMIT $11'
            USING agent, rare, a, b, c, said_by, modes, session, thread, sender, most;
    END IF;
END $$;

-- How many messages hold a term.
CREATE TABLE term (
    agent_id BIGINT NOT NULL REFERENCES agent,
    term     BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    PRIMARY KEY (agent_id, term)
) WITH (fillfactor = 70);

-- How many messages there are, and how many terms in all of them.
CREATE TABLE corpus (
    agent_id BIGINT NOT NULL PRIMARY KEY REFERENCES agent,
    messages BIGINT NOT NULL,
    length   BIGINT NOT NULL
);
