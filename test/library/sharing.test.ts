/** Collections shared between people: by invitation, with notes, with a read mark per person, and with a way out. */
import t, { test } from "tap"
import { checkData } from "../../src/check/check.ts"
import { collectionOf, paperId, paperIds, refused, share, openLibrary } from "./library.ts"

const lab = await openLibrary(t)
const { ada, grace, mary } = lab

/** A Collection of ada's that grace shares, with a paper without notes. */
async function shared(name: string, papers = [paperId(1)]) {
  const collectionId = await collectionOf(ada, name, papers)
  await share(ada, collectionId, grace, "grace")
  return { collectionId, arxivId: papers[0] as string }
}
const countsOf = async (person: typeof ada, collectionId: string) =>
  (await person.read("library_collection", { collectionId })).counts

// shows: Collections show their counts, members' usernames, fifty papers a page and the notes of that page's papers;
//   never invitations.
test("only the invited person answers an invitation, and nobody else sees it", async (t) => {
  const collectionId = await collectionOf(ada, "By invitation")
  const { result } = await ada.write("invite_to_collection", { collectionId, username: "Grace" })
  const { invitationId } = result
  t.match((await grace.read("library_invitations")).items, [
    { invitationId, collection: { id: collectionId, name: "By invitation" }, invitedBy: "ada" },
  ])
  t.match((await ada.read("collection_invitations", { collectionId })).items, [{ invitationId, username: "grace" }])
  t.match(await mary.read("library_invitations"), { items: [] })
  t.match(
    await refused(grace.read("library_collection", { collectionId })),
    { status: 404, refusal: "unknown_collection" },
    "not yet",
  )
  t.match(await refused(mary.write("accept_collection_invitation", { invitationId })), {
    status: 404,
    refusal: "unknown_object",
  })
  t.match(await refused(ada.write("accept_collection_invitation", { invitationId })), {
    status: 404,
    refusal: "unknown_object",
  })
  t.match(await refused(grace.write("withdraw_collection_invitation", { invitationId })), {
    status: 404,
    refusal: "unknown_object",
  })
  t.match(
    await refused(ada.write("invite_to_collection", { collectionId, username: "grace" })),
    { status: 409, refusal: "state_conflict" },
    "she is already invited",
  )
  t.match(await refused(ada.write("invite_to_collection", { collectionId, username: "ada" })), {
    status: 409,
    refusal: "state_conflict",
  })
  t.match(await refused(ada.write("invite_to_collection", { collectionId, username: "nobody" })), {
    status: 422,
    refusal: "invalid_request",
    issues: ["/username"],
  })

  await grace.write("accept_collection_invitation", { invitationId })
  t.match(await grace.read("library_collection", { collectionId }), {
    isOwner: false,
    owner: "ada",
    members: ["ada", "grace"],
  })
  t.match(await refused(grace.write("accept_collection_invitation", { invitationId })), { status: 404 }, "once")
  t.notOk(JSON.stringify(await grace.read("library_collection", { collectionId })).includes("invitationId"))
  t.match(await refused(grace.read("collection_invitations", { collectionId })), {
    status: 403,
    refusal: "not_authorized",
    current: { needed: ["owner"] },
  })
  t.match(await refused(grace.write("invite_to_collection", { collectionId, username: "mary" })), {
    status: 403,
    refusal: "not_authorized",
  })
})

test("an invitation is declined or withdrawn, and may be made again", async (t) => {
  const collectionId = await collectionOf(ada, "On and off")
  const invite = async () =>
    (await ada.write("invite_to_collection", { collectionId, username: "mary" })).result.invitationId
  await mary.write("decline_collection_invitation", { invitationId: await invite() })
  const second = await invite()
  await ada.write("withdraw_collection_invitation", { invitationId: second })
  t.match(await refused(mary.write("accept_collection_invitation", { invitationId: second })), {
    status: 404,
    refusal: "unknown_object",
  })
  await mary.write("accept_collection_invitation", { invitationId: await invite() })
  t.match(await mary.read("library_collection", { collectionId }), { members: ["ada", "mary"] })
})

test("members file and write together; only the owner changes the Collection itself", async (t) => {
  const { collectionId } = await shared("Side by side")
  await grace.write("add_papers", { collectionId, arxivIds: [paperId(2)] })
  t.match(
    (await ada.read("library_collection", { collectionId })).items.map(({ arxivId, addedBy }) => [arxivId, addedBy]),
    [
      [paperId(2), "grace"],
      [paperId(1), "ada"],
    ],
  )
  t.match(
    await ada.read("library_paper", { arxivId: paperId(2) }),
    { saved: false },
    "what grace adds is saved in her own Library",
  )
  t.match(await grace.read("library_paper", { arxivId: paperId(2) }), { saved: true })
  await grace.write("remove_paper", { collectionId, arxivId: paperId(1) })
  for (const request of [
    () => grace.write("rename_collection", { collectionId, name: "Grace's" }),
    () => grace.write("delete_collection", { collectionId }),
    () => grace.write("remove_collection_member", { collectionId, username: "ada" }),
  ]) {
    t.match(await refused(request()), { status: 403, refusal: "not_authorized", current: { needed: ["owner"] } })
  }
  t.match(await refused(ada.write("leave_collection", { collectionId })), { status: 409, refusal: "state_conflict" })
  t.match(await refused(ada.write("remove_collection_member", { collectionId, username: "ada" })), {
    status: 409,
    refusal: "state_conflict",
  })
  t.match(await refused(ada.write("remove_collection_member", { collectionId, username: "mary" })), {
    status: 404,
    refusal: "unknown_object",
  })
})

// shows: A note by an agent appears under the owner's name with a via marker; the owner's read mark does not move.
test("each person has their own read mark, and an agent moves nobody's", async (t) => {
  const { collectionId, arxivId } = await shared("Read marks", paperIds(10, 2))
  const other = paperId(11)
  const agent = await lab.agentOf(ada, { label: "ada's scout", agent: { name: "paper-scout" } })
  const first = (await ada.write("post_note", { collectionId, arxivId, text: "By ada." })).result.noteId
  t.match(
    [await countsOf(ada, collectionId), await countsOf(grace, collectionId)],
    [
      { notes: 1, unread: 0 },
      { notes: 1, unread: 1 },
    ],
    "writing a note marks it as read for its author",
  )

  const posted = (await agent.write("post_note", { collectionId, arxivId, text: "By ada's agent." })).result.noteId
  t.match(
    [await countsOf(ada, collectionId), await countsOf(grace, collectionId)],
    [
      { notes: 2, unread: 1 },
      { notes: 2, unread: 2 },
    ],
    "not if the author's agent wrote it",
  )
  const seen = (await grace.read("library_collection", { collectionId })).notes
  t.match(seen, [
    { author: "ada", via: null, unread: true },
    { noteId: posted, author: "ada", via: { label: "ada's scout", agent: { name: "paper-scout" } }, unread: true },
  ])
  await agent.read("library_collection", { collectionId })
  t.match(await countsOf(ada, collectionId), { unread: 1 }, "an agent that reads marks nothing")

  await grace.write("post_note", { collectionId, arxivId: other, text: "By grace, elsewhere." })
  t.match(
    [await countsOf(ada, collectionId), await countsOf(grace, collectionId)],
    [{ unread: 2 }, { unread: 2 }],
    "writing marks nothing of others as read",
  )
  t.match((await grace.write("mark_read", { collectionId, arxivId, throughNoteId: first })).result, { unread: 1 })
  t.match(
    (await grace.read("library_collection", { collectionId })).notes.map(({ unread }) => unread),
    [false, true, false],
  )
  t.match((await ada.write("mark_read", { collectionId, arxivId: other })).result, { unread: 1 })
  t.match((await ada.write("mark_read", { collectionId })).result, { unread: 0 })
  t.match(await countsOf(grace, collectionId), { unread: 1 }, "only one's own mark")
  t.match(await refused(mary.write("mark_read", { collectionId })), { status: 404, refusal: "unknown_collection" })

  await ada.write("delete_note", { noteId: posted })
  t.match(
    [await countsOf(ada, collectionId), await countsOf(grace, collectionId)],
    [
      { notes: 2, unread: 0 },
      { notes: 2, unread: 0 },
    ],
    "a deleted note is unread for nobody",
  )
})

test("only its author can delete a note; its replies stay", async (t) => {
  const { collectionId, arxivId } = await shared("Second thoughts")
  const { noteId } = (await grace.write("post_note", { collectionId, arxivId, text: "Nonsense." })).result
  const reply = (await ada.write("post_note", { collectionId, arxivId, text: "Why?", replyToNoteId: noteId })).result
    .noteId
  t.match(
    await refused(ada.write("delete_note", { noteId })),
    { status: 403, refusal: "not_authorized", current: { needed: ["author"] } },
    "not by the owner of the Collection",
  )
  t.match(
    await refused(mary.write("delete_note", { noteId })),
    { status: 404, refusal: "unknown_object" },
    "and a stranger cannot tell that it exists",
  )
  await grace.write("delete_note", { noteId })
  t.match((await ada.read("collection_notes", { collectionId, arxivId })).items, [
    { noteId: reply, replyToNoteId: noteId },
  ])
  t.match(await refused(grace.write("delete_note", { noteId })), { status: 404, refusal: "unknown_object" })
  t.match(await refused(grace.write("post_note", { collectionId, arxivId, text: "Still.", replyToNoteId: noteId })), {
    status: 422,
    issues: ["/replyToNoteId"],
  })
  const elsewhere = await collectionOf(grace, "Elsewhere", [arxivId])
  t.match(
    await refused(grace.write("post_note", { collectionId: elsewhere, arxivId, text: "There.", replyToNoteId: reply })),
    { status: 422, issues: ["/replyToNoteId"] },
    "a thread belongs to one Collection",
  )
})

test(
  "a person who leaves or is removed loses access, with keys too, " + "and an old key stays out when they come back",
  async (t) => {
    const { collectionId, arxivId } = await shared("Coming and going")
    const agent = await lab.agentOf(grace, { reach: "selected", collectionIds: [collectionId] })
    const all = await lab.agentOf(grace)
    await grace.write("post_note", { collectionId, arxivId, text: "I was here." })
    await ada.write("post_note", { collectionId, arxivId, text: "And I." })
    await agent.read("library_collection", { collectionId })
    await ada.write("remove_collection_member", { collectionId, username: "GRACE" })
    for (const request of [
      () => grace.read("library_collection", { collectionId }),
      () => agent.read("library_collection", { collectionId }),
      () => all.write("add_papers", { collectionId, arxivIds: [paperId(3)] }),
    ]) {
      t.match(await refused(request()), { status: 404, refusal: "unknown_collection" })
    }
    t.match(await agent.read("library_identity"), { collectionIds: [] })
    t.match(
      (await ada.read("library_collection", { collectionId })).notes,
      [{ author: "grace", text: "I was here." }, { author: "ada" }],
      "their notes stay",
    )

    const left = (await ada.read("library_collection", { collectionId })).notes[0]?.noteId as string
    t.match(
      await refused(grace.write("delete_note", { noteId: left })),
      { status: 404, refusal: "unknown_object" },
      "out of her reach now",
    )
    await ada.write("delete_note", { noteId: left })
    t.pass("the owner may clear away what somebody left behind")

    await share(ada, collectionId, grace, "grace")
    t.match(await countsOf(grace, collectionId), { unread: 0 }, "a new member starts with nothing unread")
    t.match(
      await refused(agent.read("library_collection", { collectionId })),
      { status: 404 },
      "the old key does not regain access",
    )
    await grace.write("leave_collection", { collectionId })
    t.match(await refused(grace.write("leave_collection", { collectionId })), {
      status: 404,
      refusal: "unknown_collection",
    })
  },
)

test("a deleted Collection is gone for everybody, and saved papers stay", async (t) => {
  const { collectionId, arxivId } = await shared("To be deleted", [paperId(50)])
  await grace.write("post_note", { collectionId, arxivId, text: "A note." })
  await ada.write("invite_to_collection", { collectionId, username: "mary" })
  const agent = await lab.agentOf(ada, { reach: "selected", collectionIds: [collectionId] })
  await ada.write("delete_collection", { collectionId })
  for (const person of [ada, grace])
    t.match(await refused(person.read("library_collection", { collectionId })), {
      status: 404,
      refusal: "unknown_collection",
    })
  t.match(await refused(agent.read("library_collection", { collectionId })), { status: 404 })
  t.notOk((await mary.read("library_invitations")).items.some(({ collection }) => collection.id === collectionId))
  t.match(await ada.read("library_paper", { arxivId }), { saved: true, collections: [] })
  await ada
    .write("unsave_papers", { arxivIds: [arxivId, paperId(51)] })
    .then(({ result }) => t.match(result, { unsaved: [arxivId], notSaved: [paperId(51)] }))
  t.match(await refused(ada.read("library_paper", { arxivId })), { status: 404, refusal: "unknown_paper" })
})

// shows: A paper with a note in its thread is not removed.
test("the rules of a batch and of a thread apply in the browser as for agents", async (t) => {
  const { collectionId, arxivId } = await shared("The same rules")
  await ada.write("post_note", { collectionId, arxivId, text: "Held." })
  t.match(await refused(grace.write("remove_paper", { collectionId, arxivId })), {
    status: 409,
    refusal: "thread_has_notes",
    current: { notes: 1 },
  })
  t.match(await refused(grace.write("post_note", { collectionId, arxivId: paperId(77), text: "On what?" })), {
    status: 404,
    refusal: "unknown_paper",
  })
  const foreign = await ada.request(
    "POST",
    "/api/library/save_papers",
    { schemaVersion: 1, requestId: crypto.randomUUID(), arxivIds: [paperId(1)] },
    { origin: "https://elsewhere.example" },
  )
  t.match(await foreign.json(), { schemaVersion: 1, refusal: "browser_origin" })
  const anonymous = await lab.stranger().request("GET", "/api/library/papers")
  t.equal(anonymous.status, 401)
  t.match(await anonymous.json(), { schemaVersion: 1, refusal: "not_authorized" })
})

test("the stored counts equal a fresh count", async (t) => {
  const wrong = lab.instance.db
    .prepare<{ what: string }>(`
    SELECT 'papers' AS what
      FROM collections c
      WHERE papers <> (SELECT count(*) FROM collection_papers p WHERE p.collection_id = c.collection_id)
    UNION ALL SELECT 'notes'
      FROM collections c
      WHERE notes <> (SELECT count(*) FROM notes n WHERE n.collection_id = c.collection_id)
    UNION ALL SELECT 'thread'
      FROM collection_papers p
      WHERE notes <> (SELECT count(*) FROM notes n WHERE n.collection_id = p.collection_id AND n.paper_id = p.paper_id)
    UNION ALL SELECT 'unread'
      FROM collection_members m
      WHERE unread <> (SELECT count(*)
        FROM unread_notes u
        WHERE u.user_id = m.user_id AND u.collection_id = m.collection_id)
    UNION ALL SELECT 'saved'
      FROM library_counts l
      WHERE saved <> (SELECT count(*) FROM saved_papers s WHERE s.user_id = l.user_id)
    UNION ALL SELECT 'owned'
      FROM library_counts l
      WHERE collections <> (SELECT count(*) FROM collections c WHERE c.owner_id = l.user_id)`)
    .all()
  t.strictSame(wrong, [])
  t.strictSame(checkData(lab.instance.db).problems, [])
  const change = (by: number) =>
    lab.instance.ledger.transact(() => lab.instance.db.prepare("UPDATE collections SET papers = papers + ?").run(by))
  await change(1)
  t.match(
    checkData(lab.instance.db).problems[0],
    /^collections \(collection_id .*\): papers differs from a replay of the journal\.$/,
    "a check of the data finds a wrong count",
  )
  await change(-1)
})
