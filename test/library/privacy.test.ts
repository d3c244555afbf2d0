/**
 * Nobody else can tell that a Collection, a note, a saved paper or a key exists. Every actor without permission
 * requests every route twice, once about something of ada's and once about something that does not exist, and gets the
 * same answer.
 */
import t, { test } from "tap"
import type * as v from "valibot"
import { actions } from "../../src/contract/operations/actions.ts"
import { discoveryRoutes } from "../../src/discovery/routes.ts"
import { browserPath } from "../../src/contract/definitions/operation.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { browserReadPath } from "../../src/contract/definitions/read.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { ask } from "../support/ask.ts"
import { freshId } from "../support/bodies.ts"
import { textOf } from "../support/streams.ts"
import { collectionOf, keyOf, makeKnown, openLibrary, toldOf } from "./library.ts"

const lab = await openLibrary(t)
const { ada, grace, mary, baseUrl } = lab

// Ada's secrets: a Collection with a paper and a note, an invitation, annotations, a key.
const words = ["Xylotheque", "quillwort", "marginalium", "passamezzo", "zymurgist", "brimborion"] as const
const [name, noteText, freeText, quote, keyLabel, title] = words
const arxivId = "2311.04444"
const collectionId = await collectionOf(ada, name, [arxivId])
const { noteId } = (await ada.write("post_note", { collectionId, arxivId, text: noteText })).result
const { invitationId } = (await ada.write("invite_to_collection", { collectionId, username: "grace" })).result
await ada.write("write_annotation", { arxivId, expectedRevision: 0, notes: freeText })
const { highlightId } = (
  await ada.write("add_highlight", { arxivId, expectedRevision: 1, quote, page: 1, colour: "yellow" })
).result
const { keyId } = (await ada.write("issue_key", { label: keyLabel, permissions: ["read_library"], reach: "all" }))
  .result
await makeKnown(lab, [toldOf(arxivId, title)])

// A Room with everybody as a member, so that the routes of Rooms have something to answer.
const { result: room } = await ada.write("create_room", { title: "Open to all" })
for (const username of ["grace", "mary"]) await ada.write("add_member", { roomId: room.roomId, username })
const credentialOf = async (person: typeof ada) =>
  (
    await person.write("issue_credential", {
      roomId: room.roomId,
      label: "agent",
      permissions: ["post_thread", "publish_records", "manage_own_experiments"],
    })
  ).result.token as string
const { credentialId } = (
  await ada.write("issue_credential", { roomId: room.roomId, label: "spare", permissions: ["post_thread"] })
).result

/** The subject of a request. */
type Subject = Readonly<Record<string, string>>
const shared = {
  roomId: room.roomId,
  threadId: room.openingThreadId,
  userId: lab.userIds.grace,
  username: "mary",
  credentialId,
  token: "rri_x",
  key: "lowers",
}
const secret: Subject = {
  ...shared,
  collectionId,
  noteId,
  throughNoteId: noteId,
  replyToNoteId: noteId,
  invitationId,
  highlightId,
  keyId,
  arxivId,
  paperId: arxivId,
  versionId: collectionId,
}
const nothing = (): Subject => ({
  ...shared,
  collectionId: freshId(),
  noteId: freshId(),
  throughNoteId: freshId(),
  replyToNoteId: freshId(),
  invitationId: freshId(),
  highlightId: freshId(),
  keyId: freshId(),
  arxivId: "2311.09999",
  paperId: "2311.09999",
  versionId: freshId(),
})

const filled = (path: string, subject: Subject) =>
  path.replace(/\{([a-zA-Z]+)\}/g, (_, each: string) => encodeURIComponent(subject[each] ?? subject.collectionId ?? ""))

interface Route {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly query: v.ObjectEntries
  readonly example?: Record<string, unknown>
  readonly delivery?: string
}
const route = (
  { name, method, path, query = {} }: { name: string; method: string; path: string; query?: v.ObjectEntries },
  more: Partial<Route> = {},
): Route => ({ name, method, path, query, ...more })
const routes: Route[] = [
  ...reads.flatMap((read) => {
    const inBrowser = browserReadPath(read)
    const { entries } = read.query
    return [
      route({ ...read, query: entries }),
      ...(inBrowser === null ? [] : [route({ ...read, path: inBrowser, query: entries })]),
    ]
  }),
  ...discoveryRoutes.map((read) => route({ ...read, query: read.query.entries })),
  ...operations.flatMap((operation) => {
    const more = { example: operation.example as Record<string, unknown>, delivery: operation.delivery }
    const { name: named, method, path } = operation
    return operation.surface === "agent"
      ? [route({ name: named, method, path }, more), route({ name: named, method, path: browserPath(operation) }, more)]
      : [route({ name: named, method, path }, more)]
  }),
  ...actions
    .filter(({ name: named }) => named !== "sign_out")
    .map(({ name: named, method, path, example }) =>
      route({ name: named, method, path }, { example: example as Record<string, unknown> }),
    ),
]

/** The body of an example, with the subject in every place that names one. */
function bodyOf({ example, delivery }: Route, subject: Subject): unknown {
  if (example === undefined) return undefined
  const about = Object.fromEntries(
    Object.entries(example).map(([member, value]) => [
      member,
      member === "label"
        ? freshId()
        : member === "arxivIds" || member === "paperIds" || member === "identifiers"
          ? [subject.arxivId]
          : member === "collectionIds"
            ? [subject.collectionId]
            : (subject[member] ?? value),
    ]),
  )
  return delivery === undefined ? about : { ...about, [delivery]: freshId() }
}

const queryOf = ({ query }: Route, subject: Subject): string => {
  const asked = Object.keys(query).flatMap((member) =>
    subject[member] === undefined || member === "key" ? [] : [`${member}=${encodeURIComponent(subject[member])}`],
  )
  return asked.length === 0 ? "" : `?${asked.join("&")}`
}

/** An answer without the parts that differ between requests or that the request itself named. */
function plain(text: string, subject: Subject): string {
  // Both papers: after both requests, a person's own list has what they themselves saved.
  let seen = text.replace(/2311\.0(?:4444|9999)/g, "<paper>")
  for (const [member, value] of Object.entries(subject))
    if (!Object.hasOwn(shared, member)) seen = seen.replaceAll(value, "<subject>")
  const ids = new Map<string, string>()
  return (
    seen
      .replace(
        /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
        (id) => ids.get(id) ?? (ids.set(id, `<id ${ids.size}>`), ids.get(id) as string),
      )
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replace(/rr[a-z]_\w+/g, "<token>")
      .replace(/sha256:[0-9a-f]{64}/g, "<digest>")
      // Labels and sequences increase between the two requests.
      .replace(
        new RegExp(
          '"(?:sequence|timelineWatermark|activityWatermark|label|nextCursor|coversThrough|experiments|threads' +
            '|hypothesis|count|revision)":\\s*(?:\\d+|"[A-Z]\\d+")',
          "g",
        ),
        "<number>",
      )
      // The record published first is similar to the second one.
      .replace(/"similar":\[.*?\],"sameExecution":\[.*?\]/g, "<already tried>")
      // A material with the same reference already exists the second time.
      .replace(/"existing":(?:true|false)/g, "<existing>")
  )
}

interface Actor {
  readonly who: string
  send(method: string, path: string, body: unknown): Promise<{ status: number; text: string }>
}
const bearer = (who: string, token: string | undefined, headers = {}): Actor => ({
  who,
  send: (method, path, body) =>
    ask(`${baseUrl}${path}`, { method, token, headers, ...(body === undefined ? {} : { body }) }),
})
const atBrowser = (who: string, browser: typeof ada): Actor => ({
  who,
  async send(method, path, body) {
    const response = await browser.request(method, path, body)
    return { status: response.status, text: await textOf(response) }
  },
})

const elsewhere = await collectionOf(ada, "Another one")
const actors: Actor[] = [
  bearer("nobody", undefined),
  bearer("a page of another site", await keyOf(ada), { origin: "https://elsewhere.example" }),
  bearer("ada's own Room credential", await credentialOf(ada)),
  bearer("grace's Room credential", await credentialOf(grace)),
  bearer("mary's key", await keyOf(mary)),
  bearer("grace's key, who is invited", await keyOf(grace)),
  bearer("ada's key to another Collection", await keyOf(ada, { reach: "selected", collectionIds: [elsewhere] })),
  atBrowser("mary at the browser", mary),
]

/** Ada's data, which must be the same before and after. */
const everything = async () =>
  JSON.stringify([
    await ada.read("library_collection", { collectionId }),
    await ada.read("library_annotations", { arxivId }),
    await ada.read("library_paper", { arxivId }),
    (await ada.read("library_keys")).items.find((key) => key.keyId === keyId),
    await ada.read("collection_invitations", { collectionId }),
  ])
const before = await everything()

for (const actor of actors) {
  // shows: A Collection outside the reach answers as one that does not exist.
  test(`${actor.who} cannot tell ada's from one that does not exist`, async (t) => {
    let asked = 0
    for (const each of routes) {
      // A person may read what they themselves filed, so each request is about another paper, never filed before.
      const about = async (subject: Subject) => {
        const answer = await actor.send(
          each.method,
          `${filled(each.path, subject)}${queryOf(each, subject)}`,
          bodyOf(each, subject),
        )
        return { status: answer.status, text: answer.text, plain: plain(answer.text, subject) }
      }
      const [one, two] = [await about(secret), await about(nothing())]
      asked += 2
      const what = `${each.method} ${each.path} (${each.name})`
      if (one.status !== two.status || one.plain !== two.plain)
        t.strictSame([one.status, one.plain.slice(0, 1_500)], [two.status, two.plain.slice(0, 1_500)], what)
      const leaked = words.filter((word) => one.text.includes(word))
      if (leaked.length > 0) t.fail(`${what} shows ${leaked.join(", ")}`)
    }
    t.ok(asked > 200, `${asked} requests`)
  })
}

test("and ada's data is unchanged", async (t) => {
  t.equal(await everything(), before)
})

test("nor does any other method on its paths reveal it", async (t) => {
  for (const path of [
    `/api/library/collections/${collectionId}`,
    `/api/agent/library/collections/${collectionId}`,
    `/api/library/notes/${noteId}`,
  ]) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]) {
      const [one, two] = await Promise.all(
        [path, path.replace(/[0-9a-f-]{36}/, freshId())].map((each) => fetch(`${baseUrl}${each}`, { method })),
      )
      t.strictSame([one?.status, await one?.text()], [two?.status, await two?.text()], `${method} ${path}`)
    }
  }
})
