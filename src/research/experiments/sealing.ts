/** Seals of plans: a digest commits to a protocol before it is published. */
import { canonicalJson, digestOf } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { type Issue, Refusal } from "../../contract/refusals/refusal.ts"

const YEAR = 366 * 24 * 60 * 60 * 1_000

/** Returns the digest of the canonical JSON of a protocol and its salt (protocol, section 14). */
export const sealOf = ({ protocol, salt }: Pick<BodyOf<"open_plan">, "protocol" | "salt">): string =>
  digestOf(canonicalJson({ protocol, salt }))

const refuse = (message: string, path: string, rule: string): never => {
  const issues: Issue[] = [{ path, message: rule }]
  throw new Refusal("invalid_schema", message, { issues })
}

/** @param at the time of the write @throws Refusal `invalid_schema` if a sealed plan shows its protocol, or does not open within a year */
export function mustSealInTime({ protocol, sealed }: Pick<BodyOf<"accept_plan">, "protocol" | "sealed">, at: string): void {
  if (sealed === undefined) return
  if (protocol !== undefined) refuse("A sealed plan does not show its protocol.", "/protocol", "must be left out of a sealed plan")
  const wait = Date.parse(sealed.opensAt) - Date.parse(at)
  if (wait <= 0 || wait > YEAR) refuse("A sealed plan opens within a year.", "/sealed/opensAt", "must be in the future, and within a year")
}

/** @throws Refusal `invalid_schema` if this is not the protocol that was sealed */
export function mustMatchSeal(opened: Pick<BodyOf<"open_plan">, "protocol" | "salt">, digest: string): void {
  const actual = sealOf(opened)
  if (actual !== digest)
    refuse(
      "This is not the protocol that was sealed.",
      "/protocol",
      `and salt give ${actual}, and the plan was sealed with ${digest}: each character counts`,
    )
}
