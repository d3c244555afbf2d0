/** Every limit of the protocol that a client can meet. The manifest, the validators and the answers read them here. */
import { ofAnswers } from "./limits/answers.ts"
import { ofCostlyWork } from "./limits/costly.ts"
import { ofPeople } from "./limits/people.ts"
import { ofRecords } from "./limits/records.ts"
import { ofRequests } from "./limits/requests.ts"
import { ofSearch } from "./limits/search.ts"

export const limits = {
  ...ofRequests,
  ...ofRecords,
  ...ofAnswers,
  ...ofSearch,
  ...ofCostlyWork,
  ...ofPeople,
} as const
