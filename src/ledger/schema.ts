/** The schema and the steps that lead to it from every version ever released. */
import { packaged } from "../packaged.ts"

export interface Migration {
  /** The schema version after this step. */
  readonly to: number
  /** What turns the version before into this one. */
  readonly sql: string
  /** Whether tables are made anew from the history instead (src/app/forward.ts): no statement leads there. */
  readonly isRemade?: true
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
  {
    to: 3,
    // One model of evidence: what bears on a record, who uses it, and the tally of it are kept as they land, and put together
    // here from what earlier versions kept. A record no longer rests on what its plan tests or on what replaced it.
    sql: `CREATE TEMP TABLE grounds_before AS SELECT * FROM record_references WHERE part IN ('premise', 'reference', 'evidence');
DROP TABLE record_references;
CREATE TABLE record_references (
  version_id TEXT NOT NULL REFERENCES records (version_id),
  part TEXT NOT NULL CHECK (part IN ('premise', 'reference', 'evidence', 'plan', 'role')),
  position INTEGER NOT NULL,
  to_version_id TEXT NOT NULL REFERENCES records (version_id),
  purpose TEXT,
  explanation TEXT NOT NULL,
  PRIMARY KEY (version_id, part, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_references_to ON record_references (to_version_id, part);
INSERT INTO record_references SELECT * FROM grounds_before;
DROP TABLE grounds_before;
INSERT INTO record_references SELECT f.version_id, 'plan', j.key, j.value ->> '$.versionId', NULL, j.value ->> '$.explanation'
  FROM findings f JOIN plans n ON n.plan_id = f.plan_id, json_each(n.content, '$.premises') j;
INSERT INTO record_references SELECT r.version_id, 'role', row_number() OVER (PARTITION BY r.version_id ORDER BY j.position) - 1, j.id, NULL, j.role FROM records r, (
    SELECT version_id, -1 AS position, 'predicate' AS role, content ->> '$.assertion.predicate.type' AS type, content ->> '$.assertion.predicate.versionId' AS id FROM records
    UNION ALL SELECT o.version_id, e.key, e.value ->> '$.role', e.value ->> '$.value.type', e.value ->> '$.value.versionId' FROM records o, json_each(o.content, '$.assertion.roles') e) j
  WHERE j.version_id = r.version_id AND j.type IN ('record', 'concept_ref');
CREATE TABLE checkpoint_citations (
  checkpoint_id TEXT NOT NULL REFERENCES checkpoints (checkpoint_id),
  position INTEGER NOT NULL,
  version_id TEXT NOT NULL REFERENCES records (version_id),
  -- How it stood then: a checkpoint may cite what has fallen in order to say so.
  status TEXT NOT NULL,
  PRIMARY KEY (checkpoint_id, position)
) STRICT, WITHOUT ROWID;

INSERT INTO checkpoint_citations SELECT c.checkpoint_id, j.key, j.value, coalesce(
    (SELECT CASE min(CASE k.kind WHEN 'retracts' THEN 1 WHEN 'supersedes' THEN 2 WHEN 'corrects' THEN 3 ELSE 4 END)
      WHEN 1 THEN 'retracted' WHEN 2 THEN 'superseded' WHEN 3 THEN 'corrected' WHEN 4 THEN 'disputed' END
    FROM research_links k WHERE k.target_version_id = j.value AND k.at <= c.at), 'current')
  FROM checkpoints c, json_each(c.content, '$.citations') j;
CREATE TABLE link_withdrawals (
  link_id TEXT PRIMARY KEY,
  at TEXT NOT NULL,
  explanation TEXT NOT NULL,
  entry_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE reproductions (
  attempt_id TEXT PRIMARY KEY REFERENCES attempts (attempt_id),
  verdict TEXT NOT NULL,
  explanation TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE evidence_words (
  target_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('finding_link', 'reference', 'reproduction', 'research_link')),
  source_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  speaker_id TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES people (user_id),
  -- Whether the author is another than the target's.
  independent INTEGER NOT NULL CHECK (independent IN (0, 1)),
  verdict TEXT,
  at TEXT NOT NULL,
  withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (withdrawn IN (0, 1)),
  -- Whether it counts in the tally: the newest of its author and speaker that stands.
  counted INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)),
  PRIMARY KEY (target_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE evidence_tallies (
  target_id TEXT PRIMARY KEY,
  supports INTEGER NOT NULL,
  contradicts INTEGER NOT NULL,
  inconclusive INTEGER NOT NULL,
  reproductions INTEGER NOT NULL,
  independent INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE record_uses (
  target_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  how TEXT NOT NULL,
  by_kind TEXT NOT NULL,
  by_id TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (target_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE use_counts (
  target_id TEXT NOT NULL,
  how TEXT NOT NULL,
  uses INTEGER NOT NULL,
  PRIMARY KEY (target_id, how)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_words_of ON evidence_words (source_id);
CREATE INDEX evidence_words_by ON evidence_words (speaker_id, target_id, author_id, sequence);
INSERT INTO evidence_words SELECT w.target_id, row_number() OVER (PARTITION BY w.target_id ORDER BY w.at, w.source_id, w.position), w.source, w.source_id, w.position, w.speaker_id, w.author_id,
    w.author_id IS NOT coalesce((SELECT author_id FROM records WHERE version_id = w.target_id), (SELECT registrant_id FROM attempts WHERE attempt_id = w.target_id)), w.verdict, w.at, 0,
    w.verdict IS NOT NULL AND w.source <> 'research_link' AND NOT EXISTS (SELECT 1 FROM standings s WHERE s.version_id = w.speaker_id AND s.status <> 'current')
      AND 1 = row_number() OVER (PARTITION BY w.target_id, w.author_id, w.speaker_id, w.verdict IS NOT NULL ORDER BY w.at DESC, w.source_id DESC, w.position DESC)
  FROM (
    SELECT x.to_version_id AS target_id, 'reference' AS source, x.version_id AS source_id, x.position, x.version_id AS speaker_id, r.author_id, x.purpose AS verdict, r.created_at AS at
      FROM record_references x JOIN records r USING (version_id) WHERE x.part = 'reference' AND x.purpose IN ('supports', 'contradicts')
    UNION ALL SELECT v.version_id, 'finding_link', v.link_id, v.position, l.version_id, l.author_id, v.verdict, l.at FROM finding_verdicts v JOIN finding_links l USING (link_id)
    UNION ALL SELECT coalesce(a.reproduces_attempt_id, a.reproduces_version_id), 'reproduction', a.attempt_id, 0, a.attempt_id, a.registrant_id, NULL, a.registered_at FROM attempts a
      WHERE a.reproduces_attempt_id IS NOT NULL OR a.reproduces_version_id IS NOT NULL
    UNION ALL SELECT coalesce(a.reproduces_attempt_id, a.reproduces_version_id), 'reproduction', r.version_id, j.key, a.attempt_id, r.author_id, NULL, r.created_at
      FROM records r, json_each(r.content, '$.provenance.execution.attemptIds') j JOIN attempts a ON a.attempt_id = lower(j.value)
      WHERE a.reproduces_attempt_id IS NOT NULL OR a.reproduces_version_id IS NOT NULL
    UNION ALL SELECT k.target_version_id, 'research_link', k.link_id, 0, k.link_id, k.author_id, k.kind, k.at FROM research_links k WHERE k.kind <> 'supersedes') w;
INSERT INTO evidence_tallies SELECT target_id, sum(verdict = 'supports'), sum(verdict = 'contradicts'), sum(verdict = 'inconclusive' AND source <> 'reproduction'),
    sum(source = 'reproduction'), sum(independent) FROM evidence_words WHERE counted = 1 GROUP BY target_id;
INSERT INTO record_uses SELECT u.target_id, row_number() OVER (PARTITION BY u.target_id ORDER BY u.at, u.by_id, u.how, u.position), u.how, u.by_kind, u.by_id, u.at FROM (
    SELECT x.to_version_id AS target_id, x.part AS how, r.kind AS by_kind, r.version_id AS by_id, x.position, r.created_at AS at FROM record_references x JOIN records r USING (version_id) WHERE x.part <> 'plan'
    UNION ALL SELECT v.version_id, 'verdict', 'finding_link', v.link_id, v.position, l.at FROM finding_verdicts v JOIN finding_links l USING (link_id)
    UNION ALL SELECT a.reproduces_version_id, 'reproduction', 'attempt', a.attempt_id, 0, a.registered_at FROM attempts a WHERE a.reproduces_version_id IS NOT NULL
    UNION ALL SELECT a.reproduces_attempt_id, 'reproduction', 'attempt', a.attempt_id, 0, a.registered_at FROM attempts a WHERE a.reproduces_attempt_id IS NOT NULL
    UNION ALL SELECT j.value ->> '$.versionId', 'plan_premise', 'plan', n.plan_id, j.key, n.accepted_at FROM plans n, json_each(n.content, '$.premises') j
    UNION ALL SELECT j.value, 'plan_hypothesis', 'plan', n.plan_id, j.key, n.accepted_at FROM plans n, json_each(n.content, '$.hypotheses') j
    UNION ALL SELECT j.value, 'addressed', 'experiment', e.experiment_id, j.key, e.created_at FROM experiments e, json_each(e.hypotheses) j
    UNION ALL SELECT i.version_id, 'citation', 'checkpoint', c.checkpoint_id, i.position, c.at FROM checkpoint_citations i JOIN checkpoints c USING (checkpoint_id)
    UNION ALL SELECT k.replacement_version_id, 'replacement', 'link', k.link_id, 0, k.at FROM research_links k WHERE k.replacement_version_id IS NOT NULL
    UNION ALL SELECT j.value, 'dispute_evidence', 'link', k.link_id, j.key, k.at FROM research_links k, json_each(k.content, '$.evidence') j
    UNION ALL SELECT t.version_id, 'reuse', 'entry', t.entry_id, 0, t.body ->> '$.at' FROM timeline_entries t JOIN records r USING (version_id) WHERE t.kind = 'publication' AND t.entry_id <> r.entry_id) u;
INSERT INTO use_counts SELECT target_id, how, count(*) FROM record_uses GROUP BY target_id, how;
`,
  },
  {
    to: 4,
    // What a brief tells first: what failed, what is disputed, how much each hypothesis would be missed.
    sql: `CREATE TABLE room_failures (
  room_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  at TEXT NOT NULL,
  -- Of a run that diverged: which metric became what.
  detail TEXT,
  PRIMARY KEY (room_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX room_failures_of ON room_failures (id, kind);

CREATE TABLE disputed_records (
  room_id TEXT NOT NULL,
  version_id TEXT NOT NULL,
  PRIMARY KEY (room_id, version_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE hypothesis_ranks (
  version_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL,
  rank INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX hypothesis_ranks_of ON hypothesis_ranks (room_id, rank, version_id);

CREATE INDEX threads_selected ON threads (room_id, selected_checkpoint_id) WHERE selected_checkpoint_id IS NOT NULL;
CREATE INDEX experiments_live ON experiments (room_id, experiment_id) WHERE status IN ('open', 'claimed', 'in_progress');
CREATE INDEX attempts_running ON attempts (room_id, updated_at) WHERE status IN ('registered', 'started');

CREATE TRIGGER attempts_failing AFTER UPDATE OF status ON attempts WHEN new.status IN ('failed', 'preflight_failed') AND old.status <> new.status
  BEGIN INSERT INTO room_failures SELECT new.room_id, 1 + coalesce(max(sequence), 0), 'attempt_failed', new.attempt_id, new.updated_at, NULL FROM room_failures WHERE room_id = new.room_id; END;
CREATE TRIGGER attempts_diverging AFTER INSERT ON attempt_metrics
  WHEN new.value IN ('"NaN"', '"Infinity"', '"-Infinity"') AND NOT EXISTS (SELECT 1 FROM room_failures f WHERE f.id = new.attempt_id AND f.kind = 'attempt_diverged')
  BEGIN INSERT INTO room_failures SELECT a.room_id, 1 + (SELECT coalesce(max(sequence), 0) FROM room_failures WHERE room_id = a.room_id), 'attempt_diverged', a.attempt_id, new.reported_at,
    new.name || coalesce(' (' || new.split || ')', '') || ' became ' || trim(new.value, '"') || coalesce(' at step ' || new.step, '') FROM attempts a WHERE a.attempt_id = new.attempt_id; END;
CREATE TRIGGER findings_negative AFTER INSERT ON findings WHEN new.outcome = 'negative'
  BEGIN INSERT INTO room_failures SELECT r.room_id, 1 + (SELECT coalesce(max(sequence), 0) FROM room_failures WHERE room_id = r.room_id), 'negative_finding', r.version_id, r.created_at, NULL FROM records r WHERE r.version_id = new.version_id; END;
CREATE TRIGGER records_retracted AFTER INSERT ON research_links WHEN new.kind = 'retracts'
  BEGIN INSERT INTO room_failures SELECT new.room_id, 1 + coalesce(max(sequence), 0), 'retraction', new.link_id, new.at, NULL FROM room_failures WHERE room_id = new.room_id; END;
CREATE TRIGGER standings_noted AFTER INSERT ON standings BEGIN
  INSERT INTO disputed_records SELECT r.room_id, r.version_id FROM records r WHERE r.version_id = new.version_id AND new.status = 'disputed' ON CONFLICT DO NOTHING;
  INSERT INTO hypothesis_ranks SELECT * FROM hypothesis_weights WHERE version_id = new.version_id ON CONFLICT DO UPDATE SET rank = excluded.rank;
END;
CREATE TRIGGER standings_moved AFTER UPDATE OF status ON standings WHEN old.status <> new.status BEGIN
  DELETE FROM disputed_records WHERE version_id = new.version_id AND new.status <> 'disputed' AND room_id = (SELECT r.room_id FROM records r WHERE r.version_id = new.version_id);
  INSERT INTO disputed_records SELECT r.room_id, r.version_id FROM records r WHERE r.version_id = new.version_id AND new.status = 'disputed' ON CONFLICT DO NOTHING;
  INSERT INTO hypothesis_ranks SELECT * FROM hypothesis_weights WHERE version_id = new.version_id ON CONFLICT DO UPDATE SET rank = excluded.rank;
END;
CREATE TRIGGER tallies_made AFTER INSERT ON evidence_tallies
  BEGIN INSERT INTO hypothesis_ranks SELECT * FROM hypothesis_weights WHERE version_id = new.target_id ON CONFLICT DO UPDATE SET rank = excluded.rank; END;
CREATE TRIGGER tallies_moved AFTER UPDATE ON evidence_tallies
  BEGIN INSERT INTO hypothesis_ranks SELECT * FROM hypothesis_weights WHERE version_id = new.target_id ON CONFLICT DO UPDATE SET rank = excluded.rank; END;
CREATE VIEW hypothesis_weights (version_id, room_id, rank) AS
  SELECT r.version_id, r.room_id, CASE WHEN s.status = 'disputed' OR y.supports > 0 AND y.contradicts > 0 THEN 2
    WHEN coalesce(y.supports + y.contradicts + y.inconclusive + y.reproductions, 0) > 0 THEN 1 ELSE 0 END
  FROM records r LEFT JOIN evidence_tallies y ON y.target_id = r.version_id LEFT JOIN standings s ON s.version_id = r.version_id WHERE r.kind = 'hypothesis';
INSERT INTO room_failures SELECT room_id, row_number() OVER (PARTITION BY room_id ORDER BY at, id), kind, id, at, detail FROM (
    SELECT a.room_id, 'attempt_failed' AS kind, a.attempt_id AS id, a.updated_at AS at, NULL AS detail FROM attempts a WHERE a.status IN ('failed', 'preflight_failed')
    UNION ALL SELECT a.room_id, 'attempt_diverged', a.attempt_id, m.reported_at, m.name || coalesce(' (' || m.split || ')', '') || ' became ' || trim(m.value, '"') || coalesce(' at step ' || m.step, '')
      FROM attempt_metrics m JOIN attempts a USING (attempt_id) WHERE m.ordinal = (SELECT min(n.ordinal) FROM attempt_metrics n WHERE n.attempt_id = m.attempt_id AND n.value IN ('"NaN"', '"Infinity"', '"-Infinity"'))
    UNION ALL SELECT r.room_id, 'negative_finding', r.version_id, r.created_at, NULL FROM findings f JOIN records r USING (version_id) WHERE f.outcome = 'negative'
    UNION ALL SELECT l.room_id, 'retraction', l.link_id, l.at, NULL FROM research_links l WHERE l.kind = 'retracts');
INSERT INTO disputed_records SELECT r.room_id, r.version_id FROM standings s JOIN records r USING (version_id) WHERE s.status = 'disputed';
INSERT INTO hypothesis_ranks SELECT * FROM hypothesis_weights w WHERE EXISTS (SELECT 1 FROM evidence_tallies y WHERE y.target_id = w.version_id) OR EXISTS (SELECT 1 FROM standings s WHERE s.version_id = w.version_id);
`,
  },
  {
    to: 5,
    // Lists narrowed by status, assignee, author or hypothesis, and attempts in the order of their labels, pass nothing else.
    sql: `CREATE INDEX attempts_labelled ON attempts (room_id, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX attempts_labelled_by_status ON attempts (room_id, status, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX attempts_labelled_by_intent ON attempts (room_id, intent, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX attempts_of_experiment_labelled ON attempts (experiment_id, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX attempts_of_experiment_labelled_by_status ON attempts (experiment_id, status, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX attempts_of_experiment_labelled_by_intent ON attempts (experiment_id, intent, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX experiments_by_status ON experiments (status, experiment_id);
CREATE INDEX experiments_by_room_and_status ON experiments (room_id, status, experiment_id);
CREATE INDEX experiments_of_assignee ON experiments (assignee_id, experiment_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX experiments_of_assignee_by_status ON experiments (assignee_id, status, experiment_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX records_of_author ON records (author_id, version_id);
CREATE INDEX records_of_room_and_author ON records (room_id, author_id, version_id);
CREATE INDEX record_uses_by ON record_uses (target_id, how, by_id);
-- Records that no longer stand as they were accepted, by how; kept by the triggers below, so that lists of them pass no others.
CREATE TABLE fallen_records (
  version_id TEXT PRIMARY KEY REFERENCES records (version_id),
  room_id TEXT NOT NULL,
  status TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX fallen_records_of_room ON fallen_records (room_id, status, version_id);
CREATE INDEX fallen_records_by_status ON fallen_records (status, version_id);
CREATE TRIGGER records_fall AFTER INSERT ON standings WHEN new.status <> 'current'
  BEGIN INSERT INTO fallen_records SELECT version_id, room_id, new.status FROM records WHERE version_id = new.version_id; END;
CREATE TRIGGER records_move AFTER UPDATE OF status ON standings WHEN new.status <> old.status BEGIN
  DELETE FROM fallen_records WHERE version_id = new.version_id;
  INSERT INTO fallen_records SELECT version_id, room_id, new.status FROM records WHERE version_id = new.version_id AND new.status <> 'current';
END;
INSERT INTO fallen_records SELECT version_id, room_id, status FROM standings JOIN records USING (version_id) WHERE status <> 'current';
`,
  },
  {
    to: 6,
    // A restored instance is another one than the one it was a copy of. A registration says of its repository whether it is
    // the plan's, also one that was compared with its plan before.
    sql: `CREATE TABLE earlier_instances (
  position INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  -- When it was restored as another one.
  until TEXT NOT NULL
) STRICT;
UPDATE attempts SET plan_match = json_insert(plan_match, '$.repositoryMatchesPlan', json(iif(
    EXISTS (SELECT 1 FROM json_each(plan_match, '$.deviations') d WHERE d.value ->> '$.field' = 'repository/url'), 'false', 'true')))
  WHERE plan_match IS NOT NULL;
`,
  },
  {
    to: 7,
    // Search covers what was said of plans, attempts, materials, links and checkpoints too; what there is is indexed anew.
    sql: `DROP TRIGGER experiments_unindexed;
DROP TRIGGER experiments_reindexed;
DROP VIEW search_texts;
CREATE TEMP TABLE items_before AS SELECT item, kind, id FROM search_items;
DROP TABLE search_items;
CREATE TABLE search_items (
  item INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  -- Of what was said of an experiment or attempt later, its revision; null for the object itself.
  part INTEGER
) STRICT;
CREATE UNIQUE INDEX search_items_amended ON search_items (id) WHERE kind = 'experiment' AND part IS NULL;
CREATE INDEX search_items_of ON search_items (id);
INSERT INTO search_items SELECT item, kind, id, NULL FROM items_before;
DROP TABLE items_before;
CREATE VIEW search_places (item, room_id, thread_id, entry_id, user_id, at, label, line, standing) AS
  SELECT i.item, coalesce(r.room_id, x.room_id, t.room_id, n.room_id, a.room_id, m.origin_room_id, f.room_id, k.room_id, c.room_id, (SELECT s.room_id FROM threads s WHERE s.thread_id = e.thread_id)),
    coalesce(e.thread_id, r.thread_id, x.thread_id, t.thread_id, n.thread_id, a.thread_id, y.thread_id, f.thread_id, k.thread_id, c.thread_id),
    coalesce(e.entry_id, r.entry_id, x.entry_id, n.entry_id, a.entry_id, y.entry_id, f.entry_id, k.entry_id, c.entry_id),
    coalesce(e.author_id, r.author_id, v.author_id, x.proposer_id, t.author_id, n.accepted_by, a.registrant_id, m.registered_by, f.author_id, k.author_id, c.author_id),
    coalesce(e.body ->> '$.at', r.created_at, v.at, x.created_at, t.created_at, n.accepted_at, o.body ->> '$.receivedAt', a.registered_at, m.registered_at, f.at, k.at, c.at),
    coalesce(r.label, x.label, n.label, a.label, m.label, k.label),
    coalesce(r.wording, x.question, t.title, n.content ->> '$.protocol.summary', (SELECT q.question FROM experiments q WHERE q.experiment_id = a.experiment_id), m.name,
      f.toward_question ->> '$.explanation', k.explanation, c.conclusion, c.content ->> '$.synthesis', (SELECT s.title FROM threads s WHERE s.thread_id = e.thread_id)),
    coalesce(x.status, a.status, f.toward_question ->> '$.verdict', k.kind, c.state)
  FROM search_items i
  LEFT JOIN timeline_entries e ON i.kind = 'message' AND e.entry_id = i.id
  LEFT JOIN threads t ON i.kind = 'thread' AND t.thread_id = i.id
  LEFT JOIN experiments x ON i.kind = 'experiment' AND x.experiment_id = i.id
  LEFT JOIN experiment_revisions v ON i.kind = 'experiment' AND v.experiment_id = i.id AND v.revision = i.part
  LEFT JOIN records r ON i.kind IN ('hypothesis', 'finding', 'cited_claim') AND r.version_id = i.id
  LEFT JOIN plans n ON i.kind = 'plan' AND n.plan_id = i.id
  LEFT JOIN attempts a ON i.kind = 'attempt' AND a.attempt_id = i.id
  LEFT JOIN attempt_events o ON i.kind = 'attempt' AND o.attempt_id = i.id AND o.revision = i.part
  LEFT JOIN materials m ON i.kind = 'material' AND m.material_id = i.id
  LEFT JOIN room_materials y ON i.kind = 'material' AND y.room_id = m.origin_room_id AND y.material_id = m.material_id
  LEFT JOIN finding_links f ON i.kind = 'finding_link' AND f.link_id = i.id
  LEFT JOIN research_links k ON i.kind = 'link' AND k.link_id = i.id
  LEFT JOIN checkpoints c ON i.kind = 'checkpoint' AND c.checkpoint_id = i.id;
CREATE VIEW search_texts (item, label, title, body, tags) AS
  SELECT i.item, CASE WHEN i.part IS NULL THEN p.label END,
    CASE WHEN i.part IS NULL AND i.kind IN ('hypothesis', 'finding', 'cited_claim', 'experiment', 'thread', 'plan', 'material') THEN p.line END,
    CASE i.kind
      WHEN 'message' THEN (SELECT e.body ->> '$.message.text' FROM timeline_entries e WHERE e.entry_id = i.id)
      WHEN 'thread' THEN NULL
      WHEN 'experiment' THEN CASE WHEN i.part IS NULL THEN (SELECT x.scope FROM experiments x WHERE x.experiment_id = i.id)
        ELSE (SELECT concat_ws(char(10), v.content ->> '$.handoff', v.content ->> '$.summary', v.content ->> '$.reason', v.content ->> '$.explanation')
          FROM experiment_revisions v WHERE v.experiment_id = i.id AND v.revision = i.part) END
      WHEN 'plan' THEN (SELECT concat_ws(char(10), n.content ->> '$.repository.commit', n.content ->> '$.repository.url', n.content ->> '$.protocol.successCriteria',
        n.content ->> '$.protocol.steps', n.content ->> '$.protocol.entrypoint.argv',
        n.content ->> '$.protocol.configuration') FROM plans n WHERE n.plan_id = i.id)
      WHEN 'attempt' THEN CASE WHEN i.part IS NULL THEN (SELECT concat_ws(char(10), a.content ->> '$.argv', a.content ->> '$.configuration',
          a.content ->> '$.repository.commit', a.content ->> '$.intendedDeviation') FROM attempts a WHERE a.attempt_id = i.id)
        ELSE (SELECT concat_ws(char(10), o.body ->> '$.failure.explanation', o.body ->> '$.failure.stage', o.body ->> '$.message') FROM attempt_events o WHERE o.attempt_id = i.id AND o.revision = i.part) END
      WHEN 'material' THEN (SELECT concat_ws(char(10), m.reference, m.description) FROM materials m WHERE m.material_id = i.id)
      WHEN 'finding_link' THEN (SELECT concat_ws(char(10), f.toward_question ->> '$.explanation', (SELECT group_concat(d.explanation, char(10)) FROM finding_verdicts d WHERE d.link_id = f.link_id))
        FROM finding_links f WHERE f.link_id = i.id)
      WHEN 'link' THEN (SELECT concat_ws(char(10), k.explanation, k.content ->> '$.correction') FROM research_links k WHERE k.link_id = i.id)
      WHEN 'checkpoint' THEN (SELECT concat_ws(char(10), c.conclusion, c.content ->> '$.synthesis', c.open_questions) FROM checkpoints c WHERE c.checkpoint_id = i.id)
      ELSE (SELECT concat_ws(char(10), r.content ->> '$.scope', r.content ->> '$.quote', r.content ->> '$.limitations',
        (SELECT group_concat(d.label || ': ' || d.definition, char(10)) FROM concepts d WHERE d.version_id = r.version_id),
        (SELECT group_concat(d.arxiv_id, char(10)) FROM record_papers d WHERE d.version_id = r.version_id)) FROM records r WHERE r.version_id = i.id)
    END,
    'k' || replace(i.kind, '_', '') || ' ' || replace(p.room_id, '-', '') || ' ' || replace(p.user_id, '-', '')
  FROM search_items i JOIN search_places p USING (item);
CREATE TRIGGER experiments_unindexed BEFORE UPDATE OF question, scope ON experiments WHEN (old.question, old.scope) IS NOT (new.question, new.scope) BEGIN
  INSERT INTO search_index (search_index, rowid, label, title, body, tags)
    SELECT 'delete', s.* FROM search_items i JOIN search_texts s USING (item) WHERE i.kind = 'experiment' AND i.id = old.experiment_id AND i.part IS NULL
      AND i.item <= (SELECT max(id) FROM search_index_docsize);
END;
CREATE TRIGGER experiments_reindexed AFTER UPDATE OF question, scope ON experiments WHEN (old.question, old.scope) IS NOT (new.question, new.scope) BEGIN
  INSERT INTO search_index (rowid, label, title, body, tags)
    SELECT s.* FROM search_items i JOIN search_texts s USING (item) WHERE i.kind = 'experiment' AND i.id = old.experiment_id AND i.part IS NULL
      AND i.item <= (SELECT max(id) FROM search_index_docsize);
END;
CREATE TRIGGER plans_indexed AFTER INSERT ON plans
  BEGIN INSERT INTO search_items (kind, id) VALUES ('plan', new.plan_id); END;
CREATE TRIGGER attempts_indexed AFTER INSERT ON attempts
  BEGIN INSERT INTO search_items (kind, id) VALUES ('attempt', new.attempt_id); END;
CREATE TRIGGER attempt_events_indexed AFTER INSERT ON attempt_events WHEN new.body -> '$.message' IS NOT NULL OR new.body -> '$.failure' IS NOT NULL
  BEGIN INSERT INTO search_items (kind, id, part) VALUES ('attempt', new.attempt_id, new.revision); END;
CREATE TRIGGER experiment_revisions_indexed AFTER INSERT ON experiment_revisions WHEN new.operation IN ('release_experiment', 'report_experiment_status', 'cancel_experiment', 'amend_experiment')
  BEGIN INSERT INTO search_items (kind, id, part) VALUES ('experiment', new.experiment_id, new.revision); END;
CREATE TRIGGER materials_indexed AFTER INSERT ON materials
  BEGIN INSERT INTO search_items (kind, id) VALUES ('material', new.material_id); END;
CREATE TRIGGER finding_links_indexed AFTER INSERT ON finding_links
  BEGIN INSERT INTO search_items (kind, id) VALUES ('finding_link', new.link_id); END;
CREATE TRIGGER research_links_indexed AFTER INSERT ON research_links
  BEGIN INSERT INTO search_items (kind, id) VALUES ('link', new.link_id); END;
CREATE TRIGGER checkpoints_indexed AFTER INSERT ON checkpoints
  BEGIN INSERT INTO search_items (kind, id) VALUES ('checkpoint', new.checkpoint_id); END;
INSERT INTO search_items (kind, id, part) SELECT kind, id, part FROM (
    SELECT 'plan' AS kind, plan_id AS id, NULL AS part, accepted_at AS at FROM plans
    UNION ALL SELECT 'attempt', attempt_id, NULL, registered_at FROM attempts
    UNION ALL SELECT 'attempt', new.attempt_id, new.revision, new.body ->> '$.receivedAt' FROM attempt_events new WHERE new.body -> '$.message' IS NOT NULL OR new.body -> '$.failure' IS NOT NULL
    UNION ALL SELECT 'experiment', new.experiment_id, new.revision, new.at FROM experiment_revisions new WHERE new.operation IN ('release_experiment', 'report_experiment_status', 'cancel_experiment', 'amend_experiment')
    UNION ALL SELECT 'material', material_id, NULL, registered_at FROM materials
    UNION ALL SELECT 'finding_link', link_id, NULL, at FROM finding_links
    UNION ALL SELECT 'link', link_id, NULL, at FROM research_links
    UNION ALL SELECT 'checkpoint', checkpoint_id, NULL, at FROM checkpoints) ORDER BY at, id, part;
INSERT INTO search_index (search_index) VALUES ('delete-all');
INSERT INTO search_index (rowid, label, title, body, tags) SELECT * FROM search_texts ORDER BY item;
`,
  },
  // The history: from here on it is what tables are made of, and earlier data is put together to one.
  { to: 8, sql: "", isRemade: true },
  // Titles and questions of Rooms, and concepts, are found by what they contain.
  { to: 9, sql: "", isRemade: true },
  // What a brief lists is counted as it lands, and told of a Thread as quickly as of a Room; papers of a record have an index.
  { to: 10, sql: "", isRemade: true },
  // Rooms of other instances, and the people there.
  { to: 11, sql: "", isRemade: true },
  // What stands beside a receipt is kept once, by the history.
  { to: 12, sql: "", isRemade: true },
  // Licences of Rooms, names and ORCIDs of people, titles that came with saved papers.
  { to: 13, sql: "", isRemade: true },
  // Rooms of other instances can be adopted.
  { to: 14, sql: "", isRemade: true },
  // The curves of attempts are kept thinned beside their points, and the last value of each metric where lists look for it.
  { to: 15, sql: "", isRemade: true },
  // People can be disabled, and made operators; the audit log; the first signs of tokens.
  { to: 16, sql: "", isRemade: true },
  // Saved papers have tags, an index of their words and what they are ordered by; a reading position may say how many pages there are.
  { to: 17, sql: "", isRemade: true },
  {
    to: 18,
    // People sign in by accounts of the group's identity provider.
    sql: `CREATE TABLE provider_accounts (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL UNIQUE REFERENCES people (user_id),
  connected_at TEXT NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
`,
  },
  // What was withheld, and of which writes.
  { to: 19, sql: "", isRemade: true },
  // The index of words is smaller: what is in it of most texts takes less, and of long words only the beginning is in it. A receipt is kept
  // less what the history tells.
  { to: 20, sql: "", isRemade: true },
  // How much was accepted into each Room.
  { to: 21, sql: "", isRemade: true },
  // What quotes a paper is numbered, and the Rooms of each person are counted.
  { to: 22, sql: "", isRemade: true },
]

/** The first version that has a history. */
export const FIRST_WITH_HISTORY = 8

/** The whole schema, as a new file gets it. */
export const schemaSql = (): string => packaged("schema.sql")

/** The version that this program makes and reads. */
export const latestSchema = migrations.at(-1)?.to ?? 1
