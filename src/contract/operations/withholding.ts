/** What must not stand in a public record is taken out of sight: the one thing that is done to what was accepted. */
import * as v from "valibot"
import { quoting, words } from "../definitions/sentence.ts"
import { enumerations } from "../schema/enumerations.ts"
import { list, oneOf, shape, text, uuid, wellFormed, whole } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { described } from "../schema/described.ts"

/** A place in a body: a JSON Pointer, empty for all of it. No title: it is nothing that a person wrote. */
const place = v.pipe(
  v.string("must be a string"),
  v.regex(/^(?:\/[^\x00-\x1f\x7f]*)?$/u, "must be a JSON Pointer such as /assertion/wording"),
  wellFormed,
  v.maxCodePoints(1_000, "must have at most 1000 characters"),
)

export const withholdContent = operation({
  name: "withhold_content",
  surface: "browser",
  sentence: ({ reason, explanation }, label) => `withheld something of ${label} (${words(reason)})${quoting(explanation)}`,
  path: "/api/rooms/{roomId}/withholdings",
  summary:
    "Takes texts of an accepted write out of sight, for good and everywhere: a secret, personal data, what a court names. Ids, labels, digests and all that refers to it stay. By the Room's owner or an operator.",
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
      "The write: by an entry of a timeline that it left, by the record it made, or by its entry of the Room's activity.",
    ),
    fields: described(
      list(place, limits.withheldFields, 1),
      "Places in the body as it was accepted, as JSON Pointers; one that names an object or a list names all in it that can be withheld, and an empty one the whole body. /client names what the sender said of itself.",
    ),
    reason: oneOf(enumerations.withholdingReason),
    explanation: text(limits.explanation),
  },
  result: {
    /** The write's entry of the Room's activity, and the digest that can no longer be shown. */
    sequence: whole(1),
    contentDigest: v.string(),
    fields: v.array(v.string()),
    reason: oneOf(enumerations.withholdingReason),
    label: v.nullable(v.string()),
    /** In the first answer only: where it may still be, as far as the service knows. */
    mayStillHold: v.exactOptional(v.string()),
  },
  example: {
    of: { entryId: "0198f3a0-0000-7000-8000-000000000003" },
    fields: ["/text"],
    reason: "secret",
    explanation: "The message held an access token, which has been revoked.",
  },
})
