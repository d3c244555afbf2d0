/** Operations on memberships: requesting to join, deciding, adding and removing. */
import { present } from "../contract/typed.ts"
import { Refusal } from "../contract/refusals.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"
import type { People } from "../people/people.ts"
import type { Credentials } from "./credentials.ts"
import type { Members } from "./members.ts"
import { inPath, userInPath } from "./rooms.ts"

const unavailable = (sentence: string) => new Refusal("room_unavailable", sentence)

interface Tables {
  readonly members: Members
  readonly credentials: Credentials
  readonly people: People
}

export function memberOperations({ members, credentials, people }: Tables) {
  /** Adds a member. Credentials of an earlier membership are revoked: they may be the reason it ended. */
  function join(roomId: string, userId: string, at: string): void {
    credentials.revokeAll(roomId, userId, at)
    members.add(roomId, userId, "member", at)
  }

  /** @throws Refusal `state_conflict` for a person who is a member already */
  function mustNotBeMember(roomId: string, userId: string): void {
    const member = members.find(roomId, userId)
    if (member === undefined) return
    throw new Refusal("state_conflict", `${member.username} is a member of this Room already.`, { current: { member } })
  }

  const request_to_join = behaviour("request_to_join", {
    subject: inPath,
    admit({ actor }, { roomId }) {
      mustNotBeMember(roomId, actor.userId)
      if (members.asking(roomId, actor.userId) === undefined) return
      throw new Refusal("state_conflict", "Your request is already waiting for the owner's decision.", {
        current: { joinRequest: { userId: actor.userId } },
      })
    },
    write({ actor, body }, { roomId }, { at }) {
      const { userId, username } = actor
      members.ask(roomId, userId, body.message ?? null, at)
      return { target: { id: userId, label: null }, result: { userId, username, label: null }, activity: false }
    },
  })

  const decide_join_request = behaviour("decide_join_request", {
    subject: userInPath,
    admit(_call, { roomId, userId }) {
      if (members.asking(roomId, userId) !== undefined) return
      mustNotBeMember(roomId, userId)
      throw unavailable("This person has no open request; it may have been decided already.")
    },
    write({ body }, { roomId, userId }, { at }) {
      const { decision } = body
      const username = present(members.asking(roomId, userId))
      if (decision === "accept") join(roomId, userId, at)
      else members.decline(roomId, userId)
      const result = { userId, username, decision, label: null }
      return {
        target: { id: userId, label: null },
        result,
        ...(decision === "decline" ? { activity: false as const } : {}),
      }
    },
  })

  const add_member = behaviour("add_member", {
    subject: inPath,
    admit({ body }, { roomId }) {
      const person = people.named(body.username)
      if (person === undefined || !people.isEnabled(person.userId))
        throw unavailable(`There is no user named ${body.username}.`)
      mustNotBeMember(roomId, person.userId)
    },
    write({ body, named }, { roomId }, { at }) {
      const { userId, username } = present(named === undefined ? people.named(body.username) : people.withId(named))
      join(roomId, userId, at)
      return { target: { id: userId, label: null }, result: { userId, username, label: null } }
    },
  })

  const remove_member = behaviour("remove_member", {
    subject: userInPath,
    admit({ actor }, { roomId, userId }) {
      const caller = members.find(roomId, actor.userId)
      if (caller?.role !== "owner" && userId !== actor.userId) {
        throw new Refusal("role_required", "Only the owner of a Room can remove other members.", {
          current: { needed: ["owner"] },
        })
      }
      const member = members.find(roomId, userId)
      if (member === undefined) throw unavailable("This person is not a member of the Room.")
      if (member.role === "owner")
        throw new Refusal("state_conflict", "The owner cannot leave the Room.", { current: { member } })
    },
    write(_call, { roomId, userId }) {
      const { username } = present(members.find(roomId, userId))
      members.remove(roomId, userId)
      return { target: { id: userId, label: null }, result: { userId, username, label: null } }
    },
  })

  return { request_to_join, decide_join_request, add_member, remove_member }
}
