/** What is said of a refusal. */
import type { Family } from "../versions.ts"

/**
 * What about a request can bring a refusal about. `any`: every route. `http`: every path, before its route is looked at.
 * `route`: a path or method that is not served.
 * `origin`, `caller`, `membership`: the route looks at where a request comes from, who sends it, whether they belong to the Room.
 * `permission`, `scope`, `role`: what the credential or the person may do. `body`, `query`: what is sent with the request.
 * `delivery`: it is a write with a delivery id. `reference`: the body names exact objects. `expectation`: it carries expected values.
 * `assignment`: it is a step in the table of experiment states.
 * `subject`: the path has an id that no other code speaks of. A code without any comes where a definition lists it.
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
  /** Whether the same request may be sent again as it is. */
  readonly retryable: boolean
  readonly when?: readonly Circumstance[]
  /** What the Library calls it, in the few words of its own table; left out, the same. */
  readonly library?: Code
  /** Where it alone occurs. */
  readonly family?: Family
  readonly meaning: string
  /** What a client does about it. */
  readonly remedy: string
}
