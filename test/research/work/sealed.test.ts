/** A sealed plan commits to a protocol that nobody can read until its acceptor opens it. */
import { createHash, randomBytes } from "node:crypto"
import t from "tap"
import canonicalize from "canonicalize"
import type { WriteInput } from "research-room/client"
import { openLab, refusalOf } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const room = await lab.room()
const work = await Work.begin(lab, room)
const { experimentId } = work
type Protocol = WriteInput<"open_plan">["protocol"]

const protocol: Protocol = {
  summary: "Compare both arms in the zirconium oven.",
  steps: [],
  arms: [
    { name: "hot", argv: ["run"] },
    { name: "cold", argv: ["run", "--cold"] },
  ],
}
const salt = randomBytes(16).toString("hex")
const seal = (content: object) =>
  `sha256:${createHash("sha256")
    .update(canonicalize(content) ?? "")
    .digest("hex")}`
const inAMonth = () => new Date(Date.now() + 30 * 86_400_000).toISOString()

const accept = async (more: Partial<WriteInput<"accept_plan">>) => {
  const { affordances } = await lab.reader.read("experiment", { experimentId })
  const { url, commit } = lab.house.repositories.public
  return room.ada.write("accept_plan", {
    ...{ experimentId, ...affordances.expected, repository: { url, commit } },
    ...{ hypotheses: [], premises: [], intent: "confirmatory" as const, requiredMaterials: [], ...more },
  })
}

const opensAt = inAMonth()
const { planId } = (await accept({ sealed: { digest: seal({ protocol, salt }), opensAt } })).result
const planned = await work.attempt("succeeded", [], planId)
const open = (by: "ada" | "grace", more: Partial<WriteInput<"open_plan">> = {}) =>
  room[by].write("open_plan", { planId, protocol, salt, ...more })
const everywhere = async (query: string) =>
  (await lab.reader.read("search", { query, roomId: room.roomId })).items.map(({ id }) => id)

t.test("nothing in the service shows the protocol before it is opened", async (t) => {
  const plan = await lab.reader.read("plan", { planId })
  t.same(plan.protocol, null)
  t.same(plan.protocolMatchesSeal, null)
  t.same(plan.sealed, { digest: seal({ protocol, salt }), opensAt, openedAt: null, overdue: false })
  t.same(await everywhere("zirconium"), [])
  t.match((await lab.reader.read("attempt", { attemptId: planned })).planMatch, {
    argvMatchesPlan: null,
    commitMatchesPlan: true,
  })
  const page = await (await fetch(`${lab.house.baseUrl}/plans/${planId}`)).text()
  t.match(page, /<strong>Sealed\.<\/strong>/)
})

t.test("an invalid seal is refused, with its path", async (t) => {
  const paths = async (more: Partial<WriteInput<"accept_plan">>) =>
    (await refusalOf(accept(more))).issues?.map(({ path }) => path)
  const digest = seal({ protocol, salt })
  t.same(await paths({ protocol, sealed: { digest, opensAt } }), ["/protocol"])
  t.same(await paths({ sealed: { digest, opensAt: "2020-01-01T00:00:00.000Z" } }), ["/sealed/opensAt"])
  t.same(await paths({ sealed: { digest, opensAt: new Date(Date.now() + 400 * 86_400_000).toISOString() } }), [
    "/sealed/opensAt",
  ])
  t.equal((await refusalOf(accept({}))).refusal, "invalid_schema", "neither a protocol nor a seal")
})

t.test("only its acceptor can open it, and only with the sealed protocol", async (t) => {
  t.equal((await refusalOf(open("grace"))).refusal, "role_required")
  const other = await refusalOf(
    open("ada", { protocol: { ...protocol, summary: "Compare both arms in the zirconium oven!" } }),
  )
  t.match(
    [other.refusal, other.issues?.[0]?.path, other.issues?.[0]?.message],
    ["invalid_schema", "/protocol", /sealed with sha256:/],
  )
  t.equal((await refusalOf(open("ada", { salt: "00".repeat(16) }))).refusal, "invalid_schema")
  t.same(
    (await refusalOf(open("ada", { salt: "short" }))).issues?.map(({ path }) => path),
    ["/salt"],
  )

  const opened = await open("ada")
  t.match(opened, { target: { kind: "plan", id: planId, label: "P1" }, result: { planId, label: "P1" } })
  t.equal((await refusalOf(open("ada"))).refusal, "state_conflict", "it is open already")
  const plan = await lab.reader.read("plan", { planId })
  t.match([plan.protocol, plan.protocolMatchesSeal, plan.sealed?.openedAt], [protocol, true, opened.result.openedAt])
  t.same(await everywhere("zirconium"), [planId])
  t.match((await lab.reader.read("attempt", { attemptId: planned })).planMatch, {
    argvMatchesPlan: true,
    argvComparedWith: "hot",
  })
  const markdown = await (await fetch(`${lab.house.baseUrl}/plans/${planId}.md`)).text()
  t.match(markdown, /it was opened \d{4}-\d\d-\d\d, and it gives that digest\./)
})

t.test("a plan that is not sealed cannot be opened", async (t) => {
  const shown = await work.plan()
  t.equal((await refusalOf(open("ada", { planId: shown }))).refusal, "state_conflict")
  t.equal((await refusalOf(open("ada", { planId: crypto.randomUUID() }))).refusal, "unknown_plan")
})

t.test("a plan that is not opened in time is overdue, and next says so", async (t) => {
  const opensAt = new Date(Date.now() + 1_500).toISOString()
  const late = (await accept({ sealed: { digest: seal({ protocol, salt }), opensAt } })).result
  const steps = async () =>
    (await lab.reader.read("room_next", { roomId: room.roomId })).items.filter(({ what }) => what === "open_plan")
  t.same(await steps(), [])
  await new Promise((resolve) => setTimeout(resolve, 1_600))
  t.match(await steps(), [
    {
      object: { kind: "plan", id: late.planId, label: late.label },
      operation: "open_plan",
      why: /^ada was to open it by /,
    },
  ])
  t.equal((await lab.reader.read("plan", { planId: late.planId })).sealed?.overdue, true)
  await open("ada", { planId: late.planId })
  t.same(await steps(), [])
})
