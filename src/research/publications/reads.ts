/** Reads of records and concepts. */
import type { RecordKind } from "../../contract/schema/enumerations.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import type { ParametersOf } from "../../contract/reads/index.ts"
import { noSuch } from "../../ledger/write/references.ts"
import { Refusal } from "../../contract/refusals.ts"
import {
  keysetPage,
  type ListOf,
  offsetPage,
  opaqueCursor,
  pageSize,
  readOpaqueCursor,
  uuidCursor,
} from "../../ledger/lists/paging.ts"
import { NamedText, type Readers } from "../../ledger/reads/reading.ts"
import type { People } from "../../people/people.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Doubts, Findings } from "../findings/findings.ts"
import type { Evidence } from "../evidence/evidence.ts"
import { type Citations, type CitationTables, citations } from "../citations/citations.ts"
import type { Effects } from "../measurements/effects.ts"
import { type ConceptIndex, arxivIdOf } from "../records/publish.ts"
import type { Numbers } from "../numbers/numbers.ts"
import type { Reviews } from "../reviews/reviews.ts"
import type { Records } from "../records/records.ts"
import type { Domain } from "../../ledger/domains/domain.ts"

export interface Tables {
  readonly people: Pick<People, "idOf">
  readonly evidence: Evidence
  readonly doubts: Doubts
  readonly records: Records
  readonly concepts: ConceptIndex
  readonly findings: Findings
  readonly rooms: Rooms
  readonly citations: Citations
  readonly effects: Effects
  readonly reviews: Reviews
  readonly numbers: Numbers
}

export function publicationReads({ records, concepts: index, findings, rooms, citations, people, ...tables }: Tables) {
  /** @throws Refusal 404 if there is no such record, or it is of another kind */
  function mustRead(versionId: string, kind?: RecordKind) {
    const record = isUuid(versionId) ? records.read(versionId) : undefined
    if (record === undefined || (kind !== undefined && record.kind !== kind)) throw noSuch(kind ?? "record")
    const found =
      record.kind === "finding"
        ? findings.read(versionId, record.roomId)
        : { execution: null, blemishes: null, materials: [], warnings: [] }
    return {
      ...record,
      execution: found.execution,
      blemishes: found.blemishes,
      reviews: record.kind === "finding" ? tables.reviews.of(versionId) : [],
      effects: record.kind === "finding" ? tables.effects.of(versionId) : [],
      numbersCheck: record.kind === "finding" ? tables.numbers.ofFinding(versionId) : null,
      materials: found.materials,
      usedBy: tables.evidence.usedBy(versionId),
      warnings: [...tables.doubts.ofRecord(versionId, record.roomId), ...found.warnings],
    }
  }

  /** Lists records of one Room or of all, newest first. @throws Refusal 404 for an unknown author */
  function newest(roomId: string | undefined, query: ParametersOf<"room_publications">) {
    const { kinds, status, author, agent } = query
    const filters = [kinds?.join(), status?.toString(), author?.toLowerCase(), ...(agent === undefined ? [] : [agent])]
    const list: ListOf = roomId === undefined ? ["publications", ...filters] : ["room_publications", roomId, ...filters]
    const [before] = readOpaqueCursor(query.after, 1, list) ?? []
    const authorId = author === undefined ? undefined : people.idOf(author)
    if (author !== undefined && authorId === undefined) throw noSuch("person")
    return keysetPage(
      records.newest({ roomId, kinds, status, authorId, agent }, before, pageSize(query) + 1),
      query,
      ({ versionId }) => opaqueCursor([versionId], list),
    )
  }

  return {
    hypotheses({ query }) {
      rooms.mustFitLabel(query)
      return keysetPage(
        records.ofKind("hypothesis", query, uuidCursor(query.after), pageSize(query) + 1),
        query,
        ({ versionId }) => versionId,
      )
    },
    hypothesis: ({ params }) => mustRead(params.versionId, "hypothesis"),
    record({ params, query, baseUrl = "" }) {
      const versionId = params.versionId
      if (query.format === "bibtex") return new NamedText(`${versionId}.bib`, citations.bibtex(versionId, baseUrl))
      if (query.format === "csl") return new NamedText(`${versionId}.json`, citations.csl(versionId, baseUrl))
      return mustRead(versionId)
    },

    publications({ query }) {
      if (query.roomId !== undefined) rooms.mustExist(query.roomId)
      return newest(query.roomId, query)
    },
    room_publications({ params, query }) {
      rooms.mustExist(params.roomId)
      return newest(params.roomId, query)
    },

    paper_publications({ params, query }) {
      const offset = query.after ?? 0
      const arxivId = arxivIdOf(params.arxivId)
      if (arxivId === undefined) {
        throw new Refusal("invalid_parameter", "The path does not name a paper: send an arXiv id.", {
          issues: [{ path: "/arxivId", message: "must be an arXiv id such as 2401.01234 or hep-th/9901001" }],
        })
      }
      const found = records.ofPaper(arxivId, offset, pageSize(query) + 1)
      return offsetPage(found, offset, query)
    },

    record_concept({ params }) {
      mustRead(params.versionId)
      const concept = index.find(params.versionId, params.key)
      if (concept === undefined) throw new Refusal("room_unavailable", "This record defines no such concept.")
      return concept
    },
    concepts({ query }) {
      const list: ListOf = ["concepts", query.query]
      const { found, stopped } = index.page(query.query, readOpaqueCursor(query.after, 2, list), pageSize(query) + 1)
      const next = stopped === undefined ? undefined : opaqueCursor([stopped, ""], list)
      return keysetPage(found, query, ({ versionId, key }) => opaqueCursor([versionId, key], list), next)
    },
  } satisfies Partial<Readers>
}

type Given = CitationTables & Omit<Parameters<typeof publicationReads>[0], "citations">

export const domain = {
  reads: [(given: Given) => publicationReads({ ...given, citations: citations(given) })],
} satisfies Domain
