/** A visitor's reads: every read and page about the stored objects, above all about the planted ones. */
import { pathNames } from "../../../src/contract/definitions/operation.ts"
import type { Anchors } from "../fuzz/anchors.ts"
import type { Ground } from "../fuzz/ground.ts"
import type { Shot } from "../fuzz/shot.ts"
import { addressOf, askShot, reading } from "./heads.ts"

/** Every read with a correct request; except exports, of which a service makes few at once. */
export const soundShots = (ground: Ground): Shot[] =>
  reading.flatMap((target) => {
    const path = addressOf(target, ground.agents)
    return path === null ? [] : [askShot(ground, "as it should be", target, path)]
  })

/** Every read and page of each planted object. */
export const plantedShots = (ground: Ground, planted: Anchors): Shot[] =>
  reading.flatMap((target) => {
    if (pathNames(target.path).length === 0) return []
    const paths = new Set(Array.from({ length: 24 }, (_, pick) => addressOf(target, planted, pick)))
    return [...paths].flatMap((path) => (path === null ? [] : [askShot(ground, "what was planted", target, path)]))
  })
