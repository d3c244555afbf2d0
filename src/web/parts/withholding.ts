/** The link for withholding content, for people who may do that. */
import { withQuery } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import type { Visit } from "../visit.ts"
import { type RoomLike, roleIn } from "./actions.ts"

/**
 * Whether the visitor may withhold content of a Room: as its owner or an operator, but not in a Room of another
 * instance.
 */
export const mayWithhold = (visit: Visit, room: RoomLike): boolean =>
  visit.canAct &&
  visit.person !== undefined &&
  room.origin == null &&
  (roleIn(visit, room) === "owner" || visit.tables.people.isOperator(visit.person.userId))

/** The ways to name a write in a link. */
export type Named = { readonly entryId: string } | { readonly versionId: string } | { readonly sequence: number }

/** A link for withholding part of a write. @param what the write's name, for screen readers */
export function withholdLink({ roomId }: Pick<RoomLike, "roomId">, of: Named, what: string): Html {
  const [[name, value] = ["sequence", 0]] = Object.entries(of)
  return html`<a class="withhold" \
href="${to(withQuery("/do/withhold_content", { roomId, [`/of/${name}`]: value }))}">Withhold<span class="aside"> \
something of ${what}</span></a>`
}
