/** What operators do to people, and to credentials, keys and invitations of others. */
import * as answers from "../answers/index.ts"
import type { RefusalCode } from "../refusals/refusal.ts"
import { action } from "./action.ts"

/** What an operator does to one person: the address of it, and what it answers. */
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
    fields: {},
    example: {},
    answer: answers.operatedPerson,
  })

/** What an operator does to one thing that opens doors, whosever it is. */
const onDoor = <const N extends string, const P extends string, const I extends string>(name: N, path: P, id: I, summary: string) =>
  action({
    name,
    method: "POST",
    path: `/api/admin/${path}/{${id}}/revoke`,
    form: `/web/admin/${path}/{${id}}/${name}`,
    by: "operator",
    refusals: ["unknown_operation", "room_unavailable", "state_conflict"],
    summary,
    fields: {},
    example: {},
    answer: answers.ended,
  })

export const operatorActions = [
  onPerson(
    "disable_person",
    "disable",
    "Keeps a person out from now on: their sessions, credentials, personal keys and open invitations end. What they said stays under their name.",
    { refusals: ["state_conflict"] },
  ),
  onPerson("enable_person", "enable", "Lets a disabled person in again, with the password they had; what was ended stays ended.", {
    refusals: ["state_conflict"],
  }),
  onPerson("make_operator", "operator", "Makes a person an operator of the service.", { refusals: ["state_conflict"] }),
  onPerson("unmake_operator", "operator", "Makes a person an operator no longer; one who is not disabled is always left.", {
    method: "DELETE",
    refusals: ["state_conflict"],
  }),
  onPerson("end_access", "end-access", "Ends all of a person's credentials, in every Room, and personal keys."),
  onPerson("clear_sign_in_count", "clear-sign-in-count", "Forgets the failed sign-ins of a person."),
  onDoor("end_credential", "credentials", "credentialId", "Ends one credential, of whichever Room and member."),
  onDoor("end_key", "keys", "keyId", "Ends one personal key, whosever it is."),
  onDoor("end_invitation", "invitations", "invitationId", "Takes back one open invitation, whosever it is."),
] as const
