/**
 * Incomplete definitions do not compile. Each line marked below must be a compile error, and a mark without an error is
 * one too: `npm run typecheck` is what this file tests. At run time only the total maps are checked.
 */
import { test } from "tap"
import { cards } from "../../src/contract/nouns/threads.ts"
import type { CardKind, EntryForm } from "../../src/contract/definitions/operation.ts"
import {
  type ObjectKind,
  type ObjectSpec,
  objects,
  pageOf,
  type TargetKind,
} from "../../src/contract/objects/objects.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { ref, subject } from "../../src/contract/schema/parts.ts"
import { act } from "../../src/web/parts/actions.ts"
import { cardViews } from "../../src/web/parts/timeline.ts"

const whole: ObjectSpec = objects.experiment

/** Never called, only compiled. */
export function notWhole() {
  const { line: _line, ...lineless } = whole
  // @ts-expect-error an object that is not shown in one line
  const unseen: ObjectSpec = lineless
  const { moves: _moves, ...unkept } = whole
  // @ts-expect-error an object that does not say which of its columns may change
  const loose: ObjectSpec = unkept
  // @ts-expect-error a refusal that there is not
  const unknown: ObjectSpec = { ...whole, unknown: "unknown_experimnet" }

  // @ts-expect-error a reference to what there is not
  ref("experimnet")
  // @ts-expect-error a subject that there is not
  subject("experimnet")
  // @ts-expect-error a receipt that names what there is not
  const target: TargetKind = "experimnet"

  // @ts-expect-error a card that nobody shows
  const card: EntryForm = { kind: "post_resaerch_checkpoint", form: "card" }
  const { publication: _publication, ...others } = cardViews
  // @ts-expect-error a kind of card without its view
  const views: typeof cardViews = others

  // @ts-expect-error a button of an operation that there is not
  act("note_negativ_resullt", {})
  return [unseen, loose, unknown, target, card, views]
}

test("every card that an operation leaves has an answer and a view", (t) => {
  const left = new Set(operations.flatMap(({ entry }) => (entry?.form === "card" ? [entry.kind as CardKind] : [])))
  t.strictSame(Object.keys(cards).sort(), [...left].sort())
  t.strictSame(Object.keys(cardViews).sort(), [...left].sort())
  t.end()
})

test("every object has its page at the path in the list, and other things have none", (t) => {
  for (const [kind, { page }] of Object.entries(objects) as [ObjectKind, ObjectSpec][])
    t.equal(pageOf(kind, "x"), page === null ? undefined : `${page}/x`, kind)
  t.equal(pageOf("constructor", "x"), undefined)
  t.end()
})
