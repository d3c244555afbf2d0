/**
 * The skill's reference of capabilities: every operation with its body, every read with its parameters, every refusal.
 */
import * as answers from "../contract/library/reads.ts"
import { libraryPermissionMeanings } from "../contract/schema/enumerations.ts"
import { limits } from "../contract/limits.ts"
import { refusalCodes, type RefusalCode, refusals } from "../contract/refusals.ts"
import { reads } from "../contract/reads/index.ts"
import { schemaVersions, type Family } from "../contract/service.ts"
import { agentOperationsOf, agentOperations, agentReads } from "./manifest.ts"
import { all, blocks, bullets, code, get, inCode, op, table, either, numbered } from "./markdown.ts"
import { inDigits } from "../contract/text.ts"
import { operationRefusals, readRefusals, type Parameter, pathParameters, queryParameters } from "./openapi-parts.ts"
import { states } from "../contract/states.ts"
import { bodySchema, schemaUrl } from "../contract/definitions/json-schema.ts"
import type { Conditional, Operation } from "../contract/definitions/operation.ts"
import type { Read } from "../contract/definitions/read.ts"
import { bootstrap } from "./bootstrap.ts"
import { indexOf } from "./named.ts"
import { type Row, rows, typeInWords, typeNames } from "./schemas.ts"

// The reference's section on the Library, which has its own keys, schema version and refusals.

/** Refusals with their meaning and remedy. */
const refusalTable = (codes: readonly RefusalCode[]): string =>
  table(
    ["Refusal", "Status", "Retry", "Meaning", "Remedy"],
    codes.map((name) => {
      const { status, retryable, meaning, remedy } = refusals[name]
      return [inCode(name), status.join(", "), retryable ? "yes" : "no", meaning, remedy]
    }),
  )

function libraryRefusals(): RefusalCode[] {
  const possible = new Set([
    ...agentOperationsOf("library").flatMap((operation) => operationRefusals(operation, "agent")),
    ...reads.filter(({ surface }) => surface === "key").flatMap((read) => readRefusals(read)),
  ])
  return refusalCodes.filter((name) => possible.has(name) || refusals[name].family === "library")
}

const permissionTable = (): string => {
  const needing = (permission: string): string => {
    const named = reads
      .filter(({ surface, permissions }) => surface === "key" && permissions.some((needed) => needed === permission))
      .map(({ path }) => inCode(`GET ${path}`))
    return [
      ...agentOperationsOf("library")
        .filter(({ permissions }) => permissions.some((needed) => needed === permission))
        .map(({ name }) => inCode(name)),
      ...named,
    ].join(", ")
  }
  return table(
    ["Permission", "Meaning", "Operations and reads"],
    Object.entries(libraryPermissionMeanings).map(([permission, meaning]) => [
      inCode(permission),
      meaning,
      needing(permission),
    ]),
  )
}

const librarySection = (): string =>
  blocks(
    "## A person's Library",
    `With a personal key (${inCode("rrk_…")}, issued by its person in the browser) an agent reads and files papers ` +
      `for that person alone. The same rules apply: bearer key, no ${inCode("Origin")} header, ` +
      `a fresh ${inCode("requestId")} for each write, the same retries and rehearsals. ${inCode("schemaVersion")} is ` +
      `${inCode(String(schemaVersions.library))} here. Never send the key to another address, and never write what ` +
      "you find in a Library into a Room unless its person tells you to.",
    bullets([
      `Start with ${get("library_identity")}: the key's permissions, reach and expiry. Schemas and example bodies: ` +
        `${get("library_schema", "?bundle=1")}.`,
      `A reach is ${inCode("all")} (the Library and every Collection), ${inCode("owned")} (the Library and the ` +
        `person's own Collections) or ${inCode("selected")} (chosen Collections, not the Library itself). ` +
        "What is out of reach is answered as if it did not exist.",
      `Lists answer ${all(Object.keys(answers.libraryPage(answers.collectionSummary).entries))}: ` +
        `while ${inCode("hasMore")} is true, send ${inCode("nextOffset")} as ${inCode("offset")}. ` +
        `A page holds ${limits.pageItems}.`,
      `${get("library_papers")} takes ${all(["query", "tag", "sort"])}, and answers all matches as one file with ` +
        `${inCode("format")} ${all(["bibtex", "ris", "csl"])}. ${inCode("tags")} are the person's own words; ` +
        `${get("library_tags")} lists them.`,
      `A paper has a ${inCode("paperId")}: its arXiv id, else its DOI, else ${inCode("isbn:…")}, ` +
        `else ${inCode("ref:…")} if it has no identifier; ${inCode("arxivId")} is accepted too. ` +
        `${op("save_papers")} and ${op("add_papers")} take ${inCode("identifiers")}: DOIs, ISBNs, addresses, ` +
        `references, BibTeX, anything that names papers. The receipt lists as ${inCode("unreadable")} what names ` +
        `none. ${inCode("metadata")} says whether the paper's data is ${inCode("known")}, ` +
        `and its ${inCode("source")}. Saving or adding a paper again is accepted, and the receipt says so.`,
      `A batch of up to ${limits.arxivIds} is written whole or not at all. ` +
        `There may be ${inDigits(limits.savedPapers)} saved papers, ${inDigits(limits.collectionPapers)} papers in a ` +
        `Collection and ${inDigits(limits.ownedCollections)} Collections of one's own; ` +
        `past that ${code("limit_reached")} names the limit in ${inCode("current.limit")}.`,
      `${op("post_note")} posts in the person's name, marked as yours; everybody who shares the Collection reads it. ` +
        "Only the person deletes, shares and marks as read.",
      "A receipt belongs to the person: the same delivery with another of their keys gets the same receipt.",
    ]),
    permissionTable(),
    refusalTable(libraryRefusals()),
  )

// The state tables in prose.

const inProse = (name: string): string => name.replaceAll("_", " ")

type Values = Readonly<Record<string, readonly string[]>>
/** The state after a step: a fixed one, or the one that a property of the body names. */
type Destination = string | Values

const destination = (to: Destination): string =>
  to === "unchanged"
    ? "unchanged"
    : typeof to === "string"
      ? inCode(to)
      : Object.entries(to)
          .map(([field, words]) => `${either(words)}, as ${inCode(field)} says`)
          .join("; ")

const withValues = (values: Values): string =>
  Object.entries(values)
    .map(([field, words]) => ` with ${inCode(field)} ${either(words)}`)
    .join("")

interface Step {
  readonly from: readonly string[]
  readonly operation: string
  readonly by: string
  readonly to: Destination
  readonly values?: Values
}

function experimentStates(): string {
  const { initial, terminal } = states.experiment
  const transitions: readonly Step[] = states.experiment.transitions
  return blocks(
    `An experiment starts ${inCode(initial)}; ${either(terminal)} is final.`,
    table(
      ["From", "Operation", "By", "To"],
      transitions.map(({ from, operation, by, to, values = {} }) => [
        either(from),
        `${inCode(operation)}${withValues(values)}`,
        inProse(by),
        destination(to),
      ]),
    ),
  )
}

function attemptStates(): string {
  const { initial, terminal, transitions } = states.attempt
  return blocks(
    `An attempt starts ${inCode(initial)}; ${either(terminal)} is final. One that started without a reported ` +
      "outcome is unknown, not failed.",
    table(
      ["From", "Event", "By", "To"],
      transitions.map(({ from, event, by, to }) => [either(from), inCode(event), inProse(by), inCode(to)]),
    ),
  )
}

const stateSection = (): string => blocks("## States", experimentStates(), attemptStates())

/** The properties that all bodies share, except the delivery id. */
const common: readonly string[] = Object.keys(agentOperations[0]?.body.entries ?? {}).filter((name) =>
  agentOperations.every(({ body }) => Object.hasOwn(body.entries, name)),
)

function sharedRefusals(family: Family): readonly string[] {
  const each = agentOperationsOf(family).map((operation): readonly string[] => operationRefusals(operation, "agent"))
  return Object.keys(refusals).filter((code) => each.every((possible) => possible.includes(code)))
}
const shared = new Map<Family, readonly string[]>()
/** The refusals of all operations of a family, worked out when the skill is first read: a start need not wait. */
const commonRefusals = (family: Family): readonly string[] => shared.getOrInsertComputed(family, sharedRefusals)

const isCommon = ({ delivery }: Operation, field: string) =>
  common.includes(field.split(/[.[]/)[0] ?? "") || field === delivery

function requirement({ requiredWhen, onlyWhen }: Operation, { field, required }: Row): string {
  if (required) return "yes"
  const inProse = (conditions: readonly Conditional[]) =>
    conditions
      .filter((condition) => condition.field === field)
      .map(({ when }) => `when ${inCode(when.field)} is ${either(when.in)}`)
  const needed = inProse(requiredWhen)
  const taken = inProse(onlyWhen).filter((words) => !needed.includes(words))
  const exactly = inProse(onlyWhen).length > 0 && taken.length === 0
  if (needed.length > 0) return `${exactly ? "exactly " : ""}${needed.join("; ")}`
  return taken.length > 0 ? `no; accepted only ${taken.join("; ")}` : "no"
}

const rowLine = (operation: Operation, row: Row): string[] => [inCode(row.field), row.type, requirement(operation, row)]

function bodyTable(operation: Operation): string {
  const own = rows(bodySchema(operation)).filter(({ field }) => !isCommon(operation, field))
  if (own.length === 0) return "The body has only the common properties."
  return table(
    ["Body", "Type", "Required"],
    own.map((row) => rowLine(operation, row)),
  )
}

/** The refusals of an operation beyond those that its family shares. */
const ownRefusals = (operation: Operation) =>
  operationRefusals(operation, "agent").filter((code) => !commonRefusals(operation.family).includes(code))

function operationSection(operation: Operation, heading = "###"): string {
  const { name, method, path, summary, permissions, delivery, target, atLeastOneOf, expected } = operation
  const own = ownRefusals(operation)
  return blocks(
    `${heading} ${name}`,
    summary,
    bullets([
      `${inCode(`${method} ${path}`)}, delivery id ${inCode(delivery)}`,
      `Permission: ${all(permissions)}`,
      `Receipt names: ${target}`,
      ...(expected.length > 0 ? [`Copy from a fresh read: ${all(expected)}`] : []),
      ...(atLeastOneOf.length > 0 ? [`At least one of: ${either(atLeastOneOf)}`] : []),
      ...(own.length > 0 ? [`Also refused with: ${either(own)}`] : []),
    ]),
    bodyTable(operation),
  )
}

function parameterText(parameter: Parameter): string {
  const { schema, description } = parameter
  const commas =
    schema.type === "array"
      ? `words separated by commas, each ${typeInWords(schema.items ?? {})}`
      : typeInWords(description === undefined ? schema : { ...schema, description })
  return `${inCode(parameter.name)}${parameter.required ? " (required)" : ""}: ${commas}`
}

const paging = ["limit", "after", "offset"]

const neededFor = ({ surface, permissions }: Read): string =>
  surface === "credential"
    ? "Room credential"
    : surface === "key"
      ? `personal key${permissions.length > 0 ? ` with ${all(permissions)}` : ""}`
      : "none"

function readLine(read: Read): string[] {
  const { method, path, summary, query, cursor } = read
  const own = queryParameters(query.entries).filter(({ name }) => cursor === null || !paging.includes(name))
  return [inCode(`${method} ${path}`), neededFor(read), cursor ?? "", own.map(parameterText).join("; "), summary]
}

/** The properties that the bodies of some operations share, and the delivery ids. */
function envelopeTable(operations: readonly Operation[] = agentOperationsOf("research")): string {
  const [first] = operations
  if (first === undefined) return ""
  const shared = rows(bodySchema(first)).filter(({ field }) => common.includes(field.split(".")[0] ?? ""))
  const ids = [...new Set(operations.map(({ delivery }) => delivery))]
  const named = ids
    .map((id) => ({ id, of: operations.filter(({ delivery }) => delivery === id) }))
    .sort((one, other) => other.of.length - one.of.length)
  return table(
    ["Body", "Type", "Required"],
    [
      ...shared.map((row) => rowLine(first, row)),
      ...named.map(({ id, of }, index) => [
        inCode(id),
        typeInWords(of[0] === undefined ? {} : (bodySchema(of[0]).properties?.[id] ?? {})),
        index === 0 ? "yes, unless named otherwise" : `instead, in ${all(of.map(({ name }) => name))}`,
      ]),
    ],
  )
}

const legend = (operations: readonly Operation[]): string =>
  bullets(
    [...typeNames(operations.map((operation) => bodySchema(operation)))].map(
      ([name, meaning]) => `**${name}**: ${meaning}`,
    ),
  )

/** One operation, with everything needed to call it. */
export const capability = (operation: Operation, baseUrl: string): string =>
  blocks(
    operationSection(operation, "#"),
    "Properties of every body:",
    envelopeTable([operation]),
    legend([operation]),
    refusalTable(ownRefusals(operation)),
    `Every operation may also be refused with ${either(commonRefusals(operation.family))}. Schema: ` +
      `${schemaUrl(operation, baseUrl)}; example body: ${schemaUrl(operation, baseUrl)}&example=1`,
  )

/** One read, with its parameters and their bounds. */
export function readCapability(read: Read): string {
  const { name, method, path, summary, query, cursor, formats } = read
  const parameters = [...pathParameters(path), ...queryParameters(query.entries)]
  return blocks(
    `# ${name}`,
    summary,
    bullets([
      `${inCode(`${method} ${path}`)}, credential: ${neededFor(read)}`,
      ...(cursor === null ? [] : [`A list; its cursor is of the kind ${cursor}`]),
      `Forms: ${all(["json", "markdown", ...Object.keys(formats).filter((form) => form !== "markdown")])}`,
      `May be refused with ${either(readRefusals(read))}`,
    ]),
    parameters.length === 0 ? "It has no parameters." : bullets(parameters.map(describedParameter)),
  )
}

/** A parameter with what it means and with its bounds. */
function describedParameter(parameter: Parameter): string {
  const { description, ...bare } = parameter
  return `${parameterText(bare)}${description === undefined ? "" : `. ${description}`}`
}

/** The operations and the reads. */
export const capabilityIndex = (): string =>
  blocks(
    "# Capabilities",
    `Add ${inCode("&operation=NAME")} for one operation or read with its parameters, or ${inCode("&operation=all")} ` +
      "for all of them with every refusal.",
    "## Operations",
    indexOf(agentOperations),
    "## Reads",
    indexOf(agentReads),
  )

export const capabilities = (): string =>
  blocks(
    "# Capabilities",
    "Every operation that a Room credential or a personal key can call, every read, and every refusal. " +
      "Bodies accept exactly the properties listed: an unknown one is refused, at any depth. " +
      "Lengths count Unicode characters, not bytes. Add `&operation=<name>` for one operation.",
    "## Start, or recover",
    numbered(
      bootstrap.map(
        ({ method, path, parameters, purpose }) =>
          `${inCode(
            `${method} ${path}${parameters.length > 0 ? `?${parameters.map((name) => `${name}=…`).join("&")}` : ""}`,
          )}: ${purpose}`,
      ),
    ),
    stateSection(),
    "## Refusals",
    "A write is checked in this order: the route, the origin of the request, the credential, the form and size of " +
      "the body, an earlier delivery under the same id, permission, membership and scope, the objects it names, " +
      "a repository outside, and last the state of things.",
    refusalTable(refusalCodes.filter((name) => refusals[name].family === undefined)),
    "## Types",
    legend(agentOperations),
    "## Properties of every body",
    envelopeTable(),
    "## Operations",
    `Each of them may be refused with ${either(commonRefusals("research"))}; ` +
      "each lists the other refusals it may meet.",
    agentOperationsOf("research").map((operation) => operationSection(operation)),
    librarySection(),
    "## Operations of the Library",
    `For a personal key. Their bodies share the same properties, but ${inCode("schemaVersion")} is ` +
      `${inCode(String(agentOperationsOf("library")[0]?.schemaVersion))}. Each of them may be refused with ` +
      `${either(commonRefusals("library"))}; each lists the other refusals it may meet.`,
    agentOperationsOf("library").map((operation) => operationSection(operation)),
    "## Reads",
    "A read with a cursor is a list: besides its own parameters it takes `limit` and `after`, or in the Library " +
      "only `offset`. A sequence counts up within one Room or Thread and starts at 0; " +
      "send every other cursor back unchanged.",
    table(["Read", "Credential", "Cursor", "Parameters", "Answer"], agentReads.map(readLine)),
  )
