/** The refusal of an object that is not there. */
import { Refusal } from "../refusals/refusal.ts"
import { noun, type Referable, unknownOf } from "./objects.ts"

/** The refusal of an object that is not there: named in a path, or what a write is about. */
export const noSuch = (named: Referable): Refusal => new Refusal(unknownOf(named), `There is no such ${noun([named])}.`)
