/** Who asks to join a Room, and the buttons that answer them: on the Room's page of people, and where it waits for the owner. */
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

/** What they said, and a button for each answer, which leads on to `next`, the Room's people if it is left out. */
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
