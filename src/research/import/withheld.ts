/** Checks parts that another instance withheld: a proved write of the same activity must have withheld each. */
import { isDeepStrictEqual } from "node:util"
import * as v from "valibot"
import { canonicalJson, type JsonObject } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { type Claim, claimsIn, isNamedBy, isWithholdable, withMarks } from "../../contract/definitions/withheld-text.ts"
import { CrateFault } from "./crate-file.ts"

/** The part of a withholding write that says what it withholds. It is unproved until its turn in the activity. */
const markSchema = v.object({
  sequence: v.number(),
  operation: v.literal("withhold_content" satisfies OperationName),
  at: v.string(),
  actor: v.object({ userId: v.string(), username: v.string() }),
  body: v.object({
    of: v.object({
      sequence: v.optional(v.number()),
      entryId: v.optional(v.string()),
      versionId: v.optional(v.string()),
    }),
    fields: v.pipe(v.array(v.string()), v.maxLength(1_000)),
    reason: v.string(),
  }),
})
type Mark = v.InferOutput<typeof markSchema>

/** An unproved write that may have withheld parts. */
interface WithheldPart {
  readonly sequence: number
  readonly body: JsonObject
  readonly client?: JsonObject | undefined
  readonly given: { readonly ids?: readonly string[] | undefined }
}

/** The withholding writes of some Rooms that have been seen so far. */
export class Withholdings {
  readonly #rooms = new Map<string, Mark[]>()

  /** Notes a write if it withholds something. */
  note(roomId: string, written: unknown): void {
    const { success, output } = v.safeParse(markSchema, written)
    if (success) this.#rooms.getOrInsertComputed(roomId, () => []).push(output)
  }

  #explains(roomId: string, { sequence, given }: WithheldPart, { place, notice }: Claim): boolean {
    return (this.#rooms.get(roomId) ?? []).some((each) => {
      const { of, fields, reason } = each.body
      const id = of.entryId ?? of.versionId
      const isOf = of.sequence === sequence || (id !== undefined && given.ids?.includes(id) === true)
      const isNoticed = isDeepStrictEqual(notice, { at: each.at, by: each.actor, reason })
      return isOf && isNoticed && each.sequence > sequence && fields.some((field) => isNamedBy(place, field))
    })
  }

  /**
   * Returns a write with marks in place of its withheld parts.
   * @param isWhole whether its body has the digest of the accepted one
   * @returns null if nothing was withheld
   * @throws CrateFault for a part that no write withheld
   */
  marked(
    roomId: string,
    operation: Operation,
    received: WithheldPart,
    {
      contentDigest,
      isWhole,
      where,
    }: { readonly contentDigest: string; readonly isWhole: boolean; readonly where: string },
  ): { readonly content: string; readonly client: JsonObject | undefined } | null {
    if (!isWithholdable(operation)) return null
    const whole = { ...received.body, ...(received.client === undefined ? {} : { client: received.client }) }
    const claims = claimsIn(operation, whole).filter(({ place }) => !isWhole || isNamedBy(place, "/client"))
    const explained = claims.filter((claim) => this.#explains(roomId, received, claim))
    const open = claims.find((claim) => !claim.mayBeContent && !explained.includes(claim))
    if (open !== undefined)
      throw new CrateFault(
        `${where} is said to be withheld at ${open.place}, and no write of the activity withholds that.`,
      )
    if (explained.length === 0) return null
    const { client, ...content } = withMarks(whole, contentDigest, explained)
    return { content: canonicalJson(content), client: client as JsonObject | undefined }
  }
}
