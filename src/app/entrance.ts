/** How people sign in to a service, with the identity provider's return address. */
import type { Entrance } from "../edge/sign-in-options.ts"
import type { World } from "../ledger/world.ts"
import { Provider } from "../people/provider/provider.ts"
import { Sealer } from "../people/provider/sealed.ts"
import type { EntranceSettings } from "./service-options.ts"

/** The path at which the provider sends a browser back. */
const BACK = "/sign-in/provider/back"

/** The ways to sign in, for a service at an address. */
export function entranceAt(baseUrl: string, world: World, given: EntranceSettings | undefined): { entrance?: Entrance } {
  if (given === undefined) return {}
  const { provider, ...rest } = given
  if (provider === undefined) return { entrance: rest }
  const { admits, ...settings } = provider
  const made = new Provider({ ...settings, backTo: `${baseUrl}${BACK}` })
  return { entrance: { ...rest, provider: { provider: made, sealer: new Sealer(() => world.now()), admits } } }
}
