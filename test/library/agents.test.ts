/** An agent with a personal key: the six reads and the six writes, and the permissions for each. */
import t, { test } from "tap"
import { ask } from "../support/ask.ts"
import { freshId } from "../support/bodies.ts"
import { collectionOf, keyOf, paperId, paperIds, refused, share, openLibrary } from "./library.ts"

const lab = await openLibrary(t)
const { ada, grace, baseUrl } = lab
const library = `${baseUrl}/api/agent/library`

// shows: The identity shows the owner, the key, its permissions, reach, expiry, limits and links.
test("an agent finds out whose Library it is in, and how far its key reaches", async (t) => {
  const collectionId = await collectionOf(ada, "For the agent")
  const agent = await lab.agentOf(ada, {
    label: "scout",
    reach: "selected",
    collectionIds: [collectionId],
    agent: { name: "paper-scout", version: "1" },
  })
  const identity = await agent.read("library_identity")
  t.match(identity, {
    schemaVersion: 1,
    username: "ada",
    userId: lab.userIds.ada,
    reach: "selected",
    collectionIds: [collectionId],
    key: { label: "scout", agent: { name: "paper-scout", version: "1" } },
  })
  t.match(identity.limits, { collectionPapers: 1_000, savedPapers: 20_000, ownedCollections: 200, pageItems: 50 })
  for (const [name, path] of Object.entries(identity.links))
    t.not((await ask(`${baseUrl}${path}`)).status, 404, `${name} leads somewhere`)
})

// shows: Adding a paper saves it too where the reach includes the Library.
test("papers are saved once under their id, whatever version is named", async (t) => {
  const agent = await lab.agentOf(ada)
  const first = await agent.write("save_papers", { arxivIds: ["2402.00001v3", "hep-th/9901001", "math.GT/0309136v2"] })
  t.match(first, {
    schemaVersion: 1,
    roomId: null,
    threadId: null,
    entry: null,
    activity: null,
    target: { kind: "library" },
  })
  t.strictSame(first.result, {
    saved: ["2402.00001", "hep-th/9901001", "math/0309136"],
    alreadySaved: [],
    readAs: [],
    unreadable: [],
    label: null,
  })
  const again = await agent.write("save_papers", { arxivIds: ["2402.00001", "2402.00002"] })
  t.strictSame(again.result, {
    saved: ["2402.00002"],
    alreadySaved: ["2402.00001"],
    readAs: [],
    unreadable: [],
    label: null,
  })
  const page = await agent.read("library_papers")
  t.strictSame(
    page.items.map(({ arxivId }) => arxivId),
    ["2402.00002", "math/0309136", "hep-th/9901001", "2402.00001"],
    "newest first",
  )
  t.match(page.items[0], { title: null, authors: [], abstract: null, metadata: "unknown", collections: [] })
})

// shows: Collections show their counts, members' usernames, fifty papers a page and the notes of that page's papers;
//   never invitations.
// shows: A paper with a note in its thread is not removed.
test("a Collection used by an agent: made, filled, read, renamed, emptied", async (t) => {
  const agent = await lab.agentOf(ada)
  const { collectionId } = (await agent.write("create_collection", { name: "Ramps" })).result
  const added = await agent.write("add_papers", { collectionId, arxivIds: paperIds(100, 3) })
  t.strictSame(added.result, {
    collectionId,
    added: paperIds(100, 3),
    alreadyThere: [],
    saved: paperIds(100, 3),
    alreadySaved: [],
    readAs: [],
    unreadable: [],
    label: null,
  })
  t.match((await agent.write("add_papers", { collectionId, arxivIds: paperIds(102, 2) })).result, {
    added: [paperId(103)],
    alreadyThere: [paperId(102)],
    saved: [paperId(103)],
    alreadySaved: [paperId(102)],
  })

  const note = (await agent.write("post_note", { collectionId, arxivId: paperId(100), text: "See 5.3." })).result
  await agent.write("post_note", { collectionId, arxivId: paperId(100), text: "And 5.4.", replyToNoteId: note.noteId })
  const detail = await agent.read("library_collection", { collectionId })
  t.match(detail, {
    id: collectionId,
    name: "Ramps",
    isOwner: true,
    owner: "ada",
    members: ["ada"],
    counts: { papers: 4, notes: 2 },
    hasMore: false,
    nextOffset: null,
  })
  t.strictSame(
    detail.items.map(({ arxivId }) => arxivId),
    [103, 102, 101, 100].map(paperId),
    "newest first",
  )
  t.match(
    detail.notes.map(({ text, replyToNoteId, author }) => ({ text, replyToNoteId, author })),
    [
      { text: "See 5.3.", replyToNoteId: null, author: "ada" },
      { text: "And 5.4.", replyToNoteId: note.noteId },
    ],
  )

  t.match((await agent.write("rename_collection", { collectionId, name: "Ramps and clips" })).result, {
    name: "Ramps and clips",
  })
  t.match(await refused(agent.write("remove_paper", { collectionId, arxivId: paperId(100) })), {
    status: 409,
    refusal: "thread_has_notes",
    current: { notes: 2 },
  })
  await agent.write("remove_paper", { collectionId, arxivId: paperId(101) })
  t.match(await refused(agent.write("remove_paper", { collectionId, arxivId: paperId(101) })), {
    status: 404,
    refusal: "unknown_paper",
  })
  t.match(
    await agent.read("library_paper", { arxivId: paperId(101) }),
    { saved: true, collections: [] },
    "it stays saved",
  )
  t.match(await agent.read("library_paper", { arxivId: paperId(102) }), {
    saved: true,
    collections: [{ id: collectionId, name: "Ramps and clips" }],
  })
  t.match(
    (await agent.read("library_collections")).items.find(({ id }) => id === collectionId),
    { name: "Ramps and clips", counts: { papers: 3, notes: 2 } },
  )
})

// shows: Each read and write needs what the table says.
test("each permission opens what it names, and nothing else", async (t) => {
  const collectionId = await collectionOf(ada, "By permission", [paperId(200)])
  const arxivId = paperId(200)
  const needs = {
    library_collections: "read_library",
    library_collection: "read_library",
    library_papers: "read_library",
    library_paper: "read_library",
    library_annotations: "read_annotations",
    save_papers: "file_papers",
    create_collection: "file_papers",
    add_papers: "file_papers",
    remove_paper: "file_papers",
    rename_collection: "file_papers",
    post_note: "post_notes",
  } as const
  for (const permission of new Set(Object.values(needs))) {
    const agent = await lab.agentOf(ada, { permissions: [permission] })
    t.match(await agent.read("library_identity"), { permissions: [permission] }, "every key can read its own identity")
    const asked: Record<keyof typeof needs, () => Promise<unknown>> = {
      library_collections: () => agent.read("library_collections"),
      library_collection: () => agent.read("library_collection", { collectionId }),
      library_papers: () => agent.read("library_papers"),
      library_paper: () => agent.read("library_paper", { arxivId }),
      library_annotations: () => agent.read("library_annotations", { arxivId }),
      save_papers: () => agent.write("save_papers", { arxivIds: [paperId(201)] }),
      create_collection: () => agent.write("create_collection", { name: "Another" }),
      add_papers: () => agent.write("add_papers", { collectionId, arxivIds: [paperId(202)] }),
      remove_paper: () => agent.write("remove_paper", { collectionId, arxivId: paperId(202) }),
      rename_collection: () => agent.write("rename_collection", { collectionId, name: "By permission" }),
      post_note: () => agent.write("post_note", { collectionId, arxivId, text: "Allowed." }),
    }
    for (const [name, request] of Object.entries(asked)) {
      const needed = needs[name as keyof typeof needs]
      if (needed === permission) await t.resolves(request(), `${permission}: ${name}`)
      else
        t.match(
          await refused(request()),
          { status: 403, refusal: "not_authorized", current: { needed: [needed] } },
          `${permission}: ${name}`,
        )
    }
  }
})

// shows: A selected reach keeps to its Collections, and a Collection it makes joins it.
test("a selected reach excludes the Library, and includes Collections that the agent makes", async (t) => {
  const [inside, outside] = [
    await collectionOf(ada, "Inside", [paperId(300)]),
    await collectionOf(ada, "Outside", [paperId(301)]),
  ]
  const agent = await lab.agentOf(ada, { reach: "selected", collectionIds: [inside] })
  t.match(await refused(agent.read("library_papers")), {
    status: 403,
    refusal: "not_authorized",
    current: { needed: ["reach"] },
  })
  t.match(await refused(agent.write("save_papers", { arxivIds: [paperId(302)] })), {
    status: 403,
    refusal: "not_authorized",
  })
  t.strictSame(
    (await agent.read("library_collections")).items.map(({ name }) => name),
    ["Inside"],
  )
  t.match(await agent.read("library_paper", { arxivId: paperId(300) }), {
    saved: null,
    savedAt: null,
    collections: [{ id: inside }],
  })
  t.match(
    await refused(agent.read("library_paper", { arxivId: paperId(301) })),
    { status: 404, refusal: "unknown_paper" },
    "saved, but out of reach",
  )
  t.match(await refused(agent.read("library_annotations", { arxivId: paperId(301) })), {
    status: 404,
    refusal: "unknown_paper",
  })

  const added = await agent.write("add_papers", { collectionId: inside, arxivIds: [paperId(303), paperId(301)] })
  t.match(
    added.result,
    { added: [paperId(303), paperId(301)], saved: null, alreadySaved: null },
    "the result reveals nothing that is saved",
  )
  const all = await lab.agentOf(ada)
  t.match(
    await all.read("library_paper", { arxivId: paperId(303) }),
    { saved: false, collections: [{ id: inside }] },
    "it was not saved",
  )

  const { collectionId } = (await agent.write("create_collection", { name: "Made by it" })).result
  t.strictSame(
    (await agent.read("library_collections")).items.map(({ name }) => name),
    ["Made by it", "Inside"],
  )
  t.match(await agent.read("library_identity"), { collectionIds: [inside, collectionId].sort() })
  for (const request of [
    () => agent.write("add_papers", { collectionId: outside, arxivIds: [paperId(304)] }),
    () => agent.write("remove_paper", { collectionId: outside, arxivId: paperId(301) }),
    () => agent.write("rename_collection", { collectionId: outside, name: "Mine" }),
    () => agent.write("post_note", { collectionId: outside, arxivId: paperId(301), text: "Hello?" }),
    () => agent.read("library_collection", { collectionId: outside }),
    () => agent.read("library_collection", { collectionId: freshId() }),
  ]) {
    t.match(await refused(request()), { status: 404, refusal: "unknown_collection", current: null })
  }
})

// shows: Renaming is for the Collection's owner.
test("Collections shared by others are in the reach of all, not of owned; only the owner renames", async (t) => {
  const theirs = await collectionOf(grace, "Grace's shelf", [paperId(400)])
  await share(grace, theirs, ada, "ada")
  const [all, owned] = [await lab.agentOf(ada), await lab.agentOf(ada, { reach: "owned" })]
  t.match(await all.read("library_collection", { collectionId: theirs }), {
    isOwner: false,
    owner: "grace",
    members: ["grace", "ada"],
  })
  t.match(await all.read("library_paper", { arxivId: paperId(400) }), { saved: false, collections: [{ id: theirs }] })
  t.match(await refused(all.write("rename_collection", { collectionId: theirs, name: "Ada's" })), {
    status: 403,
    refusal: "not_authorized",
    current: { needed: ["owner"] },
  })
  await all.write("add_papers", { collectionId: theirs, arxivIds: [paperId(401)] })

  t.match(await refused(owned.read("library_collection", { collectionId: theirs })), {
    status: 404,
    refusal: "unknown_collection",
  })
  t.match(await refused(owned.write("rename_collection", { collectionId: theirs, name: "Ada's" })), {
    status: 404,
    refusal: "unknown_collection",
  })
  t.match(
    await owned.read("library_paper", { arxivId: paperId(401) }),
    { saved: true, collections: [] },
    "saved by adding; the Collection stays hidden",
  )
  t.match(await refused(owned.read("library_paper", { arxivId: paperId(400) })), {
    status: 404,
    refusal: "unknown_paper",
  })
})

// shows: Every write carries a requestId and answers a receipt.
// shows: Library receipts belong to the person, not the key.
test("a delivery replays with any key of the person, and is done once", async (t) => {
  const [one, other] = [await lab.agentOf(ada), await lab.agentOf(ada, { label: "its successor" })]
  const request = { requestId: freshId(), name: "Made once" }
  const first = await one.write("create_collection", request)
  t.match(await one.write("create_collection", { ...request, requestId: request.requestId.toUpperCase() }), {
    replayed: true,
    result: first.result,
    credentialChanged: undefined,
  })
  t.match(await other.write("create_collection", request), {
    replayed: true,
    credentialChanged: true,
    result: first.result,
  })
  t.match(await ada.write("create_collection", request), { replayed: true, credentialChanged: true })
  const conflict = await refused(other.write("create_collection", { ...request, name: "Made twice" }))
  t.match(conflict, { status: 409, refusal: "request_conflict", current: { operation: "create_collection" } })
  t.notOk(conflict.current && "target" in conflict.current, "what it made may be out of this key's reach")
  t.notOk((await grace.write("create_collection", request)).replayed, "another person's deliveries are separate")
  t.equal((await one.read("library_collections")).items.filter(({ name }) => name === "Made once").length, 1)
})

test("a rehearsal answers what would happen, and changes nothing", async (t) => {
  const agent = await lab.agentOf(ada)
  const request = { requestId: freshId(), name: "Only in thought" }
  t.match(await agent.write("create_collection", request, { rehearse: true }), {
    rehearsed: true,
    result: { name: "Only in thought" },
  })
  t.notOk((await agent.read("library_collections")).items.some(({ name }) => name === "Only in thought"))
  t.notOk((await agent.write("create_collection", request)).replayed, "the id stays unused")
})

// shows: Lists page by offset, fifty at a time.
test("lists page by offset, fifty at a time", async (t) => {
  const collectionId = await collectionOf(ada, "Long")
  const agent = await lab.agentOf(ada)
  for (const from of [500, 550, 600])
    await agent.write("add_papers", { collectionId, arxivIds: paperIds(from, from === 600 ? 20 : 50) })
  const first = await agent.read("library_collection", { collectionId })
  t.match(first, {
    hasMore: true,
    nextOffset: 50,
    links: {
      self: `/api/agent/library/collections/${collectionId}`,
      next: `/api/agent/library/collections/${collectionId}?offset=50`,
    },
  })
  const next = await ask(`${baseUrl}${first.links.next}`, { token: await keyOf(ada) })
  t.match(next.body, { nextOffset: 100 })
  const seen: string[] = []
  for await (const item of agent.items("library_collection", { collectionId })) seen.push(item.paperId)
  t.strictSame(seen, paperIds(500, 120).reverse(), "all of them, newest first, each once")
  t.match(await agent.read("library_collection", { collectionId, offset: 100 }), {
    hasMore: false,
    nextOffset: null,
    links: { next: null },
  })
  t.match(await agent.read("library_collection", { collectionId, offset: 5_000 }), {
    items: [],
    notes: [],
    hasMore: false,
    nextOffset: null,
  })
  for (const query of ["offset=-1", "offset=x", "offset=1&offset=2", "limit=5", "after=0"]) {
    t.match(
      await ask(`${library}/papers?${query}`, { token: await keyOf(ada) }),
      { status: 422, body: { refusal: "invalid_request", schemaVersion: 1 } },
      query,
    )
  }
})

// shows: Its schemas are served as an index, one by one, with examples, and as a bundle.
test("schemas and examples are readable without a key, and refuse a Room credential", async (t) => {
  const schema = `${library}/schema`
  const index = await ask(schema)
  t.match(index.body, { schemaVersion: 1 })
  const names = (index.body.operations as unknown as { name: string }[]).map(({ name }) => name)
  t.strictSame(names, [
    "save_papers",
    "create_collection",
    "add_papers",
    "remove_paper",
    "rename_collection",
    "post_note",
  ])
  const token = await keyOf(ada)
  for (const name of names) {
    t.match(await ask(`${schema}?operation=${name}`), { status: 200, body: { type: "object" } })
    t.match((await ask(`${schema}?operation=${name}&example=1`, { token })).body, { schemaVersion: 1 })
  }
  t.match((await ask(`${schema}?bundle=1`)).body, {
    operations: names.map((name) => ({ name, exampleBody: { schemaVersion: 1 } })),
  })
  t.match(await ask(`${schema}?operation=post_message`), {
    status: 404,
    body: { refusal: "unknown_operation", schemaVersion: 1 },
  })
  t.match(
    await ask(`${schema}?operation=issue_key`),
    { status: 404 },
    "operations of the browser are not listed for agents",
  )
  const { result: room } = await ada.write("create_room", { title: "Another Room" })
  const { result: credential } = await ada.write("issue_credential", {
    roomId: room.roomId,
    label: "agent",
    permissions: ["post_thread"],
  })
  t.match(await ask(schema, { token: credential.token }), { status: 401, body: { refusal: "not_authorized" } })
})
