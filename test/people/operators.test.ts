/** Whatever people do in any order, the service has an operator, and each Room has an owner who is a member. */
import fc from "fast-check"
import tap, { test } from "tap"
import { operationOf } from "../../src/contract/operations/index.ts"
import { Refusal } from "../../src/contract/refusals.ts"
import { checkData } from "../../src/check/check.ts"
import { freshId } from "../support/bodies.ts"
import { openLedger } from "../support/lab.ts"
import { addPerson } from "../support/people.ts"

const lab = await openLedger(tap)
const { db, instance } = lab
const { operators, ledger, tables, world } = instance
const first = lab.ada.userId
tables.people.setOperator(first, true)

const people = [first, lab.grace.userId, ...["mary", "erin"].map((name) => addPerson(instance, name).userId)]
const anybody = fc.nat({ max: people.length - 1 })
const someone = (index: number) =>
  tables.people.withId(people[index] ?? "") ?? { userId: "", username: "", isOperator: false }

const write = (
  by: number,
  name: "transfer_room" | "add_member" | "remove_member" | "issue_credential",
  params: Record<string, string>,
  said: object,
) => {
  const { userId, username } = someone(by)
  const body = { schemaVersion: 3, requestId: world.id(), ...said }
  return ledger.admit({ operation: operationOf(name), actor: { userId, username, grant: null }, params, body })
}
const deeds = {
  disable: (by: number, to: number) => operators.disable(someone(by), someone(to).userId),
  enable: (by: number, to: number) => operators.enable(someone(by), someone(to).userId),
  make: (by: number, to: number) => operators.setOperator(someone(by), someone(to).userId, true),
  unmake: (by: number, to: number) => operators.setOperator(someone(by), someone(to).userId, false),
  byCommand: (_by: number, to: number) => operators.disable(null, someone(to).userId),
  enableByCommand: (_by: number, to: number) => operators.enable(null, someone(to).userId),
  makeByCommand: (_by: number, to: number) => operators.setOperator(null, someone(to).userId, true),
  issue: (by: number) =>
    write(by, "issue_credential", { roomId: lab.roomId }, { label: freshId(), permissions: ["post_thread"] }),
  signIn: (by: number) =>
    ledger.transact(() => tables.people.isEnabled(someone(by).userId) && tables.sessions.start(someone(by).userId)),
  end: (by: number, to: number) => operators.endAccess(someone(by), someone(to).userId),
  transfer: (by: number, to: number) =>
    write(by, "transfer_room", { roomId: lab.roomId, userId: someone(to).userId }, { reason: "It goes on." }),
  add: (by: number, to: number) => write(by, "add_member", { roomId: lab.roomId }, { username: someone(to).username }),
  remove: (by: number, to: number) =>
    write(by, "remove_member", { roomId: lab.roomId, userId: someone(to).userId }, {}),
}
const step = fc.tuple(fc.constantFrom(...(Object.keys(deeds) as (keyof typeof deeds)[])), anybody, anybody)

const count = (sql: string) => db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`).get()?.n
/** Invariants that must hold after every action. */
function holds(): boolean {
  const operator = count("people WHERE is_operator = 1 AND disabled_at IS NULL")
  const owners = count("members m JOIN rooms r USING (room_id) WHERE m.role = 'owner' AND r.owner_id = m.user_id")
  const doors = ["credentials c", "sessions c"].map((table) =>
    count(
      `${table}
        JOIN people p USING (user_id)
        WHERE p.disabled_at IS NOT NULL ${table === "credentials c" ? "AND c.revoked_at IS NULL" : ""}`,
    ),
  )
  const counted = "SELECT user_id, rooms, owned FROM member_counts WHERE rooms > 0"
  const members = "SELECT user_id, count(*), sum(role = 'owner') FROM members GROUP BY user_id"
  const miscounted = [`${counted} EXCEPT ${members}`, `${members} EXCEPT ${counted}`].map((sql) =>
    count(`(SELECT * FROM (${sql}))`),
  )
  return (operator ?? 0) > 0 && owners === count("rooms") && [...doors, ...miscounted].every((open) => open === 0)
}

test(
  "no order of actions leaves the service without an operator, a Room without an owner, a disabled account with " +
    "access, or wrong counts of Rooms",
  async (t) => {
    let done = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        for (const [deed, by, to] of steps) {
          try {
            await deeds[deed](by, to)
            done += 1
          } catch (error) {
            if (!(error instanceof Refusal)) throw error
          }
          if (!holds()) return false
        }
        return true
      }),
      { numRuns: 100 },
    )
    t.ok(done > 50, `${done} actions were done`)
  },
)

test("two operators who demote each other at once leave one", async (t) => {
  const [ada, grace] = [0, 1]
  for (const each of [ada, grace]) {
    if (tables.people.ofHere(someone(each).userId)?.disabledAt != null)
      await operators.enable(null, someone(each).userId)
    if (!someone(each).isOperator) await operators.setOperator(null, someone(each).userId, true)
  }
  for (const each of [2, 3])
    if (tables.people.isOperator(someone(each).userId)) await operators.setOperator(null, someone(each).userId, false)
  const both = await Promise.allSettled([deeds.unmake(ada, grace), deeds.unmake(grace, ada)])
  t.strictSame(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"])
  t.ok(holds())
})

test("an operator who is demoted meanwhile can do nothing more, whoever else is one", async (t) => {
  const [ada, grace, mary] = [0, 1, 2]
  for (const each of [ada, grace, mary]) {
    if (tables.people.ofHere(someone(each).userId)?.disabledAt != null)
      await operators.enable(null, someone(each).userId)
    if (!someone(each).isOperator) await operators.setOperator(null, someone(each).userId, true)
  }
  const both = await Promise.allSettled([deeds.unmake(ada, grace), deeds.unmake(grace, mary)])
  t.match(both, [{ status: "fulfilled" }, { status: "rejected", reason: { code: "role_required" } }])
  t.ok(someone(mary).isOperator)
})

test("and the journal gives the same state", (t) => {
  // The first operator of this instance was set without a write.
  t.strictSame(
    checkData(db).problems.filter((problem) => !problem.includes("is_operator")),
    [],
  )
  t.end()
})
