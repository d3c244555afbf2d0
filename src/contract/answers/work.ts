/** What the reads of experiments, plans, attempts and materials answer. */
export * from "./attempts.ts"
export * from "./experiments.ts"
export * from "./materials.ts"
