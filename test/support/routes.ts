/** Every route of the registry as an address: the ids in its path are those of a real Room, or unknown. */
import { freshId } from "./bodies.ts"

/** Ids in paths, by their parameter name; others are made up. */
export type Ids = Readonly<Record<string, string>>

/** A path of the registry with its ids filled in. */
export const addressOf = (path: string, ids: Ids = {}): string =>
  path.replace(/\{([a-zA-Z]+)\}/g, (_place, name: string) => ids[name] ?? freshId())
