/** The entities of an RO-Crate. Their terms are from schema.org, as RO-Crate 1.2 requires. */
import { type JsonObject, parse } from "../../contract/json.ts"
import { type Named as NamedPerson, shownName } from "../../contract/answers/description.ts"
import { licenceIri, licenceUrl } from "../../contract/operations/rooms.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import type { ShownLink } from "../links/links.ts"
import { pathOf, softwareId } from "./contents.ts"
import type { ExperimentRow, MaterialRow, Named, PlanRow, RecordRow, AttemptRow } from "./rows.ts"
import type { AttemptAnswer } from "../../contract/answers/attempts.ts"
import type { AttemptStatus } from "../../contract/schema/enumerations.ts"

export type Entity = JsonObject & { "@id": string; "@type": string | string[] }
type Reference = { "@id": string }

export const to = (id: string): Reference => ({ "@id": id })
/** Drops empty lists and nulls, and replaces a list of one item by the item, as RO-Crate requires. */
const compact = (members: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject =>
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

/** States that no licence has been given. */
const unknownLicence: Entity = {
  "@id": "#licence-not-stated",
  "@type": "CreativeWork",
  name: "Licence not stated",
  description:
    "No licence has been stated. Ask its authors before you reuse more than the law allows without permission.",
}
/** The licence of a Room's content, if its owner has stated one. */
export const licenceOf = (id: string | null): Entity =>
  id === null
    ? unknownLicence
    : {
        "@id": licenceIri(id),
        "@type": "CreativeWork",
        name: id,
        description: "The licence that the Room's owner chose, by its id in the SPDX list.",
        url: licenceUrl(id),
      }
/** The unknown licence of content stored elsewhere. */
export const licenceElsewhere: Entity = {
  "@id": "#licence-not-known-here",
  "@type": "CreativeWork",
  name: "Licence not known here",
  description: "The service does not know the licence of this content. The place where it is stored may state one.",
}
const license = to(licenceElsewhere["@id"])

/** @param agents the names of the agents that wrote for the person in this Room */
export const personEntity = (
  { userId, username, name, givenName, familyName }: NamedPerson,
  agents: readonly string[],
): Entity => ({
  "@id": ids.person(userId),
  "@type": "Person",
  name: shownName({ name, username }),
  identifier: userId,
  ...compact({ alternateName: name === null ? undefined : username, givenName, familyName }),
  ...(agents.length > 0 && {
    description: `Wrote here also through ${agents.map((each) => `agent ${each}`).join(", ")}.`,
  }),
})

/** A pinned commit. A SHA-1 commit also has its Software Heritage identifier. */
export const softwareEntity = ({ url, commit }: { url: string; commit: string }): Entity => ({
  "@id": softwareId({ url, commit }),
  // RO-Crate 1.2 requires this type for code. The id is an address that package tools can fetch.
  "@type": ["File", "SoftwareSourceCode"],
  name: new URL(url).pathname.slice(1),
  description: "The public repository and the full commit that plans and attempts pin.",
  codeRepository: url,
  url,
  version: commit,
  ...(commit.length === 40 ? { identifier: `swh:1:rev:${commit}` } : {}),
  license,
})

/** The author, the time and the page of an object. */
export const authorship = (kind: string, id: string, authorId: string, at: string, baseUrl: string): JsonObject => ({
  author: to(ids.person(authorId)),
  dateCreated: at,
  identifier: id,
  url: `${baseUrl}${pageOf(kind, id)}`,
})

/** The path of a record in this crate, or the address of its page if it belongs to another Room. */
const recordId = (
  record: Pick<Named, "versionId" | "label" | "kind" | "roomId">,
  roomId: string,
  baseUrl: string,
): string =>
  record.roomId === roomId ? pathOf.record(record.label) : `${baseUrl}${pageOf(record.kind, record.versionId)}`

/**
 * The members that a record adds to the entity of its file, and entities for the papers and the records of other Rooms
 * that it names.
 */
export function recordMembers(
  row: RecordRow,
  roomId: string,
  baseUrl: string,
): { members: JsonObject; others: Entity[] } {
  const named = parse(row.named)
  const { paper, evidence = [] } = parse(row.content)
  const papers = [...new Set([paper, ...evidence].flatMap((entry) => entry?.arxivId ?? []))]
  const idsOf = (rests: boolean) => [
    ...new Set(named.filter((record) => record.rests === rests).map((record) => recordId(record, roomId, baseUrl))),
  ]
  const members = compact({
    additionalType: row.kind,
    description: row.wording,
    ...authorship(row.kind, row.versionId, row.userId, row.createdAt, baseUrl),
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

/** The members of a correction, supersession, dispute or retraction, including its target. */
export const linkMembers = (
  { linkId, kind, explanation, withdrawn, author, at, target }: ShownLink,
  baseUrl: string,
): JsonObject => ({
  additionalType: kind,
  description:
    withdrawn === null
      ? explanation
      : `${explanation} (Withdrawn by its author at ${withdrawn.at}, so it no longer counts: ${withdrawn.explanation})`,
  creativeWorkStatus: withdrawn === null ? "asserted" : "withdrawn",
  ...authorship("link", linkId, author.userId, at, baseUrl),
  // A link belongs to the Room of its target.
  about: to(pathOf.record(target.label)),
})

export const planMembers = (row: PlanRow, baseUrl: string): JsonObject => {
  const { repository } = parse(row.content)
  return {
    ...authorship("plan", row.planId, row.userId, row.acceptedAt, baseUrl),
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
  ...authorship("experiment", row.experimentId, row.userId, row.createdAt, baseUrl),
  creativeWorkStatus: row.status,
  ...compact({ mentions: parse(row.attempts).map((attemptId) => to(ids.attempt(attemptId))) }),
})

/** Describes a material by its reference and its reported locations. The file itself is not in the crate. */
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
    ...compact({
      alternateName: row.label,
      description: row.description ?? undefined,
      encodingFormat: row.mediaType ?? undefined,
      contentSize: row.sizeBytes === null ? undefined : String(row.sizeBytes),
      sha256: row.reference.startsWith("sha256:") ? row.reference.slice("sha256:".length) : undefined,
      contentUrl: [...new Set(available)],
    }),
  }
}

// Describes attempts as executions in the Process Run Crate profile.

type Event = AttemptAnswer["events"][number]

const actionStatus: Readonly<Record<AttemptStatus, string>> = {
  registered: "PotentialActionStatus",
  started: "ActiveActionStatus",
  succeeded: "CompletedActionStatus",
  failed: "FailedActionStatus",
  preflight_failed: "FailedActionStatus",
  cancelled: "FailedActionStatus",
}

/** Entities for the statuses, so that the crate explains itself. */
export const statusEntities: readonly Entity[] = [...new Set(Object.values(actionStatus))].map((status) => ({
  "@id": `http://schema.org/${status}`,
  "@type": "ActionStatusType",
  name: status.replace("ActionStatus", ""),
}))

function errorOf(status: AttemptStatus, last: Event | undefined): string | undefined {
  if (actionStatus[status] !== "FailedActionStatus") return undefined
  if (last?.failure !== undefined) return `${last.failure.stage}: ${last.failure.explanation}`
  return last?.message === undefined ? status : `${status}: ${last.message}`
}

/** Describes an attempt, and those of its outputs that are not registered materials. */
export function attemptEntities(row: AttemptRow, baseUrl: string): Entity[] {
  const { repository, argv, inputs } = parse(row.content)
  const events = parse(row.events)
  const outputs = parse(row.outputs)
  const hasEnded = row.status !== "registered" && row.status !== "started"
  const last = events.at(-1)
  const produced = outputs.map(({ materialId }, index) =>
    materialId === undefined ? ids.output(row.attemptId, index) : ids.material(materialId),
  )
  const action: Entity = {
    "@id": ids.attempt(row.attemptId),
    "@type": "CreateAction",
    name: `${row.label}: ${row.intent} attempt of ${row.experimentLabel}`,
    description: JSON.stringify(argv),
    identifier: row.attemptId,
    url: `${baseUrl}${pageOf("attempt", row.attemptId)}`,
    agent: to(ids.person(row.userId)),
    instrument: to(softwareId(repository)),
    actionStatus: to(`http://schema.org/${actionStatus[row.status]}`),
    subjectOf: to("attempts.jsonl"),
    ...compact({
      object: [
        ...new Set(inputs.map(({ materialId }) => ids.material(materialId))),
        ...(row.planLabel === null ? [] : [pathOf.plan(row.planLabel)]),
      ].map(to),
      result: [...new Set(produced)].map(to),
      startTime: events.find(({ event }) => event === "started")?.reportedAt ?? undefined,
      endTime: hasEnded ? (last?.reportedAt ?? undefined) : undefined,
      error: errorOf(row.status, last),
    }),
  }
  const files = outputs.flatMap(
    ({ outputLabel, digest, mediaType, sizeBytes, materialId, description }, index): Entity[] => {
      if (materialId !== undefined) return []
      const file = {
        "@id": ids.output(row.attemptId, index),
        "@type": "File",
        name: `${outputLabel} of ${row.label}`,
        localPath: outputLabel,
        sha256: digest.slice("sha256:".length),
        ...compact({
          description,
          encodingFormat: mediaType,
          contentSize: sizeBytes === undefined ? undefined : String(sizeBytes),
        }),
      }
      return [file]
    },
  )
  return [action, ...files]
}
