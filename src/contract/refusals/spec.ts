/** The properties of a refusal. */
/**
 * The property of a request that can cause a refusal. `any`: every route. `http`: every path, before its route is
 * looked up. `route`: a path or method that is not served. `origin`, `caller`, `membership`: the route checks where a
 * request comes from, who sends it, whether they are a member of the Room. `permission`, `scope`, `role`: what the
 * credential or the person may do. `body`, `query`: what the request contains. `delivery`: it is a write with a
 * delivery id. `reference`: the body names exact objects. `expectation`: it has expected values. `assignment`: it is a
 * step in the table of experiment states. `subject`: the path has an id with no other code. A code without any
 * circumstance occurs only where a definition lists it.
 */
export type Circumstance =
  | "any"
  | "http"
  | "route"
  | "origin"
  | "caller"
  | "membership"
  | "permission"
  | "scope"
  | "role"
  | "body"
  | "query"
  | "delivery"
  | "reference"
  | "expectation"
  | "assignment"
  | "subject"

export interface RefusalSpecOf<Code extends string = string> {
  readonly status: readonly [number, ...number[]]
  /** Whether the same request may be sent again unchanged. Default: no. */
  readonly retryable?: boolean
  readonly when?: readonly Circumstance[]
  /** The code of the Library for it, from its own short table. Default: the same code. */
  readonly library?: Code
  readonly meaning: string
  /** What a client does about it. */
  readonly remedy: string
}

/** The refusal for an object that does not exist. */
export const unknown = (meaning: string, remedy: string): RefusalSpecOf<never> => ({ status: [404], meaning, remedy })
