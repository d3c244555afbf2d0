/** A token, shown once, with what to paste next. */
import type { Receipt } from "../../contract/answers/index.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { mcpPath } from "../../discovery/routes.ts"
import { type Html, html, to } from "../html.ts"
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

const header = (variable: string) => `-H "Authorization: Bearer $${variable}"`
/** The settings of an agent's program that speaks MCP, in the form that most of them read. */
const mcp = (baseUrl: string, token: string): string =>
  JSON.stringify(
    { mcpServers: { "research-room": { type: "http", url: `${baseUrl}${mcpPath}`, headers: { Authorization: `Bearer ${token}` } } } },
    null,
    2,
  )

/** A block to paste, under a heading. */
const block = (id: string, name: string, text: string): Html =>
  html`<section aria-labelledby="${id}">${heading(2, id, name)}${command(text, `the lines for ${name}`)}</section>`

/** A personal key: the same, for the Library. */
function keyPage({ edge: { baseUrl } }: Visit, receipt: Receipt): Shown {
  const { token, label, permissions, expiresAt } = issuedIn(receipt)
  const curl = `export PERSONAL_KEY=${token}\ncurl ${header("PERSONAL_KEY")} ${baseUrl}/api/agent/library/identity`
  return {
    title: "Personal key",
    body: html`<h1 data-stored>Your personal key</h1>
      <div class="banner warn" role="status"><strong>Shown once.</strong><p>Copy it now. With it an agent of yours reads and writes your Library, as far as the key reaches.</p>
      </div>
<section aria-labelledby="token">${heading(2, "token", "Key")}${command(token, "the key")}${facts([
      ["Label", label],
      ["May", joinedWords(permissions)],
      ["Expires", exactTime(expiresAt)],
    ])}</section>
${block("curl", "curl", curl)}
${block("mcp", "MCP", mcp(baseUrl, token))}<p><a href="${to("/account")}">Back to your account</a></p>`,
  }
}

export function secretPage(visit: Visit, operation: Operation, receipt: Receipt): Shown {
  if (operation.family === "library") return keyPage(visit, receipt)
  const { edge } = visit
  const { token, label, permissions, expiresAt } = issuedIn(receipt)
  const { baseUrl } = edge
  const settings = `export RESEARCH_ROOM_URL=${baseUrl}\nexport RESEARCH_ROOM_TOKEN=${token}`
  const curl = `${settings}\ncurl ${header("RESEARCH_ROOM_TOKEN")} $RESEARCH_ROOM_URL/api/agent/research/identity`
  const python = `${settings}\ncurl -O $RESEARCH_ROOM_URL/research_room.py\npython3 -c 'from research_room import Room; print(Room().get_identity())'`
  const prompt = `You take part in a research Room. Read ${baseUrl}/api/research/skill first: it says how.\nThe service is at ${baseUrl}. Your credential is in the environment variable RESEARCH_ROOM_TOKEN. Send it as Authorization: Bearer, to this address only, and never print it.\nBegin with GET /api/agent/research/identity, then GET /api/research/rooms/${receipt.roomId}/brief?format=markdown.`
  return {
    title: "Credential",
    headers: { "referrer-policy": "no-referrer" },
    body: html`<h1 data-stored>${operation.name === "rotate_credential" ? "The new credential" : "Your credential"}</h1>
<div class="banner warn" role="status"><strong>Shown once.</strong><p>Copy it now: the service keeps only a digest of it. If you lose it, rotate it.</p></div>
<section aria-labelledby="token">${heading(2, "token", "Token")}${command(token, "the token")}${facts([
      ["Label", label],
      ["May", joinedWords(permissions)],
      ["Expires", exactTime(expiresAt)],
    ])}</section>
${block("curl", "curl", curl)}
${block("python", "Python", python)}
${block("mcp", "MCP", mcp(baseUrl, token))}
${block("prompt", "An agent's instructions", prompt)}
<p><a href="${to(`/rooms/${receipt.roomId}/people`)}">Back to the people of the Room</a></p>`,
  }
}
