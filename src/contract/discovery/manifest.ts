/** The manifest: all that a client has to know of the service, derived from the registry. */
import { enumerations, libraryPermissionMeanings, permissionMeanings } from "../enumerations.ts"
import { schemaUrl } from "../json-schema.ts"
import { labelPrefixes } from "../labels.ts"
import { limits } from "../limits.ts"
import type { Conditional, Operation } from "../operation.ts"
import { operations } from "../operations/index.ts"
import type { Read } from "../read.ts"
import { activityKinds, entryKinds, reads } from "../reads/index.ts"
import { refusals } from "../refusals.ts"
import { states } from "../states.ts"
import { type Family, protocolVersion, schemaVersions, serviceName } from "../versions.ts"
import type { Manifest, ManifestOperation, ManifestRead } from "./answers.ts"
import { bootstrap } from "./bootstrap.ts"
import type { Running } from "./health.ts"
import { discoveryRoutes } from "./routes.ts"
import { slices } from "./slices.ts"

export interface ManifestFacts extends Running {
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
}

/** The operations that agents may call. */
export const agentOperations: readonly Operation[] = operations.filter(({ surface }) => surface === "agent")

/** Those of one family. */
export const agentOperationsOf = (family: Family): readonly Operation[] =>
  agentOperations.filter((operation) => operation.family === family)

/** The reads that need no session in a browser. */
export const agentReads: readonly Read[] = [
  ...reads.filter(({ surface }) => surface === "public" || surface === "credential" || surface === "key"),
  ...discoveryRoutes,
]

/** The names of a body that must always be there. */
const requiredOf = ({ entries }: Operation["body"]): string[] =>
  Object.entries(entries).flatMap(([name, { type }]) => (type === "exact_optional" ? [] : [name]))

const conditional = ({ field, when }: Conditional) => ({ field, when: { field: when.field, in: [...when.in] } })

function operationEntry(operation: Operation, baseUrl: string): ManifestOperation {
  const inputSchemaUrl = schemaUrl(operation, baseUrl)
  return {
    name: operation.name,
    surface: operation.family,
    method: operation.method,
    path: operation.path,
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

const readEntry = ({ name, family, method, path, permissions, query, cursor }: Read): ManifestRead => ({
  name,
  surface: family,
  method,
  path,
  permissions: [...permissions],
  parameters: Object.keys(query.entries),
  cursor,
})

const authentication: Manifest["authentication"] = {
  scheme: "bearer",
  header: "Authorization: Bearer <ROOM_CREDENTIAL>",
  agentWrites: "A Room credential, Content-Type: application/json, and no Origin header.",
  agentReads: "A Room credential on paths under /api/agent, and no Origin header.",
  publicReads: "None.",
  library:
    "A personal key (Authorization: Bearer <PERSONAL_KEY>) on paths under /api/agent/library, where a Room credential opens nothing, and no Origin header.",
  permissions: { ...permissionMeanings, ...libraryPermissionMeanings },
}

export function manifest({ baseUrl, instanceId, softwareVersion }: ManifestFacts): Manifest {
  return {
    service: serviceName,
    softwareVersion,
    protocolVersion,
    instanceId,
    baseUrl,
    supportedOrigins: [new URL(baseUrl).origin],
    schemaVersions,
    slices: [...slices],
    authentication,
    permissions: [...enumerations.permission, ...enumerations.libraryPermission],
    operations: agentOperations.map((operation) => operationEntry(operation, baseUrl)),
    reads: agentReads.map(readEntry),
    refusals: Object.entries(refusals).map(([code, { status, meaning, retryable }]) => ({ code, status: [...status], meaning, retryable })),
    limits,
    states,
    enumerations: { ...copies(enumerations), entryKind: entryKinds, activityKind: activityKinds },
    labels: Object.entries(labelPrefixes).map(([object, prefix]) => ({ prefix, object })),
    bootstrap: [...bootstrap],
  }
}

const copies = (sets: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(sets).map(([name, words]) => [name, [...words]]))
