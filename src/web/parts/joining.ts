/** A request to join a Room, with the buttons that answer it. */
import { enumerations } from "../../contract/schema/enumerations.ts"
import { type Html, html } from "../html.ts"
import { title } from "../words.ts"
import { actionButton } from "./parts.ts"

interface Asking {
  readonly roomId: string
  readonly userId: string
  readonly username: string
  readonly message: string | null
}

/** Their message, and a button for each answer. A button leads to `next`, or to the Room's people if that is left out. */
export const joining = ({ roomId, userId, username, message }: Asking, next?: string): Html => {
  const given = { roomId, userId }
  const leads = next === undefined ? {} : { next }
  return html`${message === null ? null : html`<p class="said" dir="auto">${message}</p>`}<div class="actions">${enumerations.joinDecision.map(
    (decision) =>
      actionButton("decide_join_request", { ...given, "/decision": decision }, `${title(decision)} ${username}`, {
        ...leads,
        danger: decision === "decline",
      }),
  )}</div>`
}
