/** The audit log for operators, newest line first, filtered by kind or person. */
import type { AuditEntry } from "../../contract/answers/audit.ts"
import { auditKindNames, auditKinds, isAuditKind } from "../../contract/audit-kinds.ts"
import { attributes, type Html, html, to } from "../html.ts"
import { nextPage, tableOr, exactTime } from "../parts/parts.ts"
import { orNull, type Shown, type Visit } from "../visit.ts"
import { title, words } from "../words.ts"
import { adminShown, cursorIn } from "./admin.ts"

function about({ subject, roomId, detail }: AuditEntry): Html {
  const details = Object.entries(detail).map(
    ([name, value]) => html` <span class="meta">${words(name)}: ${String(value)}</span>`,
  )
  const name =
    subject === null ? null : html`${title(subject.kind)}: ${subject.name ?? html`<code>${subject.id}</code>`}`
  return html`${name}${
    roomId === null
      ? null
      : html` <a href="${to(`/rooms/${roomId}`)}">its Room<span class="aside"> ${roomId}</span></a>`
  }${details}`
}

const actorShown = ({ by, command }: AuditEntry): Html =>
  html`${by?.username ?? (command === null ? html`<span class="quiet">this service</span>` : null)}\
${command === null ? null : html` <span class="meta"><code>${command.name}</code> by ${command.account}</span>`}`

const line = (entry: AuditEntry): Html =>
  html`<tr id="line-${entry.sequence}"><td>${exactTime(entry.at)}</td><td data-is="by">${actorShown(entry)}</td>\
<td>${auditKinds[entry.kind]}</td><td data-is="of">${about(entry)}</td>
<td data-is="from">${entry.address ?? html`<span class="quiet">this machine</span>`}</td></tr>`

export function adminAuditPage(visit: Visit): Shown {
  const [kindQuery = "", user] = [visit.parameter("kind"), visit.parameter("user")]
  const kind = isAuditKind(kindQuery) ? kindQuery : undefined
  // An unknown user name is refused. It has no lines.
  const found = orNull(() => visit.ask("admin_audit", {}, { ...cursorIn(visit), user, kind }))
  const { items, nextCursor } = found ?? { items: [], nextCursor: null }
  return adminShown(
    "/audit",
    "Audit log",
    html`<form class="stack" method="get" action="${to("/admin/audit")}"><div class="field">\
<label for="kind">What</label><select id="kind" name="kind"><option value="">everything</option>\
${auditKindNames.map(
  (name) => html`<option value="${name}"${attributes({ selected: name === kind })}>${auditKinds[name]}</option>`,
)}</select></div>
<div class="field"><label for="user">Of</label><input id="user" name="user" value="${user ?? ""}" maxlength="64" \
autocomplete="off" placeholder="anybody"></div><div class="buttons"><button class="quiet">Show</button></div></form>
${tableOr("No line matches.", "Audit log", ["When", "Who", "What", "Of", "From"], items.map(line), "stacked")}\
${nextPage(visit, nextCursor)}
<p class="hint">Lines are added and never changed. At the command line: <code>research-room audit --json</code>.</p>`,
    "admin_audit",
  )
}
