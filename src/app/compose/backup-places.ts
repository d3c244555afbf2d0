/** Lists the copies that may still hold withheld words, as far as the service knows. */
import { existsSync, readdirSync } from "node:fs"
import { basename, dirname } from "node:path"
import { cleaningWaitsFor, isReplicated } from "../../ledger/storage/litestream-files.ts"
import type { Audit } from "../../people/audit.ts"

/** The most names in a sentence, and the most backups read from the audit log. */
const MOST_NAMES = 10
const MOST_BACKUPS = 500

const listed = (names: readonly string[]): string =>
  `${names.slice(0, MOST_NAMES).join(", ")}${names.length > MOST_NAMES ? " and more" : ""}`

/**
 * @param file the database; empty for one in memory
 * @param isOperator whether the reader may see folders of the machine
 * @param isCleaned whether the words are gone from the data's own files by then
 */
export function copiesOf(file: string, audit: Pick<Audit, "page">, isOperator: boolean, isCleaned = true): string {
  const names = file === "" || !existsSync(dirname(file)) ? [] : readdirSync(dirname(file))
  const copies = names.filter((name) => /\.db$/.test(name) && name !== basename(file)).sort()
  const backups = file === "" ? [] : audit.page({ kind: "back_up" }, null, MOST_BACKUPS)
  const folders = [
    ...new Set(backups.flatMap(({ detail }) => (typeof detail.file === "string" ? [dirname(detail.file)] : []))),
  ]
  const places = [
    ...(isOperator && copies.length > 0 ? [`beside the data ${listed(copies)}`] : []),
    ...(isOperator && folders.length > 0 ? [`in ${listed(folders)}`] : []),
  ]
  const newest = backups[0] === undefined ? "" : ` The newest that is noted here is of ${backups[0].at.slice(0, 10)}.`
  return [
    ...(isCleaned
      ? []
      : [
          "It is hidden everywhere now, and is still being removed from the data files, which needs as much free " +
            "space on the disk as the data takes.",
          ...[cleaningWaitsFor(file)].filter((sentence) => sentence !== ""),
          "The form to withhold the rest of that write says when it is done.",
        ]),
    `Backups made before now still hold it${places.length === 0 ? "" : `: ${places.join("; ")}`}.${newest}`,
    ...(isReplicated(file)
      ? [
          "So does the copy that Litestream keeps, for as long as it keeps what it copied earlier (its snapshot " +
            "retention): start a new copy elsewhere, and delete the old one.",
        ]
      : []),
    "So do exports made before now, and everything else that was copied or read; the service cannot list those. " +
      "Delete them, or make new ones.",
    "Caches of browsers and proxies may show a picture for up to a day.",
    "An instance that imported the Room shows it until it imports a newer export; " +
      "which instances did is not known here.",
  ].join(" ")
}
