/** Costly texts in every text member of a body that a route accepts, found through its own schema. */
import { randomUUID } from "node:crypto"
import type { JsonSchema } from "../../../src/contract/definitions/json-schema.ts"
import { limits } from "../../../src/contract/limits.ts"
import { places } from "../../contract/spoiling.ts"
import { bibtexFiles } from "./files.ts"
import { texts } from "./words.ts"
import type { Costly } from "./texts.ts"

/** Shorter texts are names, ids and enumerated words. */
const LEAST = limits.conceptLabel
/** Bytes of a text that leave room for the rest of the body. */
const MOST = limits.contentBytes - 2_000

const cut = (text: string, length: number): string =>
  [...text.slice(0, 2 * length)].slice(0, length).join("").toWellFormed()

/** Whether a schema accepts free text: no pattern of ids or times. */
const takesText = (schema: JsonSchema): boolean =>
  schema.type === "string" &&
  Number(schema.maxLength ?? 0) >= LEAST &&
  (schema.pattern === undefined || new RegExp(schema.pattern as string, "u").test("Any é text, $𝔞$!"))

/** Whether a body accepts a whole file of references. */
function takesImport({ properties }: JsonSchema): boolean {
  const { text } = (properties ?? {}) as { text?: JsonSchema }
  return text?.maxLength === limits.importedText
}

/** A body with `text` in every text member, and a new delivery id. */
export function planted(body: unknown, schema: JsonSchema, { text }: Costly): object {
  const put = (most: number) => {
    const holder = { body: structuredClone(body) as Record<string, unknown> }
    for (const { holder: inner, name, schema: own } of places(holder, "body", schema))
      if (takesText(own)) inner[name] = cut(text, Math.min(most, Number(own.maxLength)))
    for (const name of ["requestId", "clientMessageId", "attemptId"])
      if (Object.hasOwn(holder.body, name) && (name !== "attemptId" || Object.hasOwn(holder.body, "argv")))
        holder.body[name] = randomUUID()
    return holder.body
  }
  const isImport = takesImport(schema)
  for (let most: number = isImport ? limits.importedText : limits.message; most > LEAST; most = Math.floor(most / 2)) {
    const made = put(most)
    if (isImport || Buffer.byteLength(JSON.stringify(made)) <= MOST) return made
  }
  return put(LEAST)
}

/** Generated for each use: they are long. */
const bibliographies: readonly Costly[] = Object.entries(bibtexFiles).map(([name, made]) => ({
  name,
  get text() {
    return made()
  },
}))

/** The texts for a body. */
export const textsFor = (schema: JsonSchema | null): readonly Costly[] =>
  schema !== null && takesImport(schema) ? bibliographies : texts
