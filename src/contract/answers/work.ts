export * from "./attempts.ts"
export * from "./experiments.ts"
export * from "./materials.ts"
