/** Expiry of credentials and keys. */
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { isoTime } from "../ledger/world.ts"

const DAY = 86_400_000

/** Returns when a credential or key expires: as chosen, else after 90 days. @throws Refusal 422 for a time in the past or too far ahead */
export function expiry(chosen: string | undefined, at: string): string {
  const now = Date.parse(at)
  if (chosen === undefined) return isoTime(now + limits.credentialDaysDefault * DAY)
  const lifetime = Date.parse(chosen) - now
  if (lifetime > 0 && lifetime <= limits.credentialDaysMax * DAY) return chosen
  const message = `must be in the future, at most ${limits.credentialDaysMax} days ahead`
  throw new Refusal("invalid_schema", `expiresAt ${message}.`, { issues: [{ path: "/expiresAt", message }] })
}
