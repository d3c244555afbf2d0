import { Refusal } from "../refusals/refusal.ts"
import { noun, type Referable, unknownOf } from "./objects.ts"

/** The refusal for an object that does not exist: one named in a path, or the subject of a write. */
export const noSuch = (named: Referable): Refusal => new Refusal(unknownOf(named), `There is no such ${noun([named])}.`)

/** Returns an object that was looked for. @throws Refusal 404 if it does not exist */
export function known<T>(named: Referable, found: T | undefined): T {
  if (found === undefined) throw noSuch(named)
  return found
}
