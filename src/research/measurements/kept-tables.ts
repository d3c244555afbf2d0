/** Tables of measurements that a checkpoint rests on: worked out when it lands, and kept with what has moved since. */
import type { KeptTable } from "../../contract/answers/measurements.ts"
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import type { TableQuestion } from "../../contract/definitions/table-question.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"
import type { MeasurementTables } from "./reads.ts"

type Groups = KeptTable["groups"]
/** The groups of a table as they were when it landed; null in a replay if they can no longer be worked out. */
export type StoredTable = Stored<{ readonly question: TableQuestion; readonly groups: Groups | null }>

const textOf = (group: Groups[number]): string => JSON.stringify([group.key, group.settings])

export type KeptTables = ReturnType<typeof keptTables>

export function keptTables(measured: MeasurementTables) {
  /** Works a table out. @throws Refusal 422 if it can't be */
  function groupsOf(roomId: string, { experimentIds, where = {}, ...question }: TableQuestion): Groups {
    const places = Object.entries(where).map(([name, value]) => `${name}:${value}`)
    const scope = experimentIds === undefined ? { roomId } : { experimentIds }
    const { groups } = measured(scope, { ...question, ...(places.length > 0 && { where: places }) })
    return groups.map(({ key, settings, n, mean, low, high, isBaseline, contrast, attempts }) => ({
      ...{ key, settings, n, mean, low, high, isBaseline },
      attempts: attempts.map(({ label }) => label),
      contrast: contrast && {
        ...{ estimate: contrast.estimate, se: contrast.se, low: contrast.low, high: contrast.high },
        ...{ pairs: contrast.pairs, pairedAcross: contrast.pairedAcross, belowNoise: contrast.belowNoise },
        isDistinct: contrast.corrected?.isDistinct ?? false,
      },
    }))
  }
  function known(roomId: string, question: TableQuestion): Groups | null {
    try {
      return groupsOf(roomId, question)
    } catch (error) {
      if (error instanceof Refusal) return null
      throw error
    }
  }

  return {
    /** Why a table cannot be worked out now. */
    faults(roomId: string, question: TableQuestion): Issue[] {
      try {
        groupsOf(roomId, question)
        return []
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return [{ path: "/table", message: error.message }]
      }
    },
    /** Works a table out as it is when its checkpoint lands, as the JSON to store. */
    kept: (roomId: string, question: TableQuestion): string =>
      canonicalJson({ question, groups: known(roomId, question) }),

    /** A kept table in the form of an answer, with the groups whose values have moved since. */
    shown(roomId: string, stored: StoredTable): KeptTable {
      const { question, groups } = parse(stored)
      const now = known(roomId, question)
      const present = new Map(now?.map((group) => [textOf(group), group]))
      const moved = (groups ?? []).flatMap((group) => {
        const other = present.get(textOf(group)) ?? null
        const isSame =
          other !== null &&
          other.mean === group.mean &&
          other.n === group.n &&
          other.contrast?.estimate === group.contrast?.estimate &&
          other.contrast?.low === group.contrast?.low
        return isSame ? [] : [{ key: group.key, settings: group.settings, now: other }]
      })
      return { ...question, groups: groups ?? [], moved, isStale: groups === null || moved.length > 0 }
    },
  }
}
