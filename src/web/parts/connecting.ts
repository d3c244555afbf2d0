/** The texts that connect an agent, to copy. `research-room connect` prints the same. */
import {
  type Connection,
  environment,
  firstPrompt,
  type Guide,
  programs,
  skillInstall,
  variables,
} from "../../discovery/connecting.ts"
import { randomUUID } from "node:crypto"
import { limits } from "../../contract/limits.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"
import { withQuery } from "../addresses.ts"
import { type Html, html, to } from "../html.ts"
import { command, facts, heading } from "./parts.ts"

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
export const programTexts = (
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
export const connectionTexts = (connection: Connection): Html => html`${programTexts(connection)}
<section aria-labelledby="skill">\
${heading(2, "skill", "3. Give it the skill", html`<a href="${to("/skill.zip")}" download>Download skill.zip</a>`)}
<p class="hint">An agent with MCP tools does not need it. The folder holds SKILL.md and the Python client.</p>\
${text(skillInstall, connection)}</section>
<section aria-labelledby="prompt">${heading(2, "prompt", "4. Tell it how to begin")}\
${text(firstPrompt, connection)}</section>`
