/** Specification §9, contract §3 to §5. Sizes in bytes, durations in milliseconds. */
export const REQUEST_TIMEOUT_MS = 10_000;
export const MAX_FILE_SIZE_BYTES = 10_485_760;
export const MIN_PASSWORD_LENGTH = 5;
export const MAX_PASSWORD_LENGTH = 128;
export const PURGE_AFTER_DAYS = 10;
export const PURGE_WARNING_DAYS = 1;
export const RESEND_COOLDOWN_S = 60;
export const RESET_LINK_HOURS = 24;
export const ADDRESS_LINK_HOURS = 24;
export const ACTIVATION_LINK_HOURS = 24;
export const INVITATION_DAYS = 7;
export const FIRST_START_HOURS = 24;
export const PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;
export const PAGER_WINDOW = 5;
export const CARD_BREAKPOINT_PX = 768;
export const RAIL_BREAKPOINT_PX = 1024;
export const RECENT_DOCUMENTS = 5;
export const ERROR_TOAST_INTERVAL_MS = 3_000;

export const MAX_FILE_NAME_LENGTH = 200;
export const MAX_TITLE_LENGTH = 200;
export const MAX_MESSAGE_LENGTH = 2_000;
export const MAX_DOCUMENTS = 20;
export const UPLOAD_HOURS = 24;
export const MAX_ENVELOPE_SIZE_BYTES = 50 * 1024 * 1024;
export const MAX_RECIPIENTS = 100;
export const MAX_NAME_LENGTH = 150;
export const MAX_FIELDS = 500;
export const MAX_DEADLINE_YEARS = 2;
export const SEARCH_COUNT_CAP = 10_000;
/** Templates, layouts and saved signatures of an account, each. */
export const MAX_TEMPLATES = 100;
export const MAX_TEMPLATE_NAME_LENGTH = 100;
export const MAX_LAYOUTS = 100;
export const MAX_LAYOUT_NAME_LENGTH = 100;
export const MAX_SAVED_SIGNATURES = 20;
export const MAX_SIGNATURE_NAME_LENGTH = 60;
/** Bounds of one batch (contract §5). */
export const MAX_BATCH_FILES = 500;
export const MAX_BATCH_SIZE_BYTES = 2 * 1024 * 1024 * 1024;

export const OTP_LENGTH = 6;
export const OTP_VALIDITY_S = 600;
export const OTP_RESEND_S = 60;
export const OTP_TRIES_PER_CODE = 5;
export const OTP_CODES_PER_HOUR = 5;
export const OTP_CODES_PER_DAY = 10;
export const OTP_WRONG_TRIES_PER_LINK = 20;
export const GUEST_SESSION_S = 3_600;
export const DOWNLOAD_LINK_S = 300;
export const GUEST_TOKEN_AFTER_COMPLETION_DAYS = 90;
export const REMIND_INTERVAL_S = 3_600;
/** Counted per person; none within a day of another request. */
export const MAX_AUTOMATIC_REMINDERS = 10;
export const MAX_REMINDER_DAYS = 30;
export const EXTENSION_DAYS = 7;
export const DEADLINE_SOON_DAYS = 7;
export const EXTENSION_REQUEST_INTERVAL_S = 86_400;
export const SEALING_ANSWER_MS = 3_000;

export const ACCESS_TOKEN_S = 900;
export const SESSION_HOURS = 12;
export const REMEMBERED_SESSION_DAYS = 30;
export const REFRESH_REUSE_GRACE_S = 30;

export const CSRF_COOKIE = "csrftoken";
export const CSRF_HEADER = "x-csrftoken";
export const SIGNATURE_TOKEN_HEADER = "x-signature-token";

/** Recorded with each consent; a published sentence is never edited. */
export const CONSENT_VERSION = "2026-11";
/** For one document, or all that are signed together. */
export function consentText(documents: number, behalf = ""): string {
  const [read, them] =
    documents > 1 ? [`les ${documents} documents`, "les"] : ["le document", "le"];
  return `J’ai lu ${read} et j’accepte de ${them} signer électroniquement${behalf}.`;
}
export function delegateConsentText(documents: number, delegator: string): string {
  return consentText(documents, `, pour ${delegator}`);
}

export const LIVE_PATH = "/api/signature/events/stream/";
export const LIVE_HEARTBEAT_S = 20;
export const LIVE_POLL_S = 30;
/** Per account and process; one more closes the oldest. */
export const MAX_LIVE_STREAMS = 10;
