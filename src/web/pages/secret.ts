/** The pages that show a new token, once, with the settings to paste. */
import type { Receipt } from "../../contract/answers/index.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { html, to } from "../html.ts"
import { connectionTexts, programTexts } from "../parts/connecting.ts"
import { command, exactTime, facts, heading } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { joinedWords } from "../words.ts"
import { firstRequests } from "./connect.ts"

/** Returns what was issued. Only this receipt contains the token. */
const issuedIn = ({ result: { token, label, permissions, expiresAt } }: Receipt) => ({
  token: String(token),
  label: String(label),
  permissions: Array.isArray(permissions) ? permissions.map(String) : [],
  expiresAt: String(expiresAt),
})

function keyPage({ edge: { baseUrl } }: Visit, receipt: Receipt): Shown {
  const { token, label, permissions, expiresAt } = issuedIn(receipt)
  return {
    title: "Personal key",
    body: html`<h1 data-stored>Your personal key</h1>
      <div class="banner warn" role="status"><strong>Shown once.</strong><p>Copy it now. With it, your agent can read and write your Library within the reach of the key.</p>
      </div>
<section aria-labelledby="token">${heading(2, "token", "Key")}${command(token, "the key")}${facts([
      ["Label", label],
      ["May", joinedWords(permissions)],
      ["Expires", exactTime(expiresAt)],
    ])}</section>
${programTexts({ baseUrl, token, family: "library" })}<p><a href="${to("/account")}">Back to your account</a></p>`,
  }
}

export function secretPage(visit: Visit, operation: Operation, receipt: Receipt): Shown {
  if (operation.family === "library") return keyPage(visit, receipt)
  const { edge } = visit
  const roomId = receipt.roomId ?? ""
  const { token, label, permissions, expiresAt } = issuedIn(receipt)
  return {
    title: "Credential",
    headers: { "referrer-policy": "no-referrer" },
    body: html`<h1 data-stored>${operation.name === "rotate_credential" ? "The new credential" : "Your credential"}</h1>
<div class="banner warn" role="status"><strong>Shown once.</strong><p>Copy it now. The service keeps only a digest of it. If you lose it, rotate the credential.</p></div>
<section aria-labelledby="token">${heading(2, "token", "Token")}${command(token, "the token")}${facts([
      ["Label", label],
      ["May", joinedWords(permissions)],
      ["Expires", exactTime(expiresAt)],
    ])}</section>
${connectionTexts({ baseUrl: edge.baseUrl, token, roomId })}
${firstRequests(roomId, [{ credentialId: receipt.target.id, label, lastUsedAt: null }])}
<p><a href="${to(`/rooms/${roomId}/people`)}">Back to the people of the Room</a></p>`,
  }
}
