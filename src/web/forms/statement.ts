/**
 * Reads a statement as people write it: a sentence, words with their meaning, and roles. The keys, the type of each
 * value and the predicate are derived from that.
 */
import { createHash } from "node:crypto"
import { DECIMAL, KEY } from "../../contract/schema/fields.ts"
import { type Draft, itemCount, keyName, countName } from "./draft.ts"
import { borrowedName, type Suggestions, usualRoles } from "./choices.ts"
import { withoutTrailing } from "../../contract/text.ts"
import verbs from "./verbs.json" with { type: "json" }

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

// Proposes a predicate and roles for a sentence, from its verb and the words before and after it. The form shows the
// proposal, and the author accepts or changes it.

const helpers: ReadonlySet<string> = new Set(
  "does do did is are was were has have had can cannot could may might must will would shall should".split(" "),
)
const negations: ReadonlySet<string> = new Set(["not", "never", "no", "only", "always", "still", "also", "already"])
/** Words that begin a condition. */
const turns: ReadonlySet<string> = new Set(
  (
    "at with without on in for when if after before during while from by over under than as across among because " +
    "within per until unless"
  ).split(" "),
)

type Words = Readonly<Record<string, string>>
/**
 * Common verbs of claims with their meanings, by infinitive: of verbs that say that one thing causes another, and of
 * other verbs.
 */
const [causal, plain]: readonly [Words, Words] = [verbs.causal, verbs.plain]
const irregular: Words = verbs.irregular

function verbOf(word: string): string | undefined {
  const form = irregular[word] ?? word
  const known = (stem: string) => Object.hasOwn(causal, stem) || Object.hasOwn(plain, stem)
  const stems = [form, form.replace(/s$/, ""), form.replace(/es$/, ""), form.replace(/ed$/, ""), form.replace(/d$/, "")]
  return stems.find(known)
}

const isCausal = (verb: string | undefined): boolean => verb !== undefined && Object.hasOwn(causal, verb)
const meaningOf = (verb: string | undefined): string | undefined =>
  verb === undefined ? undefined : (causal[verb] ?? plain[verb])

const bare = (word: string): string => word.toLowerCase().replace(/[.,;:!?()]/g, "")

/** The maximum number of characters that are read of a sentence, or put into a role. */
const LONG = 600

/**
 * Finds the predicate: a verb, with or without an auxiliary. The first word of a sentence is never taken for a verb.
 * Returns the index of its first word, and the index after its last.
 */
function findPredicate(words: readonly string[], known: ReadonlySet<string>) {
  for (let at = 1; at < words.length; at += 1) {
    const word = bare(words[at] ?? "")
    if (helpers.has(word)) {
      let until = at + 1
      while (negations.has(bare(words[until] ?? ""))) until += 1
      const verb = verbOf(bare(words[until] ?? ""))
      if (verb !== undefined) return { from: at, until: until + 1, verb }
      const own = verbOf(word)
      return own === undefined && until === at + 1 ? undefined : { from: at, until, verb: own }
    }
    if (known.has(word)) return { from: at, until: at + 1, verb: verbOf(word) }
    // A word after an article or a preposition is a noun: "the change of", "with increases".
    const before = bare(words[at - 1] ?? "")
    const verb = verbOf(word)
    if (verb !== undefined && !["the", "a", "an", "of", "this", "its"].includes(before) && !turns.has(before))
      return { from: at, until: at + 1, verb }
  }
  return undefined
}

const roleNamed = (name: string, value: string) => ({
  role: name,
  value,
  definition: usualRoles.find(({ role }) => role === name)?.definition ?? "",
})
const trimmed = (words: readonly string[]): string =>
  withoutTrailing(words.join(" ").replace(/^(?:The|the|A|a|An|an) /, ""), ".,;:!?")

/** The proposal for a sentence that could not be taken apart: the whole sentence holds under its scope. */
const asWhole = (wording: string, scope: string) => ({
  predicate: "holds",
  definition: meaningOf("hold") ?? "",
  roles: [
    { role: "statement", value: trimmed(wording.split(/\s+/)).slice(0, LONG), definition: "What is said." },
    roleNamed("condition", scope.slice(0, LONG)),
  ],
})

/** Proposes predicate and roles. @returns undefined if the sentence could not be taken apart and has no scope either */
function proposalFor(
  wording: string,
  scope: string,
  { concepts }: Suggestions,
): ReturnType<typeof asWhole> | undefined {
  const whole = scope === "" ? undefined : asWhole(wording, scope)
  const words = wording.trim().slice(0, LONG).split(/\s+/)
  const predicates = new Map(
    concepts.flatMap((concept) => (concept.happens ? [[concept.label.toLowerCase(), concept] as const] : [])),
  )
  const found = findPredicate(words, new Set(predicates.keys()))
  if (found === undefined) return whole
  const predicate = words.slice(found.from, found.until).join(" ")
  // Words before a comma are a condition: "Over 5 seeds, GRPO raises".
  const comma = words.slice(0, found.from).findLastIndex((word) => word.endsWith(","))
  const leading = trimmed(words.slice(0, comma + 1))
  const subject = trimmed(words.slice(comma + 1, found.from))
  const after = words.slice(found.until)
  const turn = after.findIndex((word, at) => (at > 0 || !isCausal(found.verb)) && turns.has(bare(word)))
  const object = trimmed(turn === -1 ? after : after.slice(0, turn))
  const rest = trimmed(turn === -1 ? [] : after.slice(turn))
  const conditions = [leading, rest].filter((part) => part !== "").join("; ")
  const condition = conditions === "" && object === "" ? scope.slice(0, LONG) : conditions
  const causes = isCausal(found.verb)
  const parts = [
    causes ? roleNamed("cause", subject) : { role: "subject", value: subject, definition: "What it is about." },
    causes ? roleNamed("effect", object) : { role: "statement", value: object, definition: "What is said about it." },
    roleNamed("condition", condition),
  ].filter(({ value }, index) => index === 0 || value !== "")
  if (subject === "" || parts.length < 2) return whole
  const own = predicates.get(bare(predicate))
  const meaning = meaningOf(found.verb)
  const isNegated =
    found.until - found.from > 1 &&
    words.slice(found.from, found.until).some((word) => negations.has(bare(word)) || bare(word) === "cannot")
  return {
    predicate: own === undefined ? predicate : borrowedName(own),
    definition: own === undefined ? (meaning === undefined || isNegated ? "As in plain English." : meaning) : "",
    roles: parts.map((part) => ({ ...part, value: borrowed(part.value, concepts) })),
  }
}

/** Replaces the label of one of the Room's concepts with the name under which it is borrowed. Other words stay. */
const borrowed = (value: string, concepts: Suggestions["concepts"]): string => {
  const known = concepts.find(({ label, happens }) => !happens && label.toLowerCase() === value.toLowerCase())
  return known === undefined ? value : borrowedName(known)
}

export const WORDING = "/assertion/wording"

const typed = (draft: Draft, name: string): string => draft.get(name)?.trim() ?? ""

const isStructure = (name: string): boolean => name.startsWith(`${ROLES}/`) || name.startsWith(`${CONCEPTS}/0/`)
const digestOf = (draft: Draft): string =>
  createHash("sha256")
    .update(JSON.stringify([...draft].filter(([name, value]) => isStructure(name) && value !== "").sort()))
    .digest("hex")
    .slice(0, 16)
/** The input that holds the digest of the proposed words and roles. */
export const PROPOSED = "_proposed"
/** Whether the words and roles are still as proposed. */
export const isAsProposed = (draft: Draft): boolean => draft.get(PROPOSED) === digestOf(draft)

function isBare(draft: Draft): boolean {
  const roles = Array.from({ length: itemCount(draft, ROLES, 2, 12) }, (_, at) => `${ROLES}/${at}/value`)
  const names = [`${CONCEPTS}/0/label`, "/assertion/predicate/type", ...roles, ...roles.map((name) => `${name}/type`)]
  return names.every((name) => typed(draft, name) === "")
}

/**
 * Adds the proposal for the sentence, unless the author has changed words or roles. @returns the same draft if nothing
 * changes
 */
export function withProposal(draft: Draft, known: Suggestions): Draft {
  if (typed(draft, WORDING) === "" || (!isBare(draft) && !isAsProposed(draft))) return draft
  const proposal = proposalFor(typed(draft, WORDING), typed(draft, "/scope"), known)
  if (proposal === undefined) return draft
  const made = new URLSearchParams([...draft].filter(([name]) => !isStructure(name)))
  if (itemCount(draft, CONCEPTS, 1) < 1) made.set(countName(CONCEPTS), "1")
  made.set(`${CONCEPTS}/0/label`, proposal.predicate)
  made.set(`${CONCEPTS}/0/definition`, proposal.definition)
  made.set(countName(ROLES), String(proposal.roles.length))
  proposal.roles.forEach((role, at) => {
    for (const [name, value] of Object.entries(role)) made.set(`${ROLES}/${at}/${name}`, value)
  })
  made.set(PROPOSED, digestOf(made))
  return made.get(PROPOSED) === draft.get(PROPOSED) ? draft : made
}
