/** Reviews, as a section of a document. */
import { writerName } from "../contract/answers/index.ts"
import { type Review, reviewerIs } from "../contract/answers/reviews.ts"
import { type Section, inline, words } from "./writing.ts"

const standing = ({ withdrawn, counts, answered }: Review): string =>
  withdrawn !== null
    ? ", withdrawn"
    : counts
      ? answered === null
        ? ""
        : `, answered by its author's ${answered.by}`
      : ", replaced by a newer one"

export const reviewsOf = ({ reviews }: { readonly reviews: readonly Review[] }): Section => ({
  title: "Reviews",
  items: reviews.map(
    (review) =>
      `${words(review.verdict)} (${writerName(review.author)}, ${reviewerIs(review)}, ${review.at.slice(0, 10)}${standing(review)})${review.checked.length === 0 ? "" : `, checked ${review.checked.join(", ")}`}: ${inline(review.explanation)}`,
  ),
})
