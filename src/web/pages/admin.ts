/**
 * The operator's overview, the audit log, the Rooms with the page that gives one another owner, and the frame of the
 * other administration pages.
 */
import { randomUUID } from "node:crypto"
import { type AnswerOf, pathTo, type ReadName } from "../../contract/reads/index.ts"
import { type Content, type Html, html, to, attributes } from "../html.ts"
import { nextPage, actionsHead, empty, exactTime, facts, heading, table, time, tableOr } from "../parts/parts.ts"
import { type Shown, type Visit, orNull } from "../visit.ts"
import { bytes, counted, title, words } from "../words.ts"
import { limits } from "../../contract/limits.ts"
import { stateBadge } from "../parts/marks.ts"
import type { AuditEntry } from "../../contract/nouns/administration.ts"
import { auditKindNames, auditKinds, isAuditKind } from "../../contract/audit-kinds.ts"

const sections = [
  ["", "Overview"],
  ["/people", "People"],
  ["/rooms", "Rooms"],
  ["/credentials", "Credentials"],
  ["/keys", "Personal keys"],
  ["/invitations", "Invitations"],
  ["/audit", "Audit log"],
] as const

/**
 * Returns a page of the administration, with links to the others. @param read the read that answers the same as JSON
 */
function adminShown(section: (typeof sections)[number][0], title: string, body: Content, read?: ReadName): Shown {
  const links = sections.map(
    ([path, name]) =>
      html`<a href="${to(`/admin${path}`)}"${path === section ? html` aria-current="page"` : null}>${name}</a> `,
  )
  return {
    title: `${title} · Administration`,
    wide: true,
    ...(read && { json: pathTo(read) }),
    body: html`<h1>${title}</h1><nav class="ways" aria-label="Administration">${links}</nav>${body}`,
  }
}

interface List {
  readonly read: ReadName
  /** The caption of the table, if not its title. */
  readonly caption?: string
  readonly head: readonly Content[]
  /** The text below the list. */
  readonly hint: Content
  /** The text of an empty list. */
  readonly none: string
}

/** Returns a paged list of the administration. @param row renders an item, given the present time */
export function adminList<T>(
  visit: Visit,
  section: (typeof sections)[number][0],
  title: string,
  { read, caption = title, head, hint, none }: List,
  { items, nextCursor }: { readonly items: readonly T[]; readonly nextCursor: string | number | null },
  row: (item: T, now: number) => Html,
): Shown {
  const now = visit.edge.instance.world.now()
  const rows = items.map((item) => row(item, now))
  const body = html`${table(caption, head, rows, "stacked")}${nextPage(visit, nextCursor)}
<p class="hint">${hint}</p>`
  return adminShown(section, title, rows.length === 0 ? empty(none) : body, read)
}

/** Returns the cursor in the address of a list. */
export const cursorIn = ({ parameter }: Visit) => ({ after: parameter("after") })

/** "12 MB", with the exact number of bytes as the title. */
export const size = (count: number): Html =>
  html`<span title="${count.toLocaleString("en")} bytes">${bytes(count)}</span>`

export function adminPage(visit: Visit): Shown {
  const { storage, acceptedWrites, auditLines, backup, restoredAt, versions, instanceId, lineage, datedAhead } =
    visit.ask("admin_overview")
  return adminShown(
    "",
    "Administration",
    html`${
      datedAhead === null
        ? null
        : html`<div class="banner warn" role="note"><strong>Some writes are dated in the future.</strong>\
<p>The clock of this machine was ahead when they were accepted. They are dated up to ${exactTime(datedAhead)}. New \
writes are dated by the clock and still come after them in every list. Check the clock, then look for \
<a href="${to("/admin/credentials")}">credentials</a>, <a href="${to("/admin/keys")}">keys</a> and \
<a href="${to("/admin/invitations")}">invitations</a> that expire too late.</p></div>`
    }<section aria-labelledby="data">${heading(2, "data", "Data")}${facts([
      storage === null ? null : ["Data", size(storage.databaseBytes)],
      storage === null ? null : ["Write-ahead log", size(storage.walBytes)],
      storage === null
        ? null
        : ["Free disk space", storage.freeDiskBytes === null ? "unknown" : size(storage.freeDiskBytes)],
      ["Accepted writes", acceptedWrites.toLocaleString("en")],
      ["Audit log lines", auditLines.toLocaleString("en")],
    ])}<p class="hint">Writes and audit log lines are kept forever, except for withheld texts. The full-text index and \
the timelines grow with them.</p></section>
<section aria-labelledby="backups">${heading(2, "backups", "Backups")}${
      backup === null
        ? html`<div class="banner warn" role="note"><strong>There is no known backup.</strong>\
<p>Make one with <code>research-room backup FILE</code>, ideally every night with a timer.</p></div>`
        : facts([
            ["Last made", html`${time(backup.at)} <span class="quiet">${exactTime(backup.at)}</span>`],
            ["Into", backup.file === null ? "an unnamed file" : html`<code>${backup.file}</code>`],
            backup.bytes === null ? null : ["Size", size(backup.bytes)],
          ])
    }${
      restoredAt === null ? null : html`<p class="meta">This data was restored from a backup ${time(restoredAt)}.</p>`
    }</section>
<section aria-labelledby="versions">${heading(2, "versions", "Versions")}${facts([
      ["Program", versions.software],
      ["Protocol", String(versions.protocol)],
      versions.schema === null ? null : ["Schema of the data", String(versions.schema)],
      ["Node", versions.node],
      versions.sqlite === null ? null : ["SQLite", versions.sqlite],
      ["Instance", html`<code>${instanceId}</code>`],
      lineage.length === 0 ? null : ["Restored from", counted(lineage.length, "earlier instance")],
    ])}</section>`,
    "admin_overview",
  )
}

type Listed = AnswerOf<"admin_rooms">["items"][number]
const roomRow = ({
  roomId,
  title,
  owner,
  state,
  origin,
  members,
  entries,
  acceptedBytes,
  lastActivityAt,
}: Listed): Html =>
  html`<tr><th scope="row"><a href="${to(`/rooms/${roomId}`)}">${title}</a></th>
<td data-is="owner">${owner.username}\
${owner.disabledAt === null ? null : html` ${stateBadge("retracted", "disabled")}`}</td>\
<td>${origin === null ? state : "of another instance"}</td>
<td data-is="members">${members.toLocaleString("en")}</td><td data-is="entries">${entries.toLocaleString("en")}</td>\
<td data-is="size">${size(acceptedBytes)}</td><td data-is="last activity">${time(lastActivityAt)}</td>
<td>${
    origin === null
      ? html`<a href="${to(`/admin/rooms/${roomId}`)}">Change owner<span class="aside">: ${title}</span></a>`
      : null
  }</td></tr>`

export function adminRoomsPage(visit: Visit): Shown {
  const list = {
    read: "admin_rooms",
    head: ["Room", "Owner", "State", "Members", "Entries", "Size", "Last activity", actionsHead],
    hint:
      "The size of a Room is the size of all writes that it accepted, without what was withheld since. " +
      "The data file also holds what is computed from them, so it takes about twice as much for long texts and " +
      "more for short ones.",
    none: "There are no Rooms yet.",
  } as const
  return adminList(visit, "/rooms", "Rooms", list, visit.ask("admin_rooms", {}, cursorIn(visit)), roomRow)
}

/** Maximum number of people offered who are not members. */
const OFFERED = 200

export function adminRoomPage(visit: Visit): Shown {
  const room = visit.ask("room", { roomId: visit.id("roomId") })
  const { people } = visit.tables
  const disabled = people.disabledAmong(room.members.map(({ userId }) => userId))
  const members = room.members.filter(({ userId, role }) => role !== "owner" && !disabled.has(userId))
  const known = new Set(room.members.map(({ userId }) => userId))
  const others = people
    .page(null, OFFERED)
    .filter(({ userId, disabledAt }) => disabledAt === null && !known.has(userId))
  const option = ({ userId, username }: { readonly userId: string; readonly username: string }) =>
    html`<option value="${userId}">${username}</option>`
  return adminShown(
    "/rooms",
    room.title,
    html`${facts([
      ["Owner", room.owner.username],
      ["Members", String(room.counts.members)],
      ["Entries", room.activityWatermark.toLocaleString("en")],
      ["Last activity", time(room.lastActivityAt)],
    ])}
<section aria-labelledby="owner">${heading(2, "owner", "Change owner")}\
<p class="hint">The Room's activity shows everybody that you did this, and why. The present owner stays a member. You \
can undo it in the same way.</p>
${
  members.length + others.length === 0
    ? empty("There is nobody else who can own it.")
    : html`<form class="stack" method="post" action="${to("/web/transfer_room")}">\
<input type="hidden" name="/requestId" value="${randomUUID()}">\
<input type="hidden" name="roomId" value="${room.roomId}"><input type="hidden" name="_next" value="/admin/rooms">
<div class="field"><label for="new-owner">New owner</label><select id="new-owner" name="userId" required>\
${members.length === 0 ? null : html`<optgroup label="Members">${members.map(option)}</optgroup>`}\
${others.length === 0 ? null : html`<optgroup label="Others here">${others.map(option)}</optgroup>`}</select></div>
<div class="field"><label for="reason">Why</label>\
<textarea id="reason" name="/reason" rows="3" maxlength="${limits.explanation}" required></textarea></div>
<div class="buttons"><button>Make owner</button><a href="${to("/admin/rooms")}">Cancel</a></div></form>`
}</section>`,
  )
}

// The audit log for operators, newest line first, filtered by kind or person.

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
