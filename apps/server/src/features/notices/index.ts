/** Messages to people: by mail, SMS or push, once each, through an outbox. */
export { isLastRequestRefused, selectChannel, selectMailedInstead, selectNeverReached } from "./arrival-store.ts";
export type { Notice } from "./domain/notice.ts";
export type { NoticeRhythm } from "./domain/notice-rhythm.ts";
export { enqueueNotice, enqueueNotices } from "./enqueue-notice.ts";
export { eraseNotices, erasePersonNotices } from "./forget-store.ts";
export { registerNoticeJobs } from "./jobs.ts";
export { loadDeliveries } from "./load-deliveries.ts";
export { type Member, type MemberNotice, noticesForMember } from "./notices-for-member.ts";
export { deletePushEndpoint, listPushSubscriptions } from "./push-store.ts";
export { pushesBeside } from "./pushes-beside.ts";
export { type NoticeReceipt, selectReceipts } from "./receipt-store.ts";
export { recordArrival } from "./record-arrival.ts";
export { reconsiderWaiting } from "./reconsider-waiting.ts";
export { selectNoticeState, selectPersonNotices } from "./store.ts";
export { subscribeToPush } from "./subscribe-to-push.ts";
export { countWaiting, mailHeldTexts, readdressHeld } from "./waiting-store.ts";
export { takeBackDeadlines } from "./take-back-deadlines.ts";
export { withdrawNotices } from "./withdraw-notices.ts";
