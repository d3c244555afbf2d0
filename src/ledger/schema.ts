/** The schema and the steps that lead to it from every version ever released. */
import { packaged } from "../packaged.ts"

export interface Migration {
  /** The schema version after this step. */
  readonly to: number
  /** What turns the version before into this one. */
  readonly sql: string
}

/**
 * Version 1 is the first one there was; nothing leads to it. Each later step is added here, and `schema.sql` kept equal to
 * their sum. Before a step is added, a sample of the version it leads away from is kept: see test/upgrade/make-sample.ts.
 */
export const migrations: readonly Migration[] = [
  { to: 1, sql: "" },
  {
    to: 2,
    // Texts are indexed for search once before each commit, no longer one by one as they are written. A feed of some kinds
    // is no longer looked for among all the others. The parts of what was accepted are kept as their whole is.
    sql: `DROP TRIGGER search_items_indexed;
DROP TRIGGER experiments_unindexed;
DROP TRIGGER experiments_reindexed;
CREATE TRIGGER experiments_unindexed BEFORE UPDATE OF question, scope ON experiments WHEN (old.question, old.scope) IS NOT (new.question, new.scope) BEGIN
  INSERT INTO search_index (search_index, rowid, label, title, body, tags)
    SELECT 'delete', s.* FROM search_items i JOIN search_texts s USING (item) WHERE i.kind = 'experiment' AND i.id = old.experiment_id
      AND i.item <= (SELECT max(id) FROM search_index_docsize);
END;
CREATE TRIGGER experiments_reindexed AFTER UPDATE OF question, scope ON experiments WHEN (old.question, old.scope) IS NOT (new.question, new.scope) BEGIN
  INSERT INTO search_index (rowid, label, title, body, tags)
    SELECT s.* FROM search_items i JOIN search_texts s USING (item) WHERE i.kind = 'experiment' AND i.id = old.experiment_id
      AND i.item <= (SELECT max(id) FROM search_index_docsize);
END;
CREATE INDEX activity_by_kind ON activity_entries (room_id, kind, sequence);`,
  },
]

/** The whole schema, as a new file gets it. */
export const schemaSql = (): string => packaged("schema.sql")
