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
CREATE INDEX activity_by_kind ON activity_entries (room_id, kind, sequence);
CREATE TRIGGER attempt_metrics_stay BEFORE DELETE ON attempt_metrics BEGIN SELECT RAISE(ABORT, 'a metric point is never deleted'); END;
CREATE TRIGGER attempt_outputs_stay BEFORE DELETE ON attempt_outputs BEGIN SELECT RAISE(ABORT, 'an output is never deleted'); END;
CREATE TRIGGER attempt_inputs_keep BEFORE UPDATE ON attempt_inputs BEGIN SELECT RAISE(ABORT, 'an input is immutable'); END;
CREATE TRIGGER attempt_inputs_stay BEFORE DELETE ON attempt_inputs BEGIN SELECT RAISE(ABORT, 'an input is never deleted'); END;
CREATE TRIGGER plan_materials_keep BEFORE UPDATE ON plan_materials BEGIN SELECT RAISE(ABORT, 'a required material is immutable'); END;
CREATE TRIGGER plan_materials_stay BEFORE DELETE ON plan_materials BEGIN SELECT RAISE(ABORT, 'a required material is never deleted'); END;
CREATE TRIGGER findings_keep BEFORE UPDATE ON findings BEGIN SELECT RAISE(ABORT, 'a finding is immutable'); END;
CREATE TRIGGER findings_stay BEFORE DELETE ON findings BEGIN SELECT RAISE(ABORT, 'a finding is never deleted'); END;
CREATE TRIGGER finding_attempts_keep BEFORE UPDATE ON finding_attempts BEGIN SELECT RAISE(ABORT, 'a finding''s attempt is immutable'); END;
CREATE TRIGGER finding_attempts_stay BEFORE DELETE ON finding_attempts BEGIN SELECT RAISE(ABORT, 'a finding''s attempt is never deleted'); END;
CREATE TRIGGER finding_evidence_keep BEFORE UPDATE ON finding_evidence BEGIN SELECT RAISE(ABORT, 'a finding''s evidence is immutable'); END;
CREATE TRIGGER finding_evidence_stay BEFORE DELETE ON finding_evidence BEGIN SELECT RAISE(ABORT, 'a finding''s evidence is never deleted'); END;
CREATE TRIGGER finding_materials_keep BEFORE UPDATE ON finding_materials BEGIN SELECT RAISE(ABORT, 'a finding''s material is immutable'); END;
CREATE TRIGGER finding_materials_stay BEFORE DELETE ON finding_materials BEGIN SELECT RAISE(ABORT, 'a finding''s material is never deleted'); END;
CREATE TRIGGER record_papers_keep BEFORE UPDATE ON record_papers BEGIN SELECT RAISE(ABORT, 'a record''s paper is immutable'); END;
CREATE TRIGGER record_papers_stay BEFORE DELETE ON record_papers BEGIN SELECT RAISE(ABORT, 'a record''s paper is never deleted'); END;
CREATE TRIGGER finding_verdicts_keep BEFORE UPDATE ON finding_verdicts BEGIN SELECT RAISE(ABORT, 'a verdict is immutable'); END;
CREATE TRIGGER finding_verdicts_stay BEFORE DELETE ON finding_verdicts BEGIN SELECT RAISE(ABORT, 'a verdict is never deleted'); END;
CREATE TRIGGER threads_keep BEFORE UPDATE OF thread_id, room_id, sequence, title, author_id, created_at, follows_entry_id ON threads
  BEGIN SELECT RAISE(ABORT, 'what a Thread began as is immutable'); END;
CREATE TRIGGER threads_stay BEFORE DELETE ON threads BEGIN SELECT RAISE(ABORT, 'a Thread is never deleted'); END;`,
  },
]

/** The whole schema, as a new file gets it. */
export const schemaSql = (): string => packaged("schema.sql")
