/**
 * What the domains put into the record of a Room: the parts that they add as `exported`, and what they are made with.
 * The files beside this one put the parts together, and import no domain.
 */
import type file from "./sqlite-views.json"
import { figureTypes, type FigureType } from "../../contract/definitions/attachments.ts"
import type { Person } from "../../contract/answers/parts.ts"
import { type JsonObject, JsonText, stored, type Stored, type Writable, writeJson } from "../../contract/json.ts"
import { type ExportedKind, type FiledKind, filedKinds } from "../../contract/objects/objects.ts"
import { escapeHtml } from "../../contract/text.ts"
import type { Ground } from "../../ledger/domains/domain.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Entity } from "./entities.ts"
import type { TextFile } from "./zip.ts"

/** What the metadata says of a file that is an object, and entities of others that it names. */
interface Description {
  readonly members: JsonObject
  readonly others?: readonly Entity[]
}

export interface CrateFile extends TextFile {
  readonly name: string
  readonly mediaType: string
  readonly description: string
  /** Given if it is an object. The metadata has these files first. */
  readonly describe?: () => Description
}

export type ViewName = keyof typeof file.views

interface Members {
  /** Its files, in order. */
  files(): Iterable<CrateFile>
  /** Its objects that have no file of their own, in order. */
  entities(): Iterable<Entity>
  /** Its items in the preview, as HTML. */
  previewed(): Iterable<string>
  /** The ids of all attempts, experiment by experiment. */
  attemptIds(): Iterable<string>
  /** The statuses that its entities name. */
  readonly statusEntities: readonly Entity[]
}
/** A part with some of the members, and with the rows of its views in the SQLite file, as JSON. */
type Part<Has extends keyof Members, Views extends ViewName = never> = Pick<Members, Has> &
  ([Views] extends [never] ? object : { readonly views: Readonly<Record<Views, () => Iterable<string>>> })

/** The parts, by name. The export says in which order it has them. */
export interface Parts {
  readonly records: Part<"files" | "previewed", "findings" | "hypotheses" | "evidence">
  readonly links: Part<"files">
  readonly checkpoints: Part<"files" | "previewed">
  readonly experiments: Part<"files" | "entities" | "previewed" | "attemptIds", "experiments">
  readonly plans: Part<"files", "plans">
  readonly attempts: Part<"files" | "entities" | "statusEntities", "attempts" | "measurements">
  readonly findingLinks: Part<"files", "effects">
  readonly reviews: Part<"files">
  readonly materials: Part<"files" | "entities">
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
export const linesOf = <Row extends Writable>(rows: Iterable<Row>): IteratorObject<string> =>
  Iterator.from(rows).map(line)
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

/** A file of an object's accepted content. Its bytes have the content digest. */
export const accepted = (
  path: string,
  name: string,
  content: string,
  describe: NonNullable<CrateFile["describe"]>,
): CrateFile => ({
  ...jsonFile(
    path,
    name,
    "As it was accepted: canonical JSON (RFC 8785). The content digest covers these bytes.",
    content,
  ),
  describe,
})

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
