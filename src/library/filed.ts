/** Resolves the papers that a write names to the ids that the person has them under. */
import { parse, stored } from "../contract/json.ts"
import { type Issue, Refusal } from "../contract/refusals/refusal.ts"
import { limits } from "../contract/limits.ts"
import { isArxivId, isDoi } from "../contract/schema/fields.ts"
import type { Change } from "../ledger/journal/behaviour.ts"
import type { Found } from "./papers/found.ts"
import { type Names, pairOf } from "./names/names.ts"
import { descriptionFrom, type FiledPaper, type Given, type PaperRecord } from "./papers/papers.ts"
import { wholeScope } from "./reach/scope.ts"
import { readPapers } from "./reading.ts"
import type { LibraryTables } from "./tables.ts"

/** The papers that `prepare` found in a write's text before the transaction. */
export const foundIn = ({ prepared }: { readonly prepared?: unknown }): Found =>
  (prepared as Found | undefined) ?? nothingFound
const nothingFound: Found = { papers: [], unreadable: [], byWords: [] }

/** What a receipt says of the reading of a text. */
export const readingOf = ({ readAs = [], unreadable }: Found) => ({
  readAs: [...readAs],
  unreadable: [...unreadable],
})

/** The members of a request body that name papers to file. */
export interface SentPapers {
  readonly arxivIds?: readonly string[]
  readonly identifiers?: readonly string[]
  readonly titles?: readonly { readonly arxivId: string; readonly title: string }[]
}

/**
 * Parses the identifiers in a body. @throws Refusal 422 if they name no paper, or more papers than one write may file
 */
export async function readIdentifiers({ arxivIds = [], identifiers }: SentPapers): Promise<Found | undefined> {
  if (identifiers === undefined) return undefined
  const found = await readPapers(identifiers, "/identifiers")
  const count = found.papers.length + arxivIds.length
  if (count > limits.arxivIds)
    throw new Refusal(
      "invalid_schema",
      `This names ${count} papers; one write can file ${limits.arxivIds}. Nothing was stored. Send them in parts.`,
      {
        issues: [
          {
            path: "/identifiers",
            message: `names ${found.papers.length} papers; one write can file ${limits.arxivIds}`,
          },
        ],
      },
    )
  if (count > 0) return found
  const issues = found.unreadable.map(({ input, why }) => ({
    path: "/identifiers",
    message: `${JSON.stringify(input)} ${why}`,
  }))
  throw new Refusal("invalid_schema", `None of the identifiers names a paper. Nothing was stored.`, { issues })
}

/** Returns an issue for each title whose paper is not in `arxivIds`. */
export const unmatchedTitles = ({ arxivIds = [], titles = [] }: SentPapers): Issue[] =>
  titles.flatMap(({ arxivId }, index) =>
    arxivIds.includes(arxivId) ? [] : [{ path: `/titles/${index}/arxivId`, message: "is not among arxivIds" }],
  )

/** Returns the papers of a body with their titles and descriptions. */
export function sentPapers({ arxivIds = [], titles = [] }: SentPapers, found: Found): FiledPaper[] {
  const titleOf = new Map(titles.map(({ arxivId, title }) => [arxivId, title]))
  const byArxivId = arxivIds.map((paperId): FiledPaper => {
    const title = titleOf.get(paperId)
    return title === undefined ? { paperId } : { paperId, given: { title } }
  })
  return [...byArxivId, ...found.papers]
}

/**
 * Maps the ids of sent papers to those that a person has them under, and merges ids that turn out to belong to one
 * paper.
 */
export function naming({ names, papers }: Pick<LibraryTables, "names" | "papers">) {
  /** Merges the ids that a body gives for one paper. Two arXiv ids are never merged. */
  function joinStated(userId: string, { paperId, names: others = [] }: FiledPaper): void {
    for (const other of others) {
      const [from, to] = [names.of(userId, other), names.of(userId, paperId)]
      if (from === to || (isArxivId(from) && isArxivId(to))) continue
      // A `ref:` id needs an alias only if the person has something under it.
      if (isDoi(from) || names.reaches(userId, from)) names.join(userId, { paperId: from, sameAs: to }, null)
    }
  }

  /** Merges each of these papers with another that a source reports as the same, if the person has both. */
  function joinReported(userId: string, paperIds: readonly string[], change: Change): void {
    const due = change.told(() =>
      names.reportedPairs(userId, paperIds).flatMap(({ paperId, sameAs, record }) => {
        const pair = pairOf(paperId, sameAs)
        return pair === undefined || !names.reaches(userId, sameAs)
          ? []
          : [{ ...pair, given: descriptionFrom(stored<PaperRecord>(record)) }]
      }),
    )
    for (const { paperId, sameAs, given } of due) names.join(userId, { paperId, sameAs }, given)
  }

  return {
    /** Returns the papers of a write without duplicates, each under the id that the person has it under. */
    named(userId: string, sent: readonly FiledPaper[], change: Change): FiledPaper[] {
      for (const paper of sent) joinStated(userId, paper)
      const ids = sent.map(({ paperId }) => names.of(userId, paperId))
      joinReported(userId, ids, change)
      const filed = new Map<string, FiledPaper>()
      for (const { paperId: sentAs, given, citationKey } of sent) {
        const paperId = names.of(userId, sentAs)
        const earlier = filed.get(paperId)
        const description = given ?? givenInReach(userId, paperId)
        filed.set(paperId, {
          paperId,
          ...(description && { given: description }),
          ...(citationKey && { citationKey }),
          ...earlier,
        })
      }
      return [...filed.values()]
    },

    /** Returns an issue for each `ref:` id that is sent without a description and is not in the person's reach. */
    unknown: (userId: string, sent: readonly FiledPaper[]): Issue[] =>
      sent
        .filter(
          ({ paperId, given }) => given === undefined && paperId.startsWith("ref:") && !names.reaches(userId, paperId),
        )
        .map(({ paperId }) => ({ path: "/identifiers", message: `${paperId} names no paper in reach` })),
  }

  /** Returns the description that someone in a shared Collection gave of a paper with a `ref:` id. */
  function givenInReach(userId: string, paperId: string): Given | undefined {
    const given = paperId.startsWith("ref:") ? papers.standing(wholeScope(userId), paperId).given : null
    return given === null ? undefined : parse(given)
  }
}

/** The members of a body or query that name one paper. */
export interface PaperName {
  readonly paperId?: string
  readonly arxivId?: string
}

/**
 * Returns the id under which a person has the paper that a body or query names. @throws Refusal 422 if it names none,
 * or two
 */
export function paperNamedBy(names: Names, userId: string, { paperId, arxivId }: PaperName): string {
  const named = paperId ?? arxivId
  if (named === undefined)
    throw new Refusal("invalid_parameter", "Say which paper: send paperId or arxivId.", {
      issues: [{ path: "/paperId", message: "is required if arxivId is left out" }],
    })
  const id = names.of(userId, named)
  if (arxivId !== undefined && names.of(userId, arxivId) !== id)
    throw new Refusal("invalid_parameter", "paperId and arxivId name two different papers. Send one of them.", {
      issues: [{ path: "/arxivId", message: "does not name the same paper as paperId" }],
    })
  return id
}

/** Returns the ids under which a person has the papers that a body names by `paperIds` and `arxivIds`. */
export const papersNamedBy = (
  names: Names,
  userId: string,
  { paperIds = [], arxivIds = [] }: { readonly paperIds?: readonly string[]; readonly arxivIds?: readonly string[] },
): string[] => [...new Set([...paperIds, ...arxivIds].map((id) => names.of(userId, id)))]
