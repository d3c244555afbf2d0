/** What came withheld from elsewhere: a write of the same activity, which is proved like every other, must have withheld it. */
import * as v from "valibot"
import { canonicalJson, type JsonObject } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { type Claim, claimsIn, isNamedBy, isWithholdable, withMarks } from "../../contract/definitions/withheld-text.ts"
import { CrateFault } from "./crate-file.ts"

/** As much of a write that withholds something as it takes to tell what, as it came; it is proved when its turn comes. */
const told = v.object({
  sequence: v.number(),
  operation: v.literal("withhold_content" satisfies OperationName),
  at: v.string(),
  actor: v.object({ userId: v.string(), username: v.string() }),
  body: v.object({
    of: v.object({ sequence: v.optional(v.number()), entryId: v.optional(v.string()), versionId: v.optional(v.string()) }),
    fields: v.pipe(v.array(v.string()), v.maxLength(1_000)),
    reason: v.string(),
  }),
})
type Mark = v.InferOutput<typeof told>

/** A write as it came, of which something may be withheld. */
interface WithheldPart {
  readonly sequence: number
  readonly body: JsonObject
  readonly client?: JsonObject | undefined
  readonly given: { readonly ids?: readonly string[] | undefined }
}

/** What the writes of some Rooms withhold, as far as they were seen. */
export class Withholdings {
  readonly #rooms = new Map<string, Mark[]>()

  /** Takes note of a write that withholds something; of every other one, of nothing. */
  note(roomId: string, written: unknown): void {
    const found = v.safeParse(told, written)
    if (!found.success) return
    const known = this.#rooms.get(roomId) ?? []
    known.push(found.output)
    this.#rooms.set(roomId, known)
  }

  #explains(roomId: string, { sequence, given }: WithheldPart, { place, told: { at, by, reason } }: Claim): boolean {
    return (this.#rooms.get(roomId) ?? []).some((each) => {
      const { of, fields } = each.body
      const id = of.entryId ?? of.versionId
      const isOf = of.sequence === sequence || (id !== undefined && given.ids?.includes(id) === true)
      const isBy = each.actor.userId === by.userId && each.actor.username === by.username
      return (
        isOf &&
        isBy &&
        each.sequence > sequence &&
        each.at === at &&
        each.body.reason === reason &&
        fields.some((field) => isNamedBy(place, field))
      )
    })
  }

  /**
   * A write with marks in place of the parts that were withheld.
   * @param isWhole whether its body is the one that was accepted, whatever it looks like
   * @returns null where nothing of it was withheld
   * @throws CrateFault for what nobody withheld
   */
  marked(
    roomId: string,
    operation: Operation,
    came: WithheldPart,
    { contentDigest, isWhole, where }: { readonly contentDigest: string; readonly isWhole: boolean; readonly where: string },
  ): { readonly content: string; readonly client: JsonObject | undefined } | null {
    if (!isWithholdable(operation)) return null
    const whole = { ...came.body, ...(came.client === undefined ? {} : { client: came.client }) }
    const claims = claimsIn(operation, whole).filter(({ place }) => !isWhole || isNamedBy(place, "/client"))
    const explained = claims.filter((claim) => this.#explains(roomId, came, claim))
    const open = claims.find((claim) => !claim.mayBeSaid && !explained.includes(claim))
    if (open !== undefined)
      throw new CrateFault(`${where} is said to be withheld at ${open.place}, and no write of the activity withholds that.`)
    if (explained.length === 0) return null
    const { client, ...content } = withMarks(whole, contentDigest, explained)
    return { content: canonicalJson(content), client: client as JsonObject | undefined }
  }
}
