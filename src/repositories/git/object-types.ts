/** The types of objects in a repository, and their numbers in a pack. */
export const objectTypes = ["commit", "tree", "blob", "tag"] as const
export type ObjectType = (typeof objectTypes)[number]

export const packNumbers: ReadonlyMap<number, ObjectType> = new Map([
  [1, "commit"],
  [2, "tree"],
  [3, "blob"],
  [4, "tag"],
])
