/** Links from a page to the forms of operations, or the reason why the visitor cannot use them. */
import { refusals } from "../../contract/refusals.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type OperationName, operationNamed } from "../../contract/operations/index.ts"
import { withQuery, type Content, type Html, html, to } from "../html.ts"
import { sheetOf } from "../forms/sheets/index.ts"
import type { Visit } from "../visit.ts"
import { title, words } from "../words.ts"

/** The visitor's role in a Room. */
export type Role = "nobody" | "visitor" | "member" | "owner"

export interface RoomLike {
  readonly roomId: string
  readonly state: string
  readonly origin?: object | null
  readonly members?: readonly { readonly userId: string; readonly role: "owner" | "member" }[]
}

export function roleIn({ person, edge, canAct }: Visit, room: Pick<RoomLike, "roomId">): Role {
  if (person === undefined || !canAct) return "nobody"
  return edge.instance.tables.rooms.standing(room.roomId, person.userId)?.role ?? "visitor"
}

/**
 * Whether the visitor may withhold content of a Room: as its owner or an operator, but not in a Room of another
 * instance.
 */
export const mayWithhold = (visit: Visit, room: RoomLike): boolean =>
  visit.canAct &&
  visit.person !== undefined &&
  room.origin == null &&
  (roleIn(visit, room) === "owner" || visit.tables.people.isOperator(visit.person.userId))

/** The ways to name a write in a link. */
export type Named = { readonly entryId: string } | { readonly versionId: string } | { readonly sequence: number }

/**
 * What those who govern a Room can do to a write in it: a link, or null for other visitors. @param what the write's
 * name, for screen readers
 */
export function governing(visit: Visit, room: RoomLike): (of: Named, what: string) => Html | null {
  if (!mayWithhold(visit, room)) return () => null
  return (of, what) => {
    const [[name, value] = ["sequence", 0]] = Object.entries(of)
    return html`<a class="withhold" \
href="${to(withQuery("/do/withhold_content", { roomId: room.roomId, [`/of/${name}`]: value }))}">Withhold\
<span class="aside"> text of ${what}</span></a>`
  }
}

/**
 * A menu at an entry, for those who govern its Room: what is rarely done with it. @returns null for other visitors
 */
export function entryMenu(
  visit: Visit,
  room: RoomLike,
): (of: Named, what: string, ways: () => EntryWays) => Html | null {
  const withholding = governing(visit, room)
  return (of, what, ways) => {
    const link = withholding(of, what)
    // Most readers are shown no menu, so its addresses are made only for the others.
    if (link === null) return null
    const { page, json, verify, isOpen } = ways()
    if (isOpen === false && "entryId" in of)
      return html`<a class="menu" href="?entry=${of.entryId}&amp;more=1#entry-${of.entryId}" \
aria-label="More about ${what}">⋯</a>`
    return html`<details class="menu"${isOpen === true && html` open`}>\
<summary aria-label="More about ${what}">⋯</summary><div>\
${link}<button type="button" class="plain" data-copy="${page && `${visit.edge.baseUrl}${page}`}">Copy link</button>\
${verify === undefined ? null : html`<a href="${to(verify)}">Verify</a>`}<a href="${to(json)}">JSON</a></div></details>`
  }
}

/** Where an entry stands: its JSON, the table with its digest, and its page if it has no permalink of its own. */
interface EntryWays {
  readonly page?: string
  readonly json: string
  readonly verify?: string
  /**
   * True shows the menu of an entry of a Thread open, false only a link to the page that does: a long page is lighter
   * with links.
   */
  readonly isOpen?: boolean
}

export type Given = Readonly<Record<string, string | number | undefined | null>>

type Weight = "quiet" | "first" | "danger"

const nameOf = (operation: string): string => sheetOf(operation)?.heading ?? title(operation)

const formLink = (operation: string, given: Given, text: string = nameOf(operation), form: Weight = "quiet"): Html =>
  html`<a class="button${form === "first" ? "" : " quiet"}" href="${to(withQuery(`/do/${operation}`, given))}" \
title="${sheetOf(operation)?.lead ?? operationNamed(operation)?.summary}">${text}</a>`

/** A link to the form of an operation, with known values filled in. */
export const act = (operation: OperationName, given: Given, text?: string, form?: Weight): Html =>
  formLink(operation, given, text, form)

/** The meaning of a refusal, without the part for programs. */
const meaningOf = (code: "room_mirrored" | "room_archived"): string =>
  code === "room_archived"
    ? "This Room is archived: you can read and cite it, and nothing new can be added."
    : `${refusals[code].meaning.split("; current", 1)[0]}.`

/** A link to sign in or to ask to join. Null if the visitor is a member. */
export function wayIn(visit: Visit, room: RoomLike): Html | null {
  const role = roleIn(visit, room)
  const here = encodeURIComponent(`${visit.url.pathname}${visit.url.search}`)
  if (role === "nobody") return html`<a href="${to(`/sign-in?next=${here}`)}">Sign in</a> to take part.`
  return role === "visitor"
    ? html`<a href="${to(withQuery("/do/request_to_join", { roomId: room.roomId }))}">Ask to join</a>`
    : null
}

/**
 * Why the visitor cannot write here, in the words of the refusal. Null if they can; empty on a page that only shows.
 */
export function whyNot(visit: Visit, room: RoomLike): Html | null {
  if (!visit.canAct) return html``
  const role = roleIn(visit, room)
  if (role === "nobody") return html`<p class="not-now">${wayIn(visit, room)}</p>`
  if (room.origin != null) return html`<p class="not-now">${meaningOf("room_mirrored")}</p>`
  if (room.state === "archived") return html`<p class="not-now">${meaningOf("room_archived")}</p>`
  if (role === "visitor")
    return html`<p class="not-now">${refusals.not_a_member.meaning.replace("The caller is", "You are")} \
${wayIn(visit, room)}</p>`
  return null
}

/** Shows actions to members of an active Room, and the reason to everybody else. */
export const forMembers = (visit: Visit, room: RoomLike, actions: Content): Html =>
  whyNot(visit, room) ?? html`<div class="actions">${actions}</div>`

/** Shows a section of actions, except on a page that only shows. */
export const doing = ({ canAct }: Visit, section: () => Html | false): Html | null => (canAct && section()) || null

type Afforded = AnswerOf<"experiment" | "attempt">["affordances"]

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

/** The operations that the service would accept next: as buttons for this person, and as a sentence for others. */
export function afforded(visit: Visit, room: RoomLike, { expected, operations }: Afforded, subject: Given): Html {
  const role = roleIn(visit, room)
  if (operations.length === 0) return html``
  const member = role === "member" || role === "owner"
  const isOwn = (userId: string | null) => member && (userId === null || userId === visit.person?.userId)
  const own = operations.filter(({ userId }) => isOwn(userId))
  const others = operations.filter(({ userId }) => !isOwn(userId))
  const link = ({ operation, values = {} }: Afforded["operations"][number]) => {
    const [field, allowed = []] = Object.entries(values)[0] ?? []
    if (field === undefined) return formLink(operation, { ...subject, ...expected })
    return allowed.map((value) =>
      formLink(
        operation,
        { ...subject, ...expected, [field]: value },
        sheetOf(operation)?.links?.[value] ?? `${nameOf(operation)}: ${words(value)}`,
      ),
    )
  }
  return html`${own.length === 0 ? null : html`<div class="actions">${own.map(link)}</div>`}
${
  others.length === 0
    ? null
    : html`<p class="not-now">${member ? "Others may" : "Members may"}: ${[
        ...Map.groupBy(others, ({ operation }) => operation),
      ]
        .map(([operation, same]) => {
          const who = new Set(same.map(({ by }) => words(by)))
          return `${lowered(nameOf(operation))} (${[...who].join(" or ")})`
        })
        .join("; ")}.</p>`
}
${member ? null : whyNot(visit, room)}`
}
