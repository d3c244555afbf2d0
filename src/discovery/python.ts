/** Generates the Python client: a template written by hand, filled with a method for each operation and read. */
import { firstPreviousDigest } from "../contract/reads/activity.ts"
import { bodySchema, type JsonSchema } from "../contract/definitions/json-schema.ts"
import { limits } from "../contract/limits.ts"
import type { Operation } from "../contract/definitions/operation.ts"
import { isEvents, isText, type Read, type ReadSurface } from "../contract/definitions/read.ts"
import { reads } from "../contract/reads/index.ts"
import { batch } from "../contract/operations/batch.ts"
import { uploadFigure } from "../contract/definitions/attachments.ts"
import { uploadLog } from "../contract/definitions/attachments.ts"
import { refusalCodes, refusals } from "../contract/refusals.ts"
import { type Family, protocolVersion } from "../contract/service.ts"
import type { Program } from "./bootstrap.ts"
import { agentOperations } from "./manifest.ts"
import { pathParameters, queryParameters } from "./openapi-parts.ts"
import { discoveryRoutes } from "./routes.ts"
import { rows, typeInWords } from "./schemas.ts"
import { isShape } from "../contract/schema/fields.ts"
import { packaged } from "../packaged.ts"

/** Python's keywords, which cannot name a parameter. */
const KEYWORDS = new Set([
  "and",
  "as",
  "class",
  "def",
  "for",
  "from",
  "global",
  "import",
  "in",
  "is",
  "lambda",
  "not",
  "or",
  "pass",
  "with",
])

/** `threadId` as `thread_id`. */
function snake(name: string): string {
  const snaked = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return KEYWORDS.has(snaked) ? `${snaked}_` : snaked
}
const className = (code: string): string => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A parameter's type. For an object, the method's docstring lists the members. */
function type(schema: JsonSchema): string {
  if ("const" in schema) return `Literal[${JSON.stringify(schema.const)}]`
  if (schema.enum !== undefined) return `Literal[${schema.enum.map((word) => JSON.stringify(word)).join(", ")}]`
  const forms = schema.oneOf ?? (schema.properties === undefined ? schema.anyOf : undefined)
  if (forms !== undefined) return [...new Set(forms.map(type))].join(" | ")
  const plain = { integer: "int", number: "float", boolean: "bool", null: "None", object: "Mapping[str, Any]" } as const
  switch (schema.type) {
    case undefined:
      return "Any"
    case "string":
      return schema.format === "date-time" ? "Time" : "str"
    case "array":
      return `Sequence[${type(schema.items ?? {})}]`
    default:
      return plain[schema.type]
  }
}

const isNullable = (schema: JsonSchema): boolean => (schema.anyOf ?? []).some(isNullable) || schema.type === "null"

interface Parameter {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
}

/** A method's parameter, and the member that it becomes in the request. The Room defaults to the client's own. */
function parameterOf({ name, schema, required }: Parameter): { readonly parameter: string; readonly member: string } {
  const variable = snake(name)
  const wire = JSON.stringify(name)
  if (name === "roomId" && required)
    return { parameter: `${variable}: str | None = None`, member: `${wire}: ${variable} or self.room_id` }
  if (required) return { parameter: `${variable}: ${type(schema)}`, member: `${wire}: ${variable}` }
  if (isNullable(schema))
    return { parameter: `${variable}: ${type(schema)} | _LeftOut = LEFT_OUT`, member: `${wire}: ${variable}` }
  return { parameter: `${variable}: ${type(schema)} | None = None`, member: `${wire}: _optional(${variable})` }
}

const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by)
const quoted = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"')

interface Method {
  readonly name: string
  readonly parameters: readonly string[]
  readonly answer: string
  readonly words: readonly string[]
  readonly body: string
}

const method = ({ name, parameters, answer, words, body }: Method): string =>
  indented(
    `def ${name}(${["self", ...(parameters.length > 0 ? ["*"] : []), ...parameters].join(", ")}) -> ${answer}:
${indented(`"""${quoted(words.join("\n"))}\n"""\n${body}`, "    ")}\n`,
    "    ",
  )

/** The docstring's lines for the parameters: type, bounds and members. */
const parameterLines = (schema: JsonSchema, leftOut: readonly string[]): string[] =>
  rows(schema)
    .filter(({ field }) => !leftOut.includes(field.split(/[.[]/)[0] ?? ""))
    .map(({ field, type, required }) => {
      const [first = "", ...inside] = field.split(/(?=[.[])/)
      return (
        `${inside.length > 0 ? "    " : ""}${snake(first)}${inside.join("")}: ` +
        `${type.replaceAll("`", "")}${required ? "" : " (optional)"}`
      )
    })

function write(operation: Operation): string {
  const { name, summary, permissions, delivery, expected, requiredWhen } = operation
  const common = ["schemaVersion", delivery, "client"]
  const schema = bodySchema(operation)
  const inPath = pathParameters(operation.path).map(({ name: of, schema: held }) => ({
    name: of,
    schema: held,
    required: true,
  }))
  const inBody = Object.entries(schema.properties ?? {})
    .filter(([of]) => !common.includes(of))
    .map(([of, held]) => ({ name: of, schema: held, required: (schema.required ?? []).includes(of) }))
  const all = [...inPath, ...inBody].map(parameterOf)
  return method({
    name,
    parameters: [...all.map(({ parameter }) => parameter), "request_id: str | None = None", "rehearse: bool = False"],
    answer: "Answer",
    words: [
      summary,
      "",
      `Needs ${permissions.join(" and ")}.`,
      ...(expected.length > 0 ? [`Copy ${expected.map(snake).join(" and ")} from what you have just read.`] : []),
      ...requiredWhen.map(
        ({ field, when }) => `${snake(field)} is required when ${snake(when.field)} is ${when.in.join(" or ")}.`,
      ),
      ...parameterLines(schema, common),
    ],
    body: `return self._write("${name}", {${all.map(({ member }) => member).join(", ")}}, request_id, rehearse)`,
  })
}

const isList = ({ cursor, answer }: Read): boolean =>
  cursor !== null && isShape(answer) && Object.hasOwn(answer.entries, "items")
const formOf = ({ mediaType }: Read): "json" | "text" | "bytes" =>
  mediaType === "application/json" ? "json" : isText(mediaType) ? "text" : "bytes"
const answerOf = { json: "Answer", text: "str", bytes: "bytes" } as const

function readMethods(read: Read): string[] {
  const { name, summary, permissions, query, formats } = read
  const inputs = [...pathParameters(read.path), ...queryParameters(query.entries)]
  const all = inputs.map((each) => ({ ...each, ...parameterOf(each) }))
  const members = `{${all.map(({ member }) => member).join(", ")}}`
  const words = [
    summary,
    "",
    ...(permissions.length > 0 ? [`Needs ${permissions.join(" and ")}.`] : []),
    ...all.map(
      ({ name: of, description, schema }) =>
        `${snake(of)}: ${(description ?? typeInWords(schema)).replaceAll("`", "")}`,
    ),
  ]
  const parameters = all.map(({ parameter }) => parameter)
  const several = Object.keys(formats).length > 0
  const form = formOf(read)
  const one = method({
    // A read that is sent something is a question, not something to get.
    name: read.method === "POST" ? name : `get_${name}`,
    parameters,
    answer: several ? "Any" : answerOf[form],
    words,
    body:
      `return self._read("${name}", ${members}, ` +
      `${several ? '"json" if format in (None, "json") else "text"' : `"${form}"`})`,
  })
  if (!isList(read)) return [one]
  const items = {
    name: `all_${name}`,
    parameters,
    answer: "Iterator[Answer]",
    words: ["Iterates over the items of all pages:", ...words],
  }
  return [one, method({ ...items, body: `return self._items("${name}", ${members})` })]
}

const inBrowser: readonly ReadSurface[] = ["session", "operator", "visitor"]
const clientReads: readonly Read[] = [...discoveryRoutes, ...reads].filter(
  (read) => !inBrowser.includes(read.surface) && !isEvents(read),
)

const methodsOf = (family: Family): string =>
  [
    ...agentOperations.filter((operation) => operation.family === family).map(write),
    ...clientReads.filter((read) => read.family === family).flatMap(readMethods),
  ].join("\n")

const refusalClasses = (): string => {
  const classes = refusalCodes.map((code) => {
    const { meaning, remedy } = refusals[code]
    return (
      `class ${className(code)}(Refused):\n    """${quoted(`${meaning}\n\n    ${remedy}`)}` +
      `"""\n\n    code = "${code}"\n`
    )
  })
  return (
    `${classes.join("\n\n")}\n\n_REFUSALS: ` +
    `Dict[str, type] = {${refusalCodes.map((code) => `"${code}": ${className(code)}`).join(", ")}}`
  )
}

function tables(): string {
  const operations = agentOperations.map(
    ({ name, method: verb, path, delivery, schemaVersion, receiptOf }) =>
      `    "${name}": ("${verb}", "${path}", "${delivery}", ${schemaVersion}, ` +
      `${receiptOf === "credential" ? "True" : "False"}),`,
  )
  const cursorOf = ({ cursor, query }: Read) => (cursor === null ? "" : "offset" in query.entries ? "offset" : "after")
  const read = clientReads.map(
    (each) => `    "${each.name}": ("${each.path}", "${cursorOf(each)}", "${formOf(each)}", "${each.method}"),`,
  )
  return (
    `_OPERATIONS: Dict[str, Tuple[str, str, str, int, bool]] = {\n${operations.join("\n")}\n}\n_BATCH = ` +
    `"${batch.path}"\n_READS: Dict[str, Tuple[str, str, str, str]] = {\n${read.join("\n")}\n}`
  )
}

/** The part written by hand, which lies in several files, with markers for the generated parts. */
const template = (): string =>
  packaged("src/client/python/research_room.py").replace(/^#\+ (\w+\.py)$/gm, (_, part: string) =>
    packaged(`src/client/python/${part}`).trimEnd(),
  )

/** The whole file. */
export function pythonClient({ baseUrl, softwareVersion }: Program): string {
  const parts = {
    refusals: refusalClasses(),
    tables: tables(),
    library: methodsOf("library"),
    research: methodsOf("research"),
  }
  const words = {
    BASE_URL: baseUrl,
    VERSION: softwareVersion,
    PROTOCOL: String(protocolVersion),
    WAIT: String(limits.activityWaitSeconds),
    FIGURES: uploadFigure.path,
    LOGS: uploadLog.path,
    BRIEF: String(limits.briefFirst),
    FIRST_DIGEST: JSON.stringify(firstPreviousDigest),
  }
  const put = (text: string, [part, made]: [string, string]) => {
    const [start, end] = [text.indexOf(`#<${part}>`), text.indexOf(`#</${part}>`)]
    return `${text.slice(0, start).trimEnd()}\n\n${made}\n${text.slice(end + `#</${part}>`.length)}`
  }
  const filled = Object.entries(words).reduce(
    (text, [word, value]) => text.replaceAll(`@${word}@`, () => value),
    template(),
  )
  return Object.entries(parts).reduce(put, filled)
}
