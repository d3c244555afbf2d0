/** By which doors people come in here: passwords, the group's identity provider, and who may invite. */
import type { Identity, Provider } from "../people/provider/provider.ts"
import type { Sealer } from "../people/provider/sealed.ts"

export const inviters = ["operator", "owners", "everyone"] as const

/** Whom of the provider's people the service takes without an invitation: nobody, everybody, or those with a verified address at a domain. */
export type Admits = "invited" | "everyone" | `@${string}`

export interface Entrance {
  readonly passwords: boolean
  readonly invitations: (typeof inviters)[number]
  /** Left out, there is none. */
  readonly provider?: { readonly provider: Provider; readonly sealer: Sealer; readonly admits: Admits } | undefined
}

/** Whether the provider's word is enough to make an account. */
export function isAdmitted(admits: Admits, { email }: Identity): boolean {
  if (admits === "invited" || admits === "everyone") return admits === "everyone"
  return email?.toLowerCase().endsWith(admits.toLowerCase()) === true
}
