/** Where a copy of what was here may be, as far as the service knows. */
import { existsSync, readdirSync } from "node:fs"
import { basename, dirname } from "node:path"

/** Names that a sentence lists. */
const MOST = 10

/** @param file the database; empty for one in memory */
export function copiesOf(file: string): string {
  const beside = file === "" || !existsSync(dirname(file)) ? [] : readdirSync(dirname(file))
  const backups = beside.filter((name) => /\.db$/.test(name) && name !== basename(file)).sort()
  const named =
    backups.length === 0 ? "" : `: beside the data ${backups.slice(0, MOST).join(", ")}${backups.length > MOST ? " and more" : ""}`
  return `Backups made before now still hold it${named}; so do exports made before now, and whatever else was copied. Delete those, or make them anew. Mirrors withhold it when they hear of it: until then, or where they no longer follow, they show it.`
}
