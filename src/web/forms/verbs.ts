/** Verbs that claims are made with, each with what it means: enough to tell in most sentences which words say what happens. */

/** Verbs of claims that something brings something about, by their stem, with what they mean. */
const causal: Readonly<Record<string, string>> = {
  lower: "Makes smaller.",
  reduce: "Makes smaller.",
  decrease: "Makes smaller.",
  shrink: "Makes smaller.",
  cut: "Makes smaller.",
  hurt: "Makes worse.",
  harm: "Makes worse.",
  raise: "Makes larger.",
  increase: "Makes larger.",
  improve: "Makes better.",
  help: "Makes better.",
  double: "Makes twice as large.",
  halve: "Makes half as large.",
  narrow: "Makes narrower.",
  widen: "Makes wider.",
  slow: "Makes slower.",
  speed: "Makes faster.",
  change: "Makes other than before.",
  keep: "Leaves as it was.",
  preserve: "Leaves as it was.",
  protect: "Leaves as it was.",
  prevent: "Does not let happen.",
  remove: "Makes go away.",
  cause: "Makes happen.",
  add: "Makes be there that was not.",
  bring: "Makes happen.",
  make: "Makes happen.",
  let: "Makes possible.",
  allow: "Makes possible.",
  affect: "Makes other than before.",
  predict: "Tells beforehand.",
}
/** Verbs of other claims. */
const plain: Readonly<Record<string, string>> = {
  be: "Is so.",
  have: "Is so of it.",
  reach: "Comes to this.",
  end: "Comes to this at the end.",
  stay: "Is as it was.",
  remain: "Is as it was.",
  rise: "Becomes larger.",
  grow: "Becomes larger.",
  fall: "Becomes smaller.",
  drop: "Becomes smaller.",
  diverge: "Does not come to an end.",
  converge: "Comes to an end.",
  outperform: "Does better than this.",
  beat: "Does better than this.",
  match: "Does as well as this.",
  exceed: "Is larger than this.",
  differ: "Is not the same.",
  depend: "Is other where this is other.",
  hold: "Is so.",
  work: "Does what it is for.",
  generalize: "Is so elsewhere too.",
  generalise: "Is so elsewhere too.",
  transfer: "Is so elsewhere too.",
  need: "Is not so without it.",
  require: "Is not so without it.",
  explain: "Is why it is so.",
  show: "Makes it seen.",
  find: "Comes upon it.",
  lose: "No longer has it.",
  gain: "Has it in addition.",
  tell: "Makes it known.",
  give: "Comes to this.",
  take: "Comes to this.",
  cost: "Comes to this.",
  scale: "Becomes larger with it.",
}
const irregular: Readonly<Record<string, string>> = {
  is: "be",
  are: "be",
  was: "be",
  were: "be",
  has: "have",
  had: "have",
  rose: "rise",
  grew: "grow",
  fell: "fall",
  kept: "keep",
  made: "make",
  found: "find",
  lost: "lose",
  held: "hold",
  gave: "give",
  took: "take",
  brought: "bring",
  told: "tell",
}
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
