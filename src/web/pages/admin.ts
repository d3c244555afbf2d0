/** What an operator sees first: what there is, what grows, the disk, backups, versions. To everybody else nothing is here. */
import { protocolVersion } from "../../contract/versions.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { exactTime, facts, heading, time } from "../parts/parts.ts"
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

/** A page of the administration, with the way to the others. */
export function adminShown(section: (typeof sections)[number][0], title: string, body: Content): Shown {
  const links = sections.map(
    ([path, name]) => html`<a href="${to(`/admin${path}`)}"${path === section ? html` aria-current="page"` : null}>${name}</a> `,
  )
  return {
    title: `${title} · Administration`,
    wide: true,
    body: html`<h1>${title}</h1><nav class="ways" aria-label="Administration">${links}</nav>${body}`,
  }
}

/** Rows that a page of a list shows. */
export const PAGE = 50

/** Where a list goes on before its last row; null at its end. @param rows one more than are shown, where there are more */
export const nextBefore = <T>(rows: readonly T[], idOf: (row: T) => string | number): string | null => {
  const last = rows[PAGE - 1]
  return rows.length > PAGE && last !== undefined ? String(idOf(last)) : null
}

/** "12 MB", with every byte at hand. */
const size = (count: number): Html => html`<span title="${count.toLocaleString("en")} bytes">${bytes(count)}</span>`

export function adminPage(visit: Visit): Shown {
  const { edge, tables } = visit
  const { audit } = tables
  const storage = edge.storage?.()
  const backup = audit.newest("back_up")
  const restored = audit.newest("restore_backup")
  const lines = audit.page({}, null, 1)[0]?.sequence ?? 0
  const { bytes: made, file } = backup?.detail ?? {}
  return adminShown(
    "",
    "Administration",
    html`<section aria-labelledby="data">${heading(2, "data", "The data, and what grows")}${facts([
      storage === undefined ? null : ["Data", size(storage.databaseBytes)],
      storage === undefined ? null : ["Write-ahead log", size(storage.walBytes)],
      storage === undefined
        ? null
        : ["Left on the disk", storage.freeDiskBytes === null ? "not told by the system" : size(storage.freeDiskBytes)],
      ["Accepted writes", (edge.instance.ledger.history.next() - 1).toLocaleString("en")],
      ["Lines of the audit log", lines.toLocaleString("en")],
    ])}<p class="hint">Every accepted write and every line stays, but for texts that were withheld. The full-text index and the timelines grow with them.</p></section>
<section aria-labelledby="backups">${heading(2, "backups", "Backups")}${
      backup === undefined
        ? html`<div class="banner warn" role="note"><strong>No backup is known of.</strong><p>Make one with <code>research-room backup FILE</code>, best every night by a timer.</p></div>`
        : facts([
            ["Last made", html`${time(backup.at)} <span class="quiet">${exactTime(backup.at)}</span>`],
            ["Into", typeof file === "string" ? html`<code>${file}</code>` : "a file that is not named"],
            typeof made === "number" ? ["Size", size(made)] : null,
          ])
    }${restored === undefined ? null : html`<p class="meta">This data was put back from a backup ${time(restored.at)}.</p>`}</section>
<section aria-labelledby="versions">${heading(2, "versions", "Versions")}${facts([
      ["Program", edge.softwareVersion],
      ["Protocol", String(protocolVersion)],
      storage === undefined ? null : ["Schema of the data", String(storage.schema)],
      ["Node", process.versions.node],
      storage === undefined ? null : ["SQLite", storage.sqlite],
      ["Instance", html`<code>${edge.instance.instanceId}</code>`],
      edge.instance.lineage.length === 0 ? null : ["Restored from", counted(edge.instance.lineage.length, "earlier instance")],
    ])}</section>`,
  )
}
