/** The folder of bare repositories, and in which order the folder and GitHub are asked. */
import { pattern } from "../support/pattern.ts"
import { randomBytes } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Test, test } from "tap"
import { configuredCheck, folderCheck } from "../../src/repositories/configured.ts"
import { BareRepository } from "./bare-repository.ts"
import { Clock } from "./clock.ts"
import { GitHubStandIn } from "./github-stand-in.ts"

const URL = "https://github.com/octo/maze"
const UNKNOWN = "0123456789abcdef0123456789abcdef01234567"

function folder(t: Test, options: ConstructorParameters<typeof BareRepository>[1] = {}) {
  const dir = t.testdir()
  return {
    dir,
    source: folderCheck(dir),
    repository: new BareRepository(join(dir, "github.com/octo/maze.git"), options),
  }
}

test("loose and packed commits are found, with both hash algorithms", async (t) => {
  for (const format of ["sha1", "sha256"] as const) {
    for (const largePlaces of [false, true]) {
      const { source, repository } = folder(t, { format })
      const loose = repository.commit("a loose one")
      const contents = ["one", "one, amended", "one, amended twice"].map((message) => repository.commitOf(message))
      const packed = repository.pack(
        [
          { type: "commit", content: contents[0] as Buffer },
          { type: "blob", content: Buffer.alloc(5000, "data") },
          { type: "commit", content: contents[1] as Buffer, from: { index: 0, by: "offset" } },
          { type: "commit", content: contents[2] as Buffer, from: { index: 2, by: "reference" } },
        ],
        { largePlaces },
      )
      t.same(await source.check({ url: URL, commit: loose }), { ok: true })
      for (const index of [0, 2, 3])
        t.same(
          await source.check({ url: URL, commit: packed[index] as string }),
          { ok: true },
          `${format}, packed ${index}`,
        )
      t.same(await source.check({ url: URL, commit: packed[1] as string }), {
        ok: false,
        reason: "This id names a blob of the repository, not a commit.",
      })
      t.match(await source.check({ url: URL, commit: loose.replace(/^.{4}/, "ffff") }), {
        ok: false,
        reason: /no such commit/,
      })
    }
  }
})

// shows: The service runs nothing; for a plan or an attempt it checks only that a public repository and a full commit
//   exist.
// shows: skill: runs_nothing
test("anything but a commit is a no, including the id of an annotated tag", async (t) => {
  const { source, repository } = folder(t)
  const commit = repository.commit("tagged")
  const tag = repository.loose(
    "tag",
    Buffer.from(`object ${commit}\ntype commit\ntag v1\ntagger A <a@example.org> 1790000000 +0000\n\nOne\n`),
  )
  t.same(await source.check({ url: URL, commit: tag }), {
    ok: false,
    reason: "This id names a tag of the repository, not a commit.",
  })
  t.match(await source.check({ url: URL, commit: repository.loose("tree", Buffer.alloc(0)) }), { ok: false })
})

test("only the beginning of a large object is read", async (t) => {
  const { source, repository } = folder(t)
  const noise = randomBytes(50_000)
  const loose = repository.loose("blob", noise)
  repository.spoil(`objects/${loose.slice(0, 2)}/${loose.slice(2)}`, 2000)
  t.match(await source.check({ url: URL, commit: loose }), { ok: false, reason: /a blob/ })
  const [packed] = repository.pack([{ type: "blob", content: Buffer.concat([noise, noise]) }])
  repository.spoil(repository.files("objects/pack", ".pack")[0] as string, 200)
  t.match(await source.check({ url: URL, commit: packed as string }), { ok: false, reason: /a blob/ })
})

test("an id of the other hash algorithm is a no", async (t) => {
  const { source } = folder(t, { format: "sha256" })
  t.same(await source.check({ url: URL, commit: UNKNOWN }), {
    ok: false,
    reason: "The repository names its commits with 64 hex digits, not with 40.",
  })
})

test("the object format is read as git reads it", async (t) => {
  const { source, repository } = folder(t)
  const long = "ab".repeat(32)
  for (const [config, answer] of [
    ["[Extensions] ObjectFormat = sha256 ; the long one", /no such commit/],
    ['[core]\n\tbare = true\n[extensions]\n\tnoop = 1\n\tobjectformat = "sha256"\r\n', /no such commit/],
    ["[extensions]\n\tobjectformat = sha1\n\tobjectformat = sha256\n", /no such commit/],
    ["[other]\n\tobjectformat = sha256\n", /40 hex digits/],
    ["# [extensions]\n# objectformat = sha256\n", /40 hex digits/],
    ["[extensions]\n\tobjectformat = sha3\n", /cannot read it/],
  ] as const) {
    repository.write("config", config)
    t.match(await source.check({ url: URL, commit: long }), { reason: answer }, config)
  }
  repository.remove("config")
  t.same(await source.check({ url: URL, commit: repository.commit("no config at all") }), { ok: true })
})

test("a repository is public only with git's marker", async (t) => {
  const { source, repository } = folder(t, { exported: false })
  const commit = repository.commit("kept")
  t.same(await source.check({ url: URL, commit }), { ok: false, reason: "The repository is not public." })
  repository.write("git-daemon-export-ok", "")
  t.same(await source.check({ url: URL, commit }), { ok: true }, "and changes are noticed at once")
})

test("no repository name reads outside the folder", async (t) => {
  const dir = t.testdir()
  const commit = new BareRepository(join(dir, "secret.git")).commit("outside")
  new BareRepository(join(dir, "repositories/github.com/octo/maze.git"))
  const check = configuredCheck({ folders: [join(dir, "repositories")], github: null, now: new Clock().now })
  for (const url of [
    "https://../../secret",
    "https://github.com/../../secret",
    "https://github.com/octo/../../../secret",
    "https://github.com/octo/..%2f..%2f..%2fsecret",
    "https://github.com/octo%2f..%2f../secret",
    "https://./.././secret",
    "https://github.com/octo/maze\0",
    "https://github.com/octo\\..\\..\\secret/maze",
    "https://github.com/octo/maze/",
    "https://github.com:443/octo/maze",
    "https://user@github.com/octo/maze",
    "file:///secret",
    "",
  ]) {
    t.match(await check.check({ url, commit }), { ok: false, reason: /^A repository is named as/ }, url)
  }
  for (const wrong of [
    "",
    "main",
    commit.slice(0, 7),
    commit.toUpperCase(),
    `${commit}\n`,
    "../../../../../../../../../../../secret.g",
  ]) {
    t.match(await check.check({ url: URL, commit: wrong }), { ok: false, reason: /^A repository is named as/ }, wrong)
  }
})

test("objects borrowed from another repository count, even in circles", async (t) => {
  const { dir, source, repository } = folder(t)
  const lender = new BareRepository(join(dir, "github.com/octo/lender.git"))
  const commit = lender.commit("lent")
  repository.write("objects/info/alternates", "# from\n../../lender.git/objects\n")
  lender.write("objects/info/alternates", `${repository.path}/objects\n`)
  t.same(await source.check({ url: URL, commit }), { ok: true })
  t.match(await source.check({ url: URL, commit: UNKNOWN }), { ok: false })
})

test("for a damaged repository the answer is unknown", async (t) => {
  const damages: [string, (repository: BareRepository, loose: string, packed: string) => void][] = [
    [
      "a loose object that is no zlib",
      (repository, loose) => repository.write(`objects/${loose.slice(0, 2)}/${loose.slice(2)}`, "no zlib"),
    ],
    [
      "an empty loose object",
      (repository, loose) => repository.write(`objects/${loose.slice(0, 2)}/${loose.slice(2)}`, ""),
    ],
    ["an index of version 1", (repository) => repository.write("objects/pack/pack-0.idx", Buffer.alloc(2000))],
    [
      "an index that ends early",
      (repository) => repository.write("objects/pack/pack-0.idx", Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2])),
    ],
    [
      "an index out of order",
      (repository) =>
        repository.write(
          "objects/pack/pack-0.idx",
          Buffer.concat([Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]), Buffer.alloc(1020, 0xff), Buffer.alloc(4)]),
        ),
    ],
  ]
  for (const [what, damage] of damages) {
    const { source, repository } = folder(t)
    const loose = repository.commit("to be damaged")
    const [packed] = repository.pack([{ type: "commit", content: repository.commitOf("packed") }])
    damage(repository, loose, packed as string)
    const id = what.includes("loose") ? loose : UNKNOWN
    t.same(
      await source.check({ url: URL, commit: id }),
      { ok: null, reason: "This server holds a copy of the repository, but cannot read it.", retryAfter: null },
      what,
    )
  }
})

test("a pack that has just been replaced causes no error", async (t) => {
  const { source, repository } = folder(t)
  const packed = { type: "commit", content: repository.commitOf("packed") } as const
  const [commit = ""] = repository.pack([packed])
  repository.pack([packed, { type: "blob", content: Buffer.from("newer") }])
  const [first = "", second = ""] = repository.files("objects/pack", ".pack")
  repository.remove(first)
  t.same(await source.check({ url: URL, commit }), { ok: true }, "an index without its pack is skipped")
  repository.remove(second)
  t.match(await source.check({ url: URL, commit }), { ok: false, reason: /no such commit/ })
})

test("a folder without the repository passes the question on", async (t) => {
  const { dir, source } = folder(t)
  t.equal(await source.check({ url: "https://github.com/octo/other", commit: UNKNOWN }), null)
  t.equal(await source.check({ url: "https://example.org/octo/maze", commit: UNKNOWN }), null)
  mkdirSync(join(dir, "example.org"))
  writeFileSync(join(dir, "example.org/octo"), "a file in the way")
  t.equal(await source.check({ url: "https://example.org/octo/maze", commit: UNKNOWN }), null)
  t.equal(await folderCheck(join(dir, "nowhere")).check({ url: URL, commit: UNKNOWN }), null)
})

test("folders are asked first, then GitHub; other hosts are not asked", async (t) => {
  const { now } = new Clock()
  const host = await GitHubStandIn.start(now)
  t.teardown(() => host.close())
  const { dir, repository } = folder(t)
  const here = repository.commit("here")
  const there = "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d"
  host.add("octo/maze", { commits: [there] })
  host.add("octo/cave", { commits: [there] })
  const elsewhere = new BareRepository(join(dir, "second/example.org/a/b.git"))
  const check = configuredCheck({ folders: [dir, join(dir, "second")], github: { api: host.url, token: null }, now })

  t.same(await check.check({ url: URL, commit: here }), { ok: true })
  t.same(await check.check({ url: "https://example.org/a/b", commit: elsewhere.commit("second folder") }), { ok: true })
  t.match(
    await check.check({ url: URL, commit: there }),
    { ok: false },
    "the folder decides for the repositories it holds",
  )
  t.equal(host.asked.length, 0, "and no request has left the machine")
  t.same(await check.check({ url: "https://github.com/octo/cave", commit: there }), { ok: true })
  t.equal(host.asked.length, 2)
  t.match(
    await check.check({ url: "https://gitlab.com/octo/cave", commit: there }),
    {
      ok: null,
      reason: pattern(
        /^Repositories on gitlab\.com cannot be checked from here: this server holds no copy of /,
        /gitlab\.com\/octo\/cave/,
      ),
    },
    "a host that cannot be asked is not a no",
  )
  check.close?.()

  const offline = configuredCheck({ folders: [dir], github: null, now })
  t.match(await offline.check({ url: "https://github.com/octo/cave", commit: there }), {
    ok: null,
    reason: /calls no service/,
  })
})
