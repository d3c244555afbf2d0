/** The inbox: the entries of a Room that concern an agent, and why; and the newest that concern a person. */
import { setImmediate as turn } from "node:timers/promises"
import { objectList, labelsIn } from "../../contract/objects/objects.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { type Agent, IS_AGENT, mentionOf, spelled, quotingWhole } from "../../ledger/journal/actor.ts"
import type { ActivityEntry, InboxEntry } from "../../contract/reads/activity.ts"
import { type JsonObject, parse, trusted, extendJson, JsonText, stored, textsIn } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import type { FullRow, Activity, Watch } from "../../ledger/journal/activity.ts"
import type { Labels } from "../../ledger/lists/labelled.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { isoTime } from "../../ledger/world.ts"
import { type Newest, newest, news } from "./news.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { feedOf, mustNotBeAhead, type Page, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"

// Finds the objects that an agent made, and the experiments assigned to it.

/** An object that an agent made. */
interface Owned {
  readonly id: string
  readonly kind: string
  readonly label: string | null
}

const NAMED = "IN (SELECT value FROM json_each(+?))"
/** One kind of each table, because one statement finds all kinds of a table. */
const tableKinds = [
  ...new Map(objectList.flatMap((spec) => (spec.madeAt === null ? [] : [[spec.table, spec] as const]))).values(),
]
const ofExperiments = objectList.flatMap(({ table, key, of }) =>
  of.experiment === undefined ? [] : [{ table, key, column: of.experiment }],
)
const WRITTEN_BY = `w.person_id = +? AND ${IS_AGENT("w.agent")}`

function owned(db: Db) {
  const find = db.prepare<Owned>(
    `SELECT o.id, o.kind, o.label FROM (${tableKinds
      .map(
        ({ table, key, kind, kindIn, label, madeAt }) =>
          `SELECT x.${key} AS id, ${kindIn === null ? `'${kind}'` : `x.${kindIn}`} AS kind,
              ${label === null ? "NULL" : "x.label"} AS label, ${madeAt} AS position
            FROM ${table} x
            WHERE x.${key} ${NAMED}`,
      )
      .join(
        " UNION ALL ",
      )}) o JOIN journal j ON j.position = o.position JOIN writers w ON w.writer = j.writer WHERE ${WRITTEN_BY}`,
  )
  const belonging = db.prepare<{ id: string; experimentId: string }>(
    ofExperiments
      .map(
        ({ table, key, column }) =>
          `SELECT ${key} AS id, ${column} AS experimentId FROM ${table} WHERE ${key} ${NAMED}`,
      )
      .join(" UNION ALL "),
  )
  const opening = db.prepare<{ sequence: number }>(
    `SELECT t.sequence
      FROM timeline_entries t
        JOIN places p ON p.place = t.thread
        JOIN rooms r ON r.opening_thread_id = p.id
      WHERE t.entry_id = +? AND t.sequence = 1`,
  )
  return {
    /** Whether an entry made the Room, or is the first message of its opening Thread. */
    isOpening: ({ operation, entryId }: ActivityEntry): boolean =>
      operation === "create_room" ||
      (operation === "post_message" && entryId !== null && opening.get(entryId) !== undefined),

    /** Returns the objects with some ids that an agent made. */
    among(ids: Iterable<string>, { userId, name }: Agent): ReadonlyMap<string, Owned> {
      const idList = JSON.stringify([...ids])
      return new Map(find.all(...tableKinds.map(() => idList), userId, name, name).map((each) => [each.id, each]))
    },

    /** The experiments that some ids belong to. */
    experimentsOf(ids: Iterable<string>): ReadonlyMap<string, string> {
      const idList = JSON.stringify([...ids])
      return new Map(
        belonging.all(...ofExperiments.map(() => idList)).map(({ id, experimentId }) => [id, experimentId]),
      )
    },
  }
}

type Concern = InboxEntry["concerns"][number]

export interface Concerning {
  readonly sequence: number
  readonly entry: ActivityEntry
  readonly row: FullRow
  readonly concerns: readonly Concern[]
  /** The text that names the agent. */
  readonly naming: string | null
}

function namedIn({ content }: FullRow, entry: ActivityEntry) {
  const body: JsonObject = JSON.parse(content)
  const texts = textsIn(body)
  const { replyToEntryId, expectedRevision } = body
  return {
    entry,
    reply: typeof replyToEntryId === "string" ? replyToEntryId : null,
    /** Whether it only tells that an attempt goes on: of others' attempts, registration and outcome are told. */
    isUnderWay: entry.operation === "report_attempt_event" && (body.event === "started" || body.event === "progress"),
    /** The agent that work is offered to. */
    offeredTo: entry.operation === "claim_work" && typeof body.for === "string" ? body.for : null,
    /** The revision that an experiment had when it was taken. */
    takenAt: entry.operation === "take_experiment" && typeof expectedRevision === "number" ? expectedRevision : null,
    ids: new Set([entry.target.id, ...texts.filter(isUuid).slice(0, limits.inboxIds)]),
    texts: texts.filter((text) => !isUuid(text)),
  }
}

const nameOf = ({ label, kind }: Pick<Owned, "kind" | "label">): string =>
  label ?? `your ${kind === "message" ? "entry" : kind.replaceAll("_", " ")}`
const concern = (because: Concern["because"], { kind, id, label }: Owned, sentence: string): Concern => ({
  because,
  kind,
  id,
  label,
  sentence,
})

const longest = (texts: readonly string[]): string | null =>
  texts.toSorted((one, other) => other.length - one.length)[0] ?? null

/** Who holds experiments, as the domain of experiments tells it. */
export interface Holders {
  heldBy(ids: Iterable<string>, agent: Agent): ReadonlyMap<string, string>
  takenFrom(experimentId: string, revision: number, agent: Agent): Pick<Concern, "label" | "sentence"> | undefined
}

export function concerns(db: Db, labelled: Labels, holders: Holders) {
  const own = owned(db)

  /** Returns the entries that others wrote and that concern an agent, in order. */
  return (roomId: string, rows: readonly FullRow[], agent: Agent): Concerning[] => {
    const others = rows.flatMap((row) => {
      const entry = parse(row.body)
      const { userId, agent: name } = entry.actor
      const isOwn = userId === agent.userId && (agent.name === null || name === undefined || name === agent.name)
      return isOwn ? [] : [{ row, ...namedIn(row, entry) }]
    })
    if (others.length === 0) return []
    const labels = new Map(others.map(({ row, texts }) => [row.sequence, labelsIn(texts)]))
    const idByLabel = new Map(
      labelled(roomId, [...new Set([...labels.values()].flat())]).map(({ label, id }) => [label, id]),
    )
    const ids = new Set([...others.flatMap((each) => [...each.ids]), ...idByLabel.values()])
    const experimentOf = own.experimentsOf(ids)
    const experiments = new Set(experimentOf.values())
    const mine = own.among(ids.union(experiments), agent)
    const held = holders.heldBy(ids.union(experiments), agent)

    return others.flatMap(({ row, entry, reply, takenAt, offeredTo, isUnderWay, ids, texts }) => {
      const found: Concern[] = []
      const isOffered = offeredTo !== null && agent.name !== null && spelled(offeredTo) === spelled(agent.name)
      if (isOffered)
        found.push({ because: "named", kind: null, id: null, label: null, sentence: `It offers you work.` })
      const lost = takenAt === null ? undefined : holders.takenFrom(entry.target.id, takenAt, agent)
      if (lost !== undefined) {
        const what = { id: entry.target.id, kind: "experiment", label: lost.label }
        found.push(concern("taken_over", what, lost.sentence))
      }
      const answered = reply === null ? undefined : mine.get(reply)
      if (answered !== undefined) found.push(concern("reply", answered, "It answers what you wrote."))
      const named = mentionOf(agent, texts)
      const isOpening = agent.name !== null && own.isOpening(entry)
      if (named !== undefined && !isOffered)
        found.push({ because: "named", kind: null, id: null, label: null, sentence: `It names ${named.mention}.` })
      else if (isOpening)
        found.push({ because: "named", kind: null, id: null, label: null, sentence: "It opens your Room." })
      for (const id of isUnderWay ? [] : ids) {
        const what = mine.get(id)
        if (what === undefined || id === reply || what.kind === "experiment") continue
        found.push(concern("bears_on", what, `It is about ${nameOf(what)}, which you wrote.`))
      }
      for (const id of new Set(isUnderWay ? [] : [...ids].map((each) => experimentOf.get(each) ?? each))) {
        const proposed = mine.get(id)
        const label = held.get(id)
        if (label !== undefined)
          found.push(concern("assigned", { id, kind: "experiment", label }, `${label} is assigned to you.`))
        else if (proposed?.kind === "experiment")
          found.push(concern("proposed", proposed, `You proposed ${nameOf(proposed)}.`))
      }
      for (const label of labels.get(row.sequence) ?? []) {
        const id = idByLabel.get(label) ?? ""
        const what = mine.get(id) ?? (held.has(id) ? { id, kind: "experiment", label } : undefined)
        const how = held.has(id) ? "is assigned to you" : "you wrote"
        if (what !== undefined && !ids.has(id))
          found.push(concern("mentioned", what, `Its text names ${label}, which ${how}.`))
      }
      return found.length === 0
        ? []
        : [
            {
              ...{ sequence: row.sequence, entry, row, concerns: found.slice(0, limits.inboxConcerns) },
              naming: named?.text ?? (isOpening ? longest(texts) : null),
            },
          ]
    })
  }
}

// Finds the newest entries of other people that concern a person, for the home page.

/** The number of Rooms to read, and the number of entries in each. */
const ROOMS = 20
const ENTRIES = 50
/** The age in milliseconds after which entries are left out. */
const RECENT = 14 * 24 * 3_600_000
const SHOWN = 20

export interface PersonsEntry {
  readonly roomId: string
  readonly title: string
  readonly entry: ActivityEntry
  readonly summary: string
  readonly concerns: readonly InboxEntry["concerns"][number][]
}

interface PersonSources {
  readonly activity: Activity
  readonly members: {
    roomsOf(userId: string, count: number): readonly { readonly roomId: string; readonly title: string }[]
  }
  readonly concerns: ReturnType<typeof concerns>
  readonly summary: (roomId: string, entry: ActivityEntry, content: string) => string
}

export type ConcerningPerson = ReturnType<typeof concerning>

/**
 * Finds up to 20 entries, newest first. Leaves out entries that the person has read, and those that they followed by an
 * entry of their own in the same Thread, or in the Room for an entry without a Thread. Also leaves out replies,
 * disputes and objections, which are listed on their own until they are answered.
 */
export function concerning({ activity, members, concerns, summary }: PersonSources) {
  /** Returns the newest entries of a Room after a sequence and since a time, oldest first. */
  function recent(roomId: string, after: number, since: string): Newest[] {
    const watermark = activity.watermark(roomId)
    const found: Newest[] = []
    for (const each of newest(activity, roomId, Math.max(after, watermark - ENTRIES), watermark)) {
      if (each.entry.at < since) break
      found.unshift(each)
    }
    return found
  }

  /** @param readThrough returns the last entry of a Room that the person has read */
  return (
    person: { readonly userId: string; readonly username: string },
    now: number,
    readThrough: (roomId: string) => number,
  ): PersonsEntry[] => {
    const since = isoTime(now - RECENT)
    const found = members.roomsOf(person.userId, ROOMS).flatMap(({ roomId, title }): PersonsEntry[] => {
      const entries = recent(roomId, readThrough(roomId), since)
      const answered = new Map<string | null, number>()
      // Entries by the person's agents do not show what the person has read.
      for (const { entry } of entries)
        if (entry.actor.userId === person.userId && entry.actor.agent == null)
          for (const place of [entry.threadId, null]) answered.set(place, entry.sequence)
      const rows = entries.map(({ row }) => row)
      return concerns(roomId, rows, { ...person, name: null }).flatMap(({ entry, row, concerns }) =>
        entry.sequence < (answered.get(entry.threadId) ?? 0) ||
        entry.operation === "assert_dispute" ||
        (entry.operation === "submit_review" && trusted<BodyOf<"submit_review">>(row.content).verdict === "objects") ||
        concerns.some(({ because }) => because === "reply")
          ? []
          : [{ roomId, title, entry, summary: summary(roomId, entry, row.content), concerns }],
      )
    })
    return found.sort((one, other) => (one.entry.at < other.entry.at ? 1 : -1)).slice(0, SHOWN)
  }
}

// The read of an agent's inbox: entries by others in its Room that concern it.

/** Entries read at a time, each up to a megabyte. Other requests get a turn in between. */
const STEP = 10

interface Sources {
  readonly activity: Activity
  readonly watch: Watch
  readonly concerns: ReturnType<typeof concerns>
  readonly snapshot: <T>(work: () => T) => T
  readonly summary: (roomId: string, entry: ActivityEntry, content: string) => string
  /** A page of entries in lines of Markdown. */
  readonly activityLines: (page: Page<InboxEntry>) => string
}

export function inboxReads({ activity, watch, concerns, snapshot, summary, activityLines }: Sources) {
  const shown = (roomId: string, { sequence, entry, row, concerns, naming }: Concerning) => {
    const sentence = summary(roomId, entry, row.content)
    const whole = naming === null ? sentence : quotingWhole(sentence, naming)
    return {
      sequence,
      item: new JsonText<InboxEntry>(stored(extendJson(row.body, { summary: whole, concerns: [...concerns] }))),
    }
  }

  return {
    async inbox({ actor: { userId, username, agent = "", grant }, query, signal }) {
      const { roomId } = grant
      mustNotBeAhead(query.after, activity.watermark(roomId))
      const until = performance.now() + (query.wait ?? 0) * 1000
      const found: ReturnType<typeof shown>[] = []
      let after = query.after ?? 0
      let isEnd = false
      for (const last = after + limits.inboxSight; found.length <= pageSize(query) && after < last; ) {
        const rows = snapshot(() => {
          const next = activity.fullAfter(roomId, after, undefined, STEP)
          found.push(...concerns(roomId, next, { userId, username, name: agent }).map((each) => shown(roomId, each)))
          return next
        })
        after = rows.at(-1)?.sequence ?? after
        isEnd = rows.length < STEP
        if (!isEnd) await turn()
        else if (found.length > 0 || !(await watch.next(roomId, until, signal))) break
      }
      const page = feedOf(found, query, ({ item }) => item, after)
      const whole = { ...page, hasMore: page.hasMore || !isEnd }
      return query.format === "lines" ? activityLines(whole) : whole
    },
  } satisfies Partial<Readers>
}

/** The entries that concern a person, and the news of their Rooms. */
export const newsOf = (sources: Parameters<typeof concerning>[0] & Parameters<typeof news>[0]) => ({
  concerning: concerning(sources),
  news: news(sources),
})

export const domain = {
  tables: [
    ({ db, labelled, holders }: Ground & { labelled: Labels; holders: Holders }) => ({
      concerns: concerns(db, labelled, holders),
    }),
  ],
  reads: [inboxReads],
} satisfies Domain
