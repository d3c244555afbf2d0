/** Stores and reads boards. */
import type { BoardSummary } from "../../contract/answers/boards.ts"
import type { Author } from "../../contract/answers/index.ts"
import { parse, type Stored } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { AUTHOR, authored } from "../../ledger/journal/author.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"

/** The declaration of a board. */
export type Declared = BodyOf<"declare_board">

type Row = Omit<BoardSummary, "author"> & Author
type Whole = Row & { readonly contentDigest: string; readonly content: Stored<Declared> }

const COLUMNS = `g.board_id AS boardId, g.label, g.room_id AS roomId, g.thread_id AS threadId, g.entry_id AS \
entryId, g.at AS declaredAt,
  ${AUTHOR("g")}, \
${["title", "metric", "direction"].map((name) => `${contentOf("g")} ->> '$.${name}' AS ${name}`).join(", ")}`
const TABLES = "boards g JOIN people p ON p.user_id = g.author_id"

export type Boards = ReturnType<typeof boards>

export function boards(db: Db) {
  const one = db.prepare<Whole>(
    `SELECT ${COLUMNS}, g.content_digest AS contentDigest, ${contentOf("g")} AS content
      FROM ${TABLES}
      WHERE g.board_id = +?`,
  )
  const ofRoom = db.prepare<Row>(
    `SELECT ${COLUMNS} FROM ${TABLES} WHERE g.room_id = +? AND g.board_id > +? ORDER BY g.board_id LIMIT +?`,
  )

  return {
    insert: inserting(db, "boards"),
    /** Returns a board with its declaration; undefined if there is none. */
    read(boardId: string) {
      const row = one.get(boardId)
      if (row === undefined) return undefined
      const { content, contentDigest, ...rest } = row
      return { summary: authored(rest), contentDigest, declared: parse(content) }
    },
    /** Returns up to `count` boards of a Room after an id, in the order of their declaration. */
    ofRoom: (roomId: string, after: string | undefined, count: number): BoardSummary[] =>
      ofRoom.all(roomId, after ?? "", count).map(authored),
  }
}
