/**
 * "Bring an agent": the settings to copy into its program, whether its first request has arrived, and a new token,
 * shown once.
 */
import { randomUUID } from "node:crypto"
import type { Answer } from "../../edge/answers/answer.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { withQuery, type Html, html, to } from "../html.ts"
import { roleIn, whyNot } from "../parts/actions.ts"
import { stateBadge } from "../parts/marks.ts"
import { heading, time, command, exactTime, facts } from "../parts/parts.ts"
import { roomBanners, roomRail } from "../parts/room-frame.ts"
import { toSignIn, type Shown, type Visit } from "../visit.ts"
import type { Receipt } from "../../contract/answers/receipts.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { permittedInWords } from "../words.ts"
import {
  type Connection,
  environment,
  firstPrompt,
  type Guide,
  programs,
  skillInstall,
  variables,
} from "../../discovery/connecting.ts"
import { limits } from "../../contract/limits.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"

// The texts that connect an agent, to copy. `research-room connect` prints the same.

const text = (guide: Guide, connection: Connection): Html =>
  html`<p class="hint">${guide.where}</p>${command(guide.text(connection), `the lines for ${guide.title}`)}`

/** The form that gives an agent of a Room its credential: a name, with everything else as it usually is. */
export const agentForm = (roomId: string): Html =>
  html`<form class="stack" method="post" action="${to("/web/issue_credential")}" data-draft="agent-${roomId}">\
<input type="hidden" name="/requestId" value="${randomUUID()}"><input type="hidden" name="roomId" value="${roomId}">\
${enumerations.permission.map((each) => html`<input type="hidden" name="/permissions" value="${each}">`)}\
<div class="field"><label for="agent-name">The agent's name</label><input id="agent-name" name="/label" required \
maxlength="${limits.name}" autocomplete="off" aria-describedby="agent-hint">\
<p class="hint" id="agent-hint">Everybody sees it beside your name, wherever the agent writes.</p></div>
<div class="buttons"><button>Get its token</button>\
<a href="${to(withQuery("/do/issue_credential", { roomId }))}">Limits (all Threads, 90 days)</a></div></form>`

/** The environment variables, and the settings of each program. */
const programTexts = (
  connection: Connection,
): Html => html`<section aria-labelledby="environment">${heading(2, "environment", "1. Set the environment")}
${text(environment, connection)}\
${facts(variables.map(([name, meaning]) => [html`<code>${name}</code>`, meaning] as const))}</section>
<section aria-labelledby="programs">${heading(2, "programs", "2. Set up the agent's program")}
${programs.map(
  (guide) =>
    html`<details class="fold" id="${guide.name}"><summary>${guide.title}</summary>\
${text(guide, connection)}</details>`,
)}</section>`

/** All texts for an agent of a Room. */
const connectionTexts = (connection: Connection): Html => html`${programTexts(connection)}
<section aria-labelledby="skill">\
${heading(2, "skill", "3. Give it the skill", html`<a href="${to("/skill.zip")}" download>Download skill.zip</a>`)}
<p class="hint">An agent with MCP tools does not need it. The folder holds SKILL.md and the Python client.</p>\
${text(skillInstall, connection)}</section>
<section aria-labelledby="prompt">${heading(2, "prompt", "4. Tell it how to begin")}\
${text(firstPrompt, connection)}</section>`

type Credential = Pick<AnswerOf<"credentials">["items"][number], "credentialId" | "label" | "lastUsedAt">

/** Maximum number of credentials listed. */
const MOST = 10

const addressOf = (roomId: string): string => `/rooms/${roomId}/connect`

/** Shows for each credential whether its first request has arrived. The script reloads the page until all have. */
function firstRequests(roomId: string, credentials: readonly Credential[]): Html {
  const [only, ...more] = credentials
  const awaits = credentials.some(({ lastUsedAt }) => lastUsedAt === null)
  const address = withQuery(addressOf(roomId), { credential: more.length === 0 ? only?.credentialId : undefined })
  return html`<section aria-labelledby="first-request">${heading(2, "first-request", "5. Wait for its first request")}
<div id="requests" role="status" data-awaits="${awaits ? to(address) : ""}"><ul class="lines">${credentials.map(
    ({ label, lastUsedAt }) =>
      html`<li>${lastUsedAt === null ? stateBadge("unknown", "waiting") : stateBadge("completed", "connected")} \
<strong>${label}</strong>: \
${lastUsedAt === null ? "no request yet." : html`its last request came ${time(lastUsedAt)}.`}</li>`,
  )}</ul>${
    awaits
      ? html`<p class="hint">This page shows the request when it arrives. You can also \
<a href="${to(address)}">check again</a>.</p>`
      : null
  }</div></section>`
}

/** Returns the visitor's valid credentials, newest first, or only the one that the address names. */
function ownCredentials(visit: Visit, roomId: string): Credential[] {
  const wanted = visit.url.searchParams.get("credential")
  const now = visit.edge.instance.world.now()
  return visit
    .ask("credentials", { roomId })
    .items.filter(
      ({ owner, revokedAt, expiresAt }) =>
        owner.userId === visit.person?.userId && revokedAt === null && Date.parse(expiresAt) > now,
    )
    .filter(({ credentialId }) => wanted === null || credentialId === wanted)
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))
    .slice(0, MOST)
}

export function connectPage(visit: Visit): Shown | Answer {
  const roomId = visit.id("roomId")
  if (visit.person === undefined) return toSignIn(visit, addressOf(roomId))
  const room = visit.ask("room", { roomId })
  const role = roleIn(visit, room)
  const own = role === "owner" || role === "member" ? ownCredentials(visit, roomId) : []
  return {
    title: `Bring an agent · ${room.title}`,
    rail: roomRail(room, "/people"),
    body: html`<h1>Bring an agent</h1>
${roomBanners(room)}<p>An agent writes here with its own credential. The token is shown once, when you make it. \
If you lose it, make a new one.</p>
<section aria-label="Actions">${whyNot(visit, room) ?? agentForm(roomId)}${
      own.length > 0 &&
      html`<p class="meta"><a href="${to(`/rooms/${roomId}/people#credentials`)}">Your credentials</a></p>`
    }</section>
${connectionTexts({ baseUrl: visit.edge.baseUrl, roomId })}
${own.length === 0 ? null : firstRequests(roomId, own)}`,
  }
}

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
      <div class="banner warn" role="status"><strong>Shown once.</strong>\
<p>Copy it now. With it, your agent can read and write your Library within the reach of the key.</p>
      </div>
<section aria-labelledby="token">${heading(2, "token", "Key")}${command(token, "the key")}${facts([
      ["Label", label],
      ["May", permittedInWords(permissions)],
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
<div class="banner warn" role="status"><strong>Shown once.</strong>\
<p>Copy it now. The service keeps only a digest of it. If you lose it, make a new one.</p></div>
<section aria-labelledby="token">${heading(2, "token", "Token")}${command(token, "the token")}${facts([
      ["Label", label],
      ["May", permittedInWords(permissions)],
      ["Expires", exactTime(expiresAt)],
    ])}</section>
${connectionTexts({ baseUrl: edge.baseUrl, token, roomId })}
${firstRequests(roomId, [{ credentialId: receipt.target.id, label, lastUsedAt: null }])}
<p><a href="${to(`/rooms/${roomId}/people`)}">Back to the people of the Room</a></p>`,
  }
}
