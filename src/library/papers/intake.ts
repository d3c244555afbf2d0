/**
 * Stores metadata from sources, reveals it to the people who filed the papers, and merges two ids if it reports them as
 * one paper.
 */
import type { JsonObject } from "../../contract/json.ts"
import type { Acts } from "../../ledger/journal/acts.ts"
import { type Names, pairOf, type SamePaper } from "../names/names.ts"
import type { Metadata } from "./metadata.ts"
import { descriptionFrom, type Origin, type Papers, type SourcePaper } from "./papers.ts"

/** Two ids that a source reports for one paper, with its description, used if no other is known. */
type Joined = SamePaper & { readonly given: JsonObject | null }

/** The writes that the Library makes on its own. */
export const libraryActs = (names: Names) =>
  ({
    join_papers: (_call, { paperId, sameAs, given }: Joined) => names.joinEverywhere({ paperId, sameAs }, given),
  }) satisfies Acts

interface MetadataIntakeParts {
  readonly papers: Papers
  readonly metadata: Metadata
  readonly names: Names
  readonly join: (joined: Joined) => void
}

export type MetadataIntake = ReturnType<typeof metadataIntake>

/** The caller opens the transaction. */
export function metadataIntake({ papers, metadata, names, join }: MetadataIntakeParts) {
  /** Merges the two ids of each paper whose record reports another, if anyone has both. */
  function joinReported(paperIds: readonly string[]): void {
    for (const { paperId, sameAs, record } of papers.withOtherIds(paperIds)) {
      const pair = pairOf(paperId, sameAs)
      if (pair !== undefined && names.isDue(pair)) join({ ...pair, given: descriptionFrom(record) })
    }
  }
  return {
    store(sourcePapers: readonly SourcePaper[], origin: Origin, at: string): void {
      for (const paper of sourcePapers) papers.put(paper, origin, at)
      // Metadata that the operator imported is visible to everyone at once.
      if (origin === "import")
        joinReported(sourcePapers.flatMap(({ paperId, sameAs }) => (sameAs === null ? [] : [paperId])))
    },
    /** Makes the metadata of papers visible to everyone who filed them. */
    reveal(paperIds: readonly string[]): void {
      metadata.reveal(paperIds)
      joinReported(paperIds)
    },
  }
}
