/** Cites a record as BibTeX and as CSL-JSON, by a key that never changes, with its current standing. */
import type { LinkKind } from "../../contract/schema/enumerations.ts"
import { parsed } from "../../contract/json.ts"
import { objects, pageOf, type RecordKind } from "../../contract/objects/objects.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import { serviceName } from "../../contract/versions.ts"
import { present } from "../../contract/present.ts"
import type { People } from "../../people/people.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Findings } from "../findings/findings.ts"
import type { Records } from "../records/records.ts"
import { bibtexAuthor, bibtexOrcids, cslAuthor } from "./authors.ts"
import { texOf } from "./tex.ts"

interface Notice {
  readonly kind: LinkKind
  readonly label: string
  readonly withdrawn?: object
}

/** Returns the noun of a kind, capitalized: "Cited claim". */
const kindOf = (kind: RecordKind): string => objects[kind].noun[0].replace(/^./, (first) => first.toUpperCase())
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

export type Citations = ReturnType<typeof citations>

export interface CitationTables {
  readonly records: Records
  readonly rooms: Rooms
  readonly findings: Findings
  readonly people: People
}

export function citations({ records, rooms, findings, people }: CitationTables) {
  /** Says how many of its experiment's attempts a finding names. */
  function denominator(versionId: string, roomId: string): string {
    const execution = findings.read(versionId, roomId).execution
    if (execution === null) return "no recorded execution behind it"
    const { named, attempts } = execution.denominator
    return (
      `naming ${named.producing} of ${attempts} ${attempts === 1 ? "attempt" : "attempts"} of ` +
      `${execution.experimentLabel}`
    )
  }

  function paperOf(versionId: string): string | undefined {
    const content = records.read(versionId)?.content
    const { paper } = content === undefined ? {} : parsed<{ paper?: { arxivId: string; version?: number } }>(content)
    return paper && `arXiv:${paper.arxivId}${paper.version === undefined ? "" : `v${paper.version}`}`
  }

  /** Collects the data of a citation. @throws Refusal `unknown_record` */
  function cited(versionId: string, baseUrl: string) {
    const record = records.summary(versionId)
    if (record === undefined) throw noSuch("record")
    const { kind, label, author, createdAt, wording, status, contentDigest, outcome } = record
    const paper = kind === "cited_claim" ? paperOf(versionId) : undefined
    const all = parsed<Notice[]>(record.notices)
    // A notice that its author withdrew no longer counts.
    const notices = all.filter(({ withdrawn }) => withdrawn === undefined)
    const standing =
      notices.length === 0
        ? []
        : [`${status}: ${notices.map((notice) => `${notice.label} ${notice.kind} it`).join(", ")}`]
    const what =
      kind === "finding"
        ? [`${kindOf(kind)} ${label}, ${outcome}, ${denominator(versionId, record.roomId)}`]
        : [`${kindOf(kind)} ${label}${paper === undefined ? "" : ` of ${paper}`}`]
    return {
      key:
        `${author.username}${createdAt.slice(0, 4)}-${label}-` +
        `${contentDigest.slice("sha256:".length, "sha256:".length + 8)}`,
      kind,
      label,
      wording,
      author: present(people.described(author.userId)),
      date: [Number(createdAt.slice(0, 4)), Number(createdAt.slice(5, 7)), Number(createdAt.slice(8, 10))] as const,
      room: rooms.summary(record.roomId)?.title ?? "",
      url: `${baseUrl}${pageOf(kind, versionId)}`,
      status,
      note: [...what, ...standing, contentDigest].join("; "),
    }
  }

  return {
    /** A BibTeX entry. For programs that ignore `url`, the Room and the digest in the note identify the record. */
    bibtex(versionId: string, baseUrl: string): string {
      const { key, label, wording, author, date, room, url, note } = cited(versionId, baseUrl)
      const fields = {
        author: bibtexAuthor(author),
        ...bibtexOrcids([author]),
        title: `{${texOf(wording)}}`,
        howpublished: `${serviceName}: ${texOf(room)}, ${label}`,
        year: String(date[0]),
        url,
        note: texOf(note),
      }
      const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}},\n`)
      return `@misc{${key},\n${lines.join("")}  month = ${MONTHS[date[1] - 1]}\n}\n`
    },

    /** CSL-JSON for reference managers: an array of one item. */
    csl(versionId: string, baseUrl: string): string {
      const { key, kind, label, wording, author, date, room, url, status, note } = cited(versionId, baseUrl)
      const item = {
        id: key,
        "citation-key": key,
        type: "document",
        genre: kindOf(kind),
        number: label,
        title: wording,
        author: [cslAuthor(author)],
        issued: { "date-parts": [date] },
        "container-title": room,
        publisher: serviceName,
        URL: url,
        status,
        note,
      }
      return JSON.stringify([item])
    },
  }
}
