/** Data with one long list of everything: the service writes the first of each kind, the others are cloned. */
import { copyData } from "../../data/demo.ts"
import { House } from "../../data/house.ts"
import type { Db } from "../../../../src/ledger/storage/database.ts"
import { indexed } from "../../../../src/contract/words.ts"
import { type Wording, wordsOf } from "../../../../src/research/search/indexing.ts"
import { Cloner, idSql, scatteredIdSql } from "./clone.ts"
import { fillLibrary } from "./library.ts"
import { fillRecords } from "./records.ts"
import { fillTalk } from "./talk.ts"
import { type First, tellFirst } from "./first.ts"
import { fillWork } from "./work.ts"

/** What can be read: the first of everything, and the lengths of the lists. */
export interface Large extends First {
  readonly collectionId: string
  /** A paper with notes. */
  readonly noted: string
  readonly size: number
  /**
   * Rooms, Threads of a Room, revisions of an experiment, points of a metric: no instance reaches a million of these.
   */
  readonly fewer: number
  readonly saved: number
  readonly collectionPapers: number
  readonly notes: number
}

const MOST_OF_FEWER = 100_000

/** Makes the data in a new folder. */
export async function makeLarge(demo: string, folder: string, size: number): Promise<Large> {
  const house = new House(copyData(demo, folder), demo)
  const first = await house.fill(() => tellFirst(house))
  const library = await fillLibrary(house, size)
  const large: Large = { ...first, ...library, size, fewer: Math.min(size, MOST_OF_FEWER) }
  const cloner = new Cloner(house.db, size)
  cloner.exec("BEGIN")
  // Search is measured on messages: indexing everything else as well would take most of the filling time.
  const triggers = house.db
    .prepare<{ name: string; sql: string }>(
      `SELECT name, sql
        FROM sqlite_schema
        WHERE type = 'trigger' AND name LIKE '%\\_indexed' ESCAPE '\\' AND name <> 'messages_indexed'`,
    )
    .all()
  for (const { name } of triggers) cloner.exec(`DROP TRIGGER ${name}`)
  fillTalk(cloner, large)
  fillRecords(cloner, large)
  fillWork(cloner, large)
  noteRecords(cloner, size)
  noteNewest(cloner, size)
  for (const { sql } of triggers) cloner.exec(sql)
  indexTexts(cloner, house.db)
  cloner.exec("COMMIT")
  house.close()
  return large
}

/** How many objects of a kind wait to be indexed. */
const NOTED = 1_000

/** Queues every record: the index of concepts needs it. Kinds that are not searched by words are not indexed. */
function noteRecords(cloner: Cloner, size: number): void {
  cloner.exec(
    `CREATE TEMP TABLE only_noted AS SELECT coalesce(max(item), 0) + 1 AS first FROM search_items;
     INSERT INTO search_items (kind, id)
      SELECT iif(n % 2 = 0, 'hypothesis', 'finding'), ${idSql("record")}
      FROM temp.numbers;
     INSERT INTO concept_trigrams (rowid, text) SELECT i.item, folded(concat_ws(char(10), d.key, d.label, d.definition))
       FROM temp.only_noted o
      CROSS JOIN search_items i ON i.item >= o.first
      CROSS JOIN concepts d ON d.version_id = i.id;
     ALTER TABLE temp.only_noted ADD COLUMN last INTEGER;
     UPDATE temp.only_noted SET last = first + ${size - 2 * NOTED - 1}`,
  )
}

/**
 * Indexes the queue as the service does before each commit, but in bulk: messages are inserted directly, without the
 * view over all kinds, and with so much memory before each flush that little is merged.
 */
function indexTexts(cloner: Cloner, db: Db): void {
  const config = (name: string, value: number) =>
    `INSERT INTO search_index (search_index, rank) VALUES ('${name}', ${value})`
  const NEW = "item > (SELECT coalesce(max(id), 0) FROM search_index_docsize)"
  cloner.exec(config("hashsize", 256 * 1_024 * 1_024))
  cloner.exec(
    `CREATE TEMP TABLE new_items AS SELECT item, kind, id
      FROM search_items, temp.only_noted
      WHERE ${NEW} AND item NOT BETWEEN first AND last;
     INSERT INTO search_index (rowid, label, title, body, tags) SELECT item, NULL, NULL, h.content ->> '$.text',
       'kmessage ' || replace(t.room_id, '-', '') || ' ' || replace(w.user_id, '-', '')
     FROM temp.new_items i
      CROSS JOIN timeline_entries e ON e.entry_id = i.id
      JOIN places p ON p.place = e.thread
      JOIN threads t ON t.thread_id = p.id
       JOIN journal h ON h.position = e.history_position JOIN writers w ON w.writer = h.writer
     WHERE i.kind = 'message' ORDER BY item`,
  )
  const insert = db.prepare("INSERT INTO search_index (rowid, label, title, body, tags) VALUES (?, ?, ?, ?, ?)")
  const others = "FROM temp.new_items i CROSS JOIN search_texts s USING (item) WHERE i.kind <> 'message' ORDER BY item"
  for (const { item, label, title, tags, ...said } of db
    .prepare<Record<"label" | "title" | "tags", string | null> & Wording & { item: number }>(`SELECT s.* ${others}`)
    .all()) {
    const body = wordsOf(said)
    insert.run(item, label, title && indexed(title), body && indexed(body), tags)
  }
  cloner.exec("INSERT INTO search_index (search_index) VALUES ('flush')")
  cloner.exec(config("hashsize", 1_024 * 1_024))
}

/** The newest of each kind are searched for similar ones before they are indexed. */
function noteNewest(cloner: Cloner, size: number): void {
  const newest = (kind: string, id: string) =>
    cloner.exec(
      `INSERT INTO search_items (kind, id)
        SELECT '${kind}', ${id}
        FROM temp.numbers
        WHERE n > ${size - NOTED} AND n <= ${size}`,
    )
  newest("experiment", idSql("experiment"))
  newest("attempt", scatteredIdSql("attempt"))
}
