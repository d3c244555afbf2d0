/** A request to join a Room, with the buttons that answer it. */
import { enumerations } from "../../contract/schema/enumerations.ts"
import { type Html, html } from "../html.ts"
import { title } from "../words.ts"
import { actionButton } from "./parts.ts"

type Asking = { readonly [N in "roomId" | "userId" | "username"]: string } & { readonly message: string | null }

/** The message and a button for each answer. After it the browser shows `next`, or the Room's people by default. */
export const joining = ({ roomId, userId, username, message }: Asking, next?: string): Html => {
  const given = { roomId, userId }
  return html`${message === null ? null : html`<p class="said" dir="auto">${message}</p>`}<div class="actions">\
${enumerations.joinDecision.map((decision) =>
  actionButton("decide_join_request", { ...given, "/decision": decision }, `${title(decision)} ${username}`, {
    ...(next !== undefined && { next }),
    danger: decision === "decline",
  }),
)}</div>`
}
