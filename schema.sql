-- The whole data of one research-room instance. Times are RFC 3339 UTC text with milliseconds, ids are lower-case
-- UUID text, JSON is stored as the text it is answered with. Every table belongs to one folder of src, named above it.

------------------------------------------------------------------------------------------------ src/ledger

-- One row: who this instance is. A restored or copied instance keeps it; a new one is another instance.
CREATE TABLE instance (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  instance_id TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

-- Where the activity of each Room stands: the sequence and digest that the next entry builds on.
CREATE TABLE room_heads (
  room_id TEXT PRIMARY KEY,
  activity_sequence INTEGER NOT NULL,
  activity_digest TEXT NOT NULL,
  last_activity_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Where the timeline of each Thread stands.
CREATE TABLE thread_heads (
  thread_id TEXT PRIMARY KEY,
  timeline_sequence INTEGER NOT NULL,
  last_activity_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The last ordinal given out in a Room for each kind of labelled object, and for its Threads. No ordinal is skipped.
CREATE TABLE counters (
  room_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (room_id, kind)
) STRICT, WITHOUT ROWID;

-- One row per accepted write: what a retry with the same id is compared with, and answered from.
CREATE TABLE receipts (
  user_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  -- The credential, for operations whose retry must come from the same one; else empty.
  sender TEXT NOT NULL,
  -- The credential that sent it; null for a person in the browser.
  credential_id TEXT,
  request_digest TEXT NOT NULL,
  accepted_at TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (user_id, operation, delivery_id, sender)
) STRICT;

-- Messages, cards and receipts of a Thread in order. `body` is the entry as served, less what moves: the number of
-- replies and, on a card, the standing of its record.
CREATE TABLE timeline_entries (
  entry_id TEXT NOT NULL UNIQUE,
  thread_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  reply_to_entry_id TEXT REFERENCES timeline_entries (entry_id),
  reply_count INTEGER NOT NULL DEFAULT 0,
  version_id TEXT,
  body TEXT NOT NULL,
  UNIQUE (thread_id, sequence)
) STRICT;
CREATE INDEX timeline_by_kind ON timeline_entries (thread_id, kind, sequence);
CREATE INDEX timeline_replies ON timeline_entries (reply_to_entry_id, sequence) WHERE reply_to_entry_id IS NOT NULL;
CREATE INDEX timeline_cards ON timeline_entries (version_id) WHERE version_id IS NOT NULL;

-- The change feed of a Room, each entry chained to the one before it by digest. `body` is the entry as served.
CREATE TABLE activity_entries (
  room_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (room_id, sequence)
) STRICT;
CREATE INDEX activity_by_kind ON activity_entries (room_id, kind, sequence);

CREATE TRIGGER receipts_keep BEFORE UPDATE ON receipts BEGIN SELECT RAISE(ABORT, 'a receipt is immutable'); END;
CREATE TRIGGER receipts_stay BEFORE DELETE ON receipts BEGIN SELECT RAISE(ABORT, 'a receipt is never deleted'); END;
CREATE TRIGGER timeline_keep BEFORE UPDATE OF entry_id, thread_id, sequence, kind, reply_to_entry_id, version_id, body ON timeline_entries
  BEGIN SELECT RAISE(ABORT, 'a timeline entry is immutable'); END;
CREATE TRIGGER timeline_stay BEFORE DELETE ON timeline_entries BEGIN SELECT RAISE(ABORT, 'a timeline entry is never deleted'); END;
CREATE TRIGGER activity_keep BEFORE UPDATE ON activity_entries BEGIN SELECT RAISE(ABORT, 'an activity entry is immutable'); END;
CREATE TRIGGER activity_stay BEFORE DELETE ON activity_entries BEGIN SELECT RAISE(ABORT, 'an activity entry is never deleted'); END;

------------------------------------------------------------------------------------------------ src/people

-- People of this instance. The operator is the first one; passwords are stored as scrypt hashes with their parameters.
CREATE TABLE people (
  user_id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  is_operator INTEGER NOT NULL CHECK (is_operator IN (0, 1)),
  created_at TEXT NOT NULL
) STRICT;

-- Signed-in browsers; only a digest of each session's token is kept.
CREATE TABLE sessions (
  token_digest TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES people (user_id),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of ON sessions (user_id);

-- Links by which a person may create an account, once; with a Room, they join it too.
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

------------------------------------------------------------------------------------------------ src/rooms

-- Rooms, with what archives them while they are archived.
CREATE TABLE rooms (
  room_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  question TEXT,
  owner_id TEXT NOT NULL REFERENCES people (user_id),
  opening_thread_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'archived')),
  archived_at TEXT,
  archived_by TEXT REFERENCES people (user_id),
  archive_reason TEXT,
  CHECK ((state = 'archived') = (archived_at IS NOT NULL AND archived_by IS NOT NULL AND archive_reason IS NOT NULL))
) STRICT;

-- Who belongs to a Room now.
CREATE TABLE members (
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  user_id TEXT NOT NULL REFERENCES people (user_id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  joined_at TEXT NOT NULL,
  PRIMARY KEY (room_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_of ON members (user_id);

-- Requests to join that wait for the owner; a decided one is gone.
CREATE TABLE join_requests (
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  user_id TEXT NOT NULL REFERENCES people (user_id),
  message TEXT,
  requested_at TEXT NOT NULL,
  PRIMARY KEY (room_id, user_id)
) STRICT, WITHOUT ROWID;

-- What agents write with. Only a digest of each token is kept. Permissions and Threads are JSON lists; no list of
-- Threads means all of them.
CREATE TABLE credentials (
  credential_id TEXT PRIMARY KEY,
  token_digest TEXT NOT NULL UNIQUE,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  user_id TEXT NOT NULL REFERENCES people (user_id),
  label TEXT NOT NULL,
  permissions TEXT NOT NULL,
  thread_ids TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked_at TEXT,
  last_used_at TEXT
) STRICT;
CREATE INDEX credentials_of ON credentials (room_id, user_id);

------------------------------------------------------------------------------------------------ src/threads

-- Threads, numbered within their Room in the order they were started. What is said in them is in timeline_entries.
CREATE TABLE threads (
  thread_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL REFERENCES rooms (room_id),
  sequence INTEGER NOT NULL,
  title TEXT NOT NULL,
  author_id TEXT NOT NULL REFERENCES people (user_id),
  created_at TEXT NOT NULL,
  follows_entry_id TEXT REFERENCES timeline_entries (entry_id),
  UNIQUE (room_id, sequence)
) STRICT;
CREATE INDEX threads_following ON threads (follows_entry_id) WHERE follows_entry_id IS NOT NULL;

------------------------------------------------------------------------------------------------ src/research

-- Every scientific record: hypotheses, findings, cited claims. `content` is the canonical JSON that was accepted.
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
  content TEXT NOT NULL,
  content_digest TEXT NOT NULL,
  client TEXT,
  UNIQUE (room_id, label)
) STRICT;
CREATE INDEX records_of_room ON records (room_id, version_id);
CREATE INDEX records_of_kind ON records (kind, version_id);
CREATE INDEX records_of_room_and_kind ON records (room_id, kind, version_id);

-- What a record rests on or refers to: its premises and references, in the order they were written.
CREATE TABLE record_references (
  version_id TEXT NOT NULL REFERENCES records (version_id),
  part TEXT NOT NULL CHECK (part IN ('premise', 'reference')),
  position INTEGER NOT NULL,
  to_version_id TEXT NOT NULL REFERENCES records (version_id),
  purpose TEXT,
  explanation TEXT NOT NULL,
  PRIMARY KEY (version_id, part, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_references_to ON record_references (to_version_id, part);

-- The concepts each record defines, by key.
CREATE TABLE concepts (
  version_id TEXT NOT NULL REFERENCES records (version_id),
  key TEXT NOT NULL,
  label TEXT NOT NULL,
  definition TEXT NOT NULL,
  PRIMARY KEY (version_id, key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER records_keep BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'a record is immutable'); END;
CREATE TRIGGER records_stay BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'a record is never deleted'); END;
CREATE TRIGGER record_references_keep BEFORE UPDATE ON record_references BEGIN SELECT RAISE(ABORT, 'a reference is immutable'); END;
CREATE TRIGGER record_references_stay BEFORE DELETE ON record_references BEGIN SELECT RAISE(ABORT, 'a reference is never deleted'); END;
CREATE TRIGGER concepts_keep BEFORE UPDATE ON concepts BEGIN SELECT RAISE(ABORT, 'a concept is immutable'); END;
CREATE TRIGGER concepts_stay BEFORE DELETE ON concepts BEGIN SELECT RAISE(ABORT, 'a concept is never deleted'); END;
