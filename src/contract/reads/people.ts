/** The reads of people, their sessions, memberships, credentials and invitations. */
import * as v from "valibot"
import * as answers from "../answers/index.ts"
import { webhook } from "../answers/webhooks.ts"
import { read } from "../definitions/read.ts"

/** The answer of a list that is always short and has no pages. */
function wholeList<S extends v.GenericSchema>(item: S) {
  return v.strictObject({ schemaVersion: answers.schemaVersion, items: v.array(item) })
}

export const peopleReads = [
  read({
    name: "person",
    path: "/api/research/people/{username}",
    summary:
      "A person, by username or id: how they want to be cited, if they have declared it. The service does not ask ORCID who owns an ORCID.",
    answer: answers.describedPerson,
  }),
  read({
    name: "session",
    surface: "visitor",
    path: "/api/session",
    summary: "The person who is signed in, or null.",
    answer: answers.session,
  }),
  read({
    name: "members",
    surface: "session",
    path: "/api/rooms/{roomId}/members",
    summary: "The members of a Room.",
    answer: wholeList(answers.member),
  }),
  read({
    name: "join_requests",
    surface: "session",
    path: "/api/rooms/{roomId}/join-requests",
    summary: "Open requests to join, for the Room's owner.",
    refusals: ["role_required"],
    answer: wholeList(answers.joinRequest),
  }),
  read({
    name: "credentials",
    surface: "session",
    path: "/api/rooms/{roomId}/credentials",
    summary: "Credentials of a Room: your own, or all of them for its owner. Tokens are never shown.",
    answer: wholeList(answers.listedCredential),
  }),
  read({
    name: "webhooks",
    surface: "session",
    path: "/api/rooms/{roomId}/webhooks",
    summary: "The webhooks of a Room with their newest deliveries, for its owner.",
    refusals: ["role_required"],
    answer: wholeList(webhook),
  }),
  read({
    name: "invitation",
    surface: "visitor",
    path: "/api/invitations/{token}",
    summary: "What an invitation link offers, for the person who holds it.",
    answer: answers.invitation,
  }),
] as const
