/** The check for actions that are open to the owner of a Room and to operators. */
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Actor } from "../ledger/journal/actor.ts"

/** @param sentence the refusal for other members. @throws Refusal 403 `not_a_member` or `role_required` */
export function mustOwnOrOperate(
  { username }: Pick<Actor, "username">,
  { role, isOperator }: { readonly role: string | null; readonly isOperator: boolean },
  sentence: string,
): void {
  if (role === "owner" || isOperator) return
  if (role === null) throw new Refusal("not_a_member", `${username} is not a member of this Room.`)
  throw new Refusal("role_required", sentence, { current: { needed: ["owner"] } })
}
