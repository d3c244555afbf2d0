/** The manifest: everything a client must know about the service, derived from the registry. */
import { basePathOf, type Family, protocolVersion, schemaVersions, serviceName } from "../contract/service.ts"
import { enumerations, libraryPermissionMeanings, permissionMeanings } from "../contract/schema/enumerations.ts"
import { figureTypes, readFigure, uploadFigure } from "../contract/definitions/attachments.ts"
import { uploadLog } from "../contract/definitions/attachments.ts"
import { schemaUrl } from "../contract/definitions/json-schema.ts"
import { labelPrefixes } from "../contract/objects/objects.ts"
import { type RateLimit, rateLimits, limits } from "../contract/limits.ts"
import type { Conditional, Operation } from "../contract/definitions/operation.ts"
import { operations, receiptedOperations } from "../contract/operations/index.ts"
import { batch } from "../contract/operations/batch.ts"
import { evidenceKinds } from "../contract/nouns/records.ts"
import type { Read } from "../contract/definitions/read.ts"
import { activityKinds, entryKinds, kinds } from "../contract/reads/activity.ts"
import { reads } from "../contract/reads/index.ts"
import { refusals } from "../contract/refusals.ts"
import { states } from "../contract/states.ts"
import { type Manifest, type ManifestOperation, type ManifestRead, discoveryRoutes } from "./routes.ts"
import { bootstrap, type Running } from "./bootstrap.ts"

/** The limits by name, without the rate limits if none apply. */
const limitsInForce = (rates: ManifestFacts["rates"]): Manifest["limits"] => ({
  ...Object.fromEntries(Object.entries(limits).filter(([name]) => !rateLimits.some((rate) => rate === name))),
  ...rates,
})

export interface ManifestFacts extends Running {
  /** The rate limits of this instance, by their names in the limits; null if there are none. */
  readonly rates: Readonly<Record<RateLimit, number>> | null
}

/** The operations that agents may call. */
export const agentOperations: readonly Operation[] = operations.filter(({ surface }) => surface === "agent")

/** The operations that agents may call, of one family. */
export const agentOperationsOf = (family: Family): readonly Operation[] =>
  agentOperations.filter((operation) => operation.family === family)

/** The reads that need no browser session. */
export const agentReads: readonly Read[] = [
  ...reads.filter(({ surface }) => surface === "public" || surface === "credential" || surface === "key"),
  ...discoveryRoutes,
]

/** The properties that a body always needs. */
const requiredOf = ({ entries }: Operation["body"]): string[] =>
  Object.entries(entries).flatMap(([name, { type }]) => (type === "exact_optional" ? [] : [name]))

const conditional = ({ field, when }: Conditional) => ({ field, when: { field: when.field, in: [...when.in] } })

function operationEntry(operation: Operation, baseUrl: string): ManifestOperation {
  const inputSchemaUrl = schemaUrl(operation, baseUrl)
  return {
    name: operation.name,
    surface: operation.family,
    method: operation.method,
    path: `${basePathOf({ baseUrl })}${operation.path}`,
    permissions: [...operation.permissions],
    idempotencyKey: operation.delivery,
    required: requiredOf(operation.body),
    expected: [...operation.expected],
    requiredWhen: operation.requiredWhen.map(conditional),
    onlyWhen: operation.onlyWhen.map(conditional),
    inputSchemaUrl,
    exampleUrl: `${inputSchemaUrl}&example=1`,
    target: operation.target,
  }
}

const readEntry = (
  { name, family, method, path, permissions, query, cursor }: Read,
  basePath: string,
): ManifestRead => ({
  name,
  surface: family,
  method,
  path: `${basePath}${path}`,
  permissions: [...permissions],
  parameters: Object.keys(query.entries),
  cursor,
})

/** The read of a picture, whose answer is the picture itself. */
const figureEntry = (basePath: string): ManifestRead => ({
  name: readFigure.name,
  surface: "research",
  method: readFigure.method,
  path: `${basePath}${readFigure.path}`,
  permissions: [],
  parameters: [],
  cursor: null,
})

const authentication: Manifest["authentication"] = {
  scheme: "bearer",
  header: "Authorization: Bearer <ROOM_CREDENTIAL>",
  agentWrites: "A Room credential, Content-Type: application/json, and no Origin header.",
  agentReads: "A Room credential on paths under /api/agent, and no Origin header.",
  publicReads: "None.",
  library:
    "A personal key (Authorization: Bearer <PERSONAL_KEY>) on paths under /api/agent/library, which refuse a Room " +
    "credential, and no Origin header.",
  permissions: { ...permissionMeanings, ...libraryPermissionMeanings },
}

export function manifest({ baseUrl, instanceId, lineage, softwareVersion, rates }: ManifestFacts): Manifest {
  const basePath = basePathOf({ baseUrl })
  return {
    service: serviceName,
    softwareVersion,
    protocolVersion,
    instanceId,
    lineage: [...lineage],
    baseUrl,
    supportedOrigins: [new URL(baseUrl).origin],
    schemaVersions,
    slices: [...enumerations.slice],
    authentication,
    permissions: [...enumerations.permission, ...enumerations.libraryPermission],
    operations: agentOperations.map((operation) => operationEntry(operation, baseUrl)),
    batch: { name: batch.name, method: batch.method, path: `${basePath}${batch.path}`, summary: batch.summary },
    uploads: [
      {
        name: uploadFigure.name,
        method: uploadFigure.method,
        path: `${basePath}${uploadFigure.path}`,
        permissions: [uploadFigure.permission],
        mediaTypes: Object.keys(figureTypes),
        summary: uploadFigure.summary,
      },
      {
        name: uploadLog.name,
        method: uploadLog.method,
        path: `${basePath}${uploadLog.path}`,
        permissions: [...uploadLog.permissions],
        mediaTypes: [uploadLog.mediaType],
        summary: uploadLog.summary,
      },
    ],
    reads: [...agentReads.map((read) => readEntry(read, basePath)), figureEntry(basePath)],
    refusals: Object.entries(refusals).map(([code, { status, meaning, retryable }]) => ({
      code,
      status: [...status],
      meaning,
      retryable,
    })),
    limits: limitsInForce(rates),
    states,
    enumerations: copies({
      ...enumerations,
      evidenceKind: evidenceKinds,
      kind: kinds,
      entryKind: entryKinds,
      activityKind: activityKinds,
      receiptOperation: receiptedOperations,
    }),
    labels: Object.entries(labelPrefixes).map(([object, prefix]) => ({ prefix, object })),
    bootstrap: bootstrap.map((step) => ({ ...step, path: `${basePath}${step.path}` })),
  }
}

const copies = (sets: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(sets).map(([name, words]) => [name, [...words]]))
