/** What people do that is no operation and leaves no receipt, but rows that other rows rest on. */
import { canonicalJson, digestOf } from "../../contract/json.ts"
import { again, type Chance } from "./chance.ts"
import type { Entry, Journal } from "./journal.ts"

/** Who does it (nobody: an empty id), and what the world gives. */
export interface ActCall {
  readonly userId: string
  readonly change: Pick<Chance, "newId" | "token"> & { readonly at: string }
}

interface AnyAct {
  /** Each act takes what was said of it alone; as a method, so that acts of different things stand in one list. */
  act(call: ActCall, said: unknown): unknown
}
export type Acts = Readonly<Record<string, AnyAct["act"]>>
type By = { readonly userId: string; readonly username: string } | null
/** Each act as it is done: within an open transaction, by whom, with what is said. */
export type Done<A extends Acts> = {
  readonly [N in keyof A]: (by: By, said: Parameters<A[N]>[1]) => ReturnType<A[N]>
}

const callOf = (userId: string | null, at: string, chance: Chance): ActCall => ({
  userId: userId ?? "",
  change: { at, newId: chance.newId, token: chance.token },
})

/** Makes acts that note themselves in the journal. What changes nothing is noted too. */
export function noting<A extends Acts>(acts: A, journal: Journal, chance: () => Chance, at: () => string): Done<A> {
  const done = (name: string, act: Acts[string]) => (by: By, said: unknown) => {
    const given = chance()
    const now = at()
    const result = act(callOf(by?.userId ?? null, now, given), said)
    const content = canonicalJson(said)
    journal.append(
      {
        position: journal.next(),
        operation: name,
        userId: by?.userId ?? null,
        username: by?.username ?? null,
        sender: null,
        at: now,
        params: {},
        content,
        client: undefined,
        given: given.given(),
      },
      digestOf(content),
    )
    return result
  }
  return Object.fromEntries(Object.entries(acts).map(([name, act]) => [name, done(name, act)])) as Done<A>
}

/** Replays an act. */
export function actAgain(acts: Acts, entry: Entry): void {
  const chance = again(entry.given)
  acts[entry.operation]?.(callOf(entry.userId, entry.at, chance), JSON.parse(entry.content))
  chance.given()
}
