export * from "./attempts.ts"
export * from "./experiments.ts"
