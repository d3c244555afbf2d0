import { board, boardSummary } from "../answers/boards.ts"
import { page } from "../answers/index.ts"
import { read } from "../definitions/read.ts"
import { markdown } from "./shared.ts"

export const boardReads = [
  read({
    name: "room_boards",
    path: "/api/research/rooms/{roomId}/boards",
    summary: "The boards of a Room, in the order in which they were declared.",
    cursor: "uuid",
    answer: page(boardSummary),
  }),
  read({
    name: "board",
    costly: true,
    at: true,
    path: "/api/research/boards/{boardId}",
    summary:
      "One board: the groups of attempts that are pinned to its evaluator and data, ranked by mean, with interval and n. A best one is named only if its difference to the next is distinct from zero, corrected for every pair of groups. The reruns and reproductions of each are counted.",
    answer: board,
    formats: markdown,
  }),
] as const
