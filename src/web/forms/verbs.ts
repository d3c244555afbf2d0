/** Common verbs of claims with their meaning: enough to find the predicate of most sentences. */
import verbs from "./verbs.json" with { type: "json" }

type Words = Readonly<Record<string, string>>
/** Meanings by infinitive: of verbs that say that one thing causes another, and of other verbs. */
const [causal, plain]: readonly [Words, Words] = [verbs.causal, verbs.plain]
/** Infinitives of irregular forms. */
const irregular: Words = verbs.irregular

/** The infinitive of a word, if it is a known verb. */
export function verbOf(word: string): string | undefined {
  const form = irregular[word] ?? word
  const known = (stem: string) => Object.hasOwn(causal, stem) || Object.hasOwn(plain, stem)
  const stems = [form, form.replace(/s$/, ""), form.replace(/es$/, ""), form.replace(/ed$/, ""), form.replace(/d$/, "")]
  return stems.find(known)
}

/** Whether a verb says that one thing causes another. */
export const isCausal = (verb: string | undefined): boolean => verb !== undefined && Object.hasOwn(causal, verb)
/** The meaning of a verb, in a few words. */
export const meaningOf = (verb: string | undefined): string | undefined => (verb === undefined ? undefined : (causal[verb] ?? plain[verb]))
