/** What happens when a source's word on papers comes: it is kept, and what turns out to be one paper is brought together. */
import type { JsonObject } from "../../contract/json.ts"
import type { Acts } from "../../ledger/journal/acts.ts"
import { type Names, pairOf, type SamePaper } from "../names/names.ts"
import type { Metadata } from "./metadata.ts"
import { descriptionFrom, type Origin, type Papers, type SourcePaper } from "./papers.ts"

/** Two names of one paper, as a source told, and what it says of the paper: shown where nothing else is known. */
type Joined = SamePaper & { readonly given: JsonObject | null }

/** What the Library does by itself, and notes in the journal. */
export const libraryActs = (names: Names) =>
  ({
    join_papers: (_call, { paperId, sameAs, given }: Joined) => names.joinEverywhere({ paperId, sameAs }, given),
  }) satisfies Acts

export interface MetadataIntakeParts {
  readonly papers: Papers
  readonly metadata: Metadata
  readonly names: Names
  readonly join: (joined: Joined) => void
}

export type MetadataIntake = ReturnType<typeof metadataIntake>

/** Everything here is done within an open transaction. */
export function metadataIntake({ papers, metadata, names, join }: MetadataIntakeParts) {
  /** Brings together what two names of some papers hold, as far as people have both. */
  function joinReported(paperIds: readonly string[]): void {
    for (const { paperId, sameAs, record } of papers.withOtherNames(paperIds)) {
      const pair = pairOf(paperId, sameAs)
      if (pair !== undefined && names.isDue(pair)) join({ ...pair, given: descriptionFrom(record) })
    }
  }
  return {
    /** Keeps what a source told. */
    store(sourcePapers: readonly SourcePaper[], origin: Origin, at: string): void {
      for (const paper of sourcePapers) papers.put(paper, origin, at)
      // Anybody may know what the operator imported.
      if (origin === "import") joinReported(sourcePapers.flatMap(({ paperId, sameAs }) => (sameAs === null ? [] : [paperId])))
    },
    /** Shows what is known of some papers to everybody who filed them. */
    reveal(paperIds: readonly string[]): void {
      metadata.reveal(paperIds)
      joinReported(paperIds)
    },
  }
}
