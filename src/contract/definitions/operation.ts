/**
 * What an operation is. One definition holds everything about its interface; the routes, the validation,
 * the manifest, the schemas, the OpenAPI document, the skill and the client are all derived from it.
 */
import * as v from "valibot"
import type { AnyPermission } from "../schema/enumerations.ts"
import type { TargetKind } from "../objects/objects.ts"
import type { RefusalCode, Issue } from "../refusals.ts"
import { type Family, schemaVersions } from "../service.ts"
import { client, uuid, shape } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { type Checked, check } from "../schema/validation.ts"

/** The property of a body that holds the delivery id. */
export type DeliveryKey = "requestId" | "clientMessageId"

/** A property that depends on the value of another: it is required then, or allowed only then. */
export interface Conditional {
  readonly field: string
  readonly when: { readonly field: string; readonly in: readonly string[] }
}

/** What a timeline shows as a card: a record, a finding related to an experiment, a checkpoint. */
export type CardKind = "publication" | "link_experiment_finding" | "post_research_checkpoint"

/** How a timeline shows an accepted operation: as a message, as a card, or as a receipt that can be folded away. */
export type EntryForm =
  | { readonly kind: "message"; readonly form: "message" }
  | { readonly kind: CardKind; readonly form: "card" }
  | { readonly kind: string; readonly form: "receipt" }

/** The schema document that holds an operation; the Library's operations have their own. */
export type SchemaDocument = "research" | "publication" | "library"

type Surface = "agent" | "browser" | "command"

/** Returns the label of an object, or words for one without a label. */
export type Naming = (id: string) => string

interface OperationSpec<N extends string, E extends v.ObjectEntries, R extends v.ObjectEntries> {
  name: N
  /**
   * Who may call it: agents, and people through the mirrored route (the default); only people in the browser; or only
   * the command line, which has no route.
   */
  surface?: Surface
  method?: "POST" | "PATCH" | "DELETE"
  /** Contains `{name}` for each id. Default: `/api/agent/<family>/<name>`. */
  path?: string
  /** One sentence on what an accepted write does. */
  summary: string
  permissions?: readonly AnyPermission[]
  document?: SchemaDocument
  /** Who may do it in a Room. Default: a member; in the Library, the person themselves. */
  by?: "person" | "member" | "owner"
  /** How it is refused in an archived Room; `admitted` if it is not refused. */
  archived?: "room_archived" | "room_unavailable" | "admitted"
  /**
   * Whose retry gets the stored receipt: the member's, with any credential, or only that of the credential that sent
   * the first delivery. `nobody`: the write only sets a state that may be set again, and its receipt is not kept.
   */
  receiptOf?: "member" | "credential" | "nobody"
  delivery?: DeliveryKey
  /** The kind of object a receipt names in `target`. */
  target: TargetKind
  /** How the timeline shows it. Default: an agent operation leaves a receipt under its own name. */
  entry?: EntryForm
  /** The kind of its entry in the Room's activity. Default: an agent operation's own name. */
  activity?: string
  /**
   * The sentence for the Room's feed, without the person's name at its start. It gets the label of the target and a
   * function for the labels of other objects. Required for agents' operations in Rooms.
   */
  sentence?(content: v.InferOutput<v.StrictObjectSchema<E, undefined>>, label: string, named: Naming): string
  /** The expected values that a caller copies from what it read. */
  expected?: readonly string[]
  requiredWhen?: readonly Conditional[]
  /** Properties that are refused unless the other property has such a value. */
  onlyWhen?: readonly Conditional[]
  /** A body must hold at least one of these properties. */
  atLeastOneOf?: readonly string[]
  /** Refusals of its own, beyond those that follow from its permissions, path and body. */
  refusals?: readonly RefusalCode[]
  /** The size limit of its content, if it differs from that of other writes. */
  contentBytes?: number
  /** The body beyond schemaVersion, the delivery id and client. */
  fields?: E
  /** The contents of `result` in the receipt. */
  result: R
  /** The example body, without schemaVersion and delivery id. */
  example?: Record<string, unknown>
  /** More examples, for its other uses. */
  otherExamples?: readonly Record<string, unknown>[]
}

type Common<K extends DeliveryKey, F extends Family> = {
  schemaVersion: v.LiteralSchema<(typeof schemaVersions)[F], undefined>
  client: v.ExactOptionalSchema<typeof client, undefined>
} & Record<K, typeof uuid>

/** Defines an operation, and fills in the defaults. */
export function operation<
  const N extends string,
  R extends v.ObjectEntries,
  E extends v.ObjectEntries = Record<never, never>,
  K extends DeliveryKey = "requestId",
  const F extends Family = "research",
  const P extends string = `/api/agent/${F}/${N}`,
  const S extends Surface = "agent",
>(
  spec: OperationSpec<N, E, R> & { delivery?: K; family?: F; path?: P; surface?: S } & (S extends "agent"
      ? F extends "research"
        ? { sentence: unknown }
        : unknown
      : unknown),
): Omit<
  Operation,
  "name" | "family" | "surface" | "path" | "delivery" | "schemaVersion" | "body" | "result" | "example"
> & {
  readonly name: N
  readonly family: F
  readonly surface: S
  readonly path: P
  readonly delivery: K
  readonly schemaVersion: (typeof schemaVersions)[F]
  readonly body: v.StrictObjectSchema<Common<K, F> & E, undefined>
  readonly result: v.StrictObjectSchema<R, undefined>
  readonly example: v.InferInput<v.StrictObjectSchema<Common<K, F> & E, undefined>>
}
// The types above already include the defaults.
export function operation(spec: AnySpec & { family?: Family }): Operation {
  const { name, fields = {}, result, example = {}, otherExamples = [], ...given } = spec
  const { family = "research", surface = "agent", delivery = "requestId" } = spec
  const inRooms = family === "research"
  const leavesEntry = surface === "agent" && inRooms
  const schemaVersion = schemaVersions[family]
  const whole = (body: Record<string, unknown>) => ({
    schemaVersion,
    [delivery]: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e",
    ...body,
  })
  return {
    method: "POST",
    // The client reads the names of the ids from the type of this path. It is joined to make one flat string: every
    // affordance carries it, and the engine keeps a template string in parts, which takes twice as long to write.
    path: ["/api/agent", family, name].join("/"),
    permissions: [],
    document: family,
    archived: inRooms ? "room_unavailable" : "admitted",
    receiptOf: "member",
    by: inRooms ? "member" : "person",
    entry: leavesEntry ? { kind: name, form: "receipt" } : null,
    activity: leavesEntry ? name : null,
    expected: [],
    requiredWhen: [],
    onlyWhen: [],
    atLeastOneOf: [],
    refusals: [],
    contentBytes: limits.contentBytes,
    ...given,
    name,
    family,
    surface,
    delivery,
    schemaVersion,
    body: shape({
      schemaVersion: v.literal(schemaVersion),
      [delivery]: uuid,
      client: v.exactOptional(client),
      ...fields,
    }),
    result: shape(result),
    example: whole(example),
    otherExamples: otherExamples.map(whole),
  }
}

type AnySpec = OperationSpec<string, v.ObjectEntries, v.ObjectEntries>
type AsGiven = Omit<AnySpec, "entry" | "activity" | "sentence" | "fields" | "result" | "example" | "otherExamples">
/** An operation with any body, as the ledger and the edge see it. */
export interface Operation extends Readonly<Required<AsGiven>> {
  readonly family: Family
  readonly entry: EntryForm | null
  readonly activity: string | null
  sentence?(content: unknown, label: string, named: Naming): string
  readonly schemaVersion: number
  readonly body: v.GenericSchema<unknown, Record<string, unknown>> & { readonly entries: v.ObjectEntries }
  readonly result: v.GenericSchema & { readonly entries: v.ObjectEntries }
  readonly example: Readonly<Record<string, unknown>>
  readonly otherExamples: readonly Readonly<Record<string, unknown>>[]
}

const namesOf = new Map<string, readonly string[]>()
/** The names in a path pattern, in order: `/threads/{threadId}/messages` has `threadId`. */
export const pathNames = (path: string): readonly string[] =>
  namesOf.getOrInsertComputed(path, () => [...path.matchAll(/\{([a-zA-Z]+)\}/g)].map(([, name = ""]) => name))

/** The path by which people signed in to the browser call an operation: its own, or the twin of its agent path. */
export function browserPath({
  surface,
  path,
  document,
  name,
}: Pick<Operation, "surface" | "path" | "document" | "name">): string {
  if (surface !== "agent") return path
  if (path.startsWith("/api/agent/research/")) return `/api/research-actions/${name}`
  if (path.startsWith("/api/agent/threads")) return path.replace("/api/agent/", "/api/")
  return path.replace("/api/agent/", document === "publication" ? "/api/publications/" : "/api/")
}

function conditionIssues({ requiredWhen, onlyWhen, atLeastOneOf }: Operation, input: unknown): Issue[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return []
  const body: Readonly<Record<string, unknown>> = { ...input }
  const holds = ({ when }: Conditional) => when.in.some((value) => value === body[when.field])
  const condition = ({ when }: Conditional) => `${when.field} is ${when.in.join(" or ")}`
  const has = ({ field }: Conditional) => Object.hasOwn(body, field)
  const issues = [
    ...requiredWhen
      .filter((each) => holds(each) && !has(each))
      .map((each) => ({ path: `/${each.field}`, message: `is required when ${condition(each)}` })),
    ...onlyWhen
      .filter((each) => !holds(each) && has(each))
      .map((each) => ({ path: `/${each.field}`, message: `is accepted only when ${condition(each)}` })),
  ]
  if (atLeastOneOf.length > 0 && !atLeastOneOf.some((name) => Object.hasOwn(body, name))) {
    issues.push({ path: "", message: `must hold at least one of ${atLeastOneOf.join(", ")}` })
  }
  return issues
}

/** Checks a body against its operation, including rules about several properties. */
export function checkBody(definition: Operation, input: unknown): Checked<Record<string, unknown>> {
  const checked = check(definition.body, input)
  const issues = conditionIssues(definition, input)
  if (issues.length === 0) return checked
  return { ok: false, issues: checked.ok ? issues : [...checked.issues, ...issues] }
}
