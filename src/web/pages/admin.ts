/** The operator's overview: data, disk, backups and versions; and the frame of the other administration pages. */
import { pathTo, type ReadName } from "../../contract/reads/index.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { empty, exactTime, facts, heading, more as link, table, time } from "../parts/parts.ts"
import type { Shown, Visit } from "../visit.ts"
import { bytes, counted } from "../words.ts"

const sections = [
  ["", "Overview"],
  ["/people", "People"],
  ["/rooms", "Rooms"],
  ["/credentials", "Credentials"],
  ["/keys", "Personal keys"],
  ["/invitations", "Invitations"],
  ["/audit", "Audit log"],
] as const

/** Returns a page of the administration, with links to the others. @param read the read that answers the same as JSON */
export function adminShown(section: (typeof sections)[number][0], title: string, body: Content, read?: ReadName): Shown {
  const links = sections.map(
    ([path, name]) => html`<a href="${to(`/admin${path}`)}"${path === section ? html` aria-current="page"` : null}>${name}</a> `,
  )
  return {
    title: `${title} · Administration`,
    wide: true,
    ...(read && { json: pathTo(read) }),
    body: html`<h1>${title}</h1><nav class="ways" aria-label="Administration">${links}</nav>${body}`,
  }
}

/** Returns a paged list of the administration. @param none the text of an empty list @param hint the text below the list */
export const adminList = (
  section: (typeof sections)[number][0],
  title: string,
  { none, caption, head, hint, read }: { none: string; caption: string; head: readonly Content[]; hint: Content; read: ReadName },
  { rows, nextCursor }: { rows: readonly Html[]; nextCursor: string | number | null },
): Shown =>
  adminShown(
    section,
    title,
    rows.length === 0
      ? empty(none)
      : html`${table(caption, head, rows, "stacked")}${nextLink(section, nextCursor)}
<p class="hint">${hint}</p>`,
    read,
  )

/** Returns a link to the next page of a list; null on the last page. */
export const nextLink = (section: string, after: string | number | null, more: Readonly<Record<string, string>> = {}): Html | null =>
  link(after === null ? null : withQuery(`/admin${section}`, { ...more, after }))

/** Returns the cursor in the address of a list. */
export const cursorIn = ({ url }: Visit): { readonly after?: string } => {
  const after = url.searchParams.get("after")
  return after === null ? {} : { after }
}

/** "12 MB", with the exact number of bytes as the title. */
export const size = (count: number): Html => html`<span title="${count.toLocaleString("en")} bytes">${bytes(count)}</span>`

export function adminPage(visit: Visit): Shown {
  const { storage, acceptedWrites, auditLines, backup, restoredAt, versions, instanceId, lineage, datedAhead } = visit.ask("admin_overview")
  return adminShown(
    "",
    "Administration",
    html`${
      datedAhead === null
        ? null
        : html`<div class="banner warn" role="note"><strong>Some writes are dated in the future.</strong><p>The clock of this machine was ahead when they were accepted. They are dated up to ${exactTime(datedAhead)}. New writes are dated by the clock and still come after them in every list. Check the clock, then look for <a href="${to("/admin/credentials")}">credentials</a>, <a href="${to("/admin/keys")}">keys</a> and <a href="${to("/admin/invitations")}">invitations</a> that expire too late.</p></div>`
    }<section aria-labelledby="data">${heading(2, "data", "Data")}${facts([
      storage === null ? null : ["Data", size(storage.databaseBytes)],
      storage === null ? null : ["Write-ahead log", size(storage.walBytes)],
      storage === null ? null : ["Free disk space", storage.freeDiskBytes === null ? "unknown" : size(storage.freeDiskBytes)],
      ["Accepted writes", acceptedWrites.toLocaleString("en")],
      ["Audit log lines", auditLines.toLocaleString("en")],
    ])}<p class="hint">Writes and audit log lines are kept forever, except for withheld texts. The full-text index and the timelines grow with them.</p></section>
<section aria-labelledby="backups">${heading(2, "backups", "Backups")}${
      backup === null
        ? html`<div class="banner warn" role="note"><strong>There is no known backup.</strong><p>Make one with <code>research-room backup FILE</code>, ideally every night with a timer.</p></div>`
        : facts([
            ["Last made", html`${time(backup.at)} <span class="quiet">${exactTime(backup.at)}</span>`],
            ["Into", backup.file === null ? "an unnamed file" : html`<code>${backup.file}</code>`],
            backup.bytes === null ? null : ["Size", size(backup.bytes)],
          ])
    }${restoredAt === null ? null : html`<p class="meta">This data was restored from a backup ${time(restoredAt)}.</p>`}</section>
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
