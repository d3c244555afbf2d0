/** User accounts: creation, invitations, signing in and out, and how a person wants to be cited. */
import { type Described, isOrcid } from "../contract/answers/description.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { type ActingParts, personActs } from "./acts.ts"
import { personSubject } from "./audit.ts"
import { joining } from "./joining.ts"
import type { Person } from "./people.ts"
import { signingIn } from "./signing-in.ts"

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(keeping: Omit<ActingParts, "acts">) {
  const parts = { ...keeping, acts: keeping.ledger.addActs(personActs(keeping)) }
  const signIns = signingIn(parts)
  return { ...signIns, ...joining(parts, signIns), ...describing(parts) }
}

/** How people want to be cited, as declared by them or by their own instance. */
const describing = ({ ledger, people, audit, acts }: ActingParts) => ({
  /**
   * Stores how a person wants to be cited, replacing all of it.
   * @param by the person who declares it; null for the operator at the command line
   * @throws Refusal `invalid_schema` for an invalid ORCID, or a given name without a family name
   */
  async describe(by: Person | null, userId: string, description: Partial<Described>): Promise<void> {
    const { name, givenName = null, familyName = null, orcid = null } = description
    const issues = [
      ...(orcid === null || isOrcid(orcid)
        ? []
        : [{ path: "/orcid", message: "is not an ORCID: its check digit is wrong" }]),
      ...(givenName === null || familyName !== null
        ? []
        : [{ path: "/familyName", message: "is required with givenName" }]),
    ]
    if (issues.length > 0)
      throw new Refusal(
        "invalid_schema",
        `${issues.map(({ path, message }) => `${path.slice(1)} ${message}`).join(", ")}.`,
        { issues },
      )
    const fullName = familyName === null ? null : givenName === null ? familyName : `${givenName} ${familyName}`
    await ledger.transact(() => {
      acts.describe_person(by, { userId, name: name ?? fullName, givenName, familyName, orcid })
      const subject = people.withId(userId)
      audit.write({ kind: "describe_person", by, subject: subject && personSubject(subject) })
    })
  },

  /**
   * Stores how a person of another instance wants to be cited, as declared by that instance. Requires an open
   * transaction.
   */
  describeRemote(userId: string, described: Described): void {
    acts.describe_person(null, { userId, ...described })
  },
})
