/** For each operation of agents, how to make writes of its kind. */
import type { DefinitionOf, OperationName } from "../../../src/contract/operations/index.ts"
import type { House, Said } from "../data/house.ts"
import { discussion } from "./recipes/discussion.ts"
import { library } from "./recipes/library.ts"
import { records } from "./recipes/records.ts"
import { work } from "./recipes/work.ts"

export type AgentOperation = {
  [N in OperationName]: DefinitionOf<N>["surface"] extends "agent" ? N : never
}[OperationName]

/** A write: its changes to the operation's example, and its token if that is not the family's own. */
export interface Write<N extends OperationName = OperationName> {
  readonly said: Said<N>
  readonly token?: string
}

/** Makes what `count` writes act upon, one for each if a write uses it up, and returns their contents. */
export type Recipe<N extends OperationName> = (house: House, count: number) => Write<N>[]
export type Recipes<N extends AgentOperation> = { readonly [M in N]: Recipe<M> }

const recipes: Partial<Recipes<AgentOperation>> = { ...discussion, ...records, ...work, ...library }

/** The measured operations; those without a recipe are not measured. */
export const measured = (): AgentOperation[] => Object.keys(recipes) as AgentOperation[]

export const recipeOf = (name: string): Recipe<OperationName> =>
  recipes[name as AgentOperation] as unknown as Recipe<OperationName>
