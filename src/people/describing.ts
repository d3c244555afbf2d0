/** How people want to be cited: as they say themselves, or as the instance that they come from says. */
import { type Described, isOrcid } from "../contract/answers/description.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { PersonActs } from "./acts.ts"
import { personSubject } from "./audit.ts"
import type { Keeping } from "./operators.ts"
import type { Person } from "./people.ts"

type Describing = Pick<Keeping, "ledger" | "people" | "audit"> & { readonly acts: PersonActs }

export const describing = ({ ledger, people, audit, acts }: Describing) => ({
  /**
   * Notes how a person wants to be cited, all of it at once.
   * @param by who says so; nobody: the operator, from the command line
   * @throws Refusal `invalid_schema` for an ORCID that nobody can have, and for half a name
   */
  async describe(by: Person | null, userId: string, said: Partial<Described>): Promise<void> {
    const { name, givenName = null, familyName = null, orcid = null } = said
    const issues = [
      ...(orcid === null || isOrcid(orcid)
        ? []
        : [{ path: "/orcid", message: "is not an ORCID: its last character does not fit the others" }]),
      ...(givenName === null || familyName !== null ? [] : [{ path: "/familyName", message: "is needed beside givenName" }]),
    ]
    if (issues.length > 0)
      throw new Refusal("invalid_schema", `${issues.map(({ path, message }) => `${path.slice(1)} ${message}`).join(", ")}.`, { issues })
    const whole = familyName === null ? null : givenName === null ? familyName : `${givenName} ${familyName}`
    await ledger.transact(() => {
      acts.describe_person(by, { userId, name: name ?? whole, givenName, familyName, orcid })
      const subject = people.withId(userId)
      audit.write({ kind: "describe_person", by, subject: subject && personSubject(subject) })
    })
  },

  /** Notes what another instance says of a person of its own. Within an open transaction. */
  told(userId: string, described: Described): void {
    acts.describe_person(null, { userId, ...described })
  },
})
