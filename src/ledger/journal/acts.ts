/** Acts: changes by people that are not operations and have no receipt, but that other rows refer to. */
import { canonicalJson, digestOf } from "../../contract/json.ts"
import { type Chance, recordedChance } from "./chance.ts"
import type { Entry, Journal } from "./journal.ts"

/** The person who acts (an empty id if nobody is signed in), and the source of time, ids and tokens. */
export interface ActCall {
  readonly userId: string
  readonly change: Pick<Chance, "newId" | "token"> & { readonly at: string }
}

interface AnyAct {
  /**
   * Each act takes its own type of input. It is declared as a method so that acts with different inputs fit one record.
   */
  act(call: ActCall, input: unknown): unknown
}
export type Acts = Readonly<Record<string, AnyAct["act"]>>
type By = { readonly userId: string; readonly username: string } | null
/** Each act as it is called, within an open transaction: by whom, and with what input. */
export type Done<A extends Acts> = {
  readonly [N in keyof A]: (by: By, input: Parameters<A[N]>[1]) => ReturnType<A[N]>
}

const callOf = (userId: string | null, at: string, chance: Chance): ActCall => ({
  userId: userId ?? "",
  change: { at, newId: chance.newId, token: chance.token },
})

/** Wraps acts so that each call is appended to the journal, even if it changes nothing. */
export function journalled<A extends Acts>(acts: A, journal: Journal, chance: () => Chance, at: () => string): Done<A> {
  const done = (name: string, act: Acts[string]) => (by: By, input: unknown) => {
    const given = chance()
    const now = at()
    const result = act(callOf(by?.userId ?? null, now, given), input)
    const content = canonicalJson(input)
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
  const chance = recordedChance(entry.given)
  acts[entry.operation]?.(callOf(entry.userId, entry.at, chance), JSON.parse(entry.content))
  chance.given()
}
