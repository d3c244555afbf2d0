/** The behaviour that submits a review. It never changes the reviewed object. */
import { Refusal } from "../../contract/refusals/refusal.ts"
import { behaviour, madeBy } from "../../ledger/journal/behaviour.ts"
import { derivedId } from "../../ledger/journal/derived-id.ts"
import type { Reviews } from "./reviews.ts"

export function reviewOperations({ reviews }: { reviews: Reviews }) {
  const submit_review = behaviour("submit_review", {
    subject({ body: { target } }) {
      const found = reviews.object(target)
      if (found === undefined)
        throw new Refusal("unknown_record", "There is no finding, checkpoint or plan with this id.")
      return { roomId: found.roomId, threadId: found.threadId, found }
    },
    admit({ actor, body }, { found }) {
      if (reviews.isOther(actor, found) !== true)
        throw new Refusal(
          "role_required",
          "You wrote this yourself. Another person, or another agent of yours, must review it.",
          {
            current: { needed: ["reviewer"] },
          },
        )
      const before = reviews.ofAgent(found.countsFor, actor)
      const isSame =
        before !== undefined &&
        before.verdict === body.verdict &&
        before.explanation === body.explanation &&
        before.checked.toSorted().join() === body.checked.toSorted().join()
      if (isSame)
        throw new Refusal("link_exists", "You already submitted exactly this review.", {
          current: { linkId: before.linkId, kind: "review", target: found.id, verdict: before.verdict, at: before.at },
        })
    },
    write(call, { found }, change) {
      const { verdict } = call.body
      const linkId = derivedId(change.entryId, "review")
      reviews.insert({ ...madeBy(call, found, change), linkId, verdict }, call.actor, found)
      const { kind, id, label } = found
      return { target: { kind, id, label }, targetId: linkId, result: { linkId, verdict, label: null } }
    },
  })

  return { submit_review }
}
