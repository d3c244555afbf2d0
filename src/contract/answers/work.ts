/** The answers of the reads of experiments, plans, attempts and materials. */
export * from "./attempts.ts"
export * from "./experiments.ts"
export * from "./materials.ts"
