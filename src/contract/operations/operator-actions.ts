/** What operators do to people, and to other people's credentials, keys and invitations. */
import * as answers from "../answers/index.ts"
import type { RefusalCode } from "../refusals/refusal.ts"
import { action } from "./action.ts"

const onPerson = <const N extends string, const P extends string, const M extends "POST" | "DELETE" = "POST">(
  name: N,
  path: P,
  summary: string,
  { method, refusals = [] }: { method?: M; refusals?: readonly RefusalCode[] } = {},
) =>
  action({
    name,
    method: method ?? "POST",
    path: `/api/admin/people/{userId}/${path}`,
    form: `/web/admin/people/{userId}/${name}`,
    by: "operator",
    refusals: ["unknown_operation", "room_unavailable", ...refusals],
    summary,
    answer: answers.operatedPerson,
  })

/** The revocation of one token or invitation, whoever owns it. */
const onDoor = <const N extends string, const P extends string, const I extends string>(
  name: N,
  path: P,
  id: I,
  summary: string,
) =>
  action({
    name,
    method: "POST",
    path: `/api/admin/${path}/{${id}}/revoke`,
    form: `/web/admin/${path}/{${id}}/${name}`,
    by: "operator",
    refusals: ["unknown_operation", "room_unavailable", "state_conflict"],
    summary,
    answer: answers.ended,
  })

export const operatorActions = [
  onPerson(
    "disable_person",
    "disable",
    "Disables a person: they can no longer sign in, and their sessions, credentials, personal keys and open " +
      "invitations end. What they wrote stays under their name.",
    { refusals: ["state_conflict"] },
  ),
  onPerson("enable_person", "enable", "Enables a disabled person with their old password; ended tokens stay ended.", {
    refusals: ["state_conflict"],
  }),
  onPerson("make_operator", "operator", "Makes a person an operator of the service.", { refusals: ["state_conflict"] }),
  onPerson(
    "unmake_operator",
    "operator",
    "Removes a person as operator; one operator who is not disabled must remain.",
    {
      method: "DELETE",
      refusals: ["state_conflict"],
    },
  ),
  onPerson("end_access", "end-access", "Ends all of a person's personal keys, and their credentials in every Room."),
  onPerson("clear_sign_in_count", "clear-sign-in-count", "Clears the failed sign-ins of a person."),
  onDoor("end_credential", "credentials", "credentialId", "Ends one credential of any member of any Room."),
  onDoor("end_key", "keys", "keyId", "Ends one personal key of any person."),
  onDoor("end_invitation", "invitations", "invitationId", "Withdraws one open invitation of any person."),
] as const
