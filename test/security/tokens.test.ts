/**
 * How secrets are compared. A comparison that stops at the first wrong letter can tell, by how long it takes, how much
 * of a guess was right. So no token is compared letter by letter: it is looked up by its SHA-256, of which a guess
 * reveals nothing; passwords and the operator's metrics token are compared in constant time. What cannot be measured
 * reliably on a busy machine is shown here by what the database is asked, and by what stands in the source.
 */
import { createHash } from "node:crypto"
import { globSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { test } from "tap"
import { createInstance } from "../../src/app/compose/instance.ts"
import { openData } from "../../src/ledger/storage/opening.ts"
import { isoTime } from "../../src/ledger/world.ts"
import { mintToken, type TokenKind } from "../../src/people/tokens.ts"
import { RecordingDb } from "../support/recording-db.ts"
import { passwordOf, temporaryFolder } from "../support/service.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

test("the database is queried for a token's digest, never for the token, whether it exists or not", async (t) => {
  const folder = temporaryFolder()
  const { db, world, instanceId } = openData(join(folder, "research-room.db"))
  t.teardown(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const recording = new RecordingDb(db)
  const instance = createInstance({ db: recording, world, instanceId })
  const { accounts, tables } = instance
  const ada = await accounts.add("ada", passwordOf("ada"))
  const at = isoTime(world.now())
  const made = (kind: TokenKind) => mintToken(kind, (count) => world.bytes(count))
  const session = tables.sessions.start(ada.userId).token
  const invitation = await accounts.invite(ada, {}, () => true)
  const lookUps: readonly [string, string, (token: string) => unknown][] = [
    ["a credential", made("credential"), (token) => tables.credentials.authenticate(token, at)],
    ["a personal key", made("personalKey"), (token) => tables.library.keys.authenticate(token, at)],
    ["a session", session, (token) => tables.sessions.person(token)],
    ["a made-up session", made("session"), (token) => tables.sessions.person(token)],
    ["an invitation", invitation.token, (token) => accounts.invitation(token)],
    ["a made-up invitation", made("invitation"), (token) => accounts.invitation(token)],
  ]
  for (const [what, token, look] of lookUps) {
    const steps = await recording.during(() => {
      try {
        look(token)
      } catch {
        // What it opens is not the question.
      }
    })
    const values = steps.flatMap((step) => step.values)
    t.ok(values.includes(sha256(token)), `${what}: looked up by its SHA-256`)
    t.notOk(
      values.some((value) => typeof value === "string" && value.includes(token.slice(4, 20))),
      `${what}: no part of the token itself`,
    )
    t.match(recording.sql[steps[0]?.statement ?? -1], /token_digest = \+\?/, what)
  }
})

test("no part of a mistyped token reaches the database", async (t) => {
  const folder = temporaryFolder()
  const { db, world, instanceId } = openData(join(folder, "research-room.db"))
  t.teardown(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const recording = new RecordingDb(db)
  const { tables } = createInstance({ db: recording, world, instanceId })
  const steps = await recording.during(() => {
    t.throws(() => tables.credentials.authenticate("rrc_mistyped", isoTime(world.now())))
    t.throws(() =>
      tables.library.keys.authenticate(
        mintToken("credential", (count) => world.bytes(count)),
        isoTime(world.now()),
      ),
    )
    t.equal(tables.sessions.person("rrs_mistyped"), undefined)
  })
  t.strictSame(steps, [])
})

test("no secret in the source is compared letter by letter", (t) => {
  /** Comparisons that mention a secret but compare none. */
  const harmless: Record<string, string> = {
    "src/people/joining.ts: setupDigest !== tokenDigest(by.setUp)":
      "two SHA-256: how far they agree says nothing of the token",
    "src/people/tokens.ts: checksum(body) === token.slice(-CHECKSUM_LENGTH)": "a checksum that anybody can work out",
  }
  const root = join(import.meta.dirname, "../..")
  const operand = String.raw`[\w.#?[\]]+(?:\([^()]*(?:\([^()]*\))?[^()]*\))?`
  const comparison = new RegExp(`(${operand}) (===|!==|==|!=) (${operand}|"[^"]*")`, "g")
  const isSecret = (text: string) => /token|password|secret/i.test(text) && !/\.length$|^typeof|Digest$/.test(text)
  const isConstant = (text: string) => /^(?:undefined|null|true|false|-?\d+|"[^"]*"|[A-Z_]+)$/.test(text)
  const found: string[] = []
  for (const file of globSync("src/{people,rooms,library,http,ledger,commands}/**/*.ts", { cwd: root }).sort()) {
    const code = readFileSync(join(root, file), "utf8").replace(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, "")
    for (const [text, left = "", , right = ""] of code.matchAll(comparison))
      if ((isSecret(left) && !isConstant(right)) || (isSecret(right) && !isConstant(left)))
        found.push(`${file.replaceAll("\\", "/")}: ${text}`)
  }
  t.strictSame(found.sort(), Object.keys(harmless).sort(), Object.values(harmless).join("; "))
  for (const file of ["src/people/passwords.ts", "src/http/discovery.ts"])
    t.match(readFileSync(join(root, file), "utf8"), /timingSafeEqual\(/, `${file} compares in constant time`)
  t.end()
})
