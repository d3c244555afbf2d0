/** Computes the standings of a board: the attempts with its evaluator and data, their groups, and what was left out. */
import type { BoardAnswer } from "../../contract/answers/boards.ts"
import { fitting, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { addressOf } from "../../contract/definitions/work.ts"
import { type Dimensions, matchesPlace } from "../measurements/cells.ts"
import { sourcesIn } from "../measurements/frame.ts"
import { placeInWords } from "../measurements/in-words.ts"
import { PRIMARY, shown } from "../measurements/reads.ts"
import { statedOf } from "../measurements/written.ts"
import { type Group, tableOf } from "../measurements/table.ts"
import { splitsInWords, type Values } from "../measurements/values.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import type { Declared } from "./boards.ts"
import { against, ranked, rankedBy, sentenceOf } from "./ranking.ts"

/** An attempt at the evaluator's commit. */
interface Pinned {
  readonly attemptId: string
  readonly url: string
  readonly argv: Stored<string[]>
  /** How many of the board's digests are among its inputs. */
  readonly data: number
}
interface Repeat {
  readonly of: string
  readonly intent: "rerun" | "reproduction"
  readonly verdict: string | null
  /** The groups of the effects that a reproduction repeats; null if it repeats none. */
  readonly places: Stored<Dimensions[]> | null
}

type Standing = Omit<
  BoardAnswer,
  "boardId" | "label" | "roomId" | "threadId" | "entryId" | "author" | "declaredAt" | "contentDigest"
>

const beginsWith = (argv: readonly string[], begins: readonly string[]): boolean =>
  begins.every((part, index) => argv[index] === part)

export type BoardStandings = ReturnType<typeof boardStandings>

export function boardStandings(db: Db, values: Values) {
  const atCommit = db.prepare<Pinned>(
    `SELECT a.attempt_id AS attemptId, ${contentOf("a")} ->> '$.repository.url' AS url,
        ${contentOf("a")} -> '$.argv' AS argv,
       (SELECT count(*)
         FROM json_each(+?) d
         WHERE EXISTS (SELECT 1 FROM attempt_inputs i JOIN materials m ON m.material_id = i.material_id
         WHERE i.attempt_id = a.attempt_id AND d.value IN (m.reference, m.values_digest))) AS data
     FROM attempts a
      WHERE a.room_id = +? AND ${contentOf("a")} ->> '$.repository.commit' = +?
      ORDER BY a.attempt_id DESC
      LIMIT ${limits.measuredAttempts}`,
  )
  const reporting = db.prepare<{ attempts: number }>(
    `SELECT count(*) AS attempts FROM attempts a WHERE a.room_id = +?
     AND EXISTS (SELECT 1
       FROM attempt_last_metrics l
       WHERE l.attempt_id = a.attempt_id AND l.name = +? AND l.split = +?)`,
  )
  const reportingAmong = db.prepare<{ attempts: number }>(
    `SELECT count(*) AS attempts FROM json_each(+?) j
     WHERE EXISTS (SELECT 1 FROM attempt_last_metrics l WHERE l.attempt_id = j.value AND l.name = +? AND l.split = +?)`,
  )
  const repeats = db.prepare<Repeat>(
    `SELECT coalesce(a.rerun_of, a.reproduces_attempt_id, t.attempt_id) AS of, a.intent, w.verdict,
       (SELECT iif(count(*) = 0, NULL, json_group_array(f.effect -> '$.of'))
         FROM reproduction_effects x
         JOIN finding_effects f ON f.version_id = x.repeats_id AND f.position = x.repeats_position
         WHERE x.attempt_id = a.attempt_id) AS places
     FROM attempts a LEFT JOIN finding_attempts t ON t.version_id = a.reproduces_version_id AND t.role = 'producing'
     LEFT JOIN evidence_words w ON w.source_id = a.attempt_id AND w.source = 'reproduction'
     WHERE a.room_id = +? AND a.intent IN ('rerun', 'reproduction') AND a.status = 'succeeded' AND of IS NOT NULL
       ORDER BY a.attempt_id DESC
       LIMIT ${limits.measuredAttempts}`,
  )

  /** Counts the reruns of a group's attempts, and their reproductions by outcome. */
  function repeated({ attempts, key }: Group, known: ReadonlyMap<string, readonly Repeat[]>) {
    const found = attempts
      .flatMap(({ attemptId }) => known.get(attemptId) ?? [])
      .filter(({ places }) => places === null || parse(places).some((place) => matchesPlace(key, place)))
    return {
      reruns: found.filter(({ intent }) => intent === "rerun").length,
      reproductions: found.filter(({ verdict }) => verdict === "reproduces" || verdict === "partly_reproduces").length,
      failedReproductions: found.filter(({ verdict }) => verdict === "does_not_reproduce").length,
    }
  }

  /** Computes the groups of a board. @throws Refusal 422 for more values than a table reads */
  function groupsOf(roomId: string, declared: Declared) {
    const { metric, over, where = {}, pool, evaluator, data } = declared
    const by = rankedBy(declared)
    const { repository, argv: begins = [] } = evaluator
    const found = atCommit.all(JSON.stringify(data), roomId, repository.commit)
    const evaluated = found.filter(
      ({ url, argv }) =>
        addressOf({ url }) === addressOf(repository) && (begins.length === 0 || beginsWith(parse(argv), begins)),
    )
    const pinned = evaluated.filter((attempt) => attempt.data === data.length)
    const attempts = values.attempts({ attemptIds: pinned.map(({ attemptId }) => attemptId).toReversed() })
    const primary = attempts.filter(({ intent }) => PRIMARY.includes(intent))
    const measured = primary.filter(({ status }) => status === "succeeded")
    const splits = declared.split === undefined ? values.splitOf(measured, metric) : undefined
    const split = declared.split ?? splits?.split ?? ""
    const frame = values.frame(measured, metric, split)
    const here = values.at(frame, measured, { by, over, where })
    // The evaluator and the data are what the attempts have in common, in whichever experiment they ran.
    const table = tableOf(here, { by, over, pool, told: Object.keys(where), crossesExperiments: true })
    return { found, evaluated, pinned, primary, measured, splits, split, frame, here, table, by }
  }

  /** @throws Refusal 422 for more values than a table reads */
  function standing(roomId: string, declared: Declared): Standing {
    const { title, metric, direction, over, where = {}, baseline, evaluator, data } = declared
    const { found, evaluated, pinned, primary, measured, split, frame, here, table, by } = groupsOf(roomId, declared)
    const { groups, withoutBy } = table
    const { units } = frame
    const ranking = ranked(against(groups, baseline), direction)
    const named = units.length > 1 ? { ...ranking, lead: null, best: null } : ranking
    const known = Map.groupBy(repeats.all(roomId), ({ of }) => of)
    const { attempts: reported } = reporting.one(roomId, metric, split)
    const { attempts: own } = reportingAmong.one(
      JSON.stringify(evaluated.map(({ attemptId }) => attemptId)),
      metric,
      split,
    )
    const all = ranking.groups.slice(0, limits.measuredGroups).map((group, index) => ({
      rank: group.summary === null ? null : index + 1,
      ...shown(group, over, true),
      ...repeated(group, known),
    }))
    const rows = all.slice(0, fitting(all, limits.listBytes).length)
    return {
      title,
      metric,
      direction,
      by: [...by],
      where,
      evaluator,
      data: [...data],
      partedBy: table.partedBy,
      pooled: table.pooled,
      noise: table.noise,
      split: split || null,
      unit: units.length === 1 ? (units[0] ?? null) : null,
      over: over ?? null,
      baseline: baseline ?? null,
      rows,
      best: named.best,
      lead: named.lead && (({ se: _se, pairs: _pairs, pairedAcross: _across, ...lead }) => lead)(named.lead),
      sentence: sentenceOf(named, units),
      attempts: primary.length,
      measured: sourcesIn(here).length,
      truncated: found.length === limits.measuredAttempts || rows.length < groups.length,
      leftOut: {
        otherEvaluator: reported - own,
        otherData: evaluated.length - pinned.length,
        unfinishedAttempts: primary.length - measured.length,
        withoutBy,
        excluded: frame.values.length - here.values.length,
      },
    }
  }
  return {
    standing,
    /** What a board does not name: one of several splits, or settings in which attempts of one group differ. */
    fault(roomId: string, declared: Declared): Issue | undefined {
      const { table, splits } = groupsOf(roomId, declared)
      const { groups } = table
      if (splits !== undefined && splits.split === undefined && splits.known.length > 1)
        return {
          path: "/split",
          message: `must be given: ${declared.metric} is reported ${splitsInWords(splits.known)}`,
        }
      const told = groups.flatMap(({ key, settings, attempts }) =>
        Object.keys(settings).length === 0
          ? []
          : `${placeInWords({ ...key, ...statedOf(settings) })} in ${attempts[0]?.label ?? ""}`,
      )
      const settings = told.slice(0, limits.groupAttempts).join("; ")
      return told.length === 0
        ? undefined
        : { path: "/pool", message: `must name the settings that differ, or where one of each: ${settings}` }
    },
  }
}
