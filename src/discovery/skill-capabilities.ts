/**
 * The skill's reference of capabilities: every operation with its body, every read with its parameters, every refusal.
 */
import { bodySchema, schemaUrl } from "../contract/definitions/json-schema.ts"
import type { Conditional, Operation } from "../contract/definitions/operation.ts"
import type { Read } from "../contract/definitions/read.ts"
import { refusalCodes } from "../contract/refusals/codes.ts"
import { refusals } from "../contract/refusals/refusal.ts"
import type { Family } from "../contract/versions.ts"
import { bootstrap } from "./bootstrap.ts"
import { agentOperations, agentOperationsOf, agentReads } from "./manifest.ts"
import { all, blocks, bullets, either, inCode, numbered, table } from "./markdown.ts"
import { type Parameter, queryParameters } from "./parameters.ts"
import { operationRefusals } from "./possible-refusals.ts"
import { type Row, rows, typeInWords, typeNames } from "./schema-words.ts"
import { librarySection, refusalTable } from "./skill-library.ts"
import { stateSection } from "./skill-states.ts"

/** The properties that all bodies share, except the delivery id. */
const common: readonly string[] = Object.keys(agentOperations[0]?.body.entries ?? {}).filter((name) =>
  agentOperations.every(({ body }) => Object.hasOwn(body.entries, name)),
)

function sharedRefusals(family: Family): readonly string[] {
  const each = agentOperationsOf(family).map((operation): readonly string[] => operationRefusals(operation, "agent"))
  return Object.keys(refusals).filter((code) => each.every((possible) => possible.includes(code)))
}
const commonRefusals: Readonly<Record<Family, readonly string[]>> = {
  research: sharedRefusals("research"),
  library: sharedRefusals("library"),
}

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
  operationRefusals(operation, "agent").filter((code) => !commonRefusals[operation.family].includes(code))

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
    `Every operation may also be refused with ${either(commonRefusals[operation.family])}. Schema: ` +
      `${schemaUrl(operation, baseUrl)}; example body: ${schemaUrl(operation, baseUrl)}&example=1`,
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
    `Each of them may be refused with ${either(commonRefusals.research)}; each lists the other refusals it may meet.`,
    agentOperationsOf("research").map((operation) => operationSection(operation)),
    librarySection(),
    "## Operations of the Library",
    `For a personal key. Their bodies share the same properties, but ${inCode("schemaVersion")} is ` +
      `${inCode(String(agentOperationsOf("library")[0]?.schemaVersion))}. Each of them may be refused with ` +
      `${either(commonRefusals.library)}; each lists the other refusals it may meet.`,
    agentOperationsOf("library").map((operation) => operationSection(operation)),
    "## Reads",
    "A read with a cursor is a list: besides its own parameters it takes `limit` and `after`, or in the Library " +
      "only `offset`. A sequence counts up within one Room or Thread and starts at 0; " +
      "send every other cursor back unchanged.",
    table(["Read", "Credential", "Cursor", "Parameters", "Answer"], agentReads.map(readLine)),
  )
