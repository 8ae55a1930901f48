/** Envelopes: their life from draft to purge. */
export { changeEnvelope, requireOwner } from "./change-envelope.ts";
export { cancelEnvelope, declineEnvelope } from "./close-envelope.ts";
export {
  committedOwnParts,
  insertCompletedOwn,
  insertOwnEnvelope,
  OWN_SIGNED_REVISION,
  type OwnEnvelope,
} from "./own-envelope.ts";
export { contactsOf } from "./contacts/contacts.ts";
export { deleteContactsOf } from "./contacts/store.ts";

export {
  type Actor,
  delegationsOf,
  delegationOver,
  delegatorsIn,
  ownRecipient,
  signedFor,
  viewerOf,
  wasAsked,
} from "./domain/viewer.ts";
export { selectConsenting, updateDelegate } from "./recipient-store.ts";
export { decideSignature, openRecipient } from "./domain/decisions.ts";
export {
  type Delegate,
  type EnvelopeField,
  type EnvelopeRecipient,
  hasAnswered,
  inCorrection,
  invalidState,
  isReturned,
  mustAct,
  mustSign,
  notYourTurn,
  PREPARATION,
  returnRanks,
  signsBefore,
  stepRights,
} from "./domain/envelope.ts";
export { freePlace } from "./domain/fields.ts";
export { eraseOwnedEnvelopes, eraseTraces } from "./purge-envelope.ts";
export {
  selectEnvelopesOf,
  selectErasedOwners,
  selectEvidenceOf,
  selectOpenOwned,
} from "./erasure-store.ts";
export {
  countHoldings,
  passHoldings,
  passTeamHoldings,
  selectAwaitingSenders,
  selectOwnedTeams,
  type Passing,
} from "./transfer-store.ts";
export {
  correctedFor,
  drawTokens,
  EMBEDDED,
  findRecipientByToken,
  formerLinkRefusal,
  insertTokens,
  stepReassigned,
  tokenSha256,
} from "./invitations.ts";
export {
  auditActor,
  commit,
  commitWithoutMessages,
} from "./commit.ts";
export { limitAction } from "./change-envelope.ts";
export {
  type EnvelopeAggregate,
  type Facts,
  loadEnvelope,
  lockEnvelope,
  loadToAnswer,
  lockWithFacts,
  lockWithPeople,
} from "./store.ts";
export { presentField, presentTo } from "./present-envelope.ts";
export {
  passSteps,
  recordPassed,
  recordReassign,
  recordSendBack,
  recordVisa,
  type StepAct,
} from "./steps.ts";
export { decideView, recordSignature, recordView, voidConsents } from "./record-signature.ts";
export { requestExtension } from "./deadlines.ts";
export { ownJournal, sessionDocumentAccess } from "./read-envelope.ts";
export { mailingsOf } from "./templates/mailings.ts";
export { eraseOwnedTemplates } from "./templates/templates.ts";
export { selectLayouts, selectTemplates } from "./templates/store.ts";
export { countCircuitSteps, passCircuitSteps, selectCircuitName } from "./circuits/store.ts";
export { listWebhooks } from "./webhooks/webhooks.ts";
export { deleteWebhooksOf } from "./webhooks/store.ts";
export { countDelegated } from "./lists/store.ts";
