/** The operations of the Library, in the order in which the documents tell them. */
import { addPapers, createCollection, postNote, removePaper, renameCollection, savePapers } from "./filing.ts"
import { issueKey, revokeKey } from "./keys.ts"
import { tagPapers, untagPapers } from "./tagging.ts"
import { addHighlight, amendHighlight, removeHighlight, setReadingPosition, writeAnnotation } from "./reading.ts"
import {
  acceptCollectionInvitation,
  declineCollectionInvitation,
  deleteCollection,
  deleteNote,
  importPapers,
  inviteToCollection,
  leaveCollection,
  markRead,
  removeCollectionMember,
  unsavePapers,
  withdrawCollectionInvitation,
} from "./sharing.ts"

export const libraryOperations = [
  savePapers,
  createCollection,
  addPapers,
  removePaper,
  renameCollection,
  postNote,
  unsavePapers,
  tagPapers,
  untagPapers,
  deleteCollection,
  inviteToCollection,
  withdrawCollectionInvitation,
  acceptCollectionInvitation,
  declineCollectionInvitation,
  leaveCollection,
  removeCollectionMember,
  deleteNote,
  markRead,
  importPapers,
  writeAnnotation,
  addHighlight,
  amendHighlight,
  removeHighlight,
  setReadingPosition,
  issueKey,
  revokeKey,
] as const
