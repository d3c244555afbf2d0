/** Selects the part of a Room's provenance that its graph shows. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import type { ProvenanceNode } from "../../contract/schema/enumerations.ts"

type Provenance = AnswerOf<"room_provenance">
type Node = Provenance["nodes"][number]
/** Objects and their relations. */
export interface Net {
  readonly nodes: readonly Node[]
  readonly edges: Readonly<Provenance["edges"]>
}

/** Kinds that the graph leaves out unless everything is shown. */
export const ASIDE: readonly ProvenanceNode[] = ["plan", "material"]

export const isWithdrawn = ({ status }: Node): boolean => status === "withdrawn"

/** Returns the nodes with the edges between them. */
export const between = (nodes: readonly Node[], edges: Net["edges"]): Net => {
  const known = new Set(nodes.map(({ id }) => id))
  return { nodes, edges: edges.filter(({ from, to: end }) => known.has(from) && known.has(end)) }
}

/** Leaves out plans, materials and withdrawn links, and turns each finding link into a direct relation. */
export function condensed({ nodes: all, edges: every }: Net): Net {
  const withdrawn = new Set(all.filter(isWithdrawn).map(({ id }) => id))
  const nodes = all.filter(({ id }) => !withdrawn.has(id))
  const edges = every.filter(({ from }) => !withdrawn.has(from))
  const kindOf = new Map(nodes.map(({ id, kind }) => [id, kind]))
  const findingOf = new Map(edges.filter(({ kind }) => kind === "relates").map(({ from, to: end }) => [from, end]))
  const direct = edges.flatMap((edge) => {
    if (edge.kind === "relates" && kindOf.get(edge.from) === "finding_link") return []
    const finding = kindOf.get(edge.from) === "finding_link" ? findingOf.get(edge.from) : edge.from
    return finding === undefined ? [] : [{ ...edge, from: finding }]
  })
  const left = nodes.filter(({ kind }) => kind !== "finding_link" && !ASIDE.includes(kind))
  const known = between(left, direct)
  return {
    nodes: left,
    edges: [...new Map(known.edges.map((edge) => [`${edge.from} ${edge.to} ${edge.kind}`, edge])).values()],
  }
}

/** Returns the objects within a number of steps of an object. */
export function around({ nodes, edges }: Net, focus: string, depth: number): Net {
  const found = new Set([focus])
  for (let step = 0; step < depth; step += 1) {
    const reached = edges.flatMap(({ from, to: end }) => (found.has(from) ? [end] : found.has(end) ? [from] : []))
    for (const id of reached) found.add(id)
  }
  return between(
    nodes.filter(({ id }) => found.has(id)),
    edges,
  )
}

/**
 * Folds the attempts, except the focus, into their experiments and findings if the net has more than `most` objects.
 * @returns the rest; the outcomes of the attempts folded into an experiment or finding, by its id; and the number of
 * those attempts
 */
export function folded(net: Net, focus: string | undefined, most: number) {
  const isFolded = ({ id, kind }: Node) => kind === "attempt" && id !== focus
  const foldedNodes = new Map(net.nodes.filter(isFolded).map((node) => [node.id, node]))
  if (net.nodes.length <= most || foldedNodes.size === 0)
    return { ...net, attempts: new Map<string, string[]>(), count: 0 }
  const owners = net.edges.flatMap(({ from, to: end, kind }) => {
    const [owner, attempt] =
      kind === "executes" ? [end, foldedNodes.get(from)] : kind === "results_from" ? [from, foldedNodes.get(end)] : []
    return owner === undefined || attempt === undefined
      ? []
      : [{ owner, outcome: attempt.outcome ?? attempt.status ?? "unknown" }]
  })
  const attempts = new Map(
    [...Map.groupBy(owners, ({ owner }) => owner)].map(([owner, of]) => [owner, of.map(({ outcome }) => outcome)]),
  )
  return {
    ...between(
      net.nodes.filter(({ id }) => !foldedNodes.has(id)),
      net.edges,
    ),
    attempts,
    count: foldedNodes.size,
  }
}
