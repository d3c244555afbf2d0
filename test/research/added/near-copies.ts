/**
 * Questions and claims of a generated Room, and the same in other words, as written by people who have not read the
 * first.
 */
export const nearCopies: readonly (readonly [said: string, again: string])[] = [
  [
    "Longer warm-up of the learning rate lowers the loss of small models.",
    "Small models reach a lower loss when the learning rate is warmed up for longer.",
  ],
  [
    "Dropout above one half harms transformers on short sequences.",
    "On short sequences, transformers are hurt by more than fifty percent dropout.",
  ],
  [
    "Label smoothing worsens calibration after distillation.",
    "Models distilled with smoothed labels are calibrated worse.",
  ],
  [
    "Gradient clipping at one hides divergence in mixed precision.",
    "Clipped gradients mask that mixed precision training diverges.",
  ],
  [
    "Deduplicating the corpus reduces memorisation of rare strings.",
    "Rare strings are memorised less once the corpus has no duplicates.",
  ],
  ["Larger batches need a proportionally larger step size.", "The step size has to grow in proportion with the batch."],
  [
    "Weight decay on embeddings slows convergence of rare tokens.",
    "Rare tokens converge slowly if embeddings are decayed.",
  ],
  [
    "Rotary positions extrapolate better than learned positions.",
    "Learned positional encodings extrapolate worse than rotary ones.",
  ],
  [
    "Quantising activations to four bits breaks arithmetic prompts.",
    "Arithmetic fails in prompts with four-bit quantised activations.",
  ],
  [
    "Adam's second moment explains the spike at step four hundred.",
    "The loss spike around step 400 comes from the second moment of Adam.",
  ],
  [
    "A cosine schedule beats a linear one on held-out perplexity.",
    "Held-out perplexity is better under cosine than under linear schedules.",
  ],
  [
    "Freezing the tokenizer embeddings preserves multilingual transfer.",
    "Transfer between languages survives when the embeddings of the tokenizer are frozen.",
  ],
  [
    "Attention sinks appear in the first layer before any other.",
    "The first layer is where attention sinks show up earliest.",
  ],
  ["Sparse experts collapse without a balancing loss.", "Without balancing, the experts of a sparse mixture collapse."],
  [
    "Contrastive pretraining improves retrieval of chemical structures.",
    "Retrieving chemical structures gets better by contrastive pretraining.",
  ],
  [
    "Protein folding error grows with the length of disordered regions.",
    "The longer the disordered regions, the larger the error of folded proteins.",
  ],
  [
    "Catalyst poisoning by sulphur is reversible below 400 kelvin.",
    "Below 400 K, sulphur poisons the catalyst only reversibly.",
  ],
  [
    "Enzyme activity peaks at pH seven in crude extracts.",
    "In crude extract, the enzyme is most active at a pH of seven.",
  ],
  [
    "Soil moisture sensors drift by salinity and not by temperature.",
    "It is salinity that makes moisture sensors in soil drift, temperature does not.",
  ],
  [
    "Bees prefer ultraviolet patterned petals over plain ones.",
    "Petals with ultraviolet patterns attract more bees than plain petals.",
  ],
  [
    "Perovskite cells lose efficiency through ion migration at night.",
    "Ion migration during the night costs perovskite cells their efficiency.",
  ],
  ["Spaced repetition helps vocabulary but not grammar.", "Vocabulary gains from spaced repetition, grammar does not."],
  [
    "Coral bleaching follows eight weeks of accumulated heat stress.",
    "After eight weeks of heat stress corals bleach.",
  ],
  [
    "Graphene contacts lower the resistance of molybdenum transistors.",
    "Molybdenum transistors have less resistance with contacts of graphene.",
  ],
]

const subjects = [
  "The learning rate",
  "A larger batch",
  "The optimiser",
  "Data augmentation",
  "The tokenizer",
  "An ensemble",
  "The embedding",
  "A deeper layer",
  "The sensor",
  "The extract",
  "A cell",
  "Heat",
]
const verbs = ["lowers", "raises", "hides", "explains", "slows", "improves", "breaks", "preserves"]
const objects = [
  "the loss of large models",
  "accuracy on long sequences",
  "calibration on images",
  "the error of measurements",
  "convergence in few steps",
  "efficiency at night",
  "retrieval of documents",
  "the resistance of samples",
]

/** Other claims for such a Room, made from the same words. */
export const others = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, index) =>
      `${subjects[index % 12]} ${verbs[Math.floor(index / 12) % 8]} ` +
      `${objects[(index * 5 + Math.floor(index / 96)) % 8]}.`,
  )
