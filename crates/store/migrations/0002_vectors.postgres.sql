-- The vectors as pgvector knows them. An embedder with many vectors gets an HNSW index of its own when they are tended;
-- see vector/table.rs.
ALTER TABLE embedding DROP COLUMN vector;
ALTER TABLE embedding ADD COLUMN vector halfvec NOT NULL;
-- Inline, whatever their length: a search reads many of them.
ALTER TABLE embedding ALTER COLUMN vector SET STORAGE MAIN;
