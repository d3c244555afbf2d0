/** The form that declares a board. */
import { repositoryAsks, runAsks } from "./code.ts"
import { sheet, threadAsk } from "./sheet.ts"

export const boardSheets = {
  declare_board: sheet("declare_board", {
    heading: "Declare a board",
    lead: "What is compared, before anybody is ranked. Only attempts that run this code on this data count, and a best one is named only where it can be told apart.",
    send: "Declare the board",
    first: ["/title", "/metric", "/direction", "/over", "/evaluator"],
    folds: [
      { heading: "Data that attempts must name as input", places: ["/data"] },
      { heading: "What is ranked, and at which place", places: ["/by", "/where", "/baseline", "/split"] },
    ],
    kept: ["/roomId", "/threadId"],
    asks: {
      ...threadAsk,
      "/title": { label: "What is compared?", hint: "Such as: loss on the shared validation set.", missing: "Say what is compared." },
      "/metric": { label: "Metric", hint: "As attempts report it, such as error.", missing: "Say which metric is compared." },
      "/direction": {
        label: "Which values are better?",
        missing: "Say which values are better.",
        words: { lower: "lower ones", higher: "higher ones" },
      },
      "/over": { label: "Repeated over", hint: "The dimension that repeats, such as seed." },
      "/evaluator": { label: "What measures it" },
      "/evaluator/repository": repositoryAsks["/repository"],
      "/evaluator/repository/url": repositoryAsks["/repository/url"],
      "/evaluator/repository/commit": repositoryAsks["/repository/commit"],
      "/evaluator/argv": { ...runAsks["/argv"], hint: "How the command of each attempt begins. Leave it empty for any." },
      "/data": { label: "Digests of the data", hint: "sha256: and 64 digits, one a line. Attempts name the materials as inputs." },
      "/by": { label: "Ranked by", hint: "Dimensions, one a line. Left empty: arm." },
      "/where": { label: "Only where", hint: "Such as size: 50, one a line." },
      "/baseline": { label: "Baseline", hint: "The group that others are compared with, such as arm: none." },
      "/split": { label: "Split" },
    },
  }),
} as const
