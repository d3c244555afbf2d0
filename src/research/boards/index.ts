/** Boards. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Values } from "../measurements/values.ts"
import { boards, type Boards, type Declared } from "./boards.ts"
import { boardReads } from "./reads.ts"
import { boardStandings, type BoardStandings } from "./standings.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"
import { behaviour, madeBy } from "../../ledger/journal/behaviour.ts"
import { threadSubject, type Threads } from "../../threads/threads.ts"
import { rankedBy } from "./ranking.ts"

// The behaviour of declaring a board.

/** @throws Refusal `invalid_schema` for a dimension with two roles, and for a baseline that does not name a group */
function mustFit(declared: Declared): void {
  const by = rankedBy(declared)
  const { over, where = {}, baseline } = declared
  const issues: Issue[] = [
    ...(over !== undefined && by.includes(over) ? [{ path: "/over", message: "is one of the dimensions of by" }] : []),
    ...[...by, ...(over === undefined ? [] : [over])]
      .filter((name) => Object.hasOwn(where, name))
      .map((name) => ({ path: `/where/${name}`, message: "is a dimension that the board compares" })),
    ...(baseline === undefined ||
    (by.every((name) => Object.hasOwn(baseline, name)) && Object.keys(baseline).length === by.length)
      ? []
      : [{ path: "/baseline", message: `must have a value for each dimension of by: ${by.join(", ")}` }]),
  ]
  if (issues.length > 0) throw new Refusal("invalid_schema", "A board compares groups, each at one place.", { issues })
}

interface Tables {
  readonly threads: Threads
  readonly boards: Boards
  readonly boardStandings: BoardStandings
}

export function boardOperations({ threads, boards, boardStandings: { fault } }: Tables) {
  const declare_board = behaviour("declare_board", {
    subject: ({ body }) => threadSubject(threads, body.threadId, body.roomId),
    admit({ body }) {
      mustFit(body)
      const found = fault(body.roomId, body)
      if (found !== undefined)
        throw new Refusal("invalid_schema", "Settings and splits are not merged in silence.", { issues: [found] })
    },
    write(call, where, change) {
      const boardId = change.newId()
      const label = change.label("board")
      boards.insert({ ...madeBy(call, where, change), boardId, label })
      return { target: { id: boardId, label }, result: { boardId, label } }
    },
  })
  return { declare_board }
}

export const domain = {
  tables: [
    ({ db, values }: Ground & { values: Values }) => ({
      boards: boards(db),
      boardStandings: boardStandings(db, values),
    }),
  ],
  operations: [boardOperations],
  reads: [boardReads],
} satisfies Domain
