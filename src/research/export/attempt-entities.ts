/** Describes attempts as executions in the Process Run Crate profile. */
import type { AttemptAnswer } from "../../contract/answers/work.ts"
import { parse } from "../../contract/json.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import type { AttemptStatus } from "../../contract/schema/enumerations.ts"
import { type Entity, compact, ids, to } from "./entities.ts"
import { pathOf, softwareId } from "./paths.ts"
import type { AttemptRow } from "./rows.ts"

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
