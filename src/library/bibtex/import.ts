/** BibTeX from elsewhere, read in a process that is ended when it takes too much. */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Job } from "../../jobs/job.ts"
import { parsing } from "../../jobs/pools.ts"
import type { Bibliography } from "./read.ts"

const bibtex: Job<string, Bibliography> = {
  name: "bibtex",
  bounds: { seconds: limits.parsingSeconds, megabytes: limits.parsingMegabytes },
  output: limits.parsingOutput,
  tooCostly: () =>
    new Refusal("invalid_schema", "This BibTeX takes more time or memory to read than it may. Nothing was imported; import it in parts.", {
      issues: [{ path: "/bibtex", message: `takes more than ${limits.parsingSeconds} seconds or ${limits.parsingMegabytes} MiB to read` }],
    }),
}

/** The arXiv papers in a BibTeX file. @throws Refusal 422 for one that costs too much, 503 when too many are being read */
export const importedFrom = (text: string): Promise<Bibliography> => parsing.run(bibtex, text)
