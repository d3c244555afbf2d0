/** Withholding removes what must not be in a public record. Nothing else changes accepted content. */
import * as v from "valibot"
import { quoting, words } from "../definitions/sentence.ts"
import { enumerations } from "../schema/enumerations.ts"
import { list, oneOf, shape, text, uuid, wellFormed, whole } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { described } from "../schema/validation.ts"

/**
 * A place in a body: a JSON Pointer, empty for the whole body. It has no title, because it is not text that a person
 * chose.
 */
const place = v.pipe(
  v.string("must be a string"),
  v.regex(/^(?:\/[^\x00-\x1f\x7f]*)?$/u, "must be a JSON Pointer such as /assertion/wording"),
  wellFormed,
  v.maxCodePoints(1_000, "must have at most 1000 characters"),
)

export const withholdContent = operation({
  name: "withhold_content",
  surface: "browser",
  sentence: ({ reason, explanation }, label) => `withheld part of ${label} (${words(reason)})${quoting(explanation)}`,
  path: "/api/rooms/{roomId}/withholdings",
  summary:
    "Removes texts of an accepted write for good and everywhere: a secret, personal data, what a court names. " +
    "Ids, labels, digests and everything that refers to it stay. By the Room's owner or an operator.",
  target: "record",
  by: "person",
  archived: "admitted",
  refusals: ["not_a_member", "role_required", "unknown_reference", "state_conflict"],
  entry: { kind: "content_withheld", form: "receipt" },
  activity: "content_withheld",
  fields: {
    of: described(
      v.union(
        [shape({ entryId: uuid }), shape({ versionId: uuid }), shape({ sequence: whole(1) })],
        "must hold one of entryId, versionId and sequence",
      ),
      "The write: named by one of its timeline entries, by the record it made, or by its entry in the Room's activity.",
    ),
    fields: described(
      list(place, limits.withheldFields, 1),
      "Places in the accepted body, as JSON Pointers. One that names an object or a list stands for everything in " +
        "it that can be withheld; an empty one stands for the whole body. /client names what the sender said about " +
        "itself.",
    ),
    reason: oneOf(enumerations.withholdingReason),
    explanation: text(limits.explanation),
  },
  result: {
    /** The write's entry in the Room's activity, and the digest that can no longer be shown. */
    sequence: whole(1),
    contentDigest: v.string(),
    fields: v.array(v.string()),
    reason: oneOf(enumerations.withholdingReason),
    label: v.nullable(v.string()),
    /** In the first answer only: other places that may still hold the text, as far as the service knows. */
    mayStillHold: v.exactOptional(v.string()),
  },
  example: {
    of: { entryId: "0198f3a0-0000-7000-8000-000000000003" },
    fields: ["/text"],
    reason: "secret",
    explanation: "The message held an access token, which has been revoked.",
  },
})
