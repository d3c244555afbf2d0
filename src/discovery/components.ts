/** The shared schemas of the OpenAPI document: answers and parts of bodies, under their names in the code. */
import * as v from "valibot"
import * as answers from "../contract/answers/index.ts"
import { attemptOutcome, freeText, withholding } from "../contract/answers/fields.ts"
import { similarItem } from "../contract/answers/similar.ts"
import * as fields from "../contract/schema/fields.ts"
import {
  bodySchema,
  type Form,
  type JsonSchema,
  jsonSchemaOf,
  type Shared,
  sharedSchemas,
} from "../contract/definitions/json-schema.ts"
import { asServed } from "../contract/reads/index.ts"
import { license } from "../contract/licences.ts"
import * as libraryAnswers from "../contract/library/answers.ts"
import type { Operation } from "../contract/definitions/operation.ts"
import { refusals } from "../contract/refusals/refusal.ts"
import * as science from "../contract/definitions/science.ts"
import * as work from "../contract/definitions/work.ts"
import * as workAnswers from "../contract/answers/work.ts"
import * as advice from "../contract/answers/warnings.ts"

/** `publish_hypothesis` and `roomSummary` as `PublishHypothesis` and `RoomSummary`. */
export const typeName = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const SHARED_TYPES: readonly string[] = ["strict_object", "record", "union"]
const isShared = (value: unknown): value is v.GenericSchema =>
  typeof value === "object" && value !== null && "type" in value && SHARED_TYPES.some((type) => type === value.type)

/** The schemas that a module exports and that get a component of their own. */
const named = (module: object, suffix: string): Shared =>
  Object.fromEntries(
    Object.entries(module).flatMap(([name, value]) =>
      isShared(value) ? [[`${typeName(name)}${suffix}`, asServed(value)]] : [],
    ),
  )

const answered: Form & { shared: Shared } = {
  open: true,
  shared: {
    FreeText: freeText,
    Withholding: withholding,
    SimilarItem: similarItem,
    // Not AttemptOutcome: the kind of evidence attempt_outcome is a constant of that name in some languages.
    OutcomeOfAttempt: attemptOutcome,
    ...named(advice, ""),
    ...named(workAnswers, ""),
    ...named(answers, ""),
    ...named(libraryAnswers, ""),
  },
}
const sent: Form & { shared: Shared } = {
  // Includes the licence, a list of some seven hundred words.
  shared: { ...named(fields, "Input"), ...named(science, "Input"), ...named(work, "Input"), LicenseInput: license },
}

/** The schema of an answer: clients must accept members that are added later. */
export const answerSchema = (schema: v.GenericSchema): JsonSchema => jsonSchemaOf(schema, answered)

/** The schema of an action's body. */
export const sentSchema = (schema: v.GenericSchema): JsonSchema => jsonSchemaOf(schema, sent)

export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
export const bodyName = ({ name }: { name: string }): string => `${typeName(name)}Body`
export const receiptName = ({ name }: { name: string }): string => `${typeName(name)}Receipt`

const refusalCode: JsonSchema = {
  type: "string",
  description: Object.entries(refusals)
    .map(([code, { meaning }]) => `- \`${code}\`: ${meaning}`)
    .join("\n"),
}

const refusal = (): JsonSchema => {
  const { $ref: _itself, ...schema } = sharedSchemas(answered).Refusal ?? {}
  return { ...schema, properties: { ...schema.properties, refusal: reference("RefusalCode") } }
}

/** The operations whose receipts tell what was tried before. */
const FINDS_SIMILAR = ["publish_hypothesis", "propose_experiment", "publish_finding", "register_attempt"]

/** The receipt of one operation as a single object: clients in many languages cannot combine schemas. */
function receipt({ schemaVersion, name, result }: Operation): JsonSchema {
  const { similar, sameExecution, readAs, ...always } = answers.receipt.entries
  const entries: v.ObjectEntries = {
    ...always,
    ...(FINDS_SIMILAR.includes(name) && { similar, sameExecution }),
    ...(name === "report_attempt_event" && { readAs }),
    schemaVersion: v.literal(schemaVersion),
    operation: v.literal(name),
    result,
  }
  return answerSchema(fields.shape(entries))
}

/** JSON of any shape. Client generators cannot follow a recursive schema; the operation's own schema is exact. */
const free = { JsonInput: { description: "Any JSON value whose strings hold no NUL." } }

/** The document's `components.schemas`. */
export const componentSchemas = (operations: readonly Operation[]): Record<string, JsonSchema> => ({
  RefusalCode: refusalCode,
  ...sharedSchemas(answered),
  Refusal: refusal(),
  ...sharedSchemas(sent),
  ...free,
  ...Object.fromEntries(
    operations.flatMap((operation) => [
      [bodyName(operation), bodySchema(operation, sent)],
      [receiptName(operation), receipt(operation)],
    ]),
  ),
})
