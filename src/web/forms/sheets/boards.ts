/** The form that declares a board. */
import { repositoryPrompts, runPrompts, type Sheets, threadPrompt } from "./sheet.ts"

export const boardSheets = {
  declare_board: {
    heading: "Declare a board",
    lead:
      "Say what is compared before anything is ranked. Only attempts that run this code on this data count. " +
      "A best one is named only if it clearly differs from the others.",
    send: "Declare the board",
    first: ["/title", "/metric", "/direction", "/over", "/evaluator"],
    folds: [
      { heading: "Data that attempts must name as input", places: ["/data"] },
      { heading: "What is ranked, and on which part of the data", places: ["/by", "/where", "/baseline", "/split"] },
    ],
    kept: ["/roomId", "/threadId"],
    prompts: {
      ...threadPrompt,
      "/title": {
        label: "What is compared?",
        hint: "Such as: loss on the shared validation set.",
        missing: "Say what is compared.",
      },
      "/metric": {
        label: "Metric",
        hint: "As attempts report it, such as error.",
        missing: "Say which metric is compared.",
      },
      "/direction": {
        label: "Which values are better?",
        missing: "Say which values are better.",
        words: { lower: "lower ones", higher: "higher ones" },
      },
      "/over": { label: "Repeated over", hint: "The dimension of the repeats, such as seed." },
      "/evaluator": { label: "What measures it" },
      "/evaluator/repository": repositoryPrompts["/repository"],
      "/evaluator/repository/url": repositoryPrompts["/repository/url"],
      "/evaluator/repository/commit": repositoryPrompts["/repository/commit"],
      "/evaluator/argv": {
        ...runPrompts["/argv"],
        hint: "How the command of each attempt begins. Leave it empty for any.",
      },
      "/data": {
        label: "Digests of the data",
        hint: "sha256: and 64 digits, one per line. Attempts name the materials as inputs.",
      },
      "/by": { label: "Ranked by", hint: "Dimensions, one per line. If left empty: arm." },
      "/where": { label: "Only where", hint: "Such as size: 50, one per line." },
      "/baseline": { label: "Baseline", hint: "The group that others are compared with, such as arm: none." },
      "/split": { label: "Split" },
      "/pool": {
        label: "Settings to merge",
        hint: "Attempts that differ only in these are ranked together; one per line.",
      },
    },
  },
} satisfies Sheets
