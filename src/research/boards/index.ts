/** The domain of boards: its operation and its reads. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Values } from "../measurements/values.ts"
import { boards, type Boards, type Declared, boardStandings, type BoardStandings, rankedBy } from "./boards.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"
import { behaviour, madeBy } from "../../ledger/journal/behaviour.ts"
import { threadSubject, type Threads } from "../../threads/threads.ts"
import type { BoardAnswer } from "../../contract/answers/boards.ts"
import { known } from "../../contract/objects/no-such.ts"
import { idPage } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { markdownTable } from "../attempts/table.ts"
import { figure, interval } from "../measurements/figures.ts"
import { noiseInWords } from "../measurements/in-words.ts"
import { settingCells } from "../measurements/written.ts"

// The reads of boards.

/** Writes a board as Markdown: the best group, and each group with its interval. */
function markdownOf({
  label,
  title,
  metric,
  direction,
  unit,
  by,
  partedBy,
  rows,
  sentence,
  attempts,
  measured,
  noise,
}: BoardAnswer): string {
  const head = [
    "",
    ...by,
    ...partedBy,
    "n",
    `${metric}${unit === null ? "" : ` in ${unit}`}, ${direction} is better`,
    "95 % interval",
    "reproduced",
  ]
  return [
    `**${label}: ${title}**`,
    "",
    sentence,
    "",
    ...markdownTable(
      head,
      rows.map(({ rank, key, settings, n, mean, se, low, high, reproductions, failedReproductions }) => [
        rank,
        ...by.map((name) => String(key[name] ?? "")),
        ...settingCells(settings, partedBy),
        n,
        figure(mean, se),
        interval(low, high, se),
        `${reproductions}${failedReproductions === 0 ? "" : `, not ${failedReproductions}`}`,
      ]),
    ),
    "",
    `${measured} of ${attempts} attempts with this evaluator and data are on the board.`,
    ...(noise === null ? [] : [`Noise from run to run: ${noiseInWords(noise, unit)}.`]),
    "",
  ].join("\n")
}

export interface ReadTables {
  readonly rooms: Rooms
  readonly boards: Boards
  readonly boardStandings: BoardStandings
}

function boardReads({ rooms, boards, boardStandings: { standing } }: ReadTables) {
  return {
    room_boards({ params, query }) {
      rooms.mustExist(params.roomId)
      return idPage(
        query,
        (after, count) => boards.ofRoom(params.roomId, after, count),
        ({ boardId }) => boardId,
      )
    },
    board({ params, query }) {
      const { summary, contentDigest, declared } = known("board", boards.read(params.boardId))
      const board = { ...summary, contentDigest, ...standing(summary.roomId, declared) }
      return query.format === "markdown" ? markdownOf(board) : board
    },
  } satisfies Partial<Readers>
}

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
