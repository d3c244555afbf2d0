/**
 * Remembers how far a person has read in each Room. The marks are in a cookie, so that pages work without a script and
 * the service does not store who read what. The page "Activity" marks the whole Room; each other section has a mark of
 * its own.
 */
import type { RoomSummary } from "../../contract/nouns/rooms.ts"
import type { TargetKind } from "../../contract/objects/objects.ts"
import { mustComeFromOwnPage } from "../../edge/identity/callers.ts"
import { cookieOf } from "../../edge/identity/sign-in.ts"
import { readFormBody } from "../../edge/limits/body.ts"
import { html, type Html, to } from "../html.ts"
import { ownPath, redirected, type Rail, type FormHandler, type Visit } from "../visit.ts"

const COOKIE = "research_room_seen"
const VALUE = new RegExp(`(?:^|; *)${COOKIE}=([\\w.~-]+)`)
/** A year, in seconds. */
const KEPT = 365 * 24 * 3_600
/** The maximum number of Rooms in the cookie, the last read first. */
const ROOMS = 20
/** The maximum number of new entries that are counted for a Room. */
const MOST = 200

type Section = readonly [
  path: string,
  name: string,
  counted: readonly (keyof RoomSummary["counts"])[],
  kinds: readonly TargetKind[],
]
/** The sections of a Room: what the rail counts in each, and the kinds of target that it shows. */
export const sections: readonly Section[] = [
  ["", "Overview", [], []],
  ["/threads", "Threads", ["threads"], ["thread", "message", "checkpoint", "record"]],
  ["/hypotheses", "Hypotheses", ["hypothesis"], ["hypothesis"]],
  ["/experiments", "Experiments", ["experiment"], ["experiment", "plan", "work_claim"]],
  ["/attempts", "Attempts", ["attempt"], ["attempt"]],
  ["/findings", "Findings", ["finding", "cited_claim"], ["finding", "cited_claim"]],
  ["/boards", "Boards", ["board"], ["board"]],
  ["/materials", "Materials", ["material"], ["material"]],
  ["/links", "Links", ["link"], ["link", "finding_link", "review"]],
  ["/graph", "Graph", [], []],
  ["/activity", "Activity", [], []],
  ["/people", "People", ["members"], ["member", "join_request", "credential"]],
]
export const sectionOf: ReadonlyMap<string, string> = new Map(
  sections.flatMap(([path, , , kinds]) => kinds.map((kind) => [kind, path])),
)
const WHOLE = "/activity"
/** The cookie names sections by their first letter. */
const letterOf = (section: string): string => section.charAt(1)

/** The last entry that a person has read: of the whole Room, and of sections read further, by letter. */
interface Mark {
  readonly all: number
  readonly sections: ReadonlyMap<string, number>
}
type Marks = ReadonlyMap<string, Mark>

const packed = (id: string): string => Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url")
const unpacked = (text: string): string =>
  Buffer.from(text, "base64url")
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")

const ROOM = /^([\w-]{22})([0-9a-z]{1,9})((?:~[a-z][0-9a-z]{1,9})*)$/

/** Reads the marks of the signed-in person. Another person's cookie is ignored. */
function marksOf({ event, person }: Visit): Marks {
  const [owner, ...rooms] = (VALUE.exec(event.req.headers.get("cookie") ?? "")?.[1] ?? "").split(".")
  if (person === undefined || owner !== packed(person.userId)) return new Map()
  return new Map(
    rooms.slice(0, ROOMS).flatMap((text) => {
      const [, room = "", all = "", sections = ""] = ROOM.exec(text) ?? []
      const further = sections.split("~").filter((each) => each !== "")
      const mark = {
        all: Number.parseInt(all, 36),
        sections: new Map(further.map((each) => [each.charAt(0), Number.parseInt(each.slice(1), 36)])),
      }
      return room === "" ? [] : [[unpacked(room), mark] as const]
    }),
  )
}

function cookie({ edge, person }: Visit, marks: Marks): Readonly<Record<string, string>> {
  if (person === undefined) return {}
  const rooms = [...marks].slice(0, ROOMS).map(([roomId, { all, sections }]) => {
    const further = [...sections]
      .filter(([, through]) => through > all)
      .map(([letter, through]) => `~${letter}${through.toString(36)}`)
    return `.${packed(roomId)}${all.toString(36)}${further.join("")}`
  })
  return cookieOf(edge, COOKIE, `${packed(person.userId)}${rooms.join("")}`, KEPT)
}

const watermarkOf = ({ edge }: Visit, roomId: string): number => edge.instance.ledger.activity.watermark(roomId)

const isMember = ({ edge }: Visit, roomId: string, userId: string): boolean =>
  edge.instance.tables.members.find(roomId, userId) !== undefined

/** The mark of a Room. At the first visit, a member has read nothing, and anyone else has read everything. */
function markOf(visit: Visit, marks: Marks, roomId: string, userId: string): Mark {
  const known = marks.get(roomId)
  // A Room restored from a copy may end before the mark.
  if (known !== undefined && known.all <= watermarkOf(visit, roomId)) return known
  return { all: isMember(visit, roomId, userId) ? 0 : watermarkOf(visit, roomId), sections: new Map() }
}

/** What is new to a reader in a Room. */
export type Unread = ReturnType<typeof unreadBy>

function unreadBy(visit: Visit, marks: Marks, roomId: string, userId: string) {
  const { all: marked, sections } = markOf(visit, marks, roomId, userId)
  // Without a mark, people have read up to their own last entry.
  const all = marked === 0 ? visit.edge.instance.news.writtenThrough(roomId, userId) : marked
  /** Whether an entry is new, by the kind of its target. */
  const isNew = (kind: string, sequence: number) =>
    sequence > Math.max(all, sections.get(letterOf(sectionOf.get(kind) ?? "")) ?? 0)
  /** The number of new entries in each section, by its path. */
  const counts = new Map<string, number>()
  let total = 0
  for (const [kind, sequences] of visit.edge.instance.news.counted(roomId, all, MOST, userId)) {
    const { length } = sequences.filter((sequence) => isNew(kind, sequence))
    const section = sectionOf.get(kind)
    total += length
    if (section !== undefined && length > 0) counts.set(section, (counts.get(section) ?? 0) + length)
  }
  counts.set(WHOLE, total)
  const watermark = watermarkOf(visit, roomId)
  // The last entry they have read, or the one before the newest entries that are counted.
  const after = Math.max(all, watermark - MOST)
  return { roomId, after, watermark, total, sections: counts, isNew }
}

const known = new WeakMap<Visit, readonly Unread[]>()

/** What is new in the signed-in person's own Rooms and in those they have read before. Computed once per page. */
export const unreadOf = (visit: Visit): readonly Unread[] => known.getOrInsertComputed(visit, unreadNow)

function unreadNow(visit: Visit): readonly Unread[] {
  const { person, edge } = visit
  if (person === undefined) return []
  const { userId } = person
  const marks = marksOf(visit)
  const own = edge.instance.tables.members.roomsOf(userId, ROOMS).map(({ roomId }) => roomId)
  const read = [...marks.keys()].filter((roomId) => watermarkOf(visit, roomId) > 0)
  return [...new Set([...own, ...read])].map((roomId) => unreadBy(visit, marks, roomId, userId))
}

/** What is new in one Room to the signed-in person. */
export function unreadIn(visit: Visit, roomId: string): Unread | undefined {
  const { person, canAct } = visit
  return person === undefined || !canAct ? undefined : unreadBy(visit, marksOf(visit), roomId, person.userId)
}

/** Returns a function that gives the last entry of a Room that the person has read. */
export function readThrough(visit: Visit): (roomId: string) => number {
  const marks = marksOf(visit)
  return (roomId) => marks.get(roomId)?.all ?? 0
}

/** The mark "3 new", or "200+ new" from the most that are counted. */
export const newMark = (total: number): Html | null =>
  total === 0 ? null : html`<span class="new">${total >= MOST ? `${MOST}+` : total} new</span>`

/** What is new in the Room of a page, and the cookie that marks what the page shows as read. */
export function seenWith(
  visit: Visit,
  { roomId, section }: Rail,
): { readonly unread: Unread | undefined; readonly headers: Readonly<Record<string, string>> } {
  const { person, url, event } = visit
  const unread = unreadIn(visit, roomId)
  if (person === undefined || unread === undefined) return { unread, headers: {} }
  const marks = marksOf(visit)
  const mark = markOf(visit, marks, roomId, person.userId)
  const isNewest = event.req.method === "GET" && !url.searchParams.has("after")
  const isMoved = isNewest && (unread.sections.get(section ?? "") ?? 0) > 0
  const isFirst = !marks.has(roomId) && !isMember(visit, roomId, person.userId)
  if (!isMoved && !isFirst) return { unread, headers: {} }
  const further = isMoved ? [[letterOf(section ?? ""), unread.watermark] as const] : []
  const moved =
    section === WHOLE
      ? { all: unread.watermark, sections: new Map() }
      : { all: mark.all, sections: new Map([...mark.sections, ...further]) }
  return { unread, headers: cookie(visit, new Map([[roomId, moved], ...[...marks].filter(([id]) => id !== roomId)])) }
}

/** A button that marks Rooms as read. */
export const markRead = (rooms: readonly Pick<Unread, "roomId" | "watermark">[], next: string, text: string): Html =>
  html`<form class="inline" method="post" action="${to("/web/seen")}"><input type="hidden" name="next" value="${next}">\
${rooms.map(
  ({ roomId, watermark }) => html`<input type="hidden" name="through" value="${roomId}.${watermark}">`,
)}<button class="quiet">${text}</button></form>`

const THROUGH = /^([0-9a-f-]{36})\.([0-9]{1,12})$/

/** `POST /web/seen`: marks Rooms as read in this browser. */
export const seenSent: FormHandler = async (visit) => {
  mustComeFromOwnPage(visit.edge, visit.event)
  const form = await readFormBody(visit.event)
  const read = form.getAll("through").flatMap((text): [string, Mark][] => {
    const [, roomId = "", through] = THROUGH.exec(text) ?? []
    return roomId === ""
      ? []
      : [[roomId, { all: Math.min(Number(through), watermarkOf(visit, roomId)), sections: new Map() }]]
  })
  const ids = new Set(read.map(([roomId]) => roomId))
  const marks = new Map([...read, ...[...marksOf(visit)].filter(([roomId]) => !ids.has(roomId))])
  return redirected(visit, ownPath(form.get("next")), cookie(visit, marks))
}
