import { type KeyScope, problem, type ProblemCode, PROBLEMS } from "@paraphe/contracts";
import type { RouteOptions } from "fastify";
import { challengeOf } from "./problem-reply.ts";
import type { Admission } from "./request-guard.ts";

export type ScopeOf = (method: string, route: string) => KeyScope | "any" | null;

export type ApiRoute = {
  readonly method: string;
  readonly pattern: string;
  readonly path: string;
  readonly id: string;
  readonly schema: NonNullable<RouteOptions["schema"]>;
  readonly admissions: readonly Admission[];
  readonly scope: KeyScope | "any" | null;
};

type Codes = readonly ProblemCode[];

const ALWAYS: Codes = [
  "malformed_request",
  "key_in_address",
  "too_many_requests",
  "internal",
  "service_unavailable",
];
const CHANGE: Codes = [
  "csrf_failed",
  "foreign_origin",
  "bearer_not_taken",
  "request_too_large",
  "unsupported_media_type",
  "body_too_slow",
  "storage_full",
];
const FORM: Codes = ["validation", "file_too_large", "envelope_too_large"];

const names = Object.keys(PROBLEMS) as ProblemCode[];
const OF_ROUTES = new Set(["key_in_address", "key_not_for_programs", "key_scope"]);
/** Any route may refuse a key so. */
const KEY: Codes = names.filter((code) => code.startsWith("key_") && !OF_ROUTES.has(code));
/** Any route that receives a file may refuse so. */
const FILE: Codes = [
  ...names.filter((code) => code.startsWith("pdf_")),
  "not_a_pdf",
  "file_too_large",
  "storage_quota_reached",
];
const COPY: Codes = ["copy_to_accept", "copy_differs"];
const CLOSED: Codes = ["envelope_cancelled", "envelope_expired", "envelope_declined"];
const OTP: Codes = ["otp_cooldown", "otp_quota", "otp_daily_quota"];
const STATE: Codes = ["invalid_state", "signature_in_progress"];
const MAILS: Codes = ["mail_off", "too_many_messages"];
const ACT: Codes = [
  "already_signed",
  "confirmation_required",
  "deadline_passed",
  "documents_changed",
  "factor_required",
  "field_required",
  "image_too_large",
  "invalid_image",
  "invalid_state",
  "mention_differs",
  "not_your_turn",
  "other_act_asked",
  "signature_in_progress",
  "signature_without_room",
  "stored_file_lost",
  "timestamp_unavailable",
  "unsupported_character",
  "viewer_cannot_sign",
  "visa_given",
];

/** Refusals by route: tests fail for one that its route lacks. */
const OWN: readonly (readonly [RegExp, Codes])[] = [
  [/POST .*\/first-start\/$/, ["session_expired"]],
  [/POST .*\/me\/webhooks\/$/, ["fresh_sign_in_required", "too_many_webhooks"]],
  [
    /PATCH .*\/me\/webhooks\/\{id\}\/$|\/me\/webhooks\/\{id\}\/secret\//,
    ["fresh_sign_in_required"],
  ],
  [/\/replay\/$/, ["webhook_paused"]],
  [/envelopes\/\{id\}\/(?!guest|sign\/)/, ["address_unconfirmed"]],
  [/GET .*\/envelopes\/\{id\}\/$/, ["not_your_turn"]],
  [
    /(POST|PATCH) \/api\/signature\/envelopes\/(\{id\}\/(duplicate\/)?)?$/,
    [...FILE, "envelope_too_large", "validation"],
  ],
  [/\/uploads\/$/, [...FILE, "validation"]],
  [/PATCH .*envelopes\/\{id\}\/$/, [...COPY, "not_allowed", "invalid_state", "version_conflict"]],
  [
    /envelopes\/\{id\}\/(duplicate|send|cancel|restore|purge|remind|extend|deadline|reminders|public-page|circuit|recipients|events|evidence|form|documents\/\{document_id\}\/correction)\//,
    ["not_allowed"],
  ],
  [
    /\/send\/$|^POST \/api\/signature\/envelopes\/$/,
    [
      ...STATE,
      ...MAILS,
      "not_ready_to_send",
      "page_covered",
      "version_conflict",
      "stored_file_lost",
    ],
  ],
  [/envelopes\/\{id\}\/cancel\/$/, ["version_conflict"]],
  [/\/(cancel|restore|purge)\/$/, [...STATE, "deadline_passed", "too_many_messages"]],
  [/\/(extend|deadline)\/$/, [...STATE, "deadline_passed", "no_deadline", "too_many_messages"]],
  [/\/(remind|reminders)\/$/, [...STATE, ...MAILS, "deadline_passed", "remind_cooldown"]],
  [
    /\/recipients\/\{recipientId\}\//,
    [
      ...STATE,
      ...MAILS,
      "deadline_passed",
      "recipient_answered",
      "recipient_not_awaited",
      "step_imposed",
      "remind_cooldown",
    ],
  ],
  [/envelopes\/\{id\}\/form\/$/, ["invalid_state", ...FILE]],
  [/\/public-page\/$/, STATE],
  [/\/circuit\/$/, ["invalid_state", "not_allowed", "organisation_changed", "version_conflict"]],
  [/\/evidence\/$/, ["invalid_state", "stored_file_lost"]],
  [
    /\/(document|original-document|signed-document|download|file|first-page|correction)\/$/,
    [
      ...CLOSED,
      "session_expired",
      "account_required",
      "step_reassigned",
      "delegation_over",
      "not_a_signer",
      "not_your_turn",
      "invalid_state",
      "stored_file_lost",
      "pdf_too_complex",
    ],
  ],
  [/envelopes\/\{id\}\/download\/$/, ["not_completed"]],
  [
    /\/(sign|sign_authenticated|hsm_sign)\/$/,
    [...ACT, "otp_required", "consent_required", "storage_quota_reached", "step_reassigned"],
  ],
  [/\/hsm_sign\/$/, ["hsm_unavailable"]],
  [/\/sign-page\/$/, [...CLOSED, ...ACT, "stored_file_lost"]],
  [
    /\/(visa|send-back|reassign|decline)\/$/,
    [
      ...CLOSED,
      ...STATE,
      ...MAILS,
      "already_signed",
      "deadline_passed",
      "documents_changed",
      "not_allowed",
      "not_your_turn",
      "other_act_asked",
      "otp_required",
      "recipient_answered",
      "viewer_cannot_sign",
      "visa_given",
    ],
  ],
  [
    /\/request-extension\/$/,
    [
      ...CLOSED,
      ...MAILS,
      "already_signed",
      "deadline_ahead",
      "invalid_state",
      "viewer_cannot_sign",
      "visa_given",
    ],
  ],
  [/\/view\/$/, [...CLOSED, "invalid_state"]],
  [
    /\/send_otp\/$/,
    [
      ...OTP,
      ...MAILS,
      "address_code_locked",
      "invalid_state",
      "not_your_turn",
      "otp_locked",
      "second_channel_required",
      "viewer_cannot_sign",
      "already_signed",
    ],
  ],
  [
    /\/verify_otp\/$/,
    [
      "address_code_locked",
      "invalid_state",
      "not_your_turn",
      "otp_invalid",
      "otp_locked",
      "second_channel_required",
    ],
  ],
  [/\/confirm-address\/$/, ["address_link_expired", "invalid_state", "otp_invalid"]],
  [/POST .*\/templates\/$/, [...FILE, "not_allowed", "too_many_templates", "not_found"]],
  [/\/templates\/\{id\}\/use\/$/, [...FILE, "stored_file_lost"]],
  [/\/templates\/\{id\}\/documents\//, ["stored_file_lost"]],
  [/\/mailings\//, ["not_found", "validation"]],
  [/POST .*\/layouts\/$/, ["too_many_layouts", "not_found"]],
  [/\/prints\/generate\/$/, ["not_found", "not_allowed", "invalid_state", "address_unconfirmed"]],
  [
    /\/prints\/\{id\}\//,
    ["invalid_state", "stored_file_lost", "pdf_too_complex", "print_returned"],
  ],
  [/\/signatures\/$/, ["not_found", "address_unconfirmed", "not_allowed"]],
  [
    /\/self-sign\//,
    [
      ...FILE,
      ...COPY,
      "confirmation_required",
      "document_not_signed",
      "factor_required",
      "field_required",
      "image_too_large",
      "invalid_image",
      "not_found",
      "not_ready_to_send",
      "page_covered",
      "signature_without_room",
      "timestamp_unavailable",
      "unsupported_character",
    ],
  ],
  [
    /\/batch-sign\/$/,
    [
      ...FILE,
      "batch_too_large",
      "confirmation_required",
      "image_too_large",
      "invalid_image",
      "not_found",
      "unsupported_character",
    ],
  ],
  [
    /\/batch-jobs\/\{id\}\//,
    ["batch_running", "nothing_to_retry", "stored_file_lost", "pdf_too_complex"],
  ],
  [
    /(POST|PATCH) .*\/saved-signatures\//,
    [
      "image_file_too_large",
      "image_too_large",
      "invalid_image",
      "storage_quota_reached",
      "too_many_saved_signatures",
      "unsupported_character",
    ],
  ],
  [/\/contacts\/(\{id\}\/)?$/, ["not_found"]],
  [/\/contacts\/(doubles|import)\//, ["import_in_progress", "not_found"]],
  [/\/me\/keys\//, ["readers_only_read", "fresh_sign_in_required", "too_many_keys"]],
  [
    /\/me\/factors\//,
    [
      "factor_setup_expired",
      "fresh_sign_in_required",
      "last_factor",
      "not_found",
      "passkey_known",
      "passkey_refused",
      "second_factor_wrong",
      "too_many_attempts",
      "too_many_passkeys",
    ],
  ],
  [
    /\/me\/confirmation\//,
    ["factor_required", "passkey_refused", "second_factor_wrong", "too_many_attempts"],
  ],
  [/\/me\/email\//, ["address_link_expired", "mail_off", "wrong_passwords", "too_many_messages"]],
  [/\/me\/password\//, ["wrong_passwords"]],
  [/\/me\/phone\//, [...OTP, "otp_invalid", "too_many_messages"]],
  [/\/me\/(notifications|push-subscriptions)\//, MAILS],
  [/\/me\/avatar\//, ["not_found", "stored_file_lost"]],
  [/\/me\/provider-link\//, ["not_found", "provider_unavailable", "fresh_sign_in_required"]],
  [/\/me\/export\//, ["foreign_origin"]],
  [/PATCH .*\/me\/$/, ["image_too_large", "invalid_image", "storage_quota_reached"]],
  [
    /DELETE .*\/me\/$/,
    ["last_owner", "open_envelopes", "signature_in_progress", "wrong_passwords"],
  ],
  [
    /\/register\//,
    ["image_too_large", "invalid_image", "mail_off", "registration_closed", "too_many_messages"],
  ],
  [/\/password-reset\//, MAILS],
  [/\/change-password\//, ["link_expired"]],
  [
    /\/first-start\//,
    ["first_start_expired", "first_start_used", "image_too_large", "invalid_image"],
  ],
  [/\/api\/verify-token\//, ["session_expired"]],
  [
    /\/api\/token\/$/,
    [
      "invalid_credentials",
      "not_activated",
      "provider_required",
      "second_factor_required",
      "too_many_attempts",
    ],
  ],
  [
    /\/api\/token\/(totp|recovery-code|passkey)\//,
    [
      "login_step_expired",
      "passkey_refused",
      "provider_required",
      "recovery_code_wrong",
      "second_factor_wrong",
      "too_many_attempts",
      "not_activated",
    ],
  ],
  [
    /\/api\/token\/provider\//,
    [
      "not_found",
      "provider_login_expired",
      "provider_refused",
      "provider_required",
      "provider_token_refused",
      "provider_unavailable",
      "provider_unlinked",
      "provider_without_address",
      "registration_closed",
      "second_factor_required",
      "not_activated",
    ],
  ],
  [/\/api\/token\/refresh\//, ["session_expired"]],
  [/(PUT|POST|DELETE) \/api\/organisation\//, ["organisation_changed", "validation"]],
  [
    /\/organisation\/(invitations)\//,
    [
      ...MAILS,
      "invitation_expired",
      "invitation_other_address",
      "invitation_used",
      "invitation_withdrawn",
      "not_found",
      "owners_only",
      "session_expired",
      "factor_required",
    ],
  ],
  [
    /\/organisation\/(members)\//,
    [
      "last_owner",
      "not_found",
      "open_envelopes",
      "owners_only",
      "signature_in_progress",
      "fresh_sign_in_required",
    ],
  ],
  [/\/organisation\/teams\//, ["administrators_only", "not_found"]],
  [/\/organisation\/(circuits|delegations)\//, ["not_found", "deadline_passed"]],
  [/(POST|PUT) .*\/organisation\/delegations\//, ["own_address_unconfirmed"]],
  [
    /\/organisation\/(providers|access)\//,
    [
      "fresh_sign_in_required",
      "not_found",
      "provider_refused",
      "provider_token_refused",
      "provider_unavailable",
      "provider_untested",
    ],
  ],
  [/\/organisation\/logo\//, ["not_found"]],
  [/\/organisation\/appearance\//, ["image_too_large", "invalid_image"]],
  [/\/organisation\/journal\/export\//, ["foreign_origin"]],
  [/\/transparency\//, ["not_found"]],
  [/^DELETE .*\/me\/$/, ["session_expired"]],
];

export const ANSWER_HEADERS = {
  "Content-Disposition": {
    description: "Name of the file (RFC 6266).",
    schema: { type: "string" },
  },
  "Content-Range": {
    description: "Which bytes, of how many (RFC 9110 §14.4).",
    schema: { type: "string" },
  },
  ETag: {
    description: "SHA-256 of the file; `If-Range` takes it.",
    schema: { type: "string" },
  },
  "Idempotency-Replayed": {
    description: "Present for the answer of an earlier call, refusals too.",
    schema: { const: "true" },
  },
  Location: { description: "Where to go.", schema: { type: "string" } },
  "Retry-After": {
    description: "Seconds to wait; not with every code.",
    schema: { type: "integer" },
  },
  "WWW-Authenticate": {
    description: "Why the key was refused; with `key_scope`, the missing scope (RFC 6750 §3).",
    schema: { type: "string" },
  },
  "X-Envelope-Id": {
    description: "Id of the envelope that the signed file belongs to.",
    schema: { type: "string", format: "uuid" },
  },
} as const;
type AnswerHeader = keyof typeof ANSWER_HEADERS;

const FILE_TYPE = /^(application|text\/csv)/;

export function headersOf(
  { method, path, schema: { produces = [], reads = [] } }: ApiRoute,
  status: string,
): readonly AnswerHeader[] {
  const isRanged = reads.includes("Range") && /^(200|206|416)$/.test(status);
  return [
    ...(produces.some((type) => FILE_TYPE.test(type)) && /^(20[06]|416)$/.test(status)
      ? (["Content-Disposition"] as const)
      : []),
    ...(isRanged ? (["ETag"] as const) : []),
    ...(isRanged && status !== "200" ? (["Content-Range"] as const) : []),
    ...(method === "POST" && status < "300" ? (["Idempotency-Replayed"] as const) : []),
    ...(status.startsWith("3") ? (["Location"] as const) : []),
    ...(path.endsWith("/self-sign/") && status < "300" ? (["X-Envelope-Id"] as const) : []),
  ];
}

const LATER: ReadonlySet<ProblemCode> = new Set([
  ...OTP,
  "address_code_locked",
  "otp_locked",
  "remind_cooldown",
  "signature_in_progress",
  "signature_without_room",
  "too_many_attempts",
  "too_many_messages",
]);

export function headersOfRefusal(status: number, codes: Codes): readonly AnswerHeader[] {
  const isLater = status === 429 || status === 503 || codes.some((code) => LATER.has(code));
  return [
    ...(codes.some((code) => challengeOf(problem(code)) !== null)
      ? (["WWW-Authenticate"] as const)
      : []),
    ...(isLater ? (["Retry-After"] as const) : []),
  ];
}

export const withHeaders = (names: readonly AnswerHeader[]): object =>
  names.length === 0
    ? {}
    : {
        headers: Object.fromEntries(
          names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        ),
      };

export const PROBLEM_SCHEMA = {
  type: "object",
  description:
    "RFC 9457. `detail` is a French sentence, `code` a word for programs; further members depend on the code.",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string" },
    request_id: { type: "string" },
    errors: {
      type: "object",
      description: "Messages by field (`recipients.0.email`).",
      additionalProperties: { type: "array", items: { type: "string" } },
    },
  },
  required: ["type", "title", "status", "detail", "code", "request_id"],
} as const;

export function refusalsOf(route: ApiRoute): Codes {
  const { method, path, schema, admissions, scope } = route;
  const codes = new Set<ProblemCode>(ALWAYS);
  const add = (more: Codes) => {
    for (const code of more) codes.add(code);
  };
  if (method !== "GET") add(CHANGE);
  if (path.includes("{")) add(["not_found"]);
  if (schema.body || schema.querystring || method === "POST") add(["validation"]);
  if (method === "POST") add(["idempotency_conflict"]);
  if (schema.files) add(FORM);
  for (const { by, refuses } of admissions) {
    add(refuses);
    if (by !== undefined && by !== "link") {
      add(KEY);
      if (scope === null) add(["key_not_for_programs"]);
      else if (scope !== "any") add(["key_scope"]);
    }
  }
  const isForPrograms = admissions.some(({ by }) => by !== undefined && by !== "link");
  if (method !== "GET" && !isForPrograms) add(["key_not_for_programs"]);
  if (codes.has("session_expired")) add(["bearer_not_taken"]);
  const key = `${method} ${path}`;
  for (const [pattern, own] of OWN) if (pattern.test(key)) add(own);
  return [...codes].sort();
}
