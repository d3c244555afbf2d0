/** The reads of boards. */
import type { BoardAnswer } from "../../contract/answers/boards.ts"
import { known } from "../../contract/objects/no-such.ts"
import { idPage } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { markdownTable } from "../attempts/table.ts"
import { figure, interval } from "../measurements/figures.ts"
import { noiseInWords } from "../measurements/in-words.ts"
import { settingCells } from "../measurements/written.ts"
import type { Boards } from "./boards.ts"
import type { BoardStandings } from "./standings.ts"

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

interface Tables {
  readonly rooms: Rooms
  readonly boards: Boards
  readonly boardStandings: BoardStandings
}

export function boardReads({ rooms, boards, boardStandings: { standing } }: Tables) {
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
