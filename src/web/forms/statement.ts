/**
 * Reads a statement as people write it: a sentence, words with their meaning, and roles. The keys, the type of each
 * value and the predicate are derived from that.
 */
import { DECIMAL, KEY } from "../../contract/schema/patterns.ts"
import { type Draft, itemCount, keyName } from "./draft.ts"
import { borrowedName, type Suggestions } from "./choices.ts"

export const CONCEPTS = "/concepts"
export const ROLES = "/assertion/roles"
const PREDICATE = "/assertion/predicate"

/**
 * Makes a key of words, with `_` for anything but a to z and digits. @param fallback the key if nothing usable is left
 */
export function keyOf(text: string, fallback: string, taken: ReadonlySet<string>): string {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_\d]+|_$/g, "")
    .slice(0, 60)
  const base = KEY.test(plain) ? plain : fallback
  let key = base
  for (let count = 2; taken.has(key); count += 1) key = `${base}_${count}`
  return key
}

export type Value =
  | { readonly type: "concept"; readonly key: string }
  | { readonly type: "concept_ref"; readonly versionId: string; readonly key: string }
  | { readonly type: "record"; readonly record: string }
  | { readonly type: "decimal"; readonly value: string; readonly unit: string }
  | { readonly type: "boolean"; readonly value: string }
  | { readonly type: "text"; readonly value: string }

/**
 * Reads a role's value: a word explained above, a word of another record, a record, a number with its unit, a boolean,
 * or text.
 */
export function valueMeant(text: string, own: ReadonlyMap<string, string>, { concepts }: Suggestions): Value {
  const trimmed = text.trim()
  const key = own.get(trimmed.toLowerCase())
  if (key !== undefined) return { type: "concept", key }
  const borrowed = concepts.find((concept) => borrowedName(concept) === trimmed)
  if (borrowed !== undefined) return { type: "concept_ref", versionId: borrowed.record.versionId, key: borrowed.key }
  if (/^[HFC]\d+: /.test(trimmed)) return { type: "record", record: trimmed }
  const [, number = "", unit = ""] = /^(\S+)\s+(\S+)$/.exec(trimmed) ?? []
  if (DECIMAL.test(number)) return { type: "decimal", value: number, unit }
  if (trimmed === "true" || trimmed === "false") return { type: "boolean", value: trimmed }
  return { type: "text", value: text }
}

function spellConcepts(
  draft: Draft,
  made: Draft,
  known: Suggestions,
): { own: Map<string, string>; first: Value | null } {
  const own = new Map<string, string>()
  const taken = new Set<string>()
  let first: Value | null = null
  for (let index = 0; index < itemCount(draft, CONCEPTS, 1); index += 1) {
    const at = `${CONCEPTS}/${index}`
    const label = draft.get(`${at}/label`)?.trim() ?? ""
    const isExplained = (draft.get(`${at}/definition`)?.trim() ?? "") !== ""
    const borrowed = isExplained ? undefined : known.concepts.find((concept) => borrowedName(concept) === label)
    if (borrowed !== undefined) {
      // A borrowed concept is defined in the other record.
      made.delete(`${at}/label`)
      if (index === 0) first = { type: "concept_ref", versionId: borrowed.record.versionId, key: borrowed.key }
    } else if (label !== "") {
      const key = draft.get(keyName(at)) || keyOf(label, `word_${index + 1}`, taken)
      taken.add(key)
      own.set(label.toLowerCase(), key)
      made.set(keyName(at), key)
      if (index === 0) first = { type: "concept", key }
    }
  }
  return { own, first }
}

function spellRoles(draft: Draft, made: Draft, own: ReadonlyMap<string, string>, known: Suggestions): void {
  const taken = new Set<string>()
  for (let index = 0; index < itemCount(draft, ROLES, 2); index += 1) {
    const at = `${ROLES}/${index}`
    const role = draft.get(`${at}/role`)?.trim() ?? ""
    if (role !== "" && !KEY.test(role)) made.set(`${at}/role`, keyOf(role, `role_${index + 1}`, taken))
    taken.add(made.get(`${at}/role`) ?? "")
    const text = draft.get(`${at}/value`) ?? ""
    if (text.trim() === "" || draft.get(`${at}/value/type`)) continue
    const value = valueMeant(text, own, known)
    made.set(`${at}/value/type`, value.type)
    for (const [name, part] of Object.entries(value))
      if (name !== "type") made.set(`${at}/value|${value.type}/${name === "record" ? "versionId" : name}`, part)
  }
}

/** Adds the inputs that people do not fill in: keys, types and the predicate. Those that are already set stay. */
export function spelledOut(draft: Draft, known: Suggestions): Draft {
  const made = new URLSearchParams(draft)
  const { own, first } = spellConcepts(draft, made, known)
  if (first !== null && !draft.get(`${PREDICATE}/type`)) {
    made.set(`${PREDICATE}/type`, first.type)
    for (const [name, part] of Object.entries(first))
      if (name !== "type") made.set(`${PREDICATE}|${first.type}/${name}`, part)
  }
  spellRoles(draft, made, own, known)
  return made
}

/** The input that people fill in for a place of a statement. */
export const visibleInput = (path: string): string =>
  path.startsWith(PREDICATE)
    ? `${CONCEPTS}/0/label`
    : path.replace(/^(\/assertion\/roles\/\d+\/value).*$/, "$1").replace(/^(\/concepts\/\d+)(?:\/~key)?$/, "$1/label")
