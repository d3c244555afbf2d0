/** The entities of an RO-Crate: one for each thing that the crate speaks of. Terms are schema.org's, as RO-Crate 1.2 takes them. */
import { type JsonObject, parse } from "../../contract/json.ts"
import { type Named as NamedPerson, shownName } from "../../contract/answers/description.ts"
import { licenceIri, licenceUrl } from "../../contract/licences.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import type { ShownLink } from "../links/links.ts"
import { pathOf, softwareId } from "./paths.ts"
import type { ExperimentRow, MaterialRow, Named, PlanRow, RecordRow } from "./rows.ts"

export type Entity = JsonObject & { "@id": string; "@type": string | string[] }
type Reference = { "@id": string }

export const to = (id: string): Reference => ({ "@id": id })
/** Members that are there: empty lists and nulls are left out, and a list of one is that one, as RO-Crate wants it. */
export const given = (members: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject =>
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
} as const

/** Nobody has said under which terms any of it may be used, and that is said. */
const unknownLicence: Entity = {
  "@id": "#licence-not-stated",
  "@type": "CreativeWork",
  name: "Licence not stated",
  description: "No licence has been stated. Ask its authors before you reuse more than the law allows without permission.",
}
/** The terms under which what stands in a Room may be used, as far as its owner has stated them. */
export const licenceOf = (id: string | null): Entity =>
  id === null
    ? unknownLicence
    : {
        "@id": licenceIri(id),
        "@type": "CreativeWork",
        name: id,
        description: "The licence that the Room's owner has put it under, by its id in the SPDX list.",
        url: licenceUrl(id),
      }
/** Of what lies elsewhere the crate knows less still. */
export const licenceElsewhere: Entity = {
  "@id": "#licence-not-known-here",
  "@type": "CreativeWork",
  name: "Licence not known here",
  description: "The service does not know under which licence this may be used; where it lies, its licence may be stated.",
}
const license = to(licenceElsewhere["@id"])

export const personEntity = ({ userId, username, name, givenName, familyName }: NamedPerson): Entity => ({
  "@id": ids.person(userId),
  "@type": "Person",
  name: shownName({ name, username }),
  identifier: userId,
  ...given({ alternateName: name === null ? undefined : username, givenName, familyName }),
})

/** A pinned commit; for ids of SHA-1 with the identifier under which Software Heritage would hold it. */
export const softwareEntity = ({ url, commit }: { url: string; commit: string }): Entity => ({
  "@id": softwareId({ url, commit }),
  // As RO-Crate 1.2 wants code to be typed; its id is an address that package tools can fetch.
  "@type": ["File", "SoftwareSourceCode"],
  name: new URL(url).pathname.slice(1),
  description: "The public repository and the full commit that plans and attempts pin.",
  codeRepository: url,
  url,
  version: commit,
  ...(commit.length === 40 ? { identifier: `swh:1:rev:${commit}` } : {}),
  license,
})

/** Who made an object, when, and where its page is. */
export const made = (kind: string, id: string, authorId: string, at: string, baseUrl: string): JsonObject => ({
  author: to(ids.person(authorId)),
  dateCreated: at,
  identifier: id,
  url: `${baseUrl}${pageOf(kind, id)}`,
})

/** Where a record stands in this crate, or its page where it is another Room's. */
const recordId = (record: Pick<Named, "versionId" | "label" | "kind" | "roomId">, roomId: string, baseUrl: string): string =>
  record.roomId === roomId ? pathOf.record(record.label) : `${baseUrl}${pageOf(record.kind, record.versionId)}`

/** What a record adds to the entity of its file, and the records of other Rooms and papers that it names. */
export function recordMembers(row: RecordRow, roomId: string, baseUrl: string): { members: JsonObject; others: Entity[] } {
  const named = parse(row.named)
  const { paper, evidence = [] } = parse(row.content)
  const papers = [...new Set([paper, ...evidence].flatMap((entry) => entry?.arxivId ?? []))]
  const idsOf = (rests: boolean) => [...new Set(named.filter((one) => one.rests === rests).map((one) => recordId(one, roomId, baseUrl)))]
  const members = given({
    additionalType: row.kind,
    description: row.wording,
    ...made(row.kind, row.versionId, row.userId, row.createdAt, baseUrl),
    creativeWorkStatus: row.status ?? "current",
    isBasedOn: idsOf(true).map(to),
    citation: papers.map((arxivId) => to(ids.paper(arxivId))),
    mentions: [...parse(row.attempts).map(ids.attempt), ...idsOf(false)].map(to),
  })
  const others = [
    ...papers.map(
      (arxivId): Entity => ({
        "@id": ids.paper(arxivId),
        "@type": "ScholarlyArticle",
        name: `arXiv:${arxivId}`,
        identifier: `arXiv:${arxivId}`,
        url: ids.paper(arxivId),
      }),
    ),
    ...named.flatMap((record): Entity[] =>
      record.roomId === roomId
        ? []
        : [
            {
              "@id": recordId(record, roomId, baseUrl),
              "@type": "CreativeWork",
              name: `${record.label} of another Room`,
              description: record.wording,
            },
          ],
    ),
  ]
  return { members, others }
}

/** A correction, supersession, dispute or retraction, and what it speaks of. */
export const linkMembers = ({ linkId, kind, explanation, withdrawn, author, at, target }: ShownLink, baseUrl: string): JsonObject => ({
  additionalType: kind,
  description:
    withdrawn === null
      ? explanation
      : `${explanation} (Taken back by its author at ${withdrawn.at}, and counts no more: ${withdrawn.explanation})`,
  creativeWorkStatus: withdrawn === null ? "asserted" : "withdrawn",
  ...made("link", linkId, author.userId, at, baseUrl),
  // A link belongs to the Room of what it speaks of.
  about: to(pathOf.record(target.label)),
})

export const planMembers = (row: PlanRow, baseUrl: string): JsonObject => {
  const { repository } = parse(row.content)
  return {
    ...made("plan", row.planId, row.userId, row.acceptedAt, baseUrl),
    about: to(ids.experiment(row.experimentLabel)),
    isBasedOn: to(softwareId(repository)),
  }
}

export const experimentEntity = (row: ExperimentRow, baseUrl: string): Entity => ({
  "@id": ids.experiment(row.label),
  "@type": "CreativeWork",
  additionalType: "experiment",
  name: `${row.label}: ${row.question}`,
  description: row.scope,
  ...made("experiment", row.experimentId, row.userId, row.createdAt, baseUrl),
  creativeWorkStatus: row.status,
  ...given({ mentions: parse(row.attempts).map((attemptId) => to(ids.attempt(attemptId))) }),
})

/** What a reference promises, and where it is said to lie. The file itself is not in the crate. */
export function materialEntity(row: MaterialRow, baseUrl: string): Entity {
  const available = parse(row.locations)
    .filter(({ state }) => state === "available")
    .map(({ uri }) => uri)
  return {
    "@id": ids.material(row.materialId),
    "@type": "File",
    name: row.name,
    identifier: row.reference,
    url: `${baseUrl}${pageOf("material", row.materialId)}`,
    subjectOf: to("materials.jsonl"),
    license,
    ...given({
      alternateName: row.label,
      description: row.description ?? undefined,
      encodingFormat: row.mediaType ?? undefined,
      contentSize: row.sizeBytes === null ? undefined : String(row.sizeBytes),
      sha256: row.reference.startsWith("sha256:") ? row.reference.slice("sha256:".length) : undefined,
      contentUrl: [...new Set(available)],
    }),
  }
}
