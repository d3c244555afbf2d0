/** What the reads of experiments, plans, attempts and materials answer. */
export * from "./attempt-answers.ts"
export * from "./experiment-answers.ts"
export * from "./material-answers.ts"
