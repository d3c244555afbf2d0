/**
 * The whole story, on the shipped program: a person gives an agent a key to one shared Collection, the agent files and
 * writes, the other member reads, answers and cleans up, and the key is revoked while the agent is still working.
 */
import { RefusedError, ResearchRoomClient } from "research-room/client"
import { Browser } from "research-room/testing"
import tap, { test } from "tap"
import { held } from "../support/contract.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"
import { paperId, paperIds, refused } from "./library.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

// shows: The Library is a surface of its own, for a person's agent with a personal key.
test("an agent files papers for a person, as far and as long as that person permits", async (t) => {
  const passwords = { ada: "the long password of ada", grace: "the long password of grace" }
  for (const [username, password] of Object.entries(passwords))
    t.match(await run(program, ["user", "add", username, "--password", password], place), { code: 0 })
  const service = await serve(program, [], place)
  const { baseUrl } = service
  const signIn = (username: keyof typeof passwords) =>
    Browser.signIn({ baseUrl, fetch: held }, { username, password: passwords[username] })
  const [ada, grace] = [await signIn("ada"), await signIn("grace")]

  const { collectionId } = (await ada.write("create_collection", { name: "Warm-up" })).result
  await ada.write("create_collection", { name: "Nobody's business" })
  await ada.write("invite_to_collection", { collectionId, username: "grace" })
  const [invitation] = (await grace.read("library_invitations")).items
  await grace.write("accept_collection_invitation", { invitationId: invitation?.invitationId ?? "" })

  const issued = await ada.write("issue_key", {
    label: "scout",
    permissions: ["read_library", "file_papers", "post_notes"],
    reach: "selected",
    collectionIds: [collectionId],
    agent: { name: "paper-scout" },
  })
  const { keyId, token = "" } = issued.result
  const agent = new ResearchRoomClient({
    baseUrl,
    token,
    fetch: held,
    retries: 0,
    client: { name: "paper-scout", version: "0.3" },
  })
  t.strictSame(
    (await agent.read("library_collections")).items.map(({ name }) => name),
    ["Warm-up"],
    "it sees what it may reach",
  )
  const ten = paperIds(0, 10)
  t.match((await agent.write("add_papers", { collectionId, arxivIds: ten })).result, { added: ten, saved: null })
  for (const arxivId of ten.slice(0, 2))
    await agent.write("post_note", { collectionId, arxivId, text: `Bears on the question: see ${arxivId}.` })

  const detail = await grace.read("library_collection", { collectionId })
  t.match(detail, {
    counts: { papers: 10, notes: 2, unread: 2 },
    notes: [
      { author: "ada", via: { label: "scout", agent: { name: "paper-scout" } }, unread: true },
      { author: "ada" },
    ],
  })
  const own = (await grace.write("post_note", { collectionId, arxivId: ten[2] as string, text: "This one does not." }))
    .result.noteId
  await grace.write("post_note", {
    collectionId,
    arxivId: ten[0] as string,
    text: "It does indeed.",
    replyToNoteId: detail.notes[0]?.noteId ?? "",
  })
  t.match((await grace.write("mark_read", { collectionId })).result, { unread: 0 })
  t.match(
    (await ada.read("library_collection", { collectionId })).counts,
    { notes: 4, unread: 4 },
    "ada has read neither her agent's note nor grace's",
  )

  const removal = { collectionId, arxivId: ten[2] as string }
  t.match(await refused(grace.write("remove_paper", removal)), {
    status: 409,
    refusal: "thread_has_notes",
    current: { notes: 1 },
  })
  await grace.write("delete_note", { noteId: own })
  await grace.write("remove_paper", removal)
  t.match(await ada.read("library_collection", { collectionId }), { counts: { papers: 9, notes: 3, unread: 3 } })

  const batches = Array.from({ length: 20 }, (_, index) => paperIds(100 + index * 10, 10))
  const sent = batches.map((arxivIds) =>
    agent.write("add_papers", { collectionId, arxivIds }).then(
      () => true,
      (error: unknown) =>
        error instanceof RefusedError && error.refusal === "not_authorized" ? false : Promise.reject(error),
    ),
  )
  await ada.write("revoke_key", { keyId })
  const results = await Promise.all(sent)
  const filed = new Set(
    (
      await Array.fromAsync({
        async *[Symbol.asyncIterator]() {
          for (let offset: number | null = 0; offset !== null; ) {
            const page: Awaited<ReturnType<typeof ada.read<"library_collection">>> = await ada.read(
              "library_collection",
              {
                collectionId,
                offset,
              },
            )
            yield* page.items
            offset = page.nextOffset
          }
        },
      })
    ).map(({ arxivId }) => arxivId),
  )
  for (const [index, accepted] of results.entries())
    t.equal(
      (batches[index] as string[]).filter((arxivId) => filed.has(arxivId)).length,
      accepted ? 10 : 0,
      `batch ${index} is there ${accepted ? "whole" : "not at all"}`,
    )
  t.match(await refused(agent.write("add_papers", { collectionId, arxivIds: [paperId(900)] })), {
    status: 401,
    refusal: "not_authorized",
  })
  t.match(await refused(agent.read("library_identity")), { status: 401, refusal: "not_authorized" })

  service.signal("SIGTERM")
  t.match(await service.ended(), { code: 0 })
  t.match(await run(program, ["check"], place), { code: 0, out: /all whole/ })
  t.match(await run(program, ["key", "list", "--user", "ada"], place), { code: 0, out: /selected +revoked .*scout/ })
  const again = await serve(program, [], place)
  const later = await Browser.signIn(
    { baseUrl: again.baseUrl, fetch: held },
    { username: "grace", password: passwords.grace },
  )
  t.match(await later.read("library_collection", { collectionId }), {
    counts: { papers: filed.size, notes: 3, unread: 0 },
    members: ["ada", "grace"],
  })
  again.signal("SIGTERM")
  await again.ended()
})
