/** Which parts of the service exist: a slice is served as soon as the registry has a route under its name. */
import { enumerations, type Slice } from "../enumerations.ts"
import { operations } from "../operations/index.ts"
import { reads } from "../reads/index.ts"

/** The first word of a path below the roots that agents and readers use: `/api/agent/threads` has `threads`. */
const firstWord = (path: string): string | undefined => /^\/api\/(?:agent|research)\/([a-z]+)(?:\/|$)/.exec(path)?.[1]

const served: ReadonlySet<string | undefined> = new Set([...operations, ...reads].map(({ path }) => firstWord(path)))

/** The slices served, in the order of the enumeration. */
export const slices: readonly Slice[] = enumerations.slice.filter((slice) => served.has(slice))
