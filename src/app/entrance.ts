/** Builds the ways to sign in to a service. */
import type { Entrance } from "../edge/sign-in-options.ts"
import type { World } from "../ledger/world.ts"
import { Provider } from "../people/provider/provider.ts"
import { Sealer } from "../people/provider/sealed.ts"
import type { EntranceSettings } from "./service-options.ts"

/** The path to which the provider returns the browser. */
const RETURN_PATH = "/sign-in/provider/back"

/** @returns an empty object for the default ways to sign in */
export function entranceAt(baseUrl: string, world: World, entrance: EntranceSettings | undefined): { entrance?: Entrance } {
  if (entrance === undefined) return {}
  const { provider, ...rest } = entrance
  if (provider === undefined) return { entrance: rest }
  const { admits, ...settings } = provider
  const client = new Provider({ ...settings, backTo: `${baseUrl}${RETURN_PATH}` })
  return { entrance: { ...rest, provider: { provider: client, sealer: new Sealer(() => world.now()), admits } } }
}
