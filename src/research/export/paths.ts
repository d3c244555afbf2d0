/** The paths of the files in a crate. */
import { type ExportedKind, type FiledKind, filedKinds } from "../../contract/objects/objects.ts"
import { figureTypes, type FigureType } from "../../contract/definitions/attachments.ts"

/** The journal of the Room, the writes of other Rooms that it cites, and the instance that the Room comes from. */
export const HISTORY = "history.jsonl"
export const CITED = "cited.jsonl"
export const ORIGIN = "origin.json"
/** The folder of the pictures that something in the Room names. */
export const FIGURES = "figures"
/** The folder of the logs that attempts reported. */
export const LOGS = "logs"

/** The id of a pinned commit in the metadata, in the format of package tools. */
export const softwareId = ({ url, commit }: { url: string; commit: string }): string => `git+${url}@${commit}`

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
