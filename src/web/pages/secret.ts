/** A token, shown once, with what to paste next. */
import type { Receipt } from "../../contract/answers.ts"
import type { Operation } from "../../contract/operation.ts"
import { html, to } from "../html.ts"
import { command, exactTime, facts, heading } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { joinedWords } from "../words.ts"

/** What was issued, its token included: in this one answer only. */
const issuedIn = ({ result: { token, label, permissions, expiresAt } }: Receipt) => ({
  token: String(token),
  label: String(label),
  permissions: Array.isArray(permissions) ? permissions.map(String) : [],
  expiresAt: String(expiresAt),
})

/** A personal key: the same, for the Library. */
function keyPage({ edge: { baseUrl } }: Visit, receipt: Receipt): Shown {
  const { token, label, permissions, expiresAt } = issuedIn(receipt)
  const shell = `export RESEARCH_ROOM_URL=${baseUrl}\nexport PERSONAL_KEY=${token}\ncurl -H "Authorization: Bearer $PERSONAL_KEY" "$RESEARCH_ROOM_URL/api/agent/library/identity"`
  return {
    title: "Personal key",
    body: html`<h1 data-stored>Your personal key</h1>
      <div class="banner warn" role="status"><strong>Shown once.</strong><p>It opens your Library to an agent of yours, and nothing else. Copy it now.</p>
      </div>
<section aria-labelledby="token">${heading(2, "token", "The key")}${command(token)}${facts([
      ["Label", label],
      ["May", joinedWords(permissions)],
      ["Expires", exactTime(expiresAt)],
    ])}</section>
<section aria-labelledby="shell">${heading(2, "shell", "For a shell")}${command(shell)}</section><p><a href="${to("/account")}">Back to your account</a></p>`,
  }
}

export function secretPage(visit: Visit, operation: Operation, receipt: Receipt): Shown {
  if (operation.family === "library") return keyPage(visit, receipt)
  const { edge } = visit
  const { token, label, permissions, expiresAt } = issuedIn(receipt)
  const { baseUrl } = edge
  const shell = `export RESEARCH_ROOM_URL=${baseUrl}\nexport ROOM_CREDENTIAL=${token}\ncurl -H "Authorization: Bearer $ROOM_CREDENTIAL" "$RESEARCH_ROOM_URL/api/agent/research/identity"`
  const prompt = `You take part in a research Room. Read ${baseUrl}/api/research/skill first: it says how.\nThe service is at ${baseUrl}. Your credential is in the environment variable ROOM_CREDENTIAL; send it as Authorization: Bearer, to this address only, and never print it.\nBegin with GET /api/agent/research/identity, then GET /api/research/rooms/${receipt.roomId}/research-context.`
  return {
    title: "Credential",
    headers: { "referrer-policy": "no-referrer" },
    body: html`<h1 data-stored>${operation.name === "rotate_credential" ? "The new credential" : "Your credential"}</h1>
<div class="banner warn" role="status"><strong>Shown once.</strong><p>Copy it now: the service keeps only a digest of it. If it is lost, rotate it.</p></div>
<section aria-labelledby="token">${heading(2, "token", "The token")}${command(token)}${facts([
      ["Label", label],
      ["May", joinedWords(permissions)],
      ["Expires", exactTime(expiresAt)],
    ])}</section>
<section aria-labelledby="shell">${heading(2, "shell", "For a shell")}${command(shell)}</section>
<section aria-labelledby="prompt">${heading(2, "prompt", "For an agent's instructions")}${command(prompt)}</section>
<p><a href="${to(`/rooms/${receipt.roomId}/people`)}">Back to the people of the Room</a></p>`,
  }
}
