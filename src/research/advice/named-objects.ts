/**
 * Warnings about the objects that a write names: records that are no longer current, and materials that are in doubt.
 */
import { hasFallen } from "../../contract/answers/evidence.ts"
import type { Warning } from "../../contract/answers/warnings.ts"
import { linkKinds, strongerStatus } from "../../contract/operations/link-kinds.ts"
import type { RecordStatus } from "../../contract/schema/enumerations.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Links } from "../links/links.ts"
import type { Materials } from "../materials/materials.ts"

interface Tables {
  readonly evidence: Evidence
  readonly materials: Materials
  readonly links: Links
}

export function namedObjects({ evidence, materials, links }: Tables) {
  /** Warns of records that are no longer current. */
  const namesFallen = (ids: readonly string[], seenFrom: string): Warning[] =>
    evidence.noLongerCurrent(ids).map(({ roomId, isAnswered, ...record }) => ({
      code: `names_${record.status}`,
      message:
        `It names ${record.label}, ` +
        `which is ${record.status}${isAnswered === 1 ? " (its author has answered)" : ""}.`,
      ...record,
      ...(isAnswered === 1 ? { answered: true as const } : {}),
      ...fromOtherRoom(roomId, seenFrom),
    }))

  /** Warns of materials that are unobtainable, or whose reports disagree. */
  const namesMaterials = (ids: readonly string[], seenFrom: string): Warning[] =>
    [...new Set(ids)].flatMap((materialId): Warning[] => {
      const found = materials.summary(materialId, seenFrom)
      if (found === undefined || (found.obtainability !== "unobtainable" && found.obtainability !== "disputed"))
        return []
      const { label, obtainability, materialOriginRoom } = found
      const reason = obtainability === "disputed" ? "reports on it disagree" : "it is reported to be unobtainable"
      return [
        {
          code: `material_${obtainability}`,
          message: `It names ${label}, and ${reason}.`,
          materialId,
          label,
          ...fromOtherRoom(materialOriginRoom, seenFrom),
        },
      ]
    })

  /** Warns that the record a write is about had already fallen. @param linkId the link that the write made */
  function speaksOfFallen(versionId: string, seenFrom: string, linkId?: string): Warning[] {
    const before = links.standingOn(versionId, linkId).map((kind) => linkKinds[kind].status)
    const status = before.reduce<RecordStatus>(strongerStatus, "current")
    return hasFallen(status)
      ? namesFallen([versionId], seenFrom).map((warning) => ({
          ...warning,
          code: `names_${status}` as const,
          status,
          message: `It is about ${warning.label}, which is already ${status}.`,
        }))
      : []
  }

  return { namesFallen, namesMaterials, speaksOfFallen }
}
