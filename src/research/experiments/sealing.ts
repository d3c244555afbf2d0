/** Sealed plans: what commits to a protocol, and whether a protocol is the one that was committed to. */
import { canonicalJson, digestOf } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"

const YEAR = 366 * 24 * 60 * 60 * 1_000

/** The digest of a protocol and its salt (protocol, section 14): over the canonical JSON of both. */
export const sealOf = ({ protocol, salt }: Pick<BodyOf<"open_plan">, "protocol" | "salt">): string =>
  digestOf(canonicalJson({ protocol, salt }))

const refuse = (message: string, path: string, rule: string): never => {
  const issues: Issue[] = [{ path, message: rule }]
  throw new Refusal("invalid_schema", message, { issues })
}

/** @param at the moment of the write @throws Refusal `invalid_schema` for a plan that shows what it seals, or opens in the past or after a year */
export function mustSealInTime({ protocol, sealed }: Pick<BodyOf<"accept_plan">, "protocol" | "sealed">, at: string): void {
  if (sealed === undefined) return
  if (protocol !== undefined) refuse("A sealed plan does not show its protocol.", "/protocol", "must be left out of a sealed plan")
  const wait = Date.parse(sealed.opensAt) - Date.parse(at)
  if (wait <= 0 || wait > YEAR) refuse("A sealed plan opens within a year.", "/sealed/opensAt", "must be in the future, and within a year")
}

/** @throws Refusal `invalid_schema` for a protocol that is not the one that was sealed */
export function mustMatchSeal(opened: Pick<BodyOf<"open_plan">, "protocol" | "salt">, digest: string): void {
  const given = sealOf(opened)
  if (given !== digest)
    refuse(
      "This is not the protocol that was sealed.",
      "/protocol",
      `and salt give ${given}, and the plan was sealed with ${digest}: each character counts`,
    )
}
