/** The Library in the registry: its own family everywhere, and every document lists it. */
import { test } from "tap"
import { startResearchRoom } from "research-room/testing"
import { manifest } from "../../src/discovery/manifest.ts"
import { operationRefusals, readRefusals } from "../../src/discovery/openapi-parts.ts"
import { libraryOperations } from "../../src/contract/library/operations.ts"
import { libraryReads } from "../../src/contract/library/reads.ts"
import { browserPath } from "../../src/contract/definitions/operation.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { type RefusalSpec, refusals, codeIn, Refusal, type RefusalCode } from "../../src/contract/refusals.ts"
import { familyOf, schemaVersions } from "../../src/contract/service.ts"

const table = Object.entries(refusals) as [RefusalCode, RefusalSpec][]

// shows: Research operations and reads carry schemaVersion 3, the Library 1.
test("a path determines the family of its answers", (t) => {
  for (const operation of operations)
    t.strictSame(
      [familyOf(operation.path), familyOf(browserPath(operation)), operation.schemaVersion],
      [operation.family, operation.family, schemaVersions[operation.family]],
      operation.name,
    )
  for (const read of reads) t.equal(familyOf(read.path), read.family, read.name)
  for (const path of ["/api/agent/library", "/api/agent/library/", "/api/library/nothing/here"])
    t.equal(familyOf(path), "library", path)
  for (const path of ["/api/agent/librarian", "/api/libraryx", "/api/research/rooms", "/"])
    t.equal(familyOf(path), "research", path)
  t.end()
})

// shows: The Library's refusals are those of its table.
// shows: A refusal carries the schema version of what was refused.
test("the Library's table of refusals is the interface's", (t) => {
  const ofInterface = {
    not_authorized: [401, 403],
    unknown_collection: [404],
    unknown_paper: [404],
    unknown_operation: [404],
    thread_has_notes: [409],
    limit_reached: [409],
    request_conflict: [409],
    invalid_request: [422],
    request_too_large: [413],
    temporarily_unavailable: [503],
  }
  for (const [code, status] of Object.entries(ofInterface))
    t.strictSame(refusals[code as RefusalCode]?.status, status, code)
  // Besides those: codes that the protocol shares with research, and those that any request can get.
  const besides = ["browser_origin", "not_json", "wrong_host", "method_not_allowed", "too_many_requests"]
  const known = [...Object.keys(ofInterface), ...besides]
  const possible = [
    ...libraryOperations
      .filter(({ surface }) => surface === "agent")
      .flatMap((operation) => operationRefusals(operation, "agent")),
    ...libraryReads.filter(({ surface }) => surface === "key").flatMap((read) => readRefusals(read)),
  ]
  t.strictSame(
    [...new Set(possible)].filter((code) => !known.includes(code)),
    [],
    "an agent gets no other",
  )
  for (const [code, { library, status }] of table.filter(([, spec]) => spec.library !== undefined)) {
    const told = refusals[library as RefusalCode] as RefusalSpec | undefined
    t.ok(told && status.every((each) => told.status.includes(each)), `${code} becomes ${library}, with its own status`)
    t.match(new Refusal(code, "Why.").envelope("library"), { schemaVersion: 1, refusal: library })
    t.match(new Refusal(code, "Why.").envelope("research"), { schemaVersion: 3, refusal: code })
    t.equal(codeIn(library as RefusalCode, "library"), library)
  }
  const research = operations
    .filter(({ family }) => family === "research")
    .flatMap((operation) => operationRefusals(operation, "browser"))
  t.strictSame(
    [...new Set(research)].filter((code) => (refusals[code] as RefusalSpec).family === "library"),
    [],
    "and a Room answers with none of the Library's",
  )
  t.end()
})

test("the manifest lists the Library beside the rest, marked as a surface of its own", (t) => {
  const made = manifest({
    baseUrl: "https://rooms.example.org",
    instanceId: "x",
    lineage: [],
    rates: null,
    softwareVersion: "1",
  })
  const ofLibrary = made.operations.filter(({ surface }) => surface === "library")
  t.strictSame(
    ofLibrary.map(({ name, path, permissions }) => [name, path, permissions]),
    [
      ["save_papers", "/api/agent/library/save_papers", ["file_papers"]],
      ["create_collection", "/api/agent/library/create_collection", ["file_papers"]],
      ["add_papers", "/api/agent/library/add_papers", ["file_papers"]],
      ["remove_paper", "/api/agent/library/remove_paper", ["file_papers"]],
      ["rename_collection", "/api/agent/library/rename_collection", ["file_papers"]],
      ["post_note", "/api/agent/library/post_note", ["post_notes"]],
    ],
  )
  t.ok(
    ofLibrary.every(
      ({ idempotencyKey, required, inputSchemaUrl }) =>
        idempotencyKey === "requestId" &&
        required.includes("schemaVersion") &&
        inputSchemaUrl.includes("/api/agent/library/schema?operation="),
    ),
  )
  t.strictSame(
    made.reads
      .filter(({ surface, name }) => surface === "library" && name !== "library_schema")
      .map(({ path, parameters, cursor }) => [path.replace("/api/agent/library/", ""), parameters, cursor]),
    [
      ["identity", [], null],
      ["collections", ["offset"], "offset"],
      ["collections/{collectionId}", ["offset", "format"], "offset"],
      ["papers", ["offset", "query", "tag", "sort", "format"], "offset"],
      ["tags", [], null],
      ["paper", ["paperId", "arxivId"], null],
      ["annotations", ["paperId", "arxivId"], null],
      ["collections/{collectionId}/bibtex", [], null],
    ],
  )
  t.ok(made.slices.includes("library"))
  t.match(made.limits, {
    collectionPapers: 1_000,
    savedPapers: 20_000,
    ownedCollections: 200,
    arxivIds: 50,
    note: 10_000,
    collectionName: 100,
  })
  t.match(made.permissions, [
    "post_thread",
    "publish_records",
    "manage_own_experiments",
    "read_library",
    "read_annotations",
    "file_papers",
    "post_notes",
  ])
  t.end()
})

test("the demo brings a Library, and a key of each kind", async (t) => {
  await using room = await startResearchRoom()
  const { keys, people } = room
  t.strictSame(Object.keys(keys).sort(), ["all", "expired", "member_all", "owned", "read_only", "selected"])
  for (const [name, { token, username, permissions, reach, collectionIds }] of Object.entries(keys)) {
    t.match(token, /^rrk_/)
    if (name === "expired") {
      await t.rejects(room.library("expired").read("library_identity"), {
        name: "RefusedError",
        status: 401,
        refusal: "not_authorized",
      })
      continue
    }
    t.match(
      await room.library(name as "all").read("library_identity"),
      { username, permissions, reach, collectionIds },
      name,
    )
    t.equal(username, name === "member_all" ? people.member.username : people.owner.username)
  }
  t.strictSame(
    [keys.all.reach, keys.owned.reach, keys.selected.reach, keys.read_only.permissions],
    ["all", "owned", "selected", ["read_library", "read_annotations"]],
  )
  const all = await room.library("all").read("library_collections")
  t.strictSame(
    all.items.map(({ isOwner }) => isOwner),
    [false, true, true],
    "one shared with the owner, one of their own, one that they share",
  )
  const shared = await room
    .library("selected")
    .read("library_collection", { collectionId: keys.selected.collectionIds?.[0] as string })
  t.match(shared, { members: [people.owner.username, people.member.username], counts: { papers: 6, notes: 3 } })
  t.ok(
    (await room.library("all").read("library_papers")).items.some(({ metadata }) => metadata === "unknown"),
    "some metadata is unknown",
  )
  await t.rejects(room.library("read_only").write("create_collection", { name: "No" }), {
    name: "RefusedError",
    status: 403,
    refusal: "not_authorized",
    current: { needed: ["file_papers"] },
  })
  const owner = await room.browser("owner")
  t.match(await owner.read("library_paper", { arxivId: "1706.03762" }), {
    saved: true,
    metadata: "known",
    links: {
      self: "/api/library/paper?arxivId=1706.03762",
      publications: "/api/research/papers/1706.03762/publications",
    },
  })
  t.equal(
    (await owner.request("GET", "/api/research/papers/1706.03762/publications")).status,
    200,
    "what the Rooms say about it is shown beside it",
  )
})
