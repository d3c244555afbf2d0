/** The ways to sign in that are enabled: passwords, the identity provider, and who may invite. */
import type { Identity, Provider, Encrypter } from "../people/provider.ts"

export const inviters = ["operator", "owners", "everyone"] as const

/**
 * The people whom the provider may sign up without an invitation: none, all, or those with a verified address in a
 * domain.
 */
export type Admits = "invited" | "everyone" | `@${string}`

export interface Entrance {
  readonly passwords: boolean
  readonly invitations: (typeof inviters)[number]
  readonly provider?:
    | { readonly provider: Provider; readonly encrypter: Encrypter; readonly admits: Admits }
    | undefined
}

/** Whether the provider may create an account for this identity. */
export function isAdmitted(admits: Admits, { email }: Identity): boolean {
  if (admits === "invited" || admits === "everyone") return admits === "everyone"
  return email?.toLowerCase().endsWith(admits.toLowerCase()) === true
}
