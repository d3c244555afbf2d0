-- All data of one research-room instance. Times are RFC 3339 UTC text with milliseconds, ids are lower-case UUID text,
-- and JSON is stored as the text in which it is served. Each table belongs to one folder of src, named in the heading
-- above it. Accepted writes are never changed or deleted. The triggers that ensure this are made from the list of
-- objects (src/contract/objects/objects.ts), which names the columns that may change. A `seal` is a short digest of the
-- columns of its row that are not derived from the journal; the triggers that set it are made from
-- src/ledger/storage/not-replayed.ts, and `check` verifies it.

------------------------------------------------------------------------------------------------ src/ledger
-- joined: journal by src/contract, src/research, src/threads, src/rooms, src/app/compose
-- joined: writers by src/threads, src/research
-- joined: places by src/contract, src/threads, src/research, src/rooms
-- joined: standings by src/research, src/threads
-- joined: timeline_entries by src/contract, src/threads, src/research
-- joined: room_heads by src/rooms, src/research
-- joined: thread_heads by src/threads, src/research
-- joined: counters by src/rooms, src/research

-- One row: the identity of this instance. A copy keeps it; a restored or new instance gets another.
CREATE TABLE instance (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  instance_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- Whether withheld text may still be in free pages of the file or in its log.
  unclean INTEGER NOT NULL DEFAULT 0 CHECK (unclean IN (0, 1)),
  seal BLOB
) STRICT;

-- The instances that it was restored from, in order.
CREATE TABLE earlier_instances (
  position INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  -- When the data was restored as another instance.
  until TEXT NOT NULL,
  seal BLOB
) STRICT;

-- Texts that were withheld and may stand, as quotations, in what other writes were given. Empty once those are
-- rewritten.
CREATE TABLE withheld_quotes (
  quote INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  mark TEXT NOT NULL,
  -- The next entry of the journal to search for the text.
  next_position INTEGER NOT NULL
) STRICT;

-- Rows that overwrite the free pages of the file, where withheld texts may stand. Empty once they have.
CREATE TABLE wiping (
  row INTEGER PRIMARY KEY,
  zeros BLOB NOT NULL
) STRICT;

-- How many rows each table has that no write makes. Triggers made from src/ledger/storage/not-replayed.ts keep the
-- numbers, so that `check` finds a row that something else added or removed.
CREATE TABLE row_counts (
  name TEXT PRIMARY KEY,
  rows INTEGER NOT NULL CHECK (rows > 0)
) STRICT, WITHOUT ROWID;

-- The journal: every accepted write in one row, in order (src/ledger/journal/journal.ts describes how it is read). All
-- other tables are derived from it, except those in src/ledger/storage/not-replayed.ts.
CREATE TABLE journal (
  position INTEGER PRIMARY KEY,
  -- The name of an operation, or of an act of people (src/people/acts.ts).
  operation TEXT NOT NULL,
  writer INTEGER NOT NULL,
  at TEXT NOT NULL,
  -- The Room and the sequence in its activity; the Thread and the sequence of the write's own entry there. Null if the
  -- write has none.
  room INTEGER,
  room_sequence INTEGER,
  thread INTEGER,
  entry_sequence INTEGER,
  -- Identifies retries. Null if the write cannot be retried.
  delivery_id BLOB,
  -- The ids in the path, as JSON. If the Room or the Thread is the only one, just its parameter's name. Null if there
  -- are none.
  params TEXT,
  -- The body as canonical JSON, without `client`.
  content TEXT NOT NULL,
  -- What the sender said about itself, as JSON.
  client TEXT,
  -- The values generated for the write, as JSON: ids, digests of tokens, values made from the body, warnings. Null if
  -- there are none besides the id of its entry.
  given TEXT,
  -- The columns from here to `card` are the part of the answer and of its entries that cannot be computed again. The
  -- target is what the receipt names. It is null for a message, whose receipt names its entry.
  target_kind TEXT,
  target_id TEXT,
  label TEXT,
  -- The `targetId` of the receipt, if it differs from `target_id`.
  about_id TEXT,
  -- The result in the receipt, as JSON. Null for a message.
  result TEXT,
  -- What the entry shows of a record or checkpoint, as JSON.
  card TEXT,
  -- Digests of the accepted content, of the entry in the Room's activity, and of the write. The last one also covers
  -- the digest of the write before.
  content_digest BLOB NOT NULL,
  activity_digest BLOB,
  digest BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX journal_of_room ON journal (room, room_sequence) WHERE room_sequence IS NOT NULL;
CREATE INDEX journal_of_room_by_operation ON journal (room, operation, room_sequence) WHERE room_sequence IS NOT NULL;
CREATE INDEX journal_by_delivery ON journal (delivery_id) WHERE delivery_id IS NOT NULL;

-- The numbers by which the journal refers to Rooms and Threads. With their ids and the columns of `writers` in each
-- row, a message took half as many bytes again in the journal, and a quarter more time.
CREATE TABLE places (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE
) STRICT;
-- The numbers by which the journal refers to the authors of writes. An empty text means none.
CREATE TABLE writers (
  writer INTEGER PRIMARY KEY,
  user_id TEXT NOT NULL,
  -- The same person's id here. It differs for some people of other instances.
  person_id TEXT NOT NULL,
  -- The credential or personal key; empty for a person in the browser. In an imported Room, a value that stands for
  -- either.
  sender TEXT NOT NULL,
  -- The name in the record, and the name shown in Threads here. They differ for people of other instances.
  username TEXT NOT NULL,
  shown_as TEXT NOT NULL,
  -- The name of the agent that wrote for the person; empty if the person wrote in the browser, null if not known.
  agent TEXT,
  UNIQUE (user_id, sender, username, shown_as, person_id, agent)
) STRICT;

-- The places of messages, cards and receipts in their Threads. Their content is in the journal, except what changes.
CREATE TABLE timeline_entries (
  thread INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  history_position INTEGER NOT NULL,
  reply_to_entry_id TEXT,
  reply_count INTEGER NOT NULL DEFAULT 0,
  -- The record whose standing the card shows.
  version_id TEXT,
  PRIMARY KEY (thread, sequence)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX timeline_by_id ON timeline_entries (entry_id);
-- Covers messages too, although most entries of most timelines are messages: the next one may come after ten thousand
-- receipts of attempts.
CREATE INDEX timeline_by_kind ON timeline_entries (thread, kind, sequence);
CREATE INDEX timeline_replies ON timeline_entries (reply_to_entry_id, sequence) WHERE reply_to_entry_id IS NOT NULL;
CREATE INDEX timeline_cards ON timeline_entries (version_id) WHERE version_id IS NOT NULL;

-- The end of each Room's activity: the sequence and digest on which the next entry builds.
CREATE TABLE room_heads (
  room_id TEXT PRIMARY KEY,
  activity_sequence INTEGER NOT NULL,
  activity_digest TEXT NOT NULL,
  last_activity_at TEXT NOT NULL,
  -- The total size of the accepted content.
  accepted_bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The end of each Thread's timeline.
CREATE TABLE thread_heads (
  thread_id TEXT PRIMARY KEY,
  timeline_sequence INTEGER NOT NULL,
  last_activity_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The last ordinal assigned in a Room to each kind of labelled object, and to its Threads. No ordinal is skipped.
CREATE TABLE counters (
  room_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (room_id, kind)
) STRICT, WITHOUT ROWID;

-- The standing of records: their status and notices, updated as links are accepted. A record without a row is current.
CREATE TABLE standings (
  version_id TEXT PRIMARY KEY,
  status TEXT NOT NULL,
  -- The newest dispute that still stands and that the record's author has not answered.
  open_dispute TEXT,
  -- The positions in the journal of the newest link that makes the record doubted or fallen, and of the newest one that
  -- makes it fallen.
  worried_at INTEGER,
  fallen_at INTEGER,
  -- The notices as they are served, in the order of acceptance: a JSON list.
  notices TEXT NOT NULL
) STRICT;

-- Pictures and logs, by the digest of their bytes. One that no write uses is deleted after a day.
CREATE TABLE attachments (
  digest TEXT PRIMARY KEY,
  media_type TEXT NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp', 'text/plain')),
  -- The size of a picture in pixels.
  width INTEGER,
  height INTEGER,
  -- The index of a log, as JSON: its size, what was left out, and where its pieces are: in a part, or else in `bytes`.
  -- Each piece is compressed separately.
  log TEXT,
  uploaded_by TEXT NOT NULL,
  uploaded_at TEXT NOT NULL,
  bytes BLOB NOT NULL,
  seal BLOB
) STRICT;
-- The bytes of a long log, except for its last ones. Each part is stored in a transaction of its own before the log is,
-- so that no write waits long for an upload.
CREATE TABLE log_parts (
  part_id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL,
  part INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  seal BLOB,
  UNIQUE (digest, part)
) STRICT;
CREATE TRIGGER attachments_in_parts AFTER DELETE ON attachments WHEN old.log IS NOT NULL BEGIN
  DELETE FROM log_parts WHERE digest = old.digest;
END;
-- The writes that use each of them, except those in which the alternative text of a picture or the digest of a log was
-- withheld.
CREATE TABLE attachment_uses (
  digest TEXT NOT NULL,
  history_position INTEGER NOT NULL,
  PRIMARY KEY (digest, history_position)
) STRICT, WITHOUT ROWID;

-- Writes with withheld parts, which marks replace in the journal. The remaining content no longer tells what a retry
-- must match.
CREATE TABLE withheld_writes (
  history_position INTEGER PRIMARY KEY,
  request_digest TEXT NOT NULL
) STRICT;
-- The withheld parts: the place in the body, and the write that withheld it.
CREATE TABLE withheld_fields (
  mark TEXT PRIMARY KEY,
  history_position INTEGER NOT NULL,
  path TEXT NOT NULL,
  by_position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX withheld_fields_by ON withheld_fields (by_position);

------------------------------------------------------------------------------------------------ src/people
-- joined: people by src/threads, src/rooms, src/research, src/library, src/app/compose

-- People of this instance: the first one is an operator, and may appoint others. Passwords are stored as scrypt hashes
-- with their parameters. Also people of other instances who are named in imported Rooms; they cannot sign in.
CREATE TABLE people (
  user_id TEXT PRIMARY KEY,
  -- The name used here. For people of another instance it ends with `@` and the name of that instance.
  username TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  is_operator INTEGER NOT NULL CHECK (is_operator IN (0, 1)),
  created_at TEXT NOT NULL,
  -- When the account was disabled. Null while it may be used.
  disabled_at TEXT,
  -- When the person last signed in, and when an operator last reset the count of failed sign-ins. No write records
  -- these.
  signed_in_at TEXT,
  count_cleared_at TEXT,
  -- The other instance and the person's name there. Null for people of this instance.
  instance_id TEXT,
  known_as TEXT,
  -- The address of the instance whose activity names the person (both addresses, if one instance reports another), and
  -- the person's id there if it differs from the id here. Two instances may use the same ids.
  base_url TEXT,
  id_there TEXT,
  -- How the person wants to be cited.
  name TEXT,
  given_name TEXT,
  family_name TEXT,
  orcid TEXT,
  seal BLOB,
  CHECK ((instance_id IS NULL) = (known_as IS NULL))
) STRICT;
CREATE UNIQUE INDEX people_of_elsewhere ON people (base_url, coalesce(id_there, user_id)) WHERE base_url IS NOT NULL;
CREATE INDEX people_of_here ON people (user_id) WHERE instance_id IS NULL;
CREATE INDEX operators ON people (user_id) WHERE is_operator = 1;

-- Signed-in browsers. Only a digest of each session's token is stored.
CREATE TABLE sessions (
  token_digest TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES people (user_id),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of ON sessions (user_id);

-- Accounts at the group's identity provider through which people sign in, one for each person. Like passwords, they are
-- not in the journal.
CREATE TABLE provider_accounts (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL UNIQUE REFERENCES people (user_id),
  connected_at TEXT NOT NULL,
  seal BLOB,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

-- Links through which a person may create one account. If a link names a Room, its user joins that Room too.
CREATE TABLE invitations (
  invitation_id TEXT PRIMARY KEY,
  token_digest TEXT NOT NULL UNIQUE,
  invited_by TEXT NOT NULL REFERENCES people (user_id),
  room_id TEXT REFERENCES rooms (room_id),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  accepted_by TEXT REFERENCES people (user_id),
  revoked_at TEXT
) STRICT;

CREATE INDEX invitations_by ON invitations (invited_by);

-- The audit log: events about people, access and operators. Lines are only added; they are not in the journal and
-- contain no secrets. The digest of each line covers that of the line before it.
CREATE TABLE audit_entries (
  sequence INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  by_id TEXT,
  subject_id TEXT,
  -- The line as it is served.
  body TEXT NOT NULL,
  -- The digest of the subject's name, after the name was withheld.
  name_digest TEXT,
  digest BLOB NOT NULL
) STRICT;
CREATE INDEX audit_by_kind ON audit_entries (kind);
CREATE INDEX audit_by_person ON audit_entries (by_id) WHERE by_id IS NOT NULL;
CREATE INDEX audit_by_subject ON audit_entries (subject_id) WHERE subject_id IS NOT NULL;

------------------------------------------------------------------------------------------------ src/rooms
-- joined: rooms by src/people, src/threads, src/research, src/app/compose
-- joined: credentials by src/app/compose
-- joined: members by src/research
-- joined: imported_rooms by src/research, src/ledger

-- Rooms, each with its archiving while it is archived.
CREATE TABLE rooms (
  -- The row number for the index of texts below. Implicit row numbers would change when the file is vacuumed.
  item INTEGER PRIMARY KEY,
  room_id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  question TEXT,
  -- An SPDX id, if one was stated.
  license TEXT,
  owner_id TEXT NOT NULL REFERENCES people (user_id),
  opening_thread_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'archived')),
  archived_at TEXT,
  archived_by TEXT REFERENCES people (user_id),
  archive_reason TEXT,
  CHECK ((state = 'archived') = (archived_at IS NOT NULL AND archived_by IS NOT NULL AND archive_reason IS NOT NULL))
) STRICT;
-- An index of trigrams for substring searches in Rooms (src/ledger/lists/substrings.ts).
-- The texts are folded before (src/contract/folding.ts), so the tokenizer changes nothing.
CREATE VIEW room_spellings (item, title, question) AS SELECT item, folded(title), folded(question) FROM rooms;
CREATE VIRTUAL TABLE room_trigrams USING fts5 (
  title, question, content = 'room_spellings', content_rowid = 'item', tokenize = 'trigram case_sensitive 1',
  detail = 'none', columnsize = 0
);
INSERT INTO room_trigrams (room_trigrams, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER rooms_spelled AFTER INSERT ON rooms BEGIN
  INSERT INTO room_trigrams (rowid, title, question) VALUES (new.item, folded(new.title), folded(new.question));
END;
CREATE TRIGGER rooms_respelled AFTER UPDATE OF title, question ON rooms
WHEN (old.title, old.question) IS NOT (new.title, new.question) BEGIN
  INSERT INTO room_trigrams (room_trigrams, rowid, title, question)
    VALUES ('delete', old.item, folded(old.title), folded(old.question));
  INSERT INTO room_trigrams (rowid, title, question) VALUES (new.item, folded(new.title), folded(new.question));
END;

-- Rooms of other instances and their origins. A row is added before the first of the Room's writes is replayed here.
CREATE TABLE imported_rooms (
  room_id TEXT PRIMARY KEY,
  -- The instance to which the Room first belonged. References to materials are unique within it.
  known_in TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  base_url TEXT NOT NULL,
  software_version TEXT NOT NULL,
  -- Who reports that the Room comes from there: the address of another instance, or `file` for an import. Null if it
  -- was fetched from there.
  told_by TEXT,
  -- When the Room was last imported.
  imported_at TEXT NOT NULL,
  -- When this instance adopted the Room. Null while it belongs to another instance.
  adopted_at TEXT
) STRICT, WITHOUT ROWID;

-- The instances that Rooms belonged to before they were adopted, here or by the instance they come from.
CREATE TABLE room_adoptions (
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  -- The entry of the Room's activity that adopted it.
  sequence INTEGER NOT NULL,
  instance_id TEXT NOT NULL,
  base_url TEXT NOT NULL,
  adopted_at TEXT NOT NULL,
  PRIMARY KEY (room_id, sequence)
) STRICT, WITHOUT ROWID;

-- Webhooks: addresses to which a Room's owner has its new entries sent. Not in the journal: they belong to this
-- instance alone.
CREATE TABLE webhooks (
  webhook_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL,
  url TEXT NOT NULL,
  -- The key that signs deliveries.
  secret TEXT NOT NULL,
  added_by TEXT NOT NULL,
  added_at TEXT NOT NULL,
  -- The last delivered entry of the Room's activity, and an entry to send again.
  delivered INTEGER NOT NULL,
  resend INTEGER,
  -- When deliveries began to fail, and why the webhook was switched off.
  failing_since TEXT,
  off_because TEXT,
  -- The newest deliveries as a JSON list, the newest last.
  recent TEXT NOT NULL,
  seal BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_of ON webhooks (room_id);

-- The current members of each Room.
CREATE TABLE members (
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  user_id TEXT NOT NULL REFERENCES people (user_id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  joined_at TEXT NOT NULL,
  PRIMARY KEY (room_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_of ON members (user_id);
-- How many Rooms each person belongs to, and how many they own; kept by the triggers below.
CREATE TABLE member_counts (
  user_id TEXT PRIMARY KEY REFERENCES people (user_id),
  rooms INTEGER NOT NULL,
  owned INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER members_counted AFTER INSERT ON members BEGIN
  INSERT INTO member_counts (user_id, rooms, owned) VALUES (new.user_id, 1, new.role = 'owner')
    ON CONFLICT DO UPDATE SET rooms = rooms + 1, owned = owned + excluded.owned;
END;
CREATE TRIGGER members_moved AFTER UPDATE OF role ON members
WHEN new.role <> old.role BEGIN
  UPDATE member_counts SET owned = owned + (new.role = 'owner') - (old.role = 'owner') WHERE user_id = new.user_id;
END;
CREATE TRIGGER members_uncounted AFTER DELETE ON members BEGIN
  UPDATE member_counts SET rooms = rooms - 1, owned = owned - (old.role = 'owner') WHERE user_id = old.user_id;
END;

-- Requests to join that wait for the owner. A decided one is deleted.
CREATE TABLE join_requests (
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  user_id TEXT NOT NULL REFERENCES people (user_id),
  message TEXT,
  requested_at TEXT NOT NULL,
  PRIMARY KEY (room_id, user_id)
) STRICT, WITHOUT ROWID;

-- The credentials of agents. Only a digest of each token is stored. Permissions and Threads are JSON lists; null
-- instead of a list of Threads means all of them.
CREATE TABLE credentials (
  credential_id TEXT PRIMARY KEY,
  token_digest TEXT NOT NULL UNIQUE,
  -- The first characters of the token, so that an operator can recognise a leaked token. Null if not known.
  token_start TEXT,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  user_id TEXT NOT NULL REFERENCES people (user_id),
  label TEXT NOT NULL,
  permissions TEXT NOT NULL,
  thread_ids TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked_at TEXT,
  last_used_at TEXT,
  seal BLOB
) STRICT;
CREATE INDEX credentials_of ON credentials (room_id, user_id);
CREATE INDEX credentials_of_person ON credentials (user_id, credential_id);

------------------------------------------------------------------------------------------------ src/threads
-- joined: threads by src/rooms, src/research

-- Threads, numbered within their Room in the order of their creation. Their entries are in timeline_entries.
CREATE TABLE threads (
  thread_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  sequence INTEGER NOT NULL,
  title TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES people (user_id),
  created_at TEXT NOT NULL,
  follows_entry_id TEXT REFERENCES timeline_entries (entry_id),
  -- The newest checkpoint.
  selected_checkpoint_id TEXT REFERENCES checkpoints (checkpoint_id),
  UNIQUE (room_id, sequence)
) STRICT;
CREATE INDEX threads_following ON threads (follows_entry_id) WHERE follows_entry_id IS NOT NULL;

------------------------------------------------------------------------------------------------ src/research
-- joined: experiments by src/app/compose
-- joined: work_claims by src/app/compose
-- joined: checkpoints by src/rooms, src/threads
-- joined: records by src/threads, src/ledger

-- All records: hypotheses, findings and cited claims. Their content is in the journal.
CREATE TABLE records (
  version_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  entry_id TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES people (user_id),
  created_at TEXT NOT NULL,
  wording TEXT NOT NULL,
  history_position INTEGER NOT NULL,
  content_digest TEXT NOT NULL,
  client TEXT,
  UNIQUE (room_id, label)
) STRICT;
CREATE INDEX records_of_room ON records (room_id, version_id);
CREATE INDEX records_of_kind ON records (kind, version_id);
CREATE INDEX records_of_room_and_kind ON records (room_id, kind, version_id);
CREATE INDEX records_of_author ON records (author_id, version_id);
CREATE INDEX records_of_room_and_author ON records (room_id, author_id, version_id);
CREATE INDEX records_of_thread ON records (thread_id, version_id);
CREATE INDEX records_of_thread_and_kind ON records (thread_id, kind, version_id);

-- Records whose status is no longer current; kept by the triggers below, so that lists of them need not skip others.
CREATE TABLE fallen_records (
  version_id TEXT PRIMARY KEY REFERENCES records (version_id),
  room_id TEXT NOT NULL,
  status TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX fallen_records_of_room ON fallen_records (room_id, status, version_id);
CREATE INDEX fallen_records_by_status ON fallen_records (status, version_id);
CREATE TRIGGER records_fall AFTER INSERT ON standings
WHEN new.status <> 'current' BEGIN
  INSERT INTO fallen_records SELECT version_id, room_id, new.status FROM records WHERE version_id = new.version_id;
END;
CREATE TRIGGER records_move AFTER UPDATE OF status ON standings
WHEN new.status <> old.status BEGIN
  DELETE FROM fallen_records WHERE version_id = new.version_id;
  INSERT INTO fallen_records
    SELECT version_id, room_id, new.status
    FROM records
    WHERE version_id = new.version_id AND new.status <> 'current';
END;

-- The records that a record rests on or refers to, in the order it lists them: premises and references, records in its
-- evidence, the premises of the plan behind it, and records that its roles name or borrow a definition from.
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

-- The columns that only findings have, as far as queries need them. The rest is in the journal.
CREATE TABLE findings (
  version_id TEXT PRIMARY KEY REFERENCES records (version_id),
  outcome TEXT NOT NULL,
  retrospective INTEGER NOT NULL CHECK (retrospective IN (0, 1)),
  -- The number of papers that the finding names.
  papers INTEGER NOT NULL,
  experiment_id TEXT REFERENCES experiments (experiment_id),
  plan_id TEXT REFERENCES plans (plan_id),
  -- The first finding that has the same effect of the same attempts, or reports the same attempts. Such findings count
  -- once as evidence.
  voice_id TEXT NOT NULL,
  -- How many attempts the experiment had at that time, and the ordinal of the newest one.
  attempts_before INTEGER NOT NULL,
  attempts_through INTEGER NOT NULL
) STRICT;
CREATE INDEX findings_with_voice ON findings (voice_id);

-- The role in which a finding names each attempt.
CREATE TABLE finding_attempts (
  version_id TEXT NOT NULL REFERENCES records (version_id),
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id),
  role TEXT NOT NULL CHECK (role IN ('producing', 'baseline', 'evidence')),
  PRIMARY KEY (version_id, attempt_id)
) STRICT, WITHOUT ROWID;

-- The evidence of a finding, in the order it lists it.
CREATE TABLE finding_evidence (
  version_id TEXT NOT NULL REFERENCES records (version_id),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  attempt_id TEXT REFERENCES attempts (attempt_id),
  output_label TEXT,
  digest TEXT,
  material_id TEXT REFERENCES materials (material_id),
  PRIMARY KEY (version_id, position)
) STRICT, WITHOUT ROWID;

-- The materials that a finding builds on.
CREATE TABLE finding_materials (
  version_id TEXT NOT NULL REFERENCES records (version_id),
  position INTEGER NOT NULL,
  material_id TEXT NOT NULL REFERENCES materials (material_id),
  purpose TEXT NOT NULL,
  PRIMARY KEY (version_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_materials_by ON finding_materials (material_id);

-- Differences of measured values that a finding rests on. `effect` is the request, `figures` the result at the time of
-- acceptance.
CREATE TABLE finding_effects (
  version_id TEXT NOT NULL REFERENCES records (version_id),
  position INTEGER NOT NULL,
  experiment_id TEXT NOT NULL REFERENCES experiments (experiment_id),
  effect TEXT NOT NULL,
  figures TEXT NOT NULL,
  -- A digest of the metric and of the two groups, in any order; and the attempts whose values were used, as a JSON
  -- list.
  contrast TEXT NOT NULL,
  attempts TEXT NOT NULL,
  -- The effect of another finding that this one repeats.
  repeats_id TEXT REFERENCES records (version_id),
  repeats_position INTEGER,
  PRIMARY KEY (version_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_effects_like ON finding_effects (contrast, attempts);
CREATE INDEX finding_effects_repeating ON finding_effects (repeats_id) WHERE repeats_id IS NOT NULL;

-- Effects of findings (and of reproductions) whose result has changed since acceptance, with the present result; null
-- if there is none.
CREATE TABLE moved_effects (
  holder_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  now TEXT,
  PRIMARY KEY (holder_id, position)
) STRICT, WITHOUT ROWID;

-- Papers that records quote or build on. The records of a paper are numbered, so that a page at any offset is found by
-- its number.
CREATE TABLE record_papers (
  arxiv_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  version_id TEXT NOT NULL REFERENCES records (version_id),
  PRIMARY KEY (arxiv_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX record_papers_of ON record_papers (version_id, arxiv_id);

-- Links between findings and experiments, with a verdict on the question and on each hypothesis.
CREATE TABLE finding_links (
  link_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  entry_id TEXT NOT NULL,
  experiment_id TEXT NOT NULL REFERENCES experiments (experiment_id),
  version_id TEXT NOT NULL REFERENCES records (version_id),
  attempt_id TEXT REFERENCES attempts (attempt_id),
  author_id TEXT NOT NULL REFERENCES people (user_id),
  at TEXT NOT NULL,
  -- The verdict on the question as it is served, as JSON.
  toward_question TEXT NOT NULL
) STRICT;
CREATE INDEX finding_links_of_experiment ON finding_links (experiment_id, link_id);
CREATE INDEX finding_links_of_room ON finding_links (room_id, link_id);
CREATE INDEX finding_links_of_thread ON finding_links (thread_id, link_id);
CREATE INDEX finding_links_of_finding ON finding_links (version_id);

-- The verdicts of a finding link on hypotheses.
CREATE TABLE finding_verdicts (
  link_id TEXT NOT NULL REFERENCES finding_links (link_id),
  version_id TEXT NOT NULL REFERENCES records (version_id),
  position INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  explanation TEXT NOT NULL,
  -- The part of the hypothesis that the verdict is about, such as "at 400 labels". Null if it is about all of it.
  part TEXT,
  PRIMARY KEY (link_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_verdicts_toward ON finding_verdicts (version_id);

-- Corrections, supersessions, disputes and retractions of exact records. Their content is in the journal.
CREATE TABLE research_links (
  link_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('corrects', 'supersedes', 'retracts', 'disputes')),
  label TEXT NOT NULL,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  entry_id TEXT NOT NULL,
  target_version_id TEXT NOT NULL REFERENCES records (version_id),
  target_author_id TEXT NOT NULL REFERENCES people (user_id),
  author_id TEXT NOT NULL REFERENCES people (user_id),
  at TEXT NOT NULL,
  explanation TEXT NOT NULL,
  replacement_version_id TEXT REFERENCES records (version_id),
  -- What a correction changes. A correction of the wording does not make the record doubted.
  changes TEXT CHECK (changes IN ('meaning', 'wording')),
  history_position INTEGER NOT NULL,
  content_digest TEXT NOT NULL,
  UNIQUE (room_id, label)
) STRICT;
CREATE INDEX research_links_of_room ON research_links (room_id, link_id);
CREATE INDEX research_links_by_kind ON research_links (room_id, kind, link_id);
CREATE INDEX research_links_by_target ON research_links (target_version_id, link_id);
CREATE INDEX research_links_by_target_and_kind ON research_links (target_version_id, kind, link_id);
CREATE INDEX research_links_by_target_author ON research_links (room_id, target_author_id, link_id);
CREATE INDEX research_links_by_target_author_and_kind ON research_links (room_id, target_author_id, kind, link_id);

-- Syntheses of Threads. Their content is in the journal.
CREATE TABLE checkpoints (
  checkpoint_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  entry_id TEXT NOT NULL,
  -- The checkpoint's own place in the timeline. Later entries make it stale.
  sequence INTEGER NOT NULL,
  author_id TEXT NOT NULL REFERENCES people (user_id),
  at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'concluded')),
  covers_through INTEGER NOT NULL,
  open_questions TEXT NOT NULL,
  conclusion TEXT,
  -- The first checkpoint of the Thread with the same conclusion, perhaps this one. A review of one counts for all of
  -- them.
  first_said_id TEXT NOT NULL,
  -- The table behind the conclusion as it was computed at acceptance, as JSON.
  kept_table TEXT,
  history_position INTEGER NOT NULL,
  content_digest TEXT NOT NULL
) STRICT;
CREATE INDEX checkpoints_of ON checkpoints (thread_id, checkpoint_id);

-- The records that a checkpoint cites, in order.
CREATE TABLE checkpoint_citations (
  checkpoint_id TEXT NOT NULL REFERENCES checkpoints (checkpoint_id),
  position INTEGER NOT NULL,
  version_id TEXT NOT NULL REFERENCES records (version_id),
  PRIMARY KEY (checkpoint_id, position)
) STRICT, WITHOUT ROWID;

-- Reviews of findings, checkpoints and plans by people who checked them. They are not evidence. Their explanations are
-- in the journal.
CREATE TABLE reviews (
  link_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  entry_id TEXT NOT NULL UNIQUE,
  target_kind TEXT NOT NULL CHECK (target_kind IN ('finding', 'checkpoint', 'plan')),
  target_id TEXT NOT NULL,
  -- The object to which the review counts: the target, or the first checkpoint of the Thread with the same conclusion.
  counts_for TEXT NOT NULL,
  target_author_id TEXT NOT NULL REFERENCES people (user_id),
  author_id TEXT NOT NULL REFERENCES people (user_id),
  -- The name of the agent; empty for a person in the browser.
  agent TEXT NOT NULL,
  at TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('agrees', 'agrees_with_reservations', 'objects')),
  -- Whether the reviewer is another person than the target's author, and whether the agent is another one. Null if
  -- that is not known.
  independent INTEGER NOT NULL CHECK (independent IN (0, 1)),
  other_agent INTEGER CHECK (other_agent IN (0, 1)),
  -- Whether the review is an unanswered objection. Kept by the triggers below.
  is_open INTEGER NOT NULL DEFAULT 0 CHECK (is_open IN (0, 1)),
  history_position INTEGER NOT NULL,
  content_digest TEXT NOT NULL
) STRICT;
CREATE INDEX reviews_of ON reviews (counts_for, author_id, agent, link_id);
CREATE INDEX reviews_of_target ON reviews (target_id, link_id);
CREATE INDEX reviews_of_room ON reviews (room_id, link_id);
CREATE INDEX reviews_of_room_by_verdict ON reviews (room_id, verdict, link_id);
CREATE INDEX objections_in_room ON reviews (room_id, link_id) WHERE is_open = 1;
CREATE INDEX objections_to ON reviews (target_author_id, link_id) WHERE is_open = 1;
CREATE INDEX objections_in_thread ON reviews (thread_id, link_id) WHERE is_open = 1;

-- joined: review_tallies by src/ledger
-- The reviews of each object that count, as served: how many of each verdict, and the newest. An object without reviews
-- has no row.
CREATE TABLE review_tallies (
  target_id TEXT PRIMARY KEY,
  reviewed TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The work that agents have claimed. A claim lasts until `until`, which moves when its agent writes about the claimed
-- object.
CREATE TABLE work_claims (
  claim_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  object_id TEXT NOT NULL,
  object_kind TEXT NOT NULL,
  object_label TEXT,
  what TEXT NOT NULL,
  minutes INTEGER NOT NULL,
  author_id TEXT NOT NULL REFERENCES people (user_id),
  -- The name of the agent; empty for a person in the browser.
  agent TEXT NOT NULL,
  until TEXT NOT NULL,
  history_position INTEGER NOT NULL
) STRICT;
CREATE INDEX work_claims_of_room ON work_claims (room_id, until);
CREATE INDEX work_claims_of_thread ON work_claims (thread_id, until);
CREATE INDEX work_claims_on ON work_claims (object_id, until);

-- joined: link_withdrawals by src/ledger
-- Links, of both kinds, that their authors withdrew.
CREATE TABLE link_withdrawals (
  link_id TEXT PRIMARY KEY,
  at TEXT NOT NULL,
  explanation TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  history_position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Disputes and objections that were answered by a reply of the disputed object's author. A later correction or
-- supersession answers them too.
CREATE TABLE dispute_replies (
  link_id TEXT PRIMARY KEY,
  entry_id TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- For each author and agent, the newest review that was not withdrawn counts.
CREATE VIEW counting_reviews AS
  SELECT v.* FROM reviews v WHERE NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = v.link_id)
    AND NOT EXISTS (SELECT 1 FROM reviews n
      WHERE n.counts_for = v.counts_for AND n.author_id = v.author_id AND n.agent = v.agent AND n.link_id > v.link_id
      AND NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = n.link_id));
CREATE VIEW review_sums (target_id, reviewed) AS
  SELECT v.counts_for, json_object('agrees', count(*) FILTER (WHERE v.verdict = 'agrees'),
    'agreesWithReservations', count(*) FILTER (WHERE v.verdict = 'agrees_with_reservations'),
    'objects', count(*) FILTER (WHERE v.verdict = 'objects'),
    'independent', count(DISTINCT v.author_id) FILTER (WHERE v.independent = 1),
    'otherAgents', count(DISTINCT v.author_id || ' ' || v.agent) FILTER (WHERE v.other_agent = 1),
    'newest', json((SELECT json_group_array(json_object(
        'linkId', n.link_id, 'targetId', n.target_id, 'verdict', n.verdict,
        'author', json_object('userId', n.author_id, 'username', p.username, 'agent', nullif(n.agent, '')),
        'independence', json_object('person', json(iif(n.independent = 1, 'true', 'false')),
          'agent', json(CASE n.other_agent WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END)),
        'at', n.at))
      FROM (SELECT * FROM counting_reviews c WHERE c.counts_for = v.counts_for ORDER BY c.link_id DESC LIMIT 5) n
        JOIN people p ON p.user_id = n.author_id)))
  FROM counting_reviews v GROUP BY v.counts_for;
-- An objection is open while it counts, its object is valid, and the object's author has neither corrected it since nor
-- replied.
CREATE VIEW open_objections (link_id) AS
  SELECT v.link_id
  FROM counting_reviews v
  WHERE v.verdict = 'objects' AND NOT EXISTS (SELECT 1 FROM dispute_replies q WHERE q.link_id = v.link_id)
    AND CASE v.target_kind
      WHEN 'finding' THEN NOT EXISTS (SELECT 1
        FROM standings s
        WHERE s.version_id = v.target_id AND s.status IN ('retracted', 'superseded'))
        AND NOT EXISTS (SELECT 1
          FROM research_links a
          WHERE a.target_version_id = v.target_id AND a.kind = 'corrects' AND a.author_id = v.target_author_id
            AND a.history_position > v.history_position
            AND NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = a.link_id))
      WHEN 'checkpoint' THEN EXISTS (SELECT 1
        FROM threads t
        JOIN checkpoints c ON c.checkpoint_id = t.selected_checkpoint_id
        WHERE t.thread_id = v.thread_id AND c.first_said_id = v.counts_for)
      ELSE 1 END;
CREATE TRIGGER reviews_made AFTER INSERT ON reviews BEGIN
  INSERT INTO review_tallies
    SELECT *
    FROM review_sums
    WHERE target_id = new.counts_for
    ON CONFLICT DO UPDATE SET reviewed = excluded.reviewed;
  UPDATE reviews
    SET is_open = 1 - is_open
    WHERE counts_for = new.counts_for AND is_open <> EXISTS (SELECT 1
      FROM open_objections o
      WHERE o.link_id = reviews.link_id);
END;
CREATE TRIGGER reviews_taken_back AFTER INSERT ON link_withdrawals BEGIN
  DELETE FROM review_tallies WHERE target_id = (SELECT v.counts_for FROM reviews v WHERE v.link_id = new.link_id);
  INSERT INTO review_tallies
    SELECT * FROM review_sums WHERE target_id = (SELECT v.counts_for FROM reviews v WHERE v.link_id = new.link_id);
  UPDATE reviews SET is_open = 1 - is_open
    WHERE counts_for = (SELECT v.counts_for FROM reviews v WHERE v.link_id = new.link_id)
    AND is_open <> EXISTS (SELECT 1 FROM open_objections o WHERE o.link_id = reviews.link_id);
END;
CREATE TRIGGER objections_answered AFTER INSERT ON dispute_replies
  BEGIN UPDATE reviews SET is_open = 0 WHERE link_id = new.link_id AND is_open = 1; END;
CREATE TRIGGER objections_noted AFTER INSERT ON standings
  BEGIN UPDATE reviews SET is_open = 1 - is_open WHERE counts_for = new.version_id
    AND is_open <> EXISTS (SELECT 1 FROM open_objections o WHERE o.link_id = reviews.link_id); END;
CREATE TRIGGER objections_moved AFTER UPDATE ON standings
  BEGIN UPDATE reviews SET is_open = 1 - is_open WHERE counts_for = new.version_id
    AND is_open <> EXISTS (SELECT 1 FROM open_objections o WHERE o.link_id = reviews.link_id); END;
CREATE TRIGGER objections_replaced AFTER UPDATE OF selected_checkpoint_id ON threads
  BEGIN UPDATE reviews SET is_open = 1 - is_open
    WHERE counts_for IN (SELECT c.first_said_id FROM checkpoints c
        WHERE c.checkpoint_id IN (old.selected_checkpoint_id, new.selected_checkpoint_id))
      AND is_open <> EXISTS (SELECT 1 FROM open_objections o WHERE o.link_id = reviews.link_id); END;

-- The verdict of a reproduction's registrant, reported with its outcome, on what it reproduces.
CREATE TABLE reproductions (
  attempt_id TEXT PRIMARY KEY REFERENCES attempts (attempt_id),
  verdict TEXT NOT NULL,
  explanation TEXT NOT NULL,
  -- What the registrant says about the code that ran.
  implementation TEXT CHECK (implementation IN ('same', 'changed', 'own'))
) STRICT, WITHOUT ROWID;

-- The effects of findings that a reproduction repeats, in its order.
CREATE TABLE reproduction_effects (
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id),
  position INTEGER NOT NULL,
  repeats_id TEXT NOT NULL REFERENCES records (version_id),
  repeats_position INTEGER NOT NULL,
  -- How its own effect compares now, as an answer (JSON).
  shown TEXT NOT NULL,
  -- What its own effect came to when it landed, and the attempts behind it, as in finding_effects.
  figures TEXT NOT NULL,
  attempts TEXT NOT NULL,
  PRIMARY KEY (attempt_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX reproduction_effects_repeating ON reproduction_effects (repeats_id);

-- Evidence for and against records and attempts, numbered for each of them: the verdict and the object that gives it. A
-- verdict is null until it is reported.
CREATE TABLE evidence_words (
  target_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('finding_link', 'reference', 'reproduction', 'research_link')),
  source_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  speaker_id TEXT NOT NULL,
  -- Evidence with the same voice counts once. A voice is an attempt, or the first finding that reports the same
  -- attempts.
  voice_id TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES people (user_id),
  -- The author's agent; null for a person in the browser.
  agent TEXT,
  -- Whether the finding that gives the evidence has effects.
  measured INTEGER NOT NULL CHECK (measured IN (0, 1)),
  -- Whether the author is another person than the target's author. For a link, the finding's author must be another
  -- person too.
  independent INTEGER NOT NULL CHECK (independent IN (0, 1)),
  -- Whether the agent is another one than the target's (for a link, the finding's agent too), and whether other code
  -- ran. Null if that is not known.
  other_agent INTEGER CHECK (other_agent IN (0, 1)),
  other_code INTEGER CHECK (other_code IN (0, 1)),
  -- Whether another commit of the same repository ran. Null if that is not known.
  other_commit INTEGER CHECK (other_commit IN (0, 1)),
  -- The agent that made the object that gives the evidence; empty for a person in the browser, null if not known.
  speaker_agent TEXT,
  verdict TEXT,
  -- For a reproduction that repeats an effect: how the two effects compare.
  comparison TEXT,
  at TEXT NOT NULL,
  withdrawn INTEGER NOT NULL DEFAULT 0 CHECK (withdrawn IN (0, 1)),
  -- Whether the evidence counts in the tally (the newest of its voice that stands does), and whether the object that
  -- gives it is doubted.
  counted INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)),
  doubted INTEGER NOT NULL DEFAULT 0 CHECK (doubted IN (0, 1)),
  PRIMARY KEY (target_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_words_of ON evidence_words (source_id);
CREATE INDEX evidence_words_by ON evidence_words (speaker_id);
CREATE INDEX evidence_words_in ON evidence_words (voice_id, target_id, sequence);

-- joined: evidence_tallies by src/ledger
-- The counts of the evidence that counts.
CREATE TABLE evidence_tallies (
  target_id TEXT PRIMARY KEY,
  supports INTEGER NOT NULL,
  contradicts INTEGER NOT NULL,
  inconclusive INTEGER NOT NULL,
  reproductions INTEGER NOT NULL,
  failed_reproductions INTEGER NOT NULL,
  independent INTEGER NOT NULL,
  other_agents INTEGER NOT NULL,
  other_code INTEGER NOT NULL,
  doubted INTEGER NOT NULL,
  -- The evidence for and against that has effects. If there is any, evidence without effects decides nothing.
  measured_supports INTEGER NOT NULL,
  measured_contradicts INTEGER NOT NULL,
  -- For a hypothesis: who gave the evidence, and the newest evidence, as JSON.
  verdict_from TEXT,
  words_for INTEGER AS (iif(measured_supports + measured_contradicts > 0, measured_supports, supports) + reproductions),
  words_against INTEGER AS (
    iif(measured_supports + measured_contradicts > 0, measured_contradicts, contradicts) + failed_reproductions),
  -- What all the evidence says, in one word.
  bearing TEXT AS (
    CASE WHEN words_for > 0 AND words_against > 0 THEN 'contested'
      WHEN words_for > 0 THEN 'supported'
      WHEN words_against > 0 THEN 'contradicted'
      WHEN inconclusive > 0 THEN 'inconclusive'
      ELSE 'untested' END)
) STRICT, WITHOUT ROWID;
-- How much of the counted evidence about a target comes from each person other than its author.
CREATE TABLE evidence_people (
  target_id TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES people (user_id),
  words INTEGER NOT NULL,
  PRIMARY KEY (target_id, person_id)
) STRICT, WITHOUT ROWID;
-- How much comes from each agent other than the author's.
CREATE TABLE evidence_agents (
  target_id TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES people (user_id),
  agent TEXT NOT NULL,
  words INTEGER NOT NULL,
  PRIMARY KEY (target_id, person_id, agent)
) STRICT, WITHOUT ROWID;

-- joined: shaken_records by src/threads
-- Records that rest, directly or indirectly, on a fallen record, each with that record.
CREATE TABLE shaken_records (
  version_id TEXT NOT NULL REFERENCES records (version_id),
  cause_id TEXT NOT NULL REFERENCES records (version_id),
  PRIMARY KEY (version_id, cause_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX shaken_records_by ON shaken_records (cause_id);

-- The uses of each record, numbered for each of them, and how many there are of each sort.
CREATE TABLE record_uses (
  target_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  how TEXT NOT NULL,
  by_kind TEXT NOT NULL,
  by_id TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (target_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_uses_by ON record_uses (target_id, how, by_id);
CREATE TABLE use_counts (
  target_id TEXT NOT NULL,
  how TEXT NOT NULL,
  uses INTEGER NOT NULL,
  PRIMARY KEY (target_id, how)
) STRICT, WITHOUT ROWID;

-- The concepts that each record defines, by key.
CREATE TABLE concepts (
  version_id TEXT NOT NULL REFERENCES records (version_id),
  key TEXT NOT NULL,
  label TEXT NOT NULL,
  definition TEXT NOT NULL,
  PRIMARY KEY (version_id, key)
) STRICT, WITHOUT ROWID;

-- The current state of experiments. Each change is in experiment_revisions.
CREATE TABLE experiments (
  experiment_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  label TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  proposer_id TEXT NOT NULL REFERENCES people (user_id),
  assignee_id TEXT REFERENCES people (user_id),
  status TEXT NOT NULL,
  revision INTEGER NOT NULL,
  question TEXT NOT NULL,
  scope TEXT NOT NULL,
  -- A list of version ids, and the protocol if there is one; both JSON.
  hypotheses TEXT NOT NULL,
  suggested_protocol TEXT,
  -- What the last assignee left for the next one, and the conclusion; both JSON.
  handoff TEXT,
  conclusion TEXT,
  -- A lease: its length in minutes, and when it ends. Each write of the holder about the experiment extends it.
  lease_minutes INTEGER,
  lease_until TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (room_id, label),
  CHECK ((status IN ('claimed', 'in_progress')) <= (assignee_id IS NOT NULL)),
  CHECK ((lease_minutes IS NULL) = (lease_until IS NULL)),
  CHECK ((lease_until IS NOT NULL) <= (status IN ('claimed', 'in_progress'))),
  CHECK ((status = 'open') <= (assignee_id IS NULL))
) STRICT;
CREATE INDEX experiments_of_room ON experiments (room_id, experiment_id);
CREATE INDEX experiments_of_thread ON experiments (thread_id, experiment_id);
CREATE INDEX experiments_by_status ON experiments (status, experiment_id);
CREATE INDEX experiments_by_room_and_status ON experiments (room_id, status, experiment_id);
CREATE INDEX experiments_of_assignee ON experiments (assignee_id, experiment_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX experiments_of_assignee_by_status ON experiments (assignee_id, status, experiment_id)
  WHERE assignee_id IS NOT NULL;
CREATE INDEX experiments_leased ON experiments (assignee_id, room_id) WHERE lease_until IS NOT NULL;
CREATE INDEX experiments_assigned ON experiments (assignee_id, experiment_id)
  WHERE status IN ('claimed', 'in_progress');

-- Every revision of an experiment: its operation, its author, and the resulting state.
CREATE TABLE experiment_revisions (
  experiment_id TEXT NOT NULL REFERENCES experiments (experiment_id),
  revision INTEGER NOT NULL,
  operation TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES people (user_id),
  at TEXT NOT NULL,
  status TEXT NOT NULL,
  assignee_id TEXT REFERENCES people (user_id),
  -- The plan that this revision accepted.
  plan_id TEXT,
  history_position INTEGER NOT NULL,
  UNIQUE (experiment_id, revision)
) STRICT;
CREATE INDEX experiment_takes ON experiment_revisions (experiment_id, revision) WHERE operation = 'take_experiment';

-- Accepted plans. Their content is in the journal.
CREATE TABLE plans (
  plan_id TEXT PRIMARY KEY,
  experiment_id TEXT NOT NULL REFERENCES experiments (experiment_id),
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  label TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  accepted_by TEXT NOT NULL REFERENCES people (user_id),
  accepted_at TEXT NOT NULL,
  -- The most that all attempts together may cost, as JSON.
  budget TEXT,
  -- When a sealed plan is due to be opened. Null if the plan was never sealed.
  opens_at TEXT,
  -- The position in the journal of the write that opened a sealed plan.
  opened_position INTEGER,
  history_position INTEGER NOT NULL,
  content_digest TEXT NOT NULL,
  UNIQUE (room_id, label)
) STRICT;
CREATE INDEX plans_of ON plans (experiment_id, plan_id);
CREATE INDEX plans_sealed ON plans (room_id, opens_at) WHERE opens_at IS NOT NULL AND opened_position IS NULL;
CREATE INDEX plans_sealed_of_thread ON plans (thread_id, opens_at)
  WHERE opens_at IS NOT NULL AND opened_position IS NULL;
CREATE INDEX plans_with_budget ON plans (experiment_id, budget) WHERE budget IS NOT NULL;
CREATE INDEX plans_with_budget_of_room ON plans (room_id, budget) WHERE budget IS NOT NULL;

-- The materials that a plan requires.
CREATE TABLE plan_materials (
  plan_id TEXT NOT NULL REFERENCES plans (plan_id),
  position INTEGER NOT NULL,
  material_id TEXT NOT NULL REFERENCES materials (material_id),
  purpose TEXT NOT NULL,
  PRIMARY KEY (plan_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX plan_materials_by ON plan_materials (material_id);

-- The current state of registered attempts. The content of the registration is in the journal.
CREATE TABLE attempts (
  attempt_id TEXT PRIMARY KEY,
  experiment_id TEXT NOT NULL REFERENCES experiments (experiment_id),
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  label TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  registrant_id TEXT NOT NULL REFERENCES people (user_id),
  intent TEXT NOT NULL,
  status TEXT NOT NULL,
  revision INTEGER NOT NULL,
  plan_id TEXT REFERENCES plans (plan_id),
  rerun_of TEXT REFERENCES attempts (attempt_id),
  reproduces_attempt_id TEXT REFERENCES attempts (attempt_id),
  reproduces_version_id TEXT REFERENCES records (version_id),
  registered_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- How the registration compares with its plan, as JSON.
  plan_match TEXT,
  -- The number of events that arrived after the end of the attempt.
  late_reports INTEGER NOT NULL DEFAULT 0,
  -- The cost that the registrant reported last, as JSON.
  cost TEXT,
  history_position INTEGER NOT NULL,
  content_digest TEXT NOT NULL,
  UNIQUE (room_id, label)
) STRICT;
CREATE INDEX attempts_of_room ON attempts (room_id, attempt_id);
CREATE INDEX attempts_of_experiment ON attempts (experiment_id, attempt_id);
CREATE INDEX attempts_of_experiment_by_status ON attempts (experiment_id, status, attempt_id);
CREATE INDEX attempts_of_experiment_by_intent ON attempts (experiment_id, intent, attempt_id);
CREATE INDEX attempts_by_status ON attempts (status, attempt_id);
CREATE INDEX attempts_by_room_and_status ON attempts (room_id, status, attempt_id);
CREATE INDEX attempts_by_intent ON attempts (intent, attempt_id);
CREATE INDEX attempts_by_room_and_intent ON attempts (room_id, intent, attempt_id);
-- Attempts in the order of their labels.
CREATE INDEX attempts_labelled ON attempts (room_id, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX attempts_labelled_by_status ON attempts (room_id, status, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX attempts_labelled_by_intent ON attempts (room_id, intent, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX attempts_of_experiment_labelled ON attempts (experiment_id, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX attempts_of_experiment_labelled_by_status
  ON attempts (experiment_id, status, CAST(substr(label, 2) AS INTEGER));
CREATE INDEX attempts_of_experiment_labelled_by_intent
  ON attempts (experiment_id, intent, CAST(substr(label, 2) AS INTEGER));

CREATE INDEX attempts_with_cost ON attempts (experiment_id, cost) WHERE cost IS NOT NULL;
CREATE INDEX attempts_with_cost_of_room ON attempts (room_id, cost) WHERE cost IS NOT NULL;
CREATE INDEX attempts_with_cost_of_plan ON attempts (plan_id, cost) WHERE cost IS NOT NULL;

-- How many attempts of an experiment have each status, kept as they change.
CREATE TABLE attempt_counts (
  experiment_id TEXT NOT NULL REFERENCES experiments (experiment_id),
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  PRIMARY KEY (experiment_id, status)
) STRICT, WITHOUT ROWID;

-- The inputs of an attempt.
CREATE TABLE attempt_inputs (
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id),
  position INTEGER NOT NULL,
  material_id TEXT NOT NULL REFERENCES materials (material_id),
  name TEXT NOT NULL,
  PRIMARY KEY (attempt_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempt_inputs_by ON attempt_inputs (material_id);

-- The reports on an attempt, in order. `body` is the event as served, without its metrics and outputs.
CREATE TABLE attempt_events (
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id),
  revision INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (attempt_id, revision)
) STRICT;

-- The outputs of an attempt.
CREATE TABLE attempt_outputs (
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id),
  output_label TEXT NOT NULL,
  revision INTEGER NOT NULL,
  position INTEGER NOT NULL,
  digest TEXT NOT NULL,
  material_id TEXT REFERENCES materials (material_id),
  body TEXT NOT NULL,
  UNIQUE (attempt_id, output_label)
) STRICT;
CREATE INDEX attempt_outputs_by ON attempt_outputs (material_id) WHERE material_id IS NOT NULL;

-- The logs and sessions that an attempt reported, by the event that named them. `digest` holds a mark once it was
-- withheld.
CREATE TABLE attempt_logs (
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id),
  kind TEXT NOT NULL CHECK (kind IN ('log', 'session')),
  revision INTEGER NOT NULL,
  digest TEXT NOT NULL,
  format TEXT,
  PRIMARY KEY (attempt_id, kind, revision)
) STRICT, WITHOUT ROWID;

-- Every set of dimensions that was reported with a value, as canonical JSON. A value without dimensions has the id 0.
CREATE TABLE dimension_sets (
  dimensions_id INTEGER PRIMARY KEY,
  dimensions TEXT NOT NULL UNIQUE
) STRICT;

-- Every point of every metric, in the order reported. `value` is JSON: a number, or the name of one that JSON cannot
-- express.
CREATE TABLE attempt_metrics (
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id),
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  split TEXT,
  dimensions_id INTEGER NOT NULL,
  unit TEXT,
  step INTEGER,
  value TEXT NOT NULL,
  reported_at TEXT NOT NULL,
  UNIQUE (attempt_id, ordinal)
) STRICT;

-- Each series of an attempt (a metric, split and dimensions): its last value, the number of its points, and their range
-- of steps. A point without a step counts as the next step of its attempt.
CREATE TABLE attempt_last_metrics (
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id),
  name TEXT NOT NULL,
  split TEXT NOT NULL,
  dimensions_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  unit TEXT,
  step INTEGER,
  value TEXT NOT NULL,
  points INTEGER NOT NULL,
  from_step INTEGER NOT NULL,
  to_step INTEGER NOT NULL,
  -- The number of steps in one stretch of the curve.
  stretch INTEGER NOT NULL,
  PRIMARY KEY (attempt_id, name, split, dimensions_id)
) STRICT, WITHOUT ROWID;

-- The last values of an attempt again, packed for the measurement table: up to 128 values of a metric and split in a
-- row, grouped by neighbouring ids of their dimension sets. `dimensions` lists the distinct values of each dimension.
-- `codes` has, for each dimension in turn, a byte for each value: its position in that list from 1, or 0 if the value
-- lacks the dimension. `told` has 8 bytes for each value, little-endian. `units` lists the distinct units. The table
-- has rowids, because WITHOUT ROWID would read rows of over a kilobyte in pieces.
CREATE TABLE attempt_values (
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id),
  name TEXT NOT NULL,
  split TEXT NOT NULL,
  block INTEGER NOT NULL,
  units TEXT NOT NULL,
  dimensions TEXT NOT NULL,
  codes BLOB NOT NULL,
  told BLOB NOT NULL,
  UNIQUE (attempt_id, name, split, block)
) STRICT;

-- The curve of each metric and split of an attempt, thinned as its points arrive (src/research/attempts/curves.ts),
-- in parts: pairs of step and value, 8 bytes each, little-endian.
CREATE TABLE attempt_curves (
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id),
  name TEXT NOT NULL,
  split TEXT NOT NULL,
  dimensions_id INTEGER NOT NULL,
  part INTEGER NOT NULL,
  points BLOB NOT NULL,
  UNIQUE (attempt_id, name, split, dimensions_id, part)
) STRICT;

-- Boards: what they compare, and how. Their content is in the journal.
CREATE TABLE boards (
  board_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  label TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES people (user_id),
  at TEXT NOT NULL,
  history_position INTEGER NOT NULL,
  content_digest TEXT NOT NULL,
  UNIQUE (room_id, label)
) STRICT;
CREATE INDEX boards_of_room ON boards (room_id, board_id);

-- Materials, one row for each reference, labelled in the Room that registered it first.
CREATE TABLE materials (
  material_id TEXT PRIMARY KEY,
  reference TEXT NOT NULL,
  -- The instance within which the reference is unique; empty for this one.
  known_in TEXT NOT NULL,
  origin_room_id TEXT NOT NULL REFERENCES rooms (room_id),
  label TEXT NOT NULL,
  registered_by TEXT NOT NULL REFERENCES people (user_id),
  registered_at TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  media_type TEXT,
  size_bytes INTEGER,
  values_digest TEXT,
  history_position INTEGER NOT NULL,
  content_digest TEXT NOT NULL,
  UNIQUE (reference, known_in),
  UNIQUE (origin_room_id, label)
) STRICT;
CREATE INDEX materials_by_values ON materials (values_digest, material_id) WHERE values_digest IS NOT NULL;

-- The Rooms in which a material was registered, with the Thread of each registration.
CREATE TABLE room_materials (
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  material_id TEXT NOT NULL REFERENCES materials (material_id),
  thread_id TEXT NOT NULL REFERENCES threads (thread_id),
  entry_id TEXT NOT NULL,
  registered_at TEXT NOT NULL,
  PRIMARY KEY (room_id, material_id)
) STRICT, WITHOUT ROWID;

-- Reported locations of materials. The newest report of each reporter decides whether a material is obtainable.
CREATE TABLE material_reports (
  material_id TEXT NOT NULL REFERENCES materials (material_id),
  sequence INTEGER NOT NULL,
  reporter_id TEXT NOT NULL REFERENCES people (user_id),
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  at TEXT NOT NULL,
  uri TEXT NOT NULL,
  state TEXT NOT NULL,
  observed_digest TEXT,
  explanation TEXT,
  UNIQUE (material_id, sequence)
) STRICT;

-------------------------------------------------------------------------------------------- src/research/provenance

-- Indexes for the reverse direction of edges of the provenance graph. Most rows have no such edge.
CREATE INDEX finding_attempts_of ON finding_attempts (attempt_id);
CREATE INDEX finding_evidence_of ON finding_evidence (material_id) WHERE material_id IS NOT NULL;
CREATE INDEX findings_of_experiment ON findings (experiment_id) WHERE experiment_id IS NOT NULL;
CREATE INDEX attempts_reproducing ON attempts (reproduces_attempt_id) WHERE reproduces_attempt_id IS NOT NULL;
CREATE INDEX attempts_reproducing_finding ON attempts (reproduces_version_id) WHERE reproduces_version_id IS NOT NULL;
CREATE INDEX research_links_replacing ON research_links (replacement_version_id)
  WHERE replacement_version_id IS NOT NULL;

------------------------------------------------------------------------------------------------ src/research/brief

-- joined: room_failures by src/research/judging, src/research/attempts
-- joined: disputed_records by src/research/judging, src/research/links
-- joined: hypothesis_ranks by src/research/evidence
-- The lists at the beginning of a brief, kept by the triggers below. First the failures in a Room, numbered in order.
CREATE TABLE room_failures (
  room_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  -- The Thread of the object that failed.
  thread_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  at TEXT NOT NULL,
  -- For a run that diverged: the metric and its value.
  detail TEXT,
  PRIMARY KEY (room_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX room_failures_of ON room_failures (id, kind);
CREATE INDEX room_failures_of_thread ON room_failures (thread_id, sequence);

-- Records in force with an unanswered dispute, each with the newest one.
CREATE TABLE disputed_records (
  version_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  link_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX disputed_records_of_room ON disputed_records (room_id, link_id);
CREATE INDEX disputed_records_of_thread ON disputed_records (thread_id, link_id);

-- The priority of a hypothesis in a brief: 2 while it is contested, 1 once there is evidence, else 0.
CREATE TABLE hypothesis_ranks (
  version_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  rank INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX hypothesis_ranks_of ON hypothesis_ranks (room_id, rank, version_id);
CREATE INDEX hypothesis_ranks_of_thread ON hypothesis_ranks (thread_id, rank, version_id);

-- The number of items in each list of a brief, for each Room and each Thread.
CREATE TABLE brief_counts (
  place_id TEXT PRIMARY KEY,
  stands INTEGER NOT NULL DEFAULT 0,
  hypotheses INTEGER NOT NULL DEFAULT 0,
  -- Without fallen ones.
  findings INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  disputes INTEGER NOT NULL DEFAULT 0,
  work INTEGER NOT NULL DEFAULT 0,
  open_questions INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX threads_selected ON threads (room_id, selected_checkpoint_id) WHERE selected_checkpoint_id IS NOT NULL;
CREATE INDEX experiments_live ON experiments (thread_id, status, experiment_id)
  WHERE status IN ('open', 'claimed', 'in_progress');
CREATE INDEX attempts_running ON attempts (room_id, history_position) WHERE status IN ('registered', 'started');
CREATE INDEX attempts_running_in_thread ON attempts (thread_id, history_position)
  WHERE status IN ('registered', 'started');
CREATE INDEX attempts_heard_of ON attempts (experiment_id, updated_at);

CREATE TRIGGER attempts_failing AFTER UPDATE OF status ON attempts
WHEN new.status IN ('failed', 'preflight_failed') AND old.status <> new.status BEGIN
  INSERT INTO room_failures
    SELECT new.room_id, 1 + coalesce(max(sequence), 0), new.thread_id, 'attempt_failed', new.attempt_id,
      new.updated_at, NULL
    FROM room_failures
    WHERE room_id = new.room_id;
END;
CREATE TRIGGER attempts_diverging AFTER INSERT ON attempt_metrics
WHEN new.value IN ('"NaN"', '"Infinity"', '"-Infinity"')
    AND NOT EXISTS (SELECT 1 FROM room_failures f WHERE f.id = new.attempt_id AND f.kind = 'attempt_diverged') BEGIN
  INSERT INTO room_failures
    SELECT a.room_id, 1 + (SELECT coalesce(max(sequence), 0) FROM room_failures WHERE room_id = a.room_id), a.thread_id,
      'attempt_diverged', a.attempt_id, new.reported_at,
      new.name || coalesce(' (' || new.split || ')', '') || ' became ' || trim(new.value, '"')
        || coalesce(' at step ' || new.step, '')
    FROM attempts a
    WHERE a.attempt_id = new.attempt_id;
END;
CREATE TRIGGER records_retracted AFTER INSERT ON research_links
WHEN new.kind = 'retracts' BEGIN
  INSERT INTO room_failures
    SELECT new.room_id, 1 + coalesce(max(sequence), 0), new.thread_id, 'retraction', new.link_id, new.at, NULL
    FROM room_failures
    WHERE room_id = new.room_id;
END;
CREATE TRIGGER standings_noted AFTER INSERT ON standings BEGIN
  INSERT INTO disputed_records SELECT * FROM newest_disputes WHERE version_id = new.version_id;
  INSERT INTO hypothesis_ranks
    SELECT *
    FROM hypothesis_weights
    WHERE version_id = new.version_id
    ON CONFLICT DO UPDATE SET rank = excluded.rank;
END;
CREATE TRIGGER standings_moved AFTER UPDATE ON standings
WHEN (new.status, new.open_dispute) IS NOT (old.status, old.open_dispute) BEGIN
  DELETE FROM disputed_records WHERE version_id = new.version_id
      AND NOT EXISTS (SELECT 1 FROM newest_disputes d WHERE d.version_id = new.version_id);
  INSERT INTO disputed_records
    SELECT *
    FROM newest_disputes
    WHERE version_id = new.version_id
    ON CONFLICT DO UPDATE SET link_id = excluded.link_id;
  INSERT INTO hypothesis_ranks
    SELECT *
    FROM hypothesis_weights
    WHERE version_id = new.version_id
    ON CONFLICT DO UPDATE SET rank = excluded.rank;
END;
CREATE TRIGGER tallies_made AFTER INSERT ON evidence_tallies BEGIN
  INSERT INTO hypothesis_ranks
    SELECT *
    FROM hypothesis_weights
    WHERE version_id = new.target_id
    ON CONFLICT DO UPDATE SET rank = excluded.rank;
END;
CREATE TRIGGER tallies_moved AFTER UPDATE OF supports ON evidence_tallies BEGIN
  INSERT INTO hypothesis_ranks
    SELECT *
    FROM hypothesis_weights
    WHERE version_id = new.target_id
    ON CONFLICT DO UPDATE SET rank = excluded.rank;
END;
-- The present priority of each hypothesis.
CREATE VIEW hypothesis_weights (version_id, room_id, thread_id, rank) AS
  SELECT r.version_id, r.room_id, r.thread_id,
    CASE WHEN s.status NOT IN ('retracted', 'superseded') AND s.open_dispute IS NOT NULL
        OR y.bearing = 'contested' THEN 2
    WHEN coalesce(y.supports + y.contradicts + y.inconclusive, 0) > 0 THEN 1 ELSE 0 END
  FROM records r
  LEFT JOIN evidence_tallies y ON y.target_id = r.version_id
  LEFT JOIN standings s ON s.version_id = r.version_id
  WHERE r.kind = 'hypothesis';
-- The newest unanswered dispute of each record in force.
CREATE VIEW newest_disputes (version_id, room_id, thread_id, link_id) AS
  SELECT r.version_id, r.room_id, r.thread_id, s.open_dispute
  FROM standings s
  JOIN records r ON r.version_id = s.version_id
  WHERE s.open_dispute IS NOT NULL AND s.status NOT IN ('retracted', 'superseded');

CREATE TRIGGER hypotheses_counted AFTER INSERT ON records
WHEN new.kind = 'hypothesis' BEGIN
  INSERT INTO brief_counts (place_id, hypotheses)
    VALUES (new.room_id, 1), (new.thread_id, 1)
    ON CONFLICT DO UPDATE SET hypotheses = hypotheses + 1;
END;
CREATE TRIGGER findings_counted AFTER INSERT ON records
WHEN new.kind = 'finding' BEGIN
  INSERT INTO brief_counts (place_id, findings)
    VALUES (new.room_id, 1), (new.thread_id, 1)
    ON CONFLICT DO UPDATE SET findings = findings + 1;
END;
CREATE TRIGGER findings_fall AFTER INSERT ON standings
WHEN new.status IN ('retracted', 'superseded') BEGIN
  UPDATE brief_counts
    SET findings = findings - 1
    FROM records r
    WHERE r.version_id = new.version_id AND r.kind = 'finding' AND place_id IN (r.room_id, r.thread_id);
END;
CREATE TRIGGER findings_move AFTER UPDATE OF status ON standings
WHEN (new.status IN ('retracted', 'superseded')) <> (old.status IN ('retracted', 'superseded')) BEGIN
  UPDATE brief_counts
    SET findings = findings + iif(new.status IN ('retracted', 'superseded'), -1, 1)
    FROM records r
    WHERE r.version_id = new.version_id AND r.kind = 'finding' AND place_id IN (r.room_id, r.thread_id);
END;
CREATE TRIGGER failures_counted AFTER INSERT ON room_failures BEGIN
  INSERT INTO brief_counts (place_id, failures)
    VALUES (new.room_id, 1), (new.thread_id, 1)
    ON CONFLICT DO UPDATE SET failures = failures + 1;
END;
CREATE TRIGGER disputes_counted AFTER INSERT ON disputed_records BEGIN
  INSERT INTO brief_counts (place_id, disputes)
    VALUES (new.room_id, 1), (new.thread_id, 1)
    ON CONFLICT DO UPDATE SET disputes = disputes + 1;
END;
CREATE TRIGGER disputes_settled AFTER DELETE ON disputed_records
  BEGIN UPDATE brief_counts SET disputes = disputes - 1 WHERE place_id IN (old.room_id, old.thread_id); END;
CREATE TRIGGER objections_counted AFTER UPDATE OF is_open ON reviews
WHEN new.is_open <> old.is_open BEGIN
  INSERT INTO brief_counts (place_id) VALUES (new.room_id), (new.thread_id) ON CONFLICT DO NOTHING;
  UPDATE brief_counts
    SET disputes = disputes + new.is_open - old.is_open
    WHERE place_id IN (new.room_id, new.thread_id);
END;
CREATE TRIGGER work_proposed AFTER INSERT ON experiments BEGIN
  INSERT INTO brief_counts (place_id, work)
    VALUES (new.room_id, 1), (new.thread_id, 1)
    ON CONFLICT DO UPDATE SET work = work + 1;
END;
CREATE TRIGGER work_ended AFTER UPDATE OF status ON experiments
  WHEN old.status IN ('open', 'claimed', 'in_progress') AND new.status NOT IN ('open', 'claimed', 'in_progress')
  BEGIN UPDATE brief_counts SET work = work - 1 WHERE place_id IN (new.room_id, new.thread_id); END;
CREATE TRIGGER stands_counted AFTER UPDATE OF selected_checkpoint_id ON threads
WHEN new.selected_checkpoint_id IS NOT old.selected_checkpoint_id BEGIN
  INSERT INTO brief_counts (place_id) VALUES (new.room_id), (new.thread_id) ON CONFLICT DO NOTHING;
  UPDATE brief_counts
    SET stands = stands + (new.selected_checkpoint_id IS NOT NULL) - (old.selected_checkpoint_id IS NOT NULL),
      open_questions = open_questions
        + coalesce((SELECT json_array_length(c.open_questions) FROM checkpoints c
            WHERE c.checkpoint_id = new.selected_checkpoint_id), 0)
        - coalesce((SELECT json_array_length(c.open_questions) FROM checkpoints c
            WHERE c.checkpoint_id = old.selected_checkpoint_id), 0)
    WHERE place_id IN (new.room_id, new.thread_id);
END;

------------------------------------------------------------------------------------------------ src/research/search

-- The items that full-text search finds, numbered in order. The number is a column, because implicit row numbers would
-- change when the file is vacuumed.
CREATE TABLE search_items (
  item INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  -- For a later write about the object: its position in the journal. Null for the object itself.
  part INTEGER
) STRICT;
CREATE INDEX search_items_of ON search_items (id, part);

-- joined: search_items by src/research/records, src/ledger
-- joined: concept_trigrams by src/research/records
-- The place and author of each item, and the write with its text. `line` is the title of a search result.
CREATE VIEW search_places (item, room_id, thread_id, entry_id, user_id, at, label, line, standing, position) AS
  SELECT i.item, coalesce(b.room_id, r.room_id, x.room_id, t.room_id, n.room_id, a.room_id,
    iif(i.part IS NULL, NULL, w.content ->> '$.roomId'), m.origin_room_id, f.room_id, k.room_id, c.room_id, g.room_id,
    z.room_id, (SELECT s.room_id FROM threads s WHERE s.thread_id = d.id)),
    coalesce(d.id, b.thread_id, r.thread_id, x.thread_id, t.thread_id, n.thread_id, a.thread_id, y.thread_id,
      f.thread_id, k.thread_id, c.thread_id, g.thread_id),
    coalesce(e.entry_id, u.entry_id, r.entry_id, x.entry_id, n.entry_id, a.entry_id, y.entry_id, f.entry_id, k.entry_id,
      c.entry_id, g.entry_id),
    coalesce((SELECT v.person_id FROM writers v WHERE v.writer = coalesce(w.writer, o.writer)), r.author_id,
      x.proposer_id, t.author_id, n.accepted_by, a.registrant_id, m.registered_by, f.author_id, k.author_id,
      c.author_id, g.author_id, z.owner_id),
    coalesce(w.at, o.at, r.created_at, x.created_at, t.created_at, n.accepted_at, a.registered_at, m.registered_at,
      f.at, k.at, c.at, g.at, z.created_at),
    coalesce(r.label, x.label, n.label, a.label, m.label, k.label, g.label),
    coalesce(r.wording, x.question, t.title,
      (SELECT coalesce(h.content ->> '$.protocol.summary', 'a sealed plan') FROM journal h
        WHERE h.position = coalesce(n.opened_position, n.history_position)),
      (SELECT q.question FROM experiments q WHERE q.experiment_id = a.experiment_id), m.name,
      f.toward_question ->> '$.explanation', k.explanation,
      (SELECT h.content ->> '$.answer' FROM journal h WHERE h.position = c.history_position), c.conclusion,
      (SELECT h.content ->> '$.synthesis' FROM journal h WHERE h.position = c.history_position),
      (SELECT h.content ->> '$.title' FROM journal h WHERE h.position = g.history_position), z.title,
      (SELECT s.title FROM threads s WHERE s.thread_id = d.id)),
    coalesce(x.status, a.status, f.toward_question ->> '$.verdict', k.kind, c.state),
    coalesce(i.part, e.history_position, r.history_position, n.history_position, a.history_position, m.history_position,
      k.history_position, c.history_position, g.history_position,
      (SELECT v.history_position
        FROM experiment_revisions v
        WHERE v.experiment_id = x.experiment_id AND v.revision = 1),
      (SELECT v.history_position FROM timeline_entries v WHERE v.entry_id = f.entry_id), o.position)
  FROM search_items i
  LEFT JOIN journal w ON w.position = i.part
  LEFT JOIN timeline_entries e ON i.kind = 'message' AND e.entry_id = i.id
  LEFT JOIN places d ON d.place = e.thread
  -- For a message, its own write; for a Room, the write that made it.
  LEFT JOIN journal o ON o.position = CASE i.kind WHEN 'message' THEN e.history_position
    WHEN 'room' THEN (SELECT v.position
      FROM journal v
      JOIN places l ON l.place = v.room
      WHERE l.id = i.id AND v.room_sequence = 1) END
  LEFT JOIN threads t ON i.kind = 'thread' AND t.thread_id = i.id
  LEFT JOIN experiments x ON i.kind = 'experiment' AND x.experiment_id = i.id
  LEFT JOIN records r ON i.kind IN ('hypothesis', 'finding', 'cited_claim') AND r.version_id = i.id
  -- A reused record is found where it was reused.
  LEFT JOIN timeline_entries u ON u.version_id = r.version_id AND u.history_position = i.part AND u.kind = 'publication'
  LEFT JOIN threads b ON b.thread_id = (SELECT v.id FROM places v WHERE v.place = u.thread)
  LEFT JOIN plans n ON i.kind = 'plan' AND n.plan_id = i.id
  LEFT JOIN attempts a ON i.kind = 'attempt' AND a.attempt_id = i.id
  LEFT JOIN materials m ON i.kind = 'material' AND m.material_id = i.id
  LEFT JOIN room_materials y ON i.kind = 'material' AND y.room_id = m.origin_room_id AND y.material_id = m.material_id
  LEFT JOIN finding_links f ON i.kind = 'finding_link' AND f.link_id = i.id
  LEFT JOIN research_links k ON i.kind = 'link' AND k.link_id = i.id
  LEFT JOIN checkpoints c ON i.kind = 'checkpoint' AND c.checkpoint_id = i.id
  LEFT JOIN boards g ON i.kind = 'board' AND g.board_id = i.id
  LEFT JOIN rooms z ON i.kind = 'room' AND z.room_id = i.id;
-- The sources of each item's text (src/research/search/indexing.ts): its title, and the write that made it or says
-- something about it. `tags` restrict a search to a Room, a person or some kinds.
CREATE VIEW search_texts (item, kind, label, title, line, content, tags) AS
  SELECT i.item, i.kind, CASE WHEN i.part IS NULL THEN p.label END,
    CASE WHEN i.part IS NULL AND i.kind IN ('hypothesis', 'finding', 'cited_claim', 'experiment', 'thread', 'plan',
      'material', 'board', 'room') THEN p.line END,
    p.line, h.content, 'k' || replace(i.kind, '_', '') || ' ' || replace(p.room_id, '-', '') || ' '
    || replace(p.user_id, '-', '')
  FROM search_items i
  JOIN search_places p USING (item)
  LEFT JOIN journal h ON h.position = p.position AND (i.kind <> 'thread' OR i.part IS NOT NULL);

-- The index itself. It stores no text, only the positions of words. A label weighs most, a title more than a body. The
-- first column takes two bytes less for each word of each text. Texts are folded and cut into words before, and long
-- words are indexed by their beginning only (src/contract/words.ts).
CREATE VIRTUAL TABLE search_index USING fts5 (
  body, label, title, tags, content = '', contentless_delete = 1, tokenize = 'ascii'
);
INSERT INTO search_index (search_index, rank) VALUES ('rank', 'bm25(1.0, 10.0, 4.0, 0.0)');
-- Items that changed after they were indexed. Empty once the change is committed.
CREATE TABLE search_changes (
  item INTEGER PRIMARY KEY REFERENCES search_items (item)
) STRICT;
-- An index of trigrams for substring searches in the concepts of records, by the record's item
-- (src/ledger/lists/substrings.ts).
CREATE VIRTUAL TABLE concept_trigrams USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1', detail = 'none'
);

-- Triggers that note new texts here. They are indexed soon after their write was answered, hundreds at a time
-- (src/ledger/write/commit-queue.ts), because each text indexed alone would be a segment of the index, to be merged
-- with all others. The newest item of the index marks its progress. For objects that are searchable as soon as they are
-- made, the triggers are made from the list of objects (src/ledger/storage/schema.ts).
CREATE TRIGGER messages_indexed AFTER INSERT ON timeline_entries WHEN new.kind = 'message'
  BEGIN INSERT INTO search_items (kind, id) VALUES ('message', new.entry_id); END;
-- When the card of a record is added, its concepts are stored already.
CREATE TRIGGER records_indexed AFTER INSERT ON timeline_entries
WHEN new.kind = 'publication' BEGIN
  INSERT INTO search_items (kind, id)
    SELECT r.kind, r.version_id
    FROM records r
    WHERE r.version_id = new.version_id AND r.entry_id = new.entry_id;
END;
-- The title of an experiment, sealed plan or Room may change after it was indexed. Its former title is then found
-- through the write that set it.
CREATE TRIGGER experiments_reindexed AFTER UPDATE OF question ON experiments WHEN old.question <> new.question
  BEGIN INSERT OR IGNORE INTO search_changes (item) SELECT i.item FROM search_items i WHERE i.id = new.experiment_id
    AND i.item <= (SELECT max(id) FROM search_index_docsize); END;
CREATE TRIGGER plans_reindexed AFTER UPDATE OF opened_position ON plans
WHEN old.opened_position IS NOT new.opened_position BEGIN
  INSERT OR IGNORE INTO search_changes (item)
    SELECT i.item
    FROM search_items i
    WHERE i.id = new.plan_id AND i.item <= (SELECT max(id) FROM search_index_docsize);
END;
CREATE TRIGGER rooms_reindexed AFTER UPDATE OF title ON rooms WHEN old.title <> new.title
  BEGIN INSERT OR IGNORE INTO search_changes (item) SELECT i.item FROM search_items i WHERE i.id = new.room_id
    AND i.item <= (SELECT max(id) FROM search_index_docsize); END;
-- Later texts about an object. A reused record has another card; of the reports on an attempt, those with text are
-- indexed.
CREATE TRIGGER later_words_indexed AFTER INSERT ON timeline_entries
WHEN new.kind IN ('amend_experiment', 'cancel_experiment', 'release_experiment', 'report_experiment_status',
  'register_material', 'report_material_location', 'withdraw_link', 'submit_review', 'open_plan') BEGIN
  INSERT INTO search_items (kind, id, part)
    SELECT j.target_kind, j.target_id, j.position
    FROM journal j
    WHERE j.position = new.history_position AND NOT EXISTS (SELECT 1
      FROM materials m
      WHERE m.material_id = j.target_id AND m.history_position = j.position);
END;
CREATE TRIGGER claims_indexed AFTER INSERT ON work_claims
  BEGIN INSERT INTO search_items (kind, id, part) VALUES (new.object_kind, new.object_id, new.history_position); END;
CREATE TRIGGER reuses_indexed AFTER INSERT ON timeline_entries
WHEN new.kind = 'publication' BEGIN
  INSERT INTO search_items (kind, id, part)
    SELECT r.kind, r.version_id, new.history_position
    FROM records r
    WHERE r.version_id = new.version_id AND r.entry_id <> new.entry_id;
END;
CREATE TRIGGER room_words_indexed AFTER INSERT ON journal
WHEN new.room_sequence IS NOT NULL AND new.operation IN ('amend_room', 'archive_room', 'restore_room', 'transfer_room',
  'withhold_content') BEGIN
  INSERT INTO search_items (kind, id, part) SELECT 'room', p.id, new.position FROM places p WHERE p.place = new.room;
END;
CREATE TRIGGER attempt_events_indexed AFTER INSERT ON attempt_events
WHEN new.body -> '$.message' IS NOT NULL OR new.body -> '$.failure' IS NOT NULL
    OR new.body -> '$.reproduction' IS NOT NULL OR new.body -> '$.outputLabels[0]' IS NOT NULL BEGIN
  INSERT INTO search_items (kind, id, part) SELECT 'attempt', new.attempt_id, 1 + max(position) FROM journal;
END;
-- A metric is found through the first event that reports it.
CREATE TRIGGER metrics_indexed BEFORE INSERT ON attempt_last_metrics
WHEN NOT EXISTS (SELECT 1
  FROM attempt_last_metrics l
  WHERE l.attempt_id = new.attempt_id AND l.name = new.name AND l.split = new.split) BEGIN
  INSERT INTO search_items (kind, id, part)
    SELECT 'attempt', new.attempt_id, h.position
    FROM (SELECT 1 + max(position) AS position FROM journal) h
    WHERE NOT EXISTS (SELECT 1 FROM search_items i WHERE i.id = new.attempt_id AND i.part = h.position);
END;

------------------------------------------------------------------------------------------------ src/library

-- A paper's id is its arXiv id, else its DOI, else `isbn:…`, else `ref:…` with a digest of its entered data. The
-- metadata of papers from sources, as the JSON in which it is served. `import`: an operator imported it, and anybody
-- may know that it is here. `arxiv`, `crossref`: it was fetched because a person saved the paper, and is shown only to
-- people who did (`known` below). `same_as` is the other id in the metadata: the paper's DOI or its arXiv id.
CREATE TABLE papers (
  paper_id TEXT PRIMARY KEY,
  origin TEXT NOT NULL CHECK (origin IN ('import', 'arxiv', 'crossref')),
  recorded_at TEXT NOT NULL,
  record TEXT NOT NULL,
  same_as TEXT,
  seal BLOB
) STRICT;
CREATE INDEX papers_same_as ON papers (same_as) WHERE same_as IS NOT NULL;

-- Papers that a source does not have, and when it was queried.
CREATE TABLE paper_misses (
  paper_id TEXT PRIMARY KEY,
  asked_at TEXT NOT NULL,
  seal BLOB
) STRICT, WITHOUT ROWID;

-- Other ids of papers, for each person who knows them: what the person says about `paper_id` applies to the paper
-- `same_as`.
CREATE TABLE same_papers (
  user_id TEXT NOT NULL REFERENCES people (user_id),
  paper_id TEXT NOT NULL,
  same_as TEXT NOT NULL,
  PRIMARY KEY (user_id, paper_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX same_papers_of ON same_papers (user_id, same_as);

-- How many of the limited items each person has, kept by the triggers below.
CREATE TABLE library_counts (
  user_id TEXT PRIMARY KEY REFERENCES people (user_id),
  saved INTEGER NOT NULL DEFAULT 0,
  collections INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Saved papers. `entry` ascends, so that the newest come first without sorting. `known`: its metadata may be shown
-- here. `given`: data from the person, an agent or a file, shown while no source is known to have more. `title` and
-- `published_at` are the sort keys of lists, kept by the triggers below.
CREATE TABLE saved_papers (
  entry INTEGER PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES people (user_id),
  paper_id TEXT NOT NULL,
  saved_at TEXT NOT NULL,
  known INTEGER NOT NULL DEFAULT 0 CHECK (known IN (0, 1)),
  given TEXT,
  title TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
  published_at TEXT NOT NULL DEFAULT '',
  seal BLOB,
  UNIQUE (user_id, paper_id)
) STRICT;
CREATE INDEX saved_papers_newest ON saved_papers (user_id, entry);
CREATE INDEX saved_papers_by_title ON saved_papers (user_id, title, entry);
CREATE INDEX saved_papers_by_publication ON saved_papers (user_id, published_at, entry);
CREATE INDEX saved_papers_of ON saved_papers (paper_id);
CREATE INDEX saved_papers_unknown ON saved_papers (paper_id) WHERE known = 0;

-- The tags that a person gave to saved papers, and the number of papers for each tag, kept by the triggers below.
CREATE TABLE paper_tags (
  user_id TEXT NOT NULL,
  paper_id TEXT NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (user_id, paper_id, tag),
  FOREIGN KEY (user_id, paper_id) REFERENCES saved_papers (user_id, paper_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX paper_tags_by ON paper_tags (user_id, tag, paper_id);
CREATE TABLE tag_counts (
  user_id TEXT NOT NULL REFERENCES people (user_id),
  tag TEXT NOT NULL,
  papers INTEGER NOT NULL,
  PRIMARY KEY (user_id, tag)
) STRICT, WITHOUT ROWID;

-- Collections, with the counts that every list of them shows.
CREATE TABLE collections (
  collection_id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES people (user_id),
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  papers INTEGER NOT NULL DEFAULT 0,
  notes INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The current members of each Collection, including its owner, with the number of notes they have not read.
CREATE TABLE collection_members (
  user_id TEXT NOT NULL REFERENCES people (user_id),
  collection_id TEXT NOT NULL REFERENCES collections (collection_id),
  joined_at TEXT NOT NULL,
  unread INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, collection_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_members_of ON collection_members (collection_id);

-- Invitations that have not been answered. An answered one is deleted.
CREATE TABLE collection_invitations (
  invitation_id TEXT PRIMARY KEY,
  collection_id TEXT NOT NULL REFERENCES collections (collection_id),
  user_id TEXT NOT NULL REFERENCES people (user_id),
  invited_at TEXT NOT NULL,
  UNIQUE (collection_id, user_id)
) STRICT;
CREATE INDEX collection_invitations_for ON collection_invitations (user_id);

-- The papers of Collections, as above. `given` is the data entered when the paper was added, shown while no source is
-- known to have more. `citation_key` is the key under which it was imported.
CREATE TABLE collection_papers (
  entry INTEGER PRIMARY KEY,
  collection_id TEXT NOT NULL REFERENCES collections (collection_id),
  paper_id TEXT NOT NULL,
  added_by TEXT NOT NULL REFERENCES people (user_id),
  added_at TEXT NOT NULL,
  known INTEGER NOT NULL DEFAULT 0 CHECK (known IN (0, 1)),
  notes INTEGER NOT NULL DEFAULT 0,
  given TEXT,
  citation_key TEXT,
  seal BLOB,
  UNIQUE (collection_id, paper_id)
) STRICT;
CREATE INDEX collection_papers_newest ON collection_papers (collection_id, entry);
CREATE INDEX collection_papers_of ON collection_papers (paper_id, collection_id);
CREATE INDEX collection_papers_unknown ON collection_papers (paper_id) WHERE known = 0;
CREATE UNIQUE INDEX collection_citation_keys ON collection_papers (collection_id, citation_key)
  WHERE citation_key IS NOT NULL;

-- Notes on a paper in a Collection: its thread. A paper with notes cannot be removed. `via` is JSON: the key through
-- which an agent posted the note. A reply keeps the id of a deleted note.
CREATE TABLE notes (
  note_id TEXT PRIMARY KEY,
  collection_id TEXT NOT NULL,
  paper_id TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES people (user_id),
  posted_at TEXT NOT NULL,
  text TEXT NOT NULL,
  reply_to_note_id TEXT,
  via TEXT,
  FOREIGN KEY (collection_id, paper_id) REFERENCES collection_papers (collection_id, paper_id)
) STRICT;
CREATE INDEX notes_of_thread ON notes (collection_id, paper_id, note_id);
CREATE INDEX notes_by ON notes (author_id, paper_id, note_id);

-- The notes that a member has not read. A note without a row here is read.
CREATE TABLE unread_notes (
  user_id TEXT NOT NULL,
  collection_id TEXT NOT NULL,
  paper_id TEXT NOT NULL,
  note_id TEXT NOT NULL REFERENCES notes (note_id),
  PRIMARY KEY (user_id, collection_id, paper_id, note_id),
  FOREIGN KEY (user_id, collection_id) REFERENCES collection_members (user_id, collection_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX unread_notes_of ON unread_notes (note_id);

-- Personal keys. Only a digest of each token is stored. Permissions are a JSON list; the agent is JSON.
CREATE TABLE personal_keys (
  key_id TEXT PRIMARY KEY,
  token_digest TEXT NOT NULL UNIQUE,
  -- The first characters of the token. Null if not known.
  token_start TEXT,
  user_id TEXT NOT NULL REFERENCES people (user_id),
  label TEXT NOT NULL,
  permissions TEXT NOT NULL,
  reach TEXT NOT NULL CHECK (reach IN ('all', 'owned', 'selected')),
  agent TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked_at TEXT,
  last_used_at TEXT,
  seal BLOB
) STRICT;
CREATE INDEX personal_keys_of ON personal_keys (user_id, key_id);

-- The Collections that a key with a selected reach may use. A person who leaves a Collection loses it from all their
-- keys.
CREATE TABLE key_collections (
  key_id TEXT NOT NULL REFERENCES personal_keys (key_id),
  collection_id TEXT NOT NULL REFERENCES collections (collection_id),
  PRIMARY KEY (key_id, collection_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX key_collections_of ON key_collections (collection_id);

-- A person's private notes on a paper, and their revision.
CREATE TABLE annotations (
  user_id TEXT NOT NULL REFERENCES people (user_id),
  paper_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  notes TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (user_id, paper_id)
) STRICT;

-- Highlighted passages, located by their quote, page, surrounding text and the version of the paper.
CREATE TABLE highlights (
  highlight_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  paper_id TEXT NOT NULL,
  quote TEXT NOT NULL,
  page INTEGER NOT NULL,
  colour TEXT NOT NULL,
  comment TEXT,
  version INTEGER,
  prefix TEXT,
  suffix TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  FOREIGN KEY (user_id, paper_id) REFERENCES annotations (user_id, paper_id)
) STRICT;
CREATE INDEX highlights_of ON highlights (user_id, paper_id, page, highlight_id);

-- A person's reading position: the page, thousandths of its height, and the number of pages if known.
CREATE TABLE reading_positions (
  user_id TEXT NOT NULL REFERENCES people (user_id),
  paper_id TEXT NOT NULL,
  page INTEGER NOT NULL,
  pages INTEGER,
  thousandths INTEGER NOT NULL,
  set_at TEXT NOT NULL,
  PRIMARY KEY (user_id, paper_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER saved_papers_counted AFTER INSERT ON saved_papers BEGIN
  INSERT INTO library_counts (user_id, saved) VALUES (new.user_id, 1) ON CONFLICT DO UPDATE SET saved = saved + 1;
END;
CREATE TRIGGER saved_papers_uncounted AFTER DELETE ON saved_papers
  BEGIN UPDATE library_counts SET saved = saved - 1 WHERE user_id = old.user_id; END;
CREATE TRIGGER collections_counted AFTER INSERT ON collections BEGIN
  INSERT INTO library_counts (user_id, collections)
    VALUES (new.owner_id, 1)
    ON CONFLICT DO UPDATE SET collections = collections + 1;
END;
CREATE TRIGGER collections_uncounted AFTER DELETE ON collections
  BEGIN UPDATE library_counts SET collections = collections - 1 WHERE user_id = old.owner_id; END;
CREATE TRIGGER collection_papers_counted AFTER INSERT ON collection_papers
  BEGIN UPDATE collections SET papers = papers + 1 WHERE collection_id = new.collection_id; END;
CREATE TRIGGER collection_papers_uncounted AFTER DELETE ON collection_papers
  BEGIN UPDATE collections SET papers = papers - 1 WHERE collection_id = old.collection_id; END;
CREATE TRIGGER notes_counted AFTER INSERT ON notes BEGIN
  UPDATE collections SET notes = notes + 1 WHERE collection_id = new.collection_id;
  UPDATE collection_papers SET notes = notes + 1 WHERE collection_id = new.collection_id AND paper_id = new.paper_id;
END;
CREATE TRIGGER notes_uncounted AFTER DELETE ON notes BEGIN
  UPDATE collections SET notes = notes - 1 WHERE collection_id = old.collection_id;
  UPDATE collection_papers SET notes = notes - 1 WHERE collection_id = old.collection_id AND paper_id = old.paper_id;
END;
CREATE TRIGGER unread_notes_counted AFTER INSERT ON unread_notes BEGIN
  UPDATE collection_members SET unread = unread + 1 WHERE user_id = new.user_id AND collection_id = new.collection_id;
END;
CREATE TRIGGER unread_notes_uncounted AFTER DELETE ON unread_notes BEGIN
  UPDATE collection_members SET unread = unread - 1 WHERE user_id = old.user_id AND collection_id = old.collection_id;
END;
CREATE TRIGGER paper_tags_counted AFTER INSERT ON paper_tags BEGIN
  INSERT INTO tag_counts (user_id, tag, papers)
    VALUES (new.user_id, new.tag, 1)
    ON CONFLICT DO UPDATE SET papers = papers + 1;
END;
CREATE TRIGGER paper_tags_uncounted AFTER DELETE ON paper_tags BEGIN
  UPDATE tag_counts SET papers = papers - 1 WHERE user_id = old.user_id AND tag = old.tag;
  DELETE FROM tag_counts WHERE user_id = old.user_id AND tag = old.tag AND papers = 0;
END;

-- The texts by which a person finds a saved paper: its metadata and the person's own words on it, up to a hundred of
-- the newest highlights and notes and a maximum length.
CREATE VIEW library_texts AS
  SELECT s.entry, s.user_id, s.paper_id, coalesce(p.record, s.given) ->> '$.title' AS title,
    coalesce(coalesce(p.record, s.given) ->> '$.publishedAt', coalesce(p.record, s.given) ->> '$.year') AS published_at,
    concat_ws(char(10), s.paper_id, p.same_as, coalesce(p.record, s.given) ->> '$.title',
      coalesce(p.record, s.given) ->> '$.authors', coalesce(p.record, s.given) ->> '$.venue',
      coalesce(p.record, s.given) ->> '$.isbn', s.given ->> '$.doi', p.record ->> '$.abstract',
      p.record ->> '$.categories',
      (SELECT group_concat(t.tag, char(10))
        FROM paper_tags t
        WHERE t.user_id = s.user_id AND t.paper_id = s.paper_id)) AS paper,
    (SELECT substr(group_concat(n.text, char(10)), 1, 100000) FROM (SELECT text FROM notes WHERE author_id = s.user_id
        AND paper_id IN (SELECT s.paper_id
          UNION ALL SELECT m.paper_id
          FROM same_papers m
          WHERE m.user_id = s.user_id AND m.same_as = s.paper_id)
      ORDER BY note_id DESC LIMIT 100) n) AS notes,
    concat_ws(char(10), (SELECT a.notes FROM annotations a WHERE a.user_id = s.user_id AND a.paper_id = s.paper_id),
      (SELECT substr(group_concat(concat_ws(char(10), h.quote, h.comment), char(10)), 1, 100000)
        FROM (SELECT quote, comment
          FROM highlights
          WHERE user_id = s.user_id AND paper_id = s.paper_id
          ORDER BY highlight_id DESC
          LIMIT 100) h)) AS annotations
  FROM saved_papers s LEFT JOIN papers p ON p.paper_id = s.paper_id AND (s.known = 1 OR p.origin = 'import');
-- The full-text index of these, by the entry of the saved paper. `owner` is one word, which restricts a search to one
-- person's papers.
CREATE VIRTUAL TABLE library_index USING fts5 (
  owner, paper, notes, annotations, content = '', contentless_delete = 1, tokenize = 'porter ascii'
);
-- A change of any source sets `known` to its own value, which fires the trigger that indexes the paper again.
CREATE TRIGGER saved_papers_indexed AFTER INSERT ON saved_papers BEGIN
  UPDATE saved_papers SET known = known WHERE entry = new.entry;
END;
CREATE TRIGGER saved_papers_reindexed AFTER UPDATE OF known ON saved_papers BEGIN
  UPDATE saved_papers SET (title, published_at) = (
      SELECT coalesce(x.title, iif(x.paper_id GLOB '10.*' OR instr(x.paper_id, ':') > 0, '', 'arXiv:') || x.paper_id),
        coalesce(x.published_at, '')
      FROM library_texts x WHERE x.entry = new.entry)
    WHERE entry = new.entry;
  DELETE FROM library_index WHERE rowid = new.entry;
  INSERT INTO library_index (rowid, owner, paper, notes, annotations)
    SELECT entry, replace(user_id, '-', ''), search_terms(paper), search_terms(notes), search_terms(annotations)
    FROM library_texts
    WHERE entry = new.entry;
END;
CREATE TRIGGER saved_papers_unindexed AFTER DELETE ON saved_papers BEGIN
  DELETE FROM library_index WHERE rowid = old.entry;
END;
CREATE TRIGGER papers_indexed AFTER INSERT ON papers BEGIN
  UPDATE saved_papers SET known = known WHERE paper_id = new.paper_id;
END;
CREATE TRIGGER papers_reindexed AFTER UPDATE ON papers
WHEN (old.origin, old.record, old.same_as) IS NOT (new.origin, new.record, new.same_as) BEGIN
  UPDATE saved_papers SET known = known WHERE paper_id = new.paper_id;
END;
CREATE TRIGGER annotations_indexed AFTER INSERT ON annotations WHEN new.notes <> ''
  BEGIN UPDATE saved_papers SET known = known WHERE user_id = new.user_id AND paper_id = new.paper_id; END;
CREATE TRIGGER annotations_reindexed AFTER UPDATE OF notes ON annotations WHEN old.notes <> new.notes
  BEGIN UPDATE saved_papers SET known = known WHERE user_id = new.user_id AND paper_id = new.paper_id; END;
CREATE TRIGGER highlights_indexed AFTER INSERT ON highlights
  BEGIN UPDATE saved_papers SET known = known WHERE user_id = new.user_id AND paper_id = new.paper_id; END;
CREATE TRIGGER highlights_reindexed AFTER UPDATE OF comment ON highlights
  BEGIN UPDATE saved_papers SET known = known WHERE user_id = new.user_id AND paper_id = new.paper_id; END;
CREATE TRIGGER highlights_unindexed AFTER DELETE ON highlights
  BEGIN UPDATE saved_papers SET known = known WHERE user_id = old.user_id AND paper_id = old.paper_id; END;
-- If many notes are deleted at once, their papers are indexed once afterwards (src/library).
CREATE TRIGGER notes_indexed AFTER INSERT ON notes BEGIN
  UPDATE saved_papers SET known = known WHERE user_id = new.author_id
      AND paper_id = coalesce((SELECT same_as
        FROM same_papers
        WHERE user_id = new.author_id AND paper_id = new.paper_id), new.paper_id);
END;
CREATE TRIGGER paper_tags_indexed AFTER INSERT ON paper_tags
  BEGIN UPDATE saved_papers SET known = known WHERE user_id = new.user_id AND paper_id = new.paper_id; END;
CREATE TRIGGER paper_tags_unindexed AFTER DELETE ON paper_tags
  BEGIN UPDATE saved_papers SET known = known WHERE user_id = old.user_id AND paper_id = old.paper_id; END;
