/**
 * What an operation is. One definition holds everything that is true of it on the wire; the routes, the validation,
 * the manifest, the schemas, the OpenAPI document, the skill and the client are all derived from it.
 */
import * as v from "valibot"
import type { Permission } from "./enumerations.ts"
import { client, shape, uuid } from "./fields.ts"
import type { Issue, RefusalCode } from "./refusals.ts"
import { type Checked, check } from "./validation.ts"
import { schemaVersions } from "./versions.ts"

export const researchSchemaVersion = schemaVersions.research

/** The property of a body that names its delivery. */
export type DeliveryKey = "requestId" | "clientMessageId"

/** A property that becomes required by the value of another one. */
export interface RequiredWhen {
  readonly field: string
  readonly when: { readonly field: string; readonly in: readonly string[] }
}

/** What a timeline shows of an accepted operation: a message, a card, or a receipt that can be folded away. */
export interface EntryForm {
  readonly kind: string
  readonly form: "message" | "card" | "receipt"
}

export interface OperationSpec<N extends string, E extends v.ObjectEntries, R extends v.ObjectEntries> {
  name: N
  /** Who may call it: agents (and, through the mirrored route, people), or people in the browser only. */
  surface: "agent" | "browser"
  method?: "POST" | "PATCH" | "DELETE"
  /** With `{name}` for each id in it; left out, `/api/agent/research/<name>`. */
  path?: string
  /** One sentence on what an accepted write does. */
  summary: string
  permissions?: readonly Permission[]
  /** Which schema document of the interface it stands in. */
  document?: "research" | "publication"
  /** Who may do it in a Room; a member where nothing is said. */
  by?: "person" | "member" | "owner"
  /** How the route says that the Room is archived; `admitted` where an archived Room takes it all the same. */
  archived?: "room_archived" | "room_unavailable" | "admitted"
  /** Whether a retry must come from the credential that sent the first delivery. */
  receiptOf?: "member" | "credential"
  delivery?: DeliveryKey
  /** The kind of object a receipt names in `target`. */
  target: string
  /** How it stands in the timeline; left out, an agent operation leaves a receipt under its own name. */
  entry?: EntryForm
  /** The kind of its entry in the Room's activity; left out, an agent operation's own name. */
  activity?: string
  /** The expected values a caller copies from what it read. */
  expected?: readonly string[]
  requiredWhen?: readonly RequiredWhen[]
  /** Properties of which a body must hold one or more. */
  atLeastOneOf?: readonly string[]
  /** Refusals of its own, beyond those that follow from its permissions, path and body. */
  refusals?: readonly RefusalCode[]
  /** The body beyond schemaVersion, the delivery id and client. */
  fields: E
  /** What `result` of the receipt holds. */
  result: R
  /** The example body, without schemaVersion and delivery id. */
  example: Record<string, unknown>
}

const common = <K extends DeliveryKey>(key: K) =>
  ({ schemaVersion: v.literal(researchSchemaVersion), [key]: uuid, client: v.exactOptional(client) }) as {
    schemaVersion: v.LiteralSchema<3, undefined>
    client: v.ExactOptionalSchema<typeof client, undefined>
  } & Record<K, typeof uuid>

/** Defines an operation; fills in what most operations have in common. */
export function operation<
  const N extends string,
  E extends v.ObjectEntries,
  R extends v.ObjectEntries,
  K extends DeliveryKey = "requestId",
  const P extends string = `/api/agent/research/${N}`,
  const S extends "agent" | "browser" = "agent" | "browser",
>(spec: OperationSpec<N, E, R> & { delivery?: K; path?: P; surface: S }) {
  const delivery = (spec.delivery ?? "requestId") as K
  const body = shape({ ...common(delivery), ...spec.fields })
  return {
    name: spec.name,
    surface: spec.surface as S,
    method: spec.method ?? ("POST" as const),
    // The client types the ids that a caller gives by the names in the path.
    path: (spec.path ?? `/api/agent/research/${spec.name}`) as P,
    summary: spec.summary,
    permissions: spec.permissions ?? [],
    document: spec.document ?? ("research" as const),
    archived: spec.archived ?? ("room_unavailable" as const),
    receiptOf: spec.receiptOf ?? ("member" as const),
    delivery,
    target: spec.target,
    by: spec.by ?? ("member" as const),
    entry: spec.entry ?? (spec.surface === "agent" ? { kind: spec.name, form: "receipt" as const } : null),
    activity: spec.activity ?? (spec.surface === "agent" ? spec.name : null),
    expected: spec.expected ?? [],
    requiredWhen: spec.requiredWhen ?? [],
    atLeastOneOf: spec.atLeastOneOf ?? [],
    refusals: spec.refusals ?? [],
    schemaVersion: researchSchemaVersion,
    body,
    result: shape(spec.result),
    example: {
      schemaVersion: researchSchemaVersion,
      [delivery]: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e",
      ...spec.example,
    } as v.InferInput<typeof body>,
  }
}

/** What the query of an agent write may hold. */
export const writeParameters = {
  rehearse: v.exactOptional(v.pipe(v.literal("1"), v.description("Walk every check, undo the work, and answer the receipt that would have been given."))),
}

/** An operation as the ledger and the edge see it, whatever its body. */
export interface Operation {
  readonly name: string
  readonly surface: "agent" | "browser"
  readonly method: "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly summary: string
  readonly permissions: readonly Permission[]
  readonly document: "research" | "publication"
  readonly archived: "room_archived" | "room_unavailable" | "admitted"
  readonly receiptOf: "member" | "credential"
  readonly delivery: DeliveryKey
  readonly target: string
  readonly by: "person" | "member" | "owner"
  readonly entry: EntryForm | null
  readonly activity: string | null
  readonly expected: readonly string[]
  readonly requiredWhen: readonly RequiredWhen[]
  readonly atLeastOneOf: readonly string[]
  readonly refusals: readonly RefusalCode[]
  readonly schemaVersion: number
  readonly body: v.GenericSchema & { readonly entries: v.ObjectEntries }
  readonly result: v.GenericSchema & { readonly entries: v.ObjectEntries }
  readonly example: unknown
}

/** The names in a path pattern, in order: `/threads/{threadId}/messages` has `threadId`. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{([a-zA-Z]+)\}/g)].map((match) => match[1] as string)

/** Where people signed in to the browser call an operation: its own path, or the twin of its agent path. */
export function browserPath({ surface, path, document, name }: Pick<Operation, "surface" | "path" | "document" | "name">): string {
  if (surface === "browser") return path
  if (path.startsWith("/api/agent/research/")) return `/api/research-actions/${name}`
  if (path.startsWith("/api/agent/threads")) return path.replace("/api/agent/", "/api/")
  return path.replace("/api/agent/", document === "publication" ? "/api/publications/" : "/api/")
}

/** What a whole body breaks beyond its single properties: conditional requirements and "at least one of". */
function conditionIssues({ requiredWhen, atLeastOneOf }: Operation, input: unknown): Issue[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return []
  const body = input as Record<string, unknown>
  const issues = requiredWhen
    .filter(({ field, when }) => when.in.includes(body[when.field] as string) && !Object.hasOwn(body, field))
    .map(({ field, when }) => ({ path: `/${field}`, message: `is required when ${when.field} is ${when.in.join(" or ")}` }))
  if (atLeastOneOf.length > 0 && !atLeastOneOf.some((name) => Object.hasOwn(body, name))) {
    issues.push({ path: "", message: `must hold at least one of ${atLeastOneOf.join(", ")}` })
  }
  return issues
}

/** Checks a body against its operation, what binds several properties included. */
export function checkBody(definition: Operation, input: unknown): Checked<Record<string, unknown>> {
  const checked = check(definition.body, input) as Checked<Record<string, unknown>>
  const issues = conditionIssues(definition, input)
  if (issues.length === 0) return checked
  return { ok: false, issues: checked.ok ? issues : [...checked.issues, ...issues] }
}
