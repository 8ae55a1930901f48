/** Messages to people by mail, SMS or push, through an outbox. */
export {
  awaitsOpening,
  channelOf,
  isLastRequestRefused,
  type NoticeReceipt,
  selectReceipts,
  selectUnreached,
  unreachedOf,
  type Way,
  waysByKey,
  waysByLink,
} from "./store.ts";
export { enqueueNotice, enqueueNotices, mayStillSend, queueNotices } from "./enqueue-notice.ts";
export { correctedWords } from "./domain/french.ts";
export type { FactorChange } from "./domain/account-messages.ts";
export type { Notice } from "./domain/notice.ts";
export {
  countWaiting,
  eraseNotices,
  erasePersonNotices,
  mailDelayedTexts,
  readdressDelayed,
  selectLinkGiven,
} from "./waiting-store.ts";
export { retryAfterS } from "./domain/delivery-failure.ts";
export { readOutbox } from "./run-outbox.ts";
export { type Deliveries, loadDeliveries } from "./store.ts";
export {
  type Member,
  type MemberNotice,
  noticesForMember,
  pushesBeside,
} from "./notices-for-member.ts";
export { deletePushEndpoint, listPushSubscriptions } from "./push-store.ts";
export { reconsiderWaiting, refuseWaitingNotices } from "./waiting.ts";
export {
  arrivalOf,
  recordArrival,
  takeBackDeadlines,
  withdrawNotices,
  withdrawRequestsTo,
} from "./enqueue-notice.ts";
export { selectNoticeState, selectPersonNotices } from "./store.ts";
export { subscribeToPush } from "./subscribe-to-push.ts";
