/** What an action is: something that people do in the browser and that is not an operation on a Room. */
import * as v from "valibot"
import { shape, uuid } from "../schema/fields.ts"
import type { RefusalCode } from "../refusals/refusal.ts"
import { schemaVersions } from "../versions.ts"

type By = "anyone" | "person" | "operator"

interface Spec<N extends string, E extends v.ObjectEntries, A, B extends By, F extends string> {
  name: N
  method: "POST" | "DELETE"
  path: string
  /** The path to which a page's form is sent; absent if no page has a form for it. */
  form?: F
  /**
   * Who may do it: anyone (authorised by the body or path), a signed-in person, or an operator. For all others the path
   * does not exist.
   */
  by: B
  summary: string
  /** Refusals of its own, beyond those that follow from its path and body. */
  refusals?: readonly RefusalCode[]
  fields?: E
  example?: Record<string, unknown>
  answer: A
}

export const action = <
  const N extends string,
  A extends v.GenericSchema,
  const B extends By,
  E extends v.ObjectEntries = Record<never, never>,
  const F extends string = never,
>(
  spec: Spec<N, E, A, B, F>,
) => {
  const { fields, ...given } = spec
  const common = {
    schemaVersion: v.exactOptional(v.literal(schemaVersions.research)),
    requestId: v.exactOptional(uuid),
  }
  // Without fields, their type has no members.
  return { refusals: [], example: {}, ...given, body: shape({ ...common, ...(fields as E) }) }
}
/** An action with any body, as the edge sees it. */
export interface Action<N extends string = string>
  extends Readonly<Omit<Spec<N, v.ObjectEntries, v.GenericSchema, By, string>, "fields" | "refusals" | "example">> {
  readonly refusals: readonly RefusalCode[]
  readonly body: v.GenericSchema & { readonly entries: v.ObjectEntries }
  readonly example: unknown
}
