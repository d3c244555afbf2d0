/** Every route of the registry as an address: the ids in its path are those of a real Room, or ones that nobody has. */
import { freshId } from "./bodies.ts"

/** Ids that stand in paths, by their name there; others are made up. */
export type Ids = Readonly<Record<string, string>>

/** A path of the registry with its ids filled in. */
export const addressOf = (path: string, ids: Ids = {}): string =>
  path.replace(/\{([a-zA-Z]+)\}/g, (_place, name: string) => ids[name] ?? freshId())
