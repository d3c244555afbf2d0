/** Boards: what is compared, and how, declared before anything is ranked. */
import * as v from "valibot"
import { dimensionName, dimensions, digest, argv, pool, repository } from "../definitions/work.ts"
import { operation } from "../definitions/operation.ts"
import { quoting } from "../definitions/sentence.ts"
import { limits } from "../limits.ts"
import { enumerations } from "../schema/enumerations.ts"
import { distinct, oneOf, plain, shape, text, uuid } from "../schema/fields.ts"
import { subject } from "../schema/parts.ts"
import { described } from "../schema/validation.ts"

const some = v.exactOptional

export const declareBoard = operation({
  name: "declare_board",
  sentence: ({ title }, label) => `declared board ${label}${quoting(title)}`,
  summary:
    "Declares a comparison in a Room: a metric, which direction is better, and the evaluator and data that " +
    "attempts must be pinned to. The board ranks the groups of such attempts by their means, and names a best one " +
    "only if it is distinct from the next.",
  permissions: ["publish_records"],
  target: "board",
  fields: {
    roomId: subject("room"),
    threadId: subject("thread"),
    title: text(limits.title),
    metric: plain(limits.name),
    split: some(plain(limits.name)),
    direction: oneOf(enumerations.direction),
    by: some(
      described(
        distinct(dimensionName, limits.dimensions, 1),
        "The dimensions whose values form the ranked groups. Default: arm.",
      ),
    ),
    over: some(described(dimensionName, "The dimension of repetitions, such as seed.")),
    where: some(dimensions),
    pool: some(described(pool, "Settings whose values are merged. Rows are parted by every other setting.")),
    baseline: some(
      described(dimensions, "The group that the others are compared with: its value for each dimension in by."),
    ),
    evaluator: described(
      shape({ repository, argv: some(argv) }),
      "What measures. Only attempts count that are pinned to this commit and whose command line begins with argv.",
    ),
    data: described(
      distinct(digest, limits.materials),
      "Digests of materials. An attempt must have all of them among its inputs.",
    ),
  },
  result: { boardId: uuid, label: v.string() },
  example: {
    roomId: "0198f3a0-0000-7000-8000-000000000001",
    threadId: "0198f3a0-0000-7000-8000-000000000002",
    title: "Loss at step 1,000 on the shared validation set",
    metric: "loss",
    direction: "lower",
    over: "seed",
    where: { size: 50 },
    baseline: { arm: "no_warm_up" },
    evaluator: {
      repository: { url: "https://github.com/example/warm-up", commit: "3f786850e387550fdab836ed7e6dc881de23001b" },
      argv: ["python", "evaluate.py"],
    },
    data: ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  },
})
