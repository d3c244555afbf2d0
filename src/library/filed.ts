/** The papers that a write files: what it names, under the names that the person knows them by. */
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

/** What a write's text was found to hold before the transaction. */
export const foundIn = ({ prepared }: { readonly prepared?: unknown }): Found => (prepared as Found | undefined) ?? nothingFound
const nothingFound: Found = { papers: [], unreadable: [], byWords: [] }

/** Papers as a body sends them, with titles for some of them. */
export interface SentPapers {
  readonly arxivIds?: readonly string[]
  readonly identifiers?: readonly string[]
  readonly titles?: readonly { readonly arxivId: string; readonly title: string }[]
}

/** Reads what names papers in a body. @throws Refusal 422 where none of it does, or where it names more than one write takes */
export async function readIdentifiers({ arxivIds = [], identifiers }: SentPapers): Promise<Found | undefined> {
  if (identifiers === undefined) return undefined
  const found = await readPapers(identifiers, "/identifiers")
  const count = found.papers.length + arxivIds.length
  if (count > limits.arxivIds)
    throw new Refusal(
      "invalid_schema",
      `This names ${count} papers; one write takes ${limits.arxivIds}. Nothing was stored. Send them in parts.`,
      {
        issues: [
          { path: "/identifiers", message: `names ${found.papers.length} papers; at most ${limits.arxivIds} are taken in one write` },
        ],
      },
    )
  if (count > 0) return found
  const issues = found.unreadable.map(({ text, reason }) => ({ path: "/identifiers", message: `${JSON.stringify(text)} ${reason}` }))
  throw new Refusal("invalid_schema", `None of the identifiers names a paper. Nothing was stored.`, { issues })
}

/** Titles of papers that are not sent. */
export const unmatchedTitles = ({ arxivIds = [], titles = [] }: SentPapers): Issue[] =>
  titles.flatMap(({ arxivId }, index) =>
    arxivIds.includes(arxivId) ? [] : [{ path: `/titles/${index}/arxivId`, message: "is not among arxivIds" }],
  )

/** The papers of a body, each with what came with it. */
export function sentPapers({ arxivIds = [], titles = [] }: SentPapers, found: Found): FiledPaper[] {
  const given = new Map(titles.map(({ arxivId, title }) => [arxivId, title]))
  const plain = arxivIds.map((paperId): FiledPaper => {
    const title = given.get(paperId)
    return title === undefined ? { paperId } : { paperId, given: { title } }
  })
  return [...plain, ...found.papers]
}

/** Brings papers under the names that a person knows them by, and brings together what turns out to be one paper. */
export function naming({ names, papers }: Pick<LibraryTables, "names" | "papers">) {
  /** What a body says is one paper. Two papers of arXiv never are. */
  function joinStated(userId: string, { paperId, names: others = [] }: FiledPaper): void {
    for (const other of others) {
      const [one, same] = [names.of(userId, other), names.of(userId, paperId)]
      if (one === same || (isArxivId(one) && isArxivId(same))) continue
      // What stands for a paper without a name matters only where something is filed under it.
      if (isDoi(one) || names.reaches(userId, one)) names.join(userId, { paperId: one, sameAs: same }, null)
    }
  }

  /** What sources say is one paper with one of these, as far as the person has both. */
  function joinReported(userId: string, paperIds: readonly string[], change: Change): void {
    const due = change.told(() =>
      names.reportedPairs(userId, paperIds).flatMap(({ paperId, sameAs, said }) => {
        const pair = pairOf(paperId, sameAs)
        return pair === undefined || !names.reaches(userId, sameAs) ? [] : [{ ...pair, given: descriptionFrom(stored<PaperRecord>(said)) }]
      }),
    )
    for (const { paperId, sameAs, given } of due) names.join(userId, { paperId, sameAs }, given)
  }

  return {
    /** The papers of a write, each under the name that the person knows it by, and once. */
    named(userId: string, sent: readonly FiledPaper[], change: Change): FiledPaper[] {
      for (const paper of sent) joinStated(userId, paper)
      const ids = sent.map(({ paperId }) => names.of(userId, paperId))
      joinReported(userId, ids, change)
      const filed = new Map<string, FiledPaper>()
      for (const { paperId: sentAs, given, citationKey } of sent) {
        const paperId = names.of(userId, sentAs)
        const before = filed.get(paperId)
        const said = given ?? givenInReach(userId, paperId)
        filed.set(paperId, { paperId, ...(said && { given: said }), ...(citationKey && { citationKey }), ...before })
      }
      return [...filed.values()]
    },

    /** Papers of a body that are known only by what was given of them, and not to this person. */
    unknown: (userId: string, sent: readonly FiledPaper[]): Issue[] =>
      sent
        .filter(({ paperId, given }) => given === undefined && paperId.startsWith("ref:") && !names.reaches(userId, paperId))
        .map(({ paperId }) => ({ path: "/identifiers", message: `${paperId} names no paper in reach` })),
  }

  /** What somebody who shares a Collection said of a paper that nothing else tells of. */
  function givenInReach(userId: string, paperId: string): Given | undefined {
    const given = paperId.startsWith("ref:") ? papers.standing(wholeScope(userId), paperId).given : null
    return given === null ? undefined : parse(given)
  }
}

/** The paper that a body or a query names, as the person knows it. @throws Refusal 422 where it names none, or two */
export function paperNamedBy(
  names: Names,
  userId: string,
  { paperId, arxivId }: { readonly paperId?: string; readonly arxivId?: string },
): string {
  const named = paperId ?? arxivId
  if (named === undefined)
    throw new Refusal("invalid_parameter", "Say which paper: send paperId or arxivId.", {
      issues: [{ path: "/paperId", message: "is required where arxivId is left out" }],
    })
  const id = names.of(userId, named)
  if (arxivId !== undefined && names.of(userId, arxivId) !== id)
    throw new Refusal("invalid_parameter", "paperId and arxivId name two papers; send one of them.", {
      issues: [{ path: "/arxivId", message: "names another paper than paperId" }],
    })
  return id
}

/** The papers that a body names by `paperIds` and `arxivIds`, as the person knows them. */
export const papersNamedBy = (
  names: Names,
  userId: string,
  { paperIds = [], arxivIds = [] }: { readonly paperIds?: readonly string[]; readonly arxivIds?: readonly string[] },
): string[] => [...new Set([...paperIds, ...arxivIds].map((id) => names.of(userId, id)))]
