/** Adds a description to a part of a schema, for the documents. */
import * as v from "valibot"

export const described = <const S extends v.GenericSchema>(schema: S, words: string) =>
  v.pipe(schema, v.description(words))
