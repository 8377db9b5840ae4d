-- The keyword index, where embedded mode has files: derived from the messages, written in the same transaction, and made
-- anew by `cairn rebuild`.

-- One message. `terms` are the hashes of its terms, each mixed with the agent's number, so that the lists of the GIN index
-- belong to one agent each. `document` is what scoring needs of it: see keyword/table.rs.
CREATE TABLE keyword (
    agent_id   BIGINT   NOT NULL,
    seq        BIGINT   NOT NULL,
    session_id BIGINT   NOT NULL,
    thread_id  BIGINT,
    mode       TEXT     NOT NULL,
    role       TEXT     NOT NULL,
    said_at    BIGINT   NOT NULL,
    terms      BIGINT[] NOT NULL,
    document   BYTEA    NOT NULL,
    PRIMARY KEY (agent_id, seq)
);
CREATE INDEX keyword_by_term ON keyword USING gin (terms) WITH (gin_pending_list_limit = 1024);
CREATE INDEX keyword_by_session ON keyword (agent_id, session_id, seq);

-- The messages of an agent that hold one of the terms `rare`, or terms of two of the words `a`, `b` and `c`; with `most` the
-- newest so many, looked for among the newest 20,000: for words that stand everywhere. Behind row-level security no statement may use the index over terms, so this function looks from before the
-- wall, and keeps to the agent that the connection has set as `cairn.agent` by itself.
CREATE FUNCTION keyword_hits(
    agent BIGINT, rare BIGINT[], a BIGINT[], b BIGINT[], c BIGINT[], session BIGINT, said_by BIGINT, modes TEXT[], most BIGINT
) RETURNS TABLE (seq BIGINT, document BYTEA)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
    terms TEXT := 'k.terms && $2';
    rest TEXT := 'k.agent_id = $1';
BEGIN
    IF agent IS DISTINCT FROM (SELECT x.agent_id FROM agent AS x WHERE x.name = current_setting('cairn.agent', true)) THEN
        RETURN;
    END IF;
    IF b IS NOT NULL THEN terms := terms || ' OR (k.terms && $3 AND k.terms && $4)'; END IF;
    IF c IS NOT NULL THEN
        terms := terms || ' OR (k.terms && $3 AND k.terms && $5) OR (k.terms && $4 AND k.terms && $5)';
    END IF;
    IF session IS NOT NULL THEN rest := rest || ' AND k.session_id = $6'; END IF;
    IF said_by IS NOT NULL THEN rest := rest || ' AND k.said_at <= $7'; END IF;
    IF modes IS NOT NULL THEN rest := rest || ' AND k.mode = ANY($8)'; END IF;
    IF most IS NULL THEN
        RETURN QUERY EXECUTE 'SELECT k.seq, k.document FROM keyword AS k WHERE (' || terms || ') AND ' || rest
            USING agent, rare, a, b, c, session, said_by, modes;
    ELSE
        RETURN QUERY EXECUTE 'SELECT k.seq, k.document FROM (SELECT k.seq, k.document, k.terms FROM keyword AS k WHERE ' || rest
            || ' ORDER BY k.seq DESC LIMIT 20000) AS k WHERE ' || terms || ' ORDER BY k.seq DESC LIMIT $9'
            USING agent, rare, a, b, c, session, said_by, modes, most;
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
