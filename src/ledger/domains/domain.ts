/**
 * What a domain is to an instance: one value, which says what the domain adds. Each part is a function that takes what
 * it needs, by name, and returns what it adds, by name. An instance is a list of domains
 * (`src/app/compose/domains.ts`); the ledger's own is the first.
 */
import type { BriefSources } from "./brief.ts"
import type { Behaviours, FollowingStep } from "../journal/behaviour.ts"
import type { Readers } from "../reads/reading.ts"
import type { Db } from "../storage/database.ts"
import type { World } from "../world.ts"
import { attachments } from "../journal/attachments.ts"
import { withheld } from "../journal/withheld.ts"
import { labelled } from "../lists/labelled.ts"
import { standings } from "../lists/standings.ts"
import { JsonText } from "../../contract/json.ts"
import { operationNamed } from "../../contract/operations/index.ts"
import { present } from "../../contract/typed.ts"
import { badParameter, Refusal } from "../../contract/refusals.ts"
import type { Ledger } from "../write/ledger.ts"

/** What every domain is made from. */
export interface Ground {
  readonly db: Db
  readonly world: World
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The path of the base URL; affordances put it before their own paths. */
  readonly basePath: string
}

/**
 * A method, so that a part may ask for more than an object. `tablesOf`, `added` and `stepsOf` check that it gets it.
 */
type Part<Added> = { add(given: object): Added }["add"]

export interface Domain {
  /** Its tables, from the ground and the tables of the domains before it. */
  readonly tables?: readonly Part<object>[]
  readonly operations?: readonly Part<Partial<Behaviours>>[]
  /** The steps that follow writes in their transaction, in the order of the list. */
  readonly steps?: readonly Part<FollowingStep>[]
  readonly reads?: readonly Part<Partial<Readers>>[]
  /** Its lists of a brief, and the steps that could be taken next. */
  readonly brief?: readonly Part<Partial<BriefSources>>[]
  /** What the export of a Room has of its objects (src/research/export/parts.ts). */
  readonly exported?: readonly Part<object>[]
}

type PartsOf<D, M extends keyof Domain> = D extends { readonly [K in M]: readonly (infer P)[] } ? P : never
/** What parts need together: parameters meet. */
type Needs<P> = [P] extends [(given: infer Given) => unknown] ? Given : object
/** What parts add together. */
type Adds<P> = (P extends (given: never) => infer Added ? (added: Added) => void : never) extends (
  added: infer All,
) => void
  ? All
  : never

export type TablesOf<List extends readonly Domain[]> = Adds<PartsOf<List[number], "tables">>

/** The ground with the tables of a list, each of which finds what it needs before it; else what is missing. */
type Stacked<List, Given> = List extends readonly [infer First, ...infer Rest]
  ? Given extends Needs<PartsOf<First, "tables">>
    ? Stacked<Rest, Given & Adds<PartsOf<First, "tables">>>
    : { readonly "needs a table of a later domain": First }
  : Given

const partsOf = <M extends keyof Domain>(domains: readonly Domain[], member: M) =>
  domains.flatMap((domain): readonly Part<object>[] => domain[member] ?? [])

/** Makes the tables of the domains, one after another. */
export const tablesOf = <const List extends readonly Domain[], Given extends object>(
  domains: List,
  ground: Given,
): Stacked<List, Given> => {
  const made = { ...ground }
  return Object.assign(made, ...partsOf(domains, "tables").map((add) => Object.assign(made, add(made))))
}

/** Joins what the domains add as one of their members. */
export const added = <const List extends readonly Domain[], M extends "operations" | "reads" | "brief" | "exported">(
  domains: List,
  member: M,
  given: Needs<PartsOf<List[number], M>> & object,
): Adds<PartsOf<List[number], M>> => Object.assign({}, ...partsOf(domains, member).map((add) => add(given)))

/** The steps of the domains, in order. */
export const stepsOf = <const List extends readonly Domain[]>(
  domains: List,
  given: Needs<PartsOf<List[number], "steps">> & object,
): FollowingStep[] => domains.flatMap(({ steps = [] }) => steps.map((add) => add(given)))

// The domain of the ledger: the tables that other domains use, and the read of a stored receipt.

export function receiptReads({ ledger }: { ledger: Pick<Ledger, "receipt"> }) {
  return {
    receipt({ actor, query }) {
      const operation = present(operationNamed(query.operation))
      const deliveryId = query[operation.delivery]
      if (deliveryId === undefined)
        throw badParameter(operation.delivery, `is the id of a delivery of ${operation.name}: it is missing`)
      const stored = ledger.receipt(operation, actor, deliveryId)
      if (stored === undefined)
        throw new Refusal(
          "unknown_receipt",
          "You have no receipt under this operation and id: nothing was stored for it.",
        )
      return new JsonText(stored)
    },
  } satisfies Partial<Readers>
}

export const domain = {
  tables: [
    ({ db }: Ground) => ({
      standings: standings(db),
      withheld: withheld(db),
      attachments: attachments(db),
      labelled: labelled(db),
    }),
  ],
  reads: [receiptReads],
} satisfies Domain
