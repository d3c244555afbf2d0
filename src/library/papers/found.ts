/** The papers found in a text, in order and without duplicates, and the parts that could not be read. */
import { createHash } from "node:crypto"
import { isDoi } from "../../contract/schema/fields.ts"
import { type FiledPaper, type Given, descriptionFrom, type Origin, type Papers, type SourcePaper } from "./papers.ts"
import type { JsonObject } from "../../contract/json.ts"
import type { Acts } from "../../ledger/journal/behaviour.ts"
import { type Names, pairOf, type SamePaper } from "./names.ts"
import type { Metadata } from "./record.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import type { enumerations } from "../../contract/schema/enumerations.ts"

// Chooses the id that a paper is filed under.

/** Reduces a title to lower-case letters and digits without accents, so that its spellings compare equal. */
const normalize = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

/** The last word of the first author's family name; of a name without parts, its last word. */
const familyOf = ({ authors = [], names = [] }: Given): string =>
  normalize((names[0]?.family ?? authors[0] ?? "").trim().split(/\s+/).at(-1) ?? "")

/** Returns the `ref:` id of a paper with no other id: a digest of its title, first author and year, or of its URL. */
export function referenceOf(given: Given): string {
  const { title = "", year = null, url } = given
  const parts =
    url !== undefined && (title === "" || title === url)
      ? [url]
      : [normalize(title) || title, familyOf(given), year ?? ""]
  return `ref:${createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 24)}`
}

interface Identifiers {
  readonly arxivId?: string | undefined
  readonly doi?: string | undefined
  /** The 13 digits, for a whole book. */
  readonly isbn?: string | undefined
  /** The `ref:` id from a file that this service wrote. */
  readonly reference?: string | undefined
}

/** Files a paper under its first id, with the others as aliases; undefined if it has no id, title or URL. */
export function identify(
  { arxivId, doi, isbn, reference }: Identifiers,
  given: Given | undefined,
): Omit<FiledPaper, "citationKey"> | undefined {
  const own = reference ?? (given?.title === undefined && given?.url === undefined ? undefined : referenceOf(given))
  const [paperId, ...names] = [arxivId, doi, isbn && `isbn:${isbn}`, own].flatMap((name) => name || [])
  if (paperId === undefined) return undefined
  // An ISBN is not an alias, since chapters share it. A `ref:` id is: the paper may have been filed under it before.
  const others = [...new Set(names)].filter((name) => name !== paperId && !name.startsWith("isbn:"))
  const description = given && (arxivId !== undefined && doi !== undefined && isDoi(doi) ? { ...given, doi } : given)
  return {
    paperId,
    ...(others.length > 0 && { names: others }),
    ...(description && Object.keys(description).length > 0 && { given: description }),
  }
}

// Stores metadata from sources, reveals it to the people who filed the papers, and merges two ids if it reports them as
// one paper.

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

/** The formats in which papers are read, as answers name them. */
export type Format = (typeof enumerations.paperFormat)[number]

export interface Unreadable {
  readonly input: string
  readonly why: string
}

/** What a piece of the input was read as. */
export interface ReadAs {
  /** The first characters of the piece. */
  readonly input: string
  readonly format: Format
  readonly paperId: string
  readonly title: string | null
}

export interface Found {
  readonly papers: readonly FiledPaper[]
  /** Journals from before it was told lack it. */
  readonly readAs?: readonly ReadAs[]
  readonly unreadable: readonly Unreadable[]
  /** The ids of the papers known by their wording alone. They may not exist. */
  readonly byWords: readonly string[]
}

/** The most characters quoted of an unreadable part, and of a part that was read. */
const QUOTE_LENGTH = 200
const INPUT_LENGTH = 80
/** The most unreadable parts that are listed. The others are only counted. */
const MAX_LISTED = 500

export class PaperCollector {
  readonly #papers = new Map<string, FiledPaper>()
  readonly #readAs = new Map<string, ReadAs>()
  readonly #unreadable = new Map<string, Unreadable>()
  readonly #byWords = new Set<string>()
  readonly #keys = new Set<string>()
  #unlisted = 0

  /** Adds the paper that a piece of the input was read as. Undefined is ignored. */
  add(paper: FiledPaper | undefined, input: string, format: Format): void {
    if (paper === undefined) return
    const { citationKey, ...filed } = paper
    const earlier = this.#papers.get(paper.paperId)
    const key =
      citationKey !== undefined && earlier === undefined && !this.#keys.has(citationKey) ? citationKey : undefined
    if (key !== undefined) this.#keys.add(key)
    // The first description is kept.
    this.#papers.set(paper.paperId, { ...filed, ...earlier, ...(key !== undefined && { citationKey: key }) })
    const { title = null } = this.#papers.get(paper.paperId)?.given ?? {}
    const { paperId } = paper
    if (!this.#readAs.has(paperId))
      this.#readAs.set(paperId, { input: quoted(input, INPUT_LENGTH), format, paperId, title })
    if (format === "reference" && earlier === undefined && paperId.startsWith("ref:")) this.#byWords.add(paperId)
  }

  addUnreadable(text: string, why: string): void {
    const input = quoted(text, QUOTE_LENGTH)
    if (this.#unreadable.size >= MAX_LISTED) this.#unlisted += 1
    else this.#unreadable.set(`${input}\0${why}`, { input, why })
  }

  result(): Found {
    const rest =
      this.#unlisted === 0
        ? []
        : [{ input: "…", why: `and ${this.#unlisted.toLocaleString("en")} more parts could not be read` }]
    return {
      papers: [...this.#papers.values()],
      readAs: [...this.#readAs.values()].slice(0, MAX_LISTED),
      unreadable: [...this.#unreadable.values(), ...rest],
      byWords: [...this.#byWords],
    }
  }
}

/** The start of a text on one line. */
const quoted = (text: string, most: number): string =>
  shortened(oneLine(text.slice(0, 2_000).toWellFormed().replaceAll("\0", "")), most)
