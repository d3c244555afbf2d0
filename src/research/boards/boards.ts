/** Boards: their rows, how the groups of attempts on one are ranked, and the operation and reads on them. */
import type { BoardSummary, BoardAnswer } from "../../contract/nouns/boards.ts"
import type { Author } from "../../contract/answers/parts.ts"
import { parse, type Stored, fitting } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { AUTHOR, authored } from "../../ledger/journal/actor.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { type Dimensions, matchesPlace } from "../measurements/cells.ts"
import { leadInWords, placeInWords, noiseInWords } from "../measurements/in-words.ts"
import { type Contrast, halfWidth, LEVEL, figure, interval } from "../measurements/statistics.ts"
import { contrasted, type Group, nearestOf, tableOf, statedOf, settingCells } from "../measurements/table.ts"
import { limits } from "../../contract/limits.ts"
import { addressOf } from "../../contract/definitions/work.ts"
import { sourcesIn } from "../measurements/frame.ts"
import { PRIMARY, shown } from "../measurements/reads.ts"
import { splitsInWords, type Values } from "../measurements/values.ts"
import { type Issue, Refusal } from "../../contract/refusals.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { behaviour, madeBy } from "../../ledger/journal/behaviour.ts"
import { threadSubject, type Threads } from "../../threads/threads.ts"
import { known } from "../../ledger/write/references.ts"
import { idPage } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { markdownTable } from "../attempts/table.ts"

type Declared = BodyOf<"declare_board">

type Row = Omit<BoardSummary, "author"> & Author
type Whole = Row & { readonly contentDigest: string; readonly content: Stored<Declared> }

const COLUMNS = `g.board_id AS boardId, g.label, g.room_id AS roomId, g.thread_id AS threadId, g.entry_id AS \
entryId, g.at AS declaredAt,
  ${AUTHOR("g")}, \
${["title", "metric", "direction"].map((name) => `${contentOf("g")} ->> '$.${name}' AS ${name}`).join(", ")}`
const TABLES = "boards g JOIN people p ON p.user_id = g.author_id"

export type Boards = ReturnType<typeof boards>

export function boards(db: Db) {
  const one = db.prepare<Whole>(
    `SELECT ${COLUMNS}, g.content_digest AS contentDigest, ${contentOf("g")} AS content
      FROM ${TABLES}
      WHERE g.board_id = +?`,
  )
  const ofRoom = db.prepare<Row>(
    `SELECT ${COLUMNS} FROM ${TABLES} WHERE g.room_id = +? AND g.board_id > +? ORDER BY g.board_id LIMIT +?`,
  )

  return {
    insert: inserting(db, "boards"),
    /** Returns a board with its declaration; undefined if there is none. */
    read(boardId: string) {
      const row = one.get(boardId)
      if (row === undefined) return undefined
      const { content, contentDigest, ...rest } = row
      return { summary: authored(rest), contentDigest, declared: parse(content) }
    },
    /** Returns up to `count` boards of a Room after an id, in the order of their declaration. */
    ofRoom: (roomId: string, after: string | undefined, count: number): BoardSummary[] =>
      ofRoom.all(roomId, after ?? "", count).map(authored),
  }
}

// Ranks the groups of a board and decides whether the lead of the first is real. Pure, and tested on simulated
// groups.

/** The dimensions whose groups are ranked. */
const rankedBy = ({ by = ["arm"] }: Pick<Declared, "by">): readonly string[] => by

/** The difference between the first group and the next, with an interval that allows for every pair of groups. */
export type Lead = NonNullable<BoardAnswer["lead"]> & Pick<Contrast, "pairs" | "pairedAcross"> & { readonly se: number }
type Ranking = ReturnType<typeof ranked>

type Better = Declared["direction"]

/**
 * The significance level of the lead, corrected for all pairs: any two groups could have been the first and the next.
 */
const levelFor = (groups: number): number => LEVEL / Math.max(1, (groups * (groups - 1)) / 2)

function leadOf(first: Group, next: Group, groups: number): Lead | null {
  const difference = first.side.less(next.side)
  if (difference === null) return null
  const { method, estimate, se, df, pairs, belowNoise, pairedAcross } = difference
  if (se === null || df === null) return null
  const level = levelFor(groups)
  const half = halfWidth(se, df, level)
  return {
    of: first.key,
    against: next.key,
    method,
    estimate,
    se,
    low: estimate - half,
    high: estimate + half,
    level,
    pairs,
    belowNoise,
    pairedAcross,
  }
}

/**
 * Ranks groups by their means; those without a finite value come last. There is a best one only if the interval of the
 * lead excludes zero.
 */
export function ranked(groups: readonly Group[], direction: Better) {
  const sign = direction === "lower" ? 1 : -1
  const inOrder = groups.toSorted((one, other) => {
    if (one.summary === null || other.summary === null)
      return Number(one.summary === null) - Number(other.summary === null)
    return sign * (one.summary.mean - other.summary.mean)
  })
  const measured = inOrder.filter(({ summary }) => summary !== null)
  const [first, next] = measured
  const lead = first === undefined || next === undefined ? null : leadOf(first, next, measured.length)
  const isNear = lead?.pairedAcross == null
  const isDistinct = lead !== null && isNear && sign * (direction === "lower" ? lead.high : lead.low) < 0
  return { groups: inOrder, lead, best: isDistinct ? lead.of : null }
}

/** Adds to each group its difference from the baseline, corrected for the number of groups. */
function against(groups: readonly Group[], baseline: Dimensions | undefined): readonly Group[] {
  const bases = baseline === undefined ? [] : groups.filter(({ key }) => matchesPlace(key, baseline))
  if (bases.length === 0) return groups
  const marked = groups.map((group) => ({ ...group, isBaseline: bases.includes(group) }))
  return contrasted(marked, (group) => (group.isBaseline ? undefined : nearestOf(group, bases)))
}

/** Names the best group, or says why there is none. */
function sentenceOf({ groups, lead, best }: Ranking, units: readonly string[]): string {
  const measured = groups.filter(({ summary }) => summary !== null)
  if (units.length > 1)
    return `No group is named best: attempts report the metric in different units, ${units.slice(0, 5).join(" and ")}.`
  const [first] = measured
  if (first === undefined) return "No attempt with this evaluator and this data has reported the metric yet."
  if (measured.length === 1) return `${placeInWords(first.key)} is alone on the board.`
  if (lead === null) return "No clear winner: one value has no spread."
  const ahead = leadInWords(lead, units[0] ?? null)
  return best === null
    ? `No clear winner: ${placeInWords(lead.of)} ahead of ${placeInWords(lead.against)} ${ahead}.`
    : `${placeInWords(best)} is best, ahead of ${placeInWords(lead.against)} ${ahead}. ` +
        `The interval allows for ${measured.length} groups.`
}

// Computes the standings of a board: the attempts with its evaluator and data, their groups, and what was left out.

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

type BoardStandings = ReturnType<typeof boardStandings>

function boardStandings(db: Db, values: Values) {
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
    const table = tableOf(here, { by, over, pool, named: Object.keys(where), crossesExperiments: true })
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
      const differing = groups.flatMap(({ key, settings, attempts }) =>
        Object.keys(settings).length === 0
          ? []
          : `${placeInWords({ ...key, ...statedOf(settings) })} in ${attempts[0]?.label ?? ""}`,
      )
      const settings = differing.slice(0, limits.groupAttempts).join("; ")
      return differing.length === 0
        ? undefined
        : { path: "/pool", message: `must name the settings that differ, or where one of each: ${settings}` }
    },
  }
}

// The reads of boards.

/** Writes a board as Markdown: the best group, and each group with its interval. */
function markdownOf({
  label,
  title,
  metric,
  direction,
  unit,
  by,
  partedBy,
  rows,
  sentence,
  attempts,
  measured,
  noise,
}: BoardAnswer): string {
  const head = [
    "",
    ...by,
    ...partedBy,
    "n",
    `${metric}${unit === null ? "" : ` in ${unit}`}, ${direction} is better`,
    "95 % interval",
    "reproduced",
  ]
  return [
    `**${label}: ${title}**`,
    "",
    sentence,
    "",
    ...markdownTable(
      head,
      rows.map(({ rank, key, settings, n, mean, se, low, high, reproductions, failedReproductions }) => [
        rank,
        ...by.map((name) => String(key[name] ?? "")),
        ...settingCells(settings, partedBy),
        n,
        figure(mean, se),
        interval(low, high, se),
        `${reproductions}${failedReproductions === 0 ? "" : `, not ${failedReproductions}`}`,
      ]),
    ),
    "",
    `${measured} of ${attempts} attempts with this evaluator and data are on the board.`,
    ...(noise === null ? [] : [`Noise from run to run: ${noiseInWords(noise, unit)}.`]),
    "",
  ].join("\n")
}

export interface ReadTables {
  readonly rooms: Rooms
  readonly boards: Boards
  readonly boardStandings: BoardStandings
}

function boardReads({ rooms, boards, boardStandings: { standing } }: ReadTables) {
  return {
    room_boards({ params, query }) {
      rooms.mustExist(params.roomId)
      return idPage(
        query,
        (after, count) => boards.ofRoom(params.roomId, after, count),
        ({ boardId }) => boardId,
      )
    },
    board({ params, query }) {
      const { summary, contentDigest, declared } = known("board", boards.read(params.boardId))
      const board = { ...summary, contentDigest, ...standing(summary.roomId, declared) }
      return query.format === "markdown" ? markdownOf(board) : board
    },
  } satisfies Partial<Readers>
}

// The behaviour of declaring a board.

/** @throws Refusal `invalid_schema` for a dimension with two roles, and for a baseline that does not name a group */
function mustFit(declared: Declared): void {
  const by = rankedBy(declared)
  const { over, where = {}, baseline } = declared
  const issues: Issue[] = [
    ...(over !== undefined && by.includes(over) ? [{ path: "/over", message: "is one of the dimensions of by" }] : []),
    ...[...by, ...(over === undefined ? [] : [over])]
      .filter((name) => Object.hasOwn(where, name))
      .map((name) => ({ path: `/where/${name}`, message: "is a dimension that the board compares" })),
    ...(baseline === undefined ||
    (by.every((name) => Object.hasOwn(baseline, name)) && Object.keys(baseline).length === by.length)
      ? []
      : [{ path: "/baseline", message: `must have a value for each dimension of by: ${by.join(", ")}` }]),
  ]
  if (issues.length > 0) throw new Refusal("invalid_schema", "A board compares groups, each at one place.", { issues })
}

interface Tables {
  readonly threads: Threads
  readonly boards: Boards
  readonly boardStandings: BoardStandings
}

export function boardOperations({ threads, boards, boardStandings: { fault } }: Tables) {
  const declare_board = behaviour("declare_board", {
    subject: ({ body }) => threadSubject(threads, body.threadId, body.roomId),
    admit({ body }) {
      mustFit(body)
      const found = fault(body.roomId, body)
      if (found !== undefined)
        throw new Refusal("invalid_schema", "Settings and splits are not merged in silence.", { issues: [found] })
    },
    write(call, where, change) {
      const boardId = change.newId()
      const label = change.label("board")
      boards.insert({ ...madeBy(call, where, change), boardId, label })
      return { target: { id: boardId, label }, result: { boardId, label } }
    },
  })
  return { declare_board }
}

export const domain = {
  tables: [
    ({ db, values }: Ground & { values: Values }) => ({
      boards: boards(db),
      boardStandings: boardStandings(db, values),
    }),
  ],
  operations: [boardOperations],
  reads: [boardReads],
} satisfies Domain
