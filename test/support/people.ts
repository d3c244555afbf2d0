/** People who never sign in, so no password has to be hashed for them. */
import type { Instance } from "../../src/app/compose/instance.ts"
import { canonicalJson, digestOf } from "../../src/contract/json.ts"
import { isoTime } from "../../src/ledger/world.ts"

/** Makes a person, and records it in the journal as every way to make one does. */
export function addPerson({ world, tables, ledger }: Pick<Instance, "world" | "tables" | "ledger">, username: string) {
  const userId = world.id()
  const at = isoTime(world.now())
  tables.people.insert(userId, username, "no password", false, at)
  const content = canonicalJson({ username, isOperator: false })
  const { journal } = ledger
  const nobody = { userId: null, username: null, sender: null, params: {}, client: undefined }
  journal.append(
    { ...nobody, position: journal.next(), operation: "create_person", at, content, given: { ids: [userId] } },
    digestOf(content),
  )
  return { userId, username }
}
