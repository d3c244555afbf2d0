/** Verbs that claims are made with, each with what it means: enough to tell in most sentences which words say what happens. */
import verbs from "./verbs.json" with { type: "json" }

type Words = Readonly<Record<string, string>>
/** By their stem, with what they mean: verbs of claims that something brings something about, and those of others. */
const [causal, plain]: readonly [Words, Words] = [verbs.causal, verbs.plain]
/** Forms that no ending tells the stem of. */
const irregular: Words = verbs.irregular

/** The dictionary's form of a word that is known as a verb. */
export function verbOf(word: string): string | undefined {
  const said = irregular[word] ?? word
  const known = (stem: string) => Object.hasOwn(causal, stem) || Object.hasOwn(plain, stem)
  const stems = [said, said.replace(/s$/, ""), said.replace(/es$/, ""), said.replace(/ed$/, ""), said.replace(/d$/, "")]
  return stems.find(known)
}

/** Whether a verb says that something brings something about. */
export const isCausal = (verb: string | undefined): boolean => verb !== undefined && Object.hasOwn(causal, verb)
/** What a verb means, in a few words. */
export const meaningOf = (verb: string | undefined): string | undefined => (verb === undefined ? undefined : (causal[verb] ?? plain[verb]))
