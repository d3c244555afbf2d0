/**
 * What the domains put into the record of a Room: the parts that they add as `exported`, and what they are made with.
 * The files beside this one put the parts together, and import no domain.
 */
import type file from "./sqlite-views.json"
import { figureTypes, type FigureType } from "../../contract/definitions/attachments.ts"
import type { Person } from "../../contract/answers/parts.ts"
import { type JsonObject, JsonText, stored, type Stored, type Writable, writeJson } from "../../contract/json.ts"
import { type ExportedKind, type FiledKind, filedKinds, pageOf } from "../../contract/objects/objects.ts"
import { escapeHtml } from "../../contract/text.ts"
import type { Ground } from "../../ledger/domains/domain.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { TextFile } from "./zip.ts"

export interface CrateFile extends TextFile {
  readonly name: string
  readonly mediaType: string
  readonly description: string
}

export type Entity = JsonObject & { "@id": string; "@type": string | string[] }

/** What the metadata says of a file that is an object, and entities of others that it names. */
export interface Described {
  readonly path: string
  readonly members: JsonObject
  readonly others?: readonly Entity[]
}

export type ViewName = keyof typeof file.views

interface Filed {
  /** Its files, in order. */
  files(): Iterable<CrateFile>
}
interface Members {
  /** What the metadata says of those of its files that are objects, in order. */
  described(): Iterable<Described>
}
interface Entities {
  /** Its objects that have no file of their own, in order. */
  entities(): Iterable<Entity>
}
interface Previewed {
  /** Its items in the preview, as HTML. */
  previewed(): Iterable<string>
}
interface Viewed<Names extends ViewName> {
  /** The rows of its views in the SQLite file, as JSON. */
  readonly views: Readonly<Record<Names, () => Iterable<string>>>
}

/** The parts, by name. Each file of the export says in which order it has them. */
export interface Parts {
  readonly records: Filed & Members & Previewed & Viewed<"findings" | "hypotheses" | "evidence">
  readonly links: Filed & Members
  readonly checkpoints: Filed & Members & Previewed
  readonly experiments: Filed &
    Entities &
    Previewed &
    Viewed<"experiments"> & {
      /** The ids of all attempts, experiment by experiment. */
      attemptIds(): Iterable<string>
    }
  readonly plans: Filed & Members & Viewed<"plans">
  readonly attempts: Filed &
    Entities &
    Viewed<"attempts" | "measurements"> & {
      /** The statuses that its entities name. */
      readonly statusEntities: readonly Entity[]
    }
  readonly effects: Viewed<"effects">
  readonly findingLinks: Filed
  readonly reviews: Filed
  readonly materials: Filed & Members & Entities
}

/** People and software found in the contents. The metadata, which is written last, describes them. */
export interface Mentioned {
  readonly people: Map<string, Person>
  /** Pinned repositories, by their id in the metadata. */
  readonly software: Map<string, { readonly url: string; readonly commit: string }>
}

/** What a part is made from, besides the tables that it names. */
export interface ForExport extends Pick<Ground, "db"> {
  readonly record: {
    readonly roomId: string
    /** The address of the instance that the Room belongs to. */
    readonly baseUrl: string
    readonly mentioned: Mentioned
    /** Replaces the names of people in a stored text by those that the export uses. */
    atHome(text: string): string
  }
}

// Reads rows page by page, from a snapshot, so that all pages are of the same moment.

/** Rows held in memory at a time. */
export const PAGE = 200

/** Yields rows page by page. @param pageAfter reads up to `PAGE` rows after a key @param keyOf the key of a row */
export function* paged<Row, Key>(
  start: Key,
  pageAfter: (after: Key) => readonly Row[],
  keyOf: (row: Row) => Key,
): Generator<Row> {
  for (let after = start; ; ) {
    const page = pageAfter(after)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = keyOf(last)
  }
}

/** Reads a list by its ids. @param page up to `PAGE` rows of the Room after an id */
export const listed = <Row>(
  roomId: string,
  page: (query: { readonly roomId: string }, after: string | undefined, count: number) => readonly Row[],
  idOf: (row: Row) => string,
): Generator<Row> => paged<Row, string | undefined>(undefined, (after) => page({ roomId }, after, PAGE), idOf)

/** @param sql selects up to `PAGE` rows of a Room after an id @param idOf the id of a row */
export function rowsOf<Row>(db: Db, sql: string, roomId: string, idOf: (row: Row) => string): () => Generator<Row> {
  const statement = db.prepare<Row>(sql)
  return () => paged("", (after) => statement.all(roomId, after), idOf)
}

export const sequenceOf = ({ sequence }: { readonly sequence: number }): number => sequence
export const linkIdOf = ({ linkId }: { readonly linkId: string }): string => linkId

/** An object with its author and accepted content. */
export type Authored<Content = { readonly [member: string]: unknown }> = {
  readonly userId: string
  readonly username: string
  readonly content: Stored<Content>
}

/** The author, from the table `p`: as JSON in a line, and as separate columns. */
export const BY = "json_object('userId', p.user_id, 'username', p.username)"
export const WHO = "p.user_id AS userId, p.username"

// Writes rows as lines of JSON, and files of them.

export const line = (value: Writable): string => `${writeJson(value)}\n`
export const each = <Row extends Writable>(rows: Iterable<Row>): IteratorObject<string> => Iterator.from(rows).map(line)
/** A row with its columns in order. The columns named in `json` hold JSON. */
export const withJson = (row: Readonly<Record<string, string | number | null>>, json: readonly string[]): Writable =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "string" && json.includes(name) ? new JsonText(stored(value)) : value,
    ]),
  )

export const jsonFile = (path: string, name: string, description: string, text: string): CrateFile => ({
  path,
  name,
  mediaType: "application/json",
  description,
  text: [text],
})

/** A file of accepted content. Its bytes have the content digest. */
export const accepted = (path: string, name: string, content: string): CrateFile =>
  jsonFile(path, name, "As it was accepted: canonical JSON (RFC 8785). The content digest covers these bytes.", content)

export const jsonLines = (path: string, name: string, description: string, text: Iterable<string>): CrateFile => ({
  path,
  name,
  mediaType: "application/jsonl",
  description: `${description} One JSON object per line.`,
  text,
})

// The paths of the files in a crate.

/** The format version of crates that this program reads and writes. */
export const FORM = 1
/** The journal of the Room. */
export const HISTORY = "history.jsonl"
/** The folder of the pictures that something in the Room names. */
export const FIGURES = "figures"
/** The folder of the logs that attempts reported. */
export const LOGS = "logs"

/** Folders of accepted content with one file for each object. Other content is a line of a shared file. */
const folders = {
  record: "records",
  plan: "plans",
  link: "links",
  checkpoint: "checkpoints",
  material: "materials",
} as const
export const places = {
  hypothesis: folders.record,
  experiment: "experiments.jsonl",
  plan: folders.plan,
  attempt: "attempts.jsonl",
  finding: folders.record,
  cited_claim: folders.record,
  link: folders.link,
  checkpoint: folders.checkpoint,
  message: "timelines",
} as const satisfies Readonly<Record<Exclude<ExportedKind, FiledKind>, string>>
/** A folder, as a prefix of the paths of its files. */
export type Folder = `${(typeof folders)[keyof typeof folders] | typeof places.message | typeof FIGURES | typeof LOGS}/`
/** The folders with one file for each accepted content. */
export const acceptedFolders: readonly string[] = [...Object.values(folders), ...filedKinds.map(({ folder }) => folder)]

/** Paths of the files that exist once for each object. */
export const pathOf = {
  record: (label: string) => `${folders.record}/${label}.json`,
  plan: (label: string) => `${folders.plan}/${label}.json`,
  filed: (folder: string, label: string) => `${folder}/${label}.json`,
  link: (label: string) => `${folders.link}/${label}.json`,
  checkpoint: (checkpointId: string) => `${folders.checkpoint}/${checkpointId}.json`,
  /** A material has the label of the Room that registered it first. */
  material: (roomId: string, { materialOriginRoom, label }: { materialOriginRoom: string; label: string }) =>
    `${folders.material}/${materialOriginRoom === roomId ? label : `${materialOriginRoom}-${label}`}.json`,
  figure: (digest: string, mediaType: FigureType) =>
    `${FIGURES}/${digest.slice("sha256:".length)}.${figureTypes[mediaType]}`,
  log: (digest: string) => `${LOGS}/${digest.slice("sha256:".length)}.txt`,
  timeline: (sequence: number, threadId: string) =>
    `${places.message}/${String(sequence).padStart(3, "0")}-${threadId}.jsonl`,
} as const

/** A file name of characters that every system accepts. */
export function plainName(title: string): string {
  const words =
    title
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.join("-").slice(0, 60) || "room"
}

/** A link in the preview. */
export const linkTo = (address: string, text: string): string =>
  `<a href="${escapeHtml(encodeURI(address))}">${escapeHtml(text)}</a>`

// The entities of an RO-Crate. Their terms are from schema.org, as RO-Crate 1.2 requires.

export const to = (id: string): { "@id": string } => ({ "@id": id })

/** Drops empty lists and nulls, and replaces a list of one item by the item, as RO-Crate requires. */
export const compact = (members: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return []
      return [[name, Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value]]
    }),
  )

export const ids = {
  person: (userId: string) => `#person-${userId}`,
  experiment: (label: string) => `#experiment-${label}`,
  attempt: (attemptId: string) => `urn:uuid:${attemptId}`,
  material: (materialId: string) => `#material-${materialId}`,
  output: (attemptId: string, index: number) => `#output-${attemptId}-${index + 1}`,
  paper: (arxivId: string) => `https://arxiv.org/abs/${arxivId}`,
  /** A pinned commit, in the format of package tools. */
  software: ({ url, commit }: { url: string; commit: string }) => `git+${url}@${commit}`,
} as const

/** The author, the time and the page of an object. */
export const authorship = (kind: string, id: string, authorId: string, at: string, baseUrl: string): JsonObject => ({
  author: to(ids.person(authorId)),
  dateCreated: at,
  identifier: id,
  url: `${baseUrl}${pageOf(kind, id)}`,
})

/** The unknown licence of content stored elsewhere. */
export const licenceElsewhere: Entity = {
  "@id": "#licence-not-known-here",
  "@type": "CreativeWork",
  name: "Licence not known here",
  description: "The service does not know the licence of this content. The place where it is stored may state one.",
}
