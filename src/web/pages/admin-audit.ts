/** The audit log, as an operator reads it: the newest line first, of a kind or of a person. */
import { type AuditEntry, auditKindNames, auditKinds, isAuditKind } from "../../contract/answers/audit.ts"
import { attributes, type Html, html, to } from "../html.ts"
import { empty, exactTime, table } from "../parts/parts.ts"
import { orNull, type Shown, type Visit } from "../visit.ts"
import { words } from "../words.ts"
import { adminShown, asked, onwards } from "./admin.ts"

/** Whom or what it was done to, and what else there is to say. */
function about({ subject, roomId, detail }: AuditEntry): Html {
  const said = Object.entries(detail).map(([name, value]) => html` <span class="meta">${words(name)}: ${String(value)}</span>`)
  const name = subject === null ? null : html`${words(subject.kind)} ${subject.name ?? html`<code>${subject.id}</code>`}`
  return html`${name}${roomId === null ? null : html` <a href="${to(`/rooms/${roomId}`)}">Room<span class="aside"> ${roomId}</span></a>`}${said}`
}

const actorShown = ({ by, command }: AuditEntry): Html =>
  html`${by?.username ?? (command === null ? html`<span class="quiet">nobody</span>` : null)}${command === null ? null : html` <span class="meta"><code>${command.name}</code> by ${command.account}</span>`}`

export function adminAuditPage(visit: Visit): Shown {
  const given = visit.url.searchParams
  const [kindAsked, user] = [given.get("kind") ?? "", given.get("user") ?? ""]
  const kind = isAuditKind(kindAsked) ? kindAsked : undefined
  const whose = user === "" ? {} : { user }
  // Of a name that nobody has there is no line.
  const found = orNull(() => visit.ask("admin_audit", {}, { ...asked(visit), ...whose, kind }))
  const { items, nextCursor } = found ?? { items: [], nextCursor: null }
  return adminShown(
    "/audit",
    "Audit log",
    html`<form class="stack" method="get" action="${to("/admin/audit")}"><div class="field"><label for="kind">What</label><select id="kind" name="kind"><option value="">everything</option>${auditKindNames.map((name) => html`<option value="${name}"${attributes({ selected: name === kind })}>${auditKinds[name]}</option>`)}</select></div>
<div class="field"><label for="user">Of</label><input id="user" name="user" value="${user}" maxlength="64" autocomplete="off" placeholder="anybody"></div><div class="buttons"><button class="quiet">Show</button></div></form>
${
  items.length === 0
    ? empty("There is no such line.")
    : table(
        "Audit log",
        ["When", "Who", "What", "Of", "From"],
        items.map(
          (
            entry,
          ) => html`<tr id="line-${entry.sequence}"><td>${exactTime(entry.at)}</td><td data-is="by">${actorShown(entry)}</td><td>${auditKinds[entry.kind]}</td><td data-is="of">${about(entry)}</td>
<td data-is="from">${entry.address ?? html`<span class="quiet">here</span>`}</td></tr>`,
        ),
        "stacked",
      )
}${onwards("/audit", nextCursor, { kind: kind ?? "", user })}
<p class="hint">Lines are only ever added. The same at the command line: <code>research-room audit --json</code>.</p>`,
    "admin_audit",
  )
}
