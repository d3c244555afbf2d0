/** The types of objects in a repository, in the order of their numbers in a pack, which begin with 1. */
export const objectTypes = ["commit", "tree", "blob", "tag"] as const
export type ObjectType = (typeof objectTypes)[number]
