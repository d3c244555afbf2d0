/** User accounts: creation, invitations, signing in and out, and how a person wants to be cited. */
import { personActs } from "./acts.ts"
import { describing } from "./describing.ts"
import { inviting } from "./inviting.ts"
import { joining } from "./joining.ts"
import type { AccountParts, Operators } from "./operators.ts"
import { signingIn } from "./signing-in.ts"

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(keeping: Omit<AccountParts, "credentials" | "keys"> & { readonly operators: Operators }) {
  const parts = { ...keeping, acts: keeping.ledger.addActs(personActs(keeping)) }
  const signIns = signingIn(parts)
  const invited = inviting(parts)
  return { ...signIns, ...invited, ...joining({ ...parts, signIns, invited }), ...describing(parts) }
}
