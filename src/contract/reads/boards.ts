/** The reads of boards. */
import * as v from "valibot"
import { board, boardSummary } from "../answers/boards.ts"
import { page } from "../answers/index.ts"
import { read } from "../definitions/read.ts"

export const boardReads = [
  read({
    name: "room_boards",
    path: "/api/research/rooms/{roomId}/boards",
    summary: "The boards that were declared in a Room, in the order they were.",
    cursor: "uuid",
    answer: page(boardSummary),
  }),
  read({
    name: "board",
    costly: true,
    at: true,
    path: "/api/research/boards/{boardId}",
    summary:
      "One board: the groups of attempts that are pinned to its evaluator and data, ranked by mean with interval and n, and a best one only where its difference to the next can be told from zero, allowing for every pair of groups. Reruns and reproductions are counted beside each.",
    answer: board,
    formats: { markdown: { mediaType: "text/markdown", answer: v.string() } },
  }),
] as const
