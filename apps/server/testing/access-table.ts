import { MEMBER_ROLES } from "@paraphe/contracts";

/**
 * Callers: without a session; with a mailed link, before and after its code; accounts of no
 * organisation, among them one asked to sign, and one asked at an unconfirmed address; the sender
 * of everything, a member; others of the host by role. Callers of another organisation get what a
 * stranger gets.
 */
export const ACTORS = [
  "anonymous",
  "link",
  "guest",
  "stranger",
  "recipient",
  "unconfirmed",
  "sender",
  ...MEMBER_ROLES,
] as const;
export type Actor = (typeof ACTORS)[number];

/**
 * Allowed, or the code of the refusal: 401, 403 or 404. What only the state refuses counts as
 * allowed.
 */
type Answer =
  | "allowed"
  | "session_expired"
  | "not_found"
  | "not_allowed"
  | "not_a_signer"
  | "otp_required"
  | "address_unconfirmed"
  | "members_only"
  | "administrators_only"
  | "other_act_asked"
  | "readers_only_read"
  | "provider_login_expired";
export type Row = Readonly<Record<Actor, Answer>>;

const all = <A extends Answer>(answer: A) =>
  Object.fromEntries(ACTORS.map((actor) => [actor, answer])) as Record<Actor, A>;
const NO_SESSION = {
  anonymous: "session_expired",
  link: "session_expired",
  guest: "session_expired",
} as const;

const PUBLIC: Row = all("allowed");
const ACCOUNT: Row = { ...all("allowed"), ...NO_SESSION };
const LEADING = { administrator: "allowed", owner: "allowed" } as const;
const LEADERS: Row = { ...all("administrators_only"), ...NO_SESSION, ...LEADING };
const MEMBERS: Row = {
  ...all("members_only"),
  ...NO_SESSION,
  ...LEADING,
  reader: "allowed",
  member: "allowed",
  sender: "allowed",
};
/**
 * The sender, a member, has a delegation; others do not see it, and whoever may not act for
 * somebody gets the reason.
 */
const OWN_DELEGATION: Row = {
  ...MEMBERS,
  reader: "not_found",
  member: "not_found",
  administrator: "not_found",
  owner: "not_found",
};
const TEAM: Row = {
  ...MEMBERS,
  reader: "administrators_only",
  member: "administrators_only",
  sender: "administrators_only",
};
const SENDERS_THING: Row = { ...all("not_found"), ...NO_SESSION, sender: "allowed" };
/** Before its envelope is complete, only the sender learns that a proof exists. */
const PRINT: Row = { ...all("not_found"), sender: "allowed" };

const ENVELOPE = { ...SENDERS_THING, unconfirmed: "address_unconfirmed" } as const;
const SENDER: Row = { ...ENVELOPE, recipient: "not_allowed" };
const PARTIES: Row = { ...ENVELOPE, recipient: "allowed" };
const FILE_READERS: Row = { ...PARTIES, link: "otp_required", guest: "allowed" };
const SIGNER_ACCOUNT: Row = { ...PARTIES, sender: "not_a_signer" };
const SIGNERS: Row = { ...SIGNER_ACCOUNT, link: "allowed", guest: "allowed" };
/** Whoever confirms the address there. */
const ADDRESS_HOLDER: Row = { ...SIGNER_ACCOUNT, unconfirmed: "allowed" };
const CODE_ASKERS: Row = { ...SIGNERS, unconfirmed: "allowed" };
const GUESTS: Row = { ...all("not_found"), link: "allowed", guest: "allowed" };

/** Nobody has one on this stage. */
const NONE_YET: Row = { ...all("not_found"), ...NO_SESSION };
const NONE = { guest: "not_found", recipient: "not_found", sender: "not_found" } as const;
const SENDER_NONE: Row = { ...SENDER, sender: "not_found" };
const FILE_NONE: Row = { ...FILE_READERS, ...NONE };
const UNKNOWN_TO_ALL: Row = all("not_found");
const LEADERS_NONE: Row = { ...LEADERS, administrator: "not_found", owner: "not_found" };
const NO_LOGIN: Row = all("provider_login_expired");

/** These were asked for a signature, not for a visa. */
const VISA: Row = {
  ...SIGNERS,
  link: "otp_required",
  guest: "other_act_asked",
  recipient: "other_act_asked",
};
/** A reader is refused before anything else. */
const toWork = (row: Row): Row => ({ ...row, reader: "readers_only_read" });
const ACCOUNT_WORK = toWork(ACCOUNT);
const SENDER_WORK = toWork(SENDER);
const SENDERS_THING_WORK = toWork(SENDERS_THING);

/**
 * Each route of the server has a row, in the order of the walk: routes that end something come
 * last.
 */
export const ACCESS: Readonly<Record<string, Row>> = {
  "GET /.well-known/jwks.json": PUBLIC,
  "GET /api/docs": PUBLIC,
  "GET /api/docs/style.css": PUBLIC,
  "GET /api/health": PUBLIC,
  "GET /api/health/live": PUBLIC,
  "GET /api/health/ready": PUBLIC,
  "GET /api/openapi.json": PUBLIC,
  "POST /api/mcp": ACCOUNT,
  "GET /api/organisation": PUBLIC,
  "PUT /api/organisation/access": LEADERS,
  "PUT /api/organisation/appearance": LEADERS,
  "GET /api/organisation/circuits": MEMBERS,
  "POST /api/organisation/circuits": LEADERS,
  "PUT /api/organisation/circuits/:id": LEADERS,
  "GET /api/organisation/delegations": MEMBERS,
  "POST /api/organisation/delegations": MEMBERS,
  "PUT /api/organisation/delegations/:id": OWN_DELEGATION,
  "PUT /api/organisation/identity": LEADERS,
  "GET /api/organisation/invitations": LEADERS,
  "POST /api/organisation/invitations": LEADERS,
  "POST /api/organisation/invitations/:id/renew": LEADERS,
  "POST /api/organisation/invitations/accept": PUBLIC,
  "POST /api/organisation/invitations/check": PUBLIC,
  "GET /api/organisation/journal": LEADERS,
  "GET /api/organisation/journal/export": LEADERS,
  "GET /api/organisation/logo": PUBLIC,
  "PUT /api/organisation/mails": LEADERS,
  "GET /api/organisation/members": MEMBERS,
  "GET /api/organisation/members/:id/holdings": LEADERS,
  "POST /api/organisation/members/:id/removal": LEADERS,
  "PUT /api/organisation/members/:id/role": LEADERS,
  "PUT /api/organisation/members/:id/teams": LEADERS,
  "GET /api/organisation/providers": LEADERS,
  "PUT /api/organisation/providers/:kind": LEADERS,
  "POST /api/organisation/providers/:kind/trial": LEADERS_NONE,
  "PUT /api/organisation/registration": LEADERS,
  "GET /api/organisation/settings": LEADERS,
  "GET /api/organisation/teams": MEMBERS,
  "POST /api/organisation/teams": LEADERS,
  "PUT /api/organisation/teams/:id": TEAM,
  "GET /api/signature/activate/:uid/:token": PUBLIC,
  "GET /api/signature/batch-jobs": ACCOUNT,
  "GET /api/signature/batch-jobs/:id": SENDERS_THING,
  "GET /api/signature/batch-jobs/:id/download": SENDERS_THING,
  "GET /api/signature/batch-jobs/:id/items/:position/correction": NONE_YET,
  "POST /api/signature/batch-jobs/:id/retry": SENDERS_THING_WORK,
  "POST /api/signature/batch-sign": ACCOUNT_WORK,
  "POST /api/signature/change-password": PUBLIC,
  "GET /api/signature/contacts": ACCOUNT,
  "POST /api/signature/contacts": ACCOUNT_WORK,
  "PUT /api/signature/contacts/:id": SENDERS_THING_WORK,
  "GET /api/signature/contacts/doubles": ACCOUNT,
  "POST /api/signature/contacts/doubles/apart": ACCOUNT_WORK,
  "POST /api/signature/contacts/doubles/merge": ACCOUNT_WORK,
  "GET /api/signature/contacts/export": ACCOUNT,
  "GET /api/signature/contacts/import": ACCOUNT,
  "POST /api/signature/contacts/import": ACCOUNT_WORK,
  "GET /api/signature/contacts/import/faults": NONE_YET,
  "POST /api/signature/contacts/import/start": ACCOUNT_WORK,
  "GET /api/signature/contacts/settings": ACCOUNT,
  "PUT /api/signature/contacts/settings": ACCOUNT_WORK,
  "GET /api/signature/dashboard": ACCOUNT,
  "GET /api/signature/envelopes": ACCOUNT,
  "POST /api/signature/envelopes": ACCOUNT_WORK,
  "GET /api/signature/envelopes/:id": PARTIES,
  "PATCH /api/signature/envelopes/:id": SENDER_WORK,
  "PUT /api/signature/envelopes/:id/circuit": SENDER_WORK,
  "POST /api/signature/envelopes/:id/confirm-address": ADDRESS_HOLDER,
  "PUT /api/signature/envelopes/:id/deadline": SENDER_WORK,
  "POST /api/signature/envelopes/:id/decline": SIGNERS,
  "GET /api/signature/envelopes/:id/document": FILE_READERS,
  "GET /api/signature/envelopes/:id/documents/:document_id/correction": SENDER_NONE,
  "GET /api/signature/envelopes/:id/documents/:document_id/file": FILE_READERS,
  "GET /api/signature/envelopes/:id/documents/:document_id/first-page": FILE_READERS,
  "GET /api/signature/envelopes/:id/download": FILE_READERS,
  "POST /api/signature/envelopes/:id/duplicate": SENDER_WORK,
  "GET /api/signature/envelopes/:id/events": SENDER,
  "GET /api/signature/envelopes/:id/evidence": SENDER,
  "POST /api/signature/envelopes/:id/extend": SENDER_WORK,
  "GET /api/signature/envelopes/:id/form": SENDER,
  "GET /api/signature/envelopes/:id/guest": GUESTS,
  "POST /api/signature/envelopes/:id/hsm_sign": SIGNERS,
  "POST /api/signature/envelopes/:id/open-embed": UNKNOWN_TO_ALL,
  "GET /sign/:id/embed/:ticket": PUBLIC,
  "GET /sign/:id/embed/:ticket*": PUBLIC,
  "GET /api/signature/envelopes/:id/original-document": FILE_READERS,
  "PUT /api/signature/envelopes/:id/public-page": SENDER_WORK,
  "DELETE /api/signature/envelopes/:id/purge": SENDER_WORK,
  "POST /api/signature/envelopes/:id/reassign": SIGNERS,
  "PATCH /api/signature/envelopes/:id/recipients/:recipientId": SENDER_WORK,
  "POST /api/signature/envelopes/:id/recipients/:recipientId/embed": SENDER_WORK,
  "POST /api/signature/envelopes/:id/recipients/:recipientId/resend": SENDER_WORK,
  "POST /api/signature/envelopes/:id/remind": SENDER_WORK,
  "PUT /api/signature/envelopes/:id/reminders": SENDER_WORK,
  "POST /api/signature/envelopes/:id/request-extension": SIGNERS,
  "POST /api/signature/envelopes/:id/send": SENDER_WORK,
  "POST /api/signature/envelopes/:id/send-back": SIGNERS,
  "POST /api/signature/envelopes/:id/send_otp": CODE_ASKERS,
  "POST /api/signature/envelopes/:id/sign": GUESTS,
  "GET /api/signature/envelopes/:id/sign-page": SIGNER_ACCOUNT,
  "POST /api/signature/envelopes/:id/sign_authenticated": SIGNER_ACCOUNT,
  "GET /api/signature/envelopes/:id/signed-document": FILE_NONE,
  "POST /api/signature/envelopes/:id/verify_otp": CODE_ASKERS,
  "POST /api/signature/envelopes/:id/view": SIGNER_ACCOUNT,
  "POST /api/signature/envelopes/:id/visa": VISA,
  "GET /api/signature/envelopes/counts": ACCOUNT,
  "GET /api/signature/events/stream": ACCOUNT,
  "POST /api/signature/uploads": ACCOUNT_WORK,
  "POST /api/signature/first-start": PUBLIC,
  "POST /api/signature/first-start/check": PUBLIC,
  "GET /api/signature/layouts": ACCOUNT,
  "POST /api/signature/layouts": ACCOUNT_WORK,
  "GET /api/signature/me": ACCOUNT,
  "PATCH /api/signature/me": ACCOUNT,
  "GET /api/signature/me/avatar": NONE_YET,
  "POST /api/signature/me/email": ACCOUNT,
  "POST /api/signature/me/email/confirm": ACCOUNT,
  "GET /api/signature/me/export": ACCOUNT,
  "POST /api/signature/me/confirmation": ACCOUNT,
  "POST /api/signature/me/confirmation/options": ACCOUNT,
  "GET /api/signature/me/factors": ACCOUNT,
  "POST /api/signature/me/factors/passkeys": ACCOUNT,
  "POST /api/signature/me/factors/passkeys/options": ACCOUNT,
  "POST /api/signature/me/factors/recovery-codes": SENDERS_THING,
  "POST /api/signature/me/factors/totp": ACCOUNT,
  "POST /api/signature/me/factors/totp/setup": ACCOUNT,
  "GET /api/signature/me/keys": ACCOUNT,
  "POST /api/signature/me/keys": ACCOUNT,
  "GET /api/signature/me/webhooks": ACCOUNT,
  "POST /api/signature/me/webhooks": ACCOUNT,
  "GET /api/signature/me/notifications": ACCOUNT,
  "PUT /api/signature/me/notifications": ACCOUNT,
  "POST /api/signature/me/notifications/test": ACCOUNT,
  "POST /api/signature/me/password": ACCOUNT,
  "POST /api/signature/me/phone/send-code": ACCOUNT,
  "POST /api/signature/me/phone/verify": ACCOUNT,
  "POST /api/signature/me/provider-link": ACCOUNT,
  "GET /api/signature/me/push-subscriptions": ACCOUNT,
  "POST /api/signature/me/push-subscriptions": ACCOUNT,
  "GET /api/signature/me/sessions": ACCOUNT,
  "GET /api/signature/me/storage": ACCOUNT,
  "POST /api/signature/password-reset": PUBLIC,
  "GET /api/signature/prints": ACCOUNT,
  "GET /api/signature/prints/:id/document": UNKNOWN_TO_ALL,
  "GET /api/signature/prints/:id/printable": UNKNOWN_TO_ALL,
  "GET /api/signature/prints/:id/proof": PRINT,
  "GET /api/signature/prints/:id/verify": PRINT,
  "POST /api/signature/prints/generate": ACCOUNT,
  "GET /api/signature/recipients/domains": ACCOUNT,
  "GET /api/signature/recipients/suggestions": ACCOUNT,
  "POST /api/signature/register": PUBLIC,
  "POST /api/signature/register/check": PUBLIC,
  "POST /api/signature/register/resend": PUBLIC,
  "GET /api/signature/saved-signatures": ACCOUNT,
  "POST /api/signature/saved-signatures": ACCOUNT,
  "PATCH /api/signature/saved-signatures/:id": SENDERS_THING,
  "GET /api/signature/saved-signatures/:id/image": SENDERS_THING,
  "POST /api/signature/self-sign": ACCOUNT_WORK,
  "POST /api/signature/self-sign/control": ACCOUNT_WORK,
  "POST /api/signature/self-sign/correction": ACCOUNT_WORK,
  "GET /api/signature/signatures": ACCOUNT,
  "GET /api/signature/mailings": ACCOUNT,
  "POST /api/signature/mailings": ACCOUNT_WORK,
  "GET /api/signature/mailings/:id": SENDERS_THING,
  "PUT /api/signature/mailings/:id/plan": SENDERS_THING_WORK,
  "GET /api/signature/mailings/:id/rows": SENDERS_THING,
  "PATCH /api/signature/mailings/:id/rows/:line": SENDERS_THING_WORK,
  "GET /api/signature/mailings/:id/rows/:line/preview": SENDERS_THING,
  "GET /api/signature/mailings/:id/report": SENDERS_THING,
  "POST /api/signature/mailings/:id/start": SENDERS_THING_WORK,
  "POST /api/signature/mailings/:id/stop": SENDERS_THING_WORK,
  "GET /api/signature/templates": ACCOUNT,
  "POST /api/signature/templates": ACCOUNT_WORK,
  "GET /api/signature/templates/:id": SENDERS_THING,
  "PATCH /api/signature/templates/:id": SENDERS_THING_WORK,
  "GET /api/signature/templates/:id/documents/:position/file": SENDERS_THING,
  "POST /api/signature/templates/:id/use": SENDERS_THING_WORK,
  "GET /api/signature/transparency/authorities": PUBLIC,
  "GET /api/signature/transparency/checkpoints": PUBLIC,
  "GET /api/signature/transparency/checkpoints/latest": PUBLIC,
  "GET /api/signature/transparency/consistency": PUBLIC,
  "GET /api/signature/transparency/inclusion": PUBLIC,
  "GET /api/signature/transparency/leaves": PUBLIC,
  "POST /api/token": PUBLIC,
  "POST /api/token/passkey": PUBLIC,
  "POST /api/token/passkey/options": PUBLIC,
  "POST /api/token/provider": PUBLIC,
  "POST /api/token/provider/return": NO_LOGIN,
  "POST /api/token/recovery-code": PUBLIC,
  "POST /api/token/refresh": ACCOUNT,
  "POST /api/token/totp": PUBLIC,
  "GET /api/verify-token": ACCOUNT,
  "POST /auth/oidc/deconnexion": PUBLIC,
  "POST /auth/proconnect/deconnexion": PUBLIC,
  "GET /boite-aux-lettres": PUBLIC,
  "GET /boite-aux-lettres/:id": UNKNOWN_TO_ALL,
  "GET /boite-aux-lettres/:id/html": UNKNOWN_TO_ALL,
  "GET /boite-aux-lettres/messages.json": PUBLIC,
  "GET /organisation.css": PUBLIC,
  "GET /pki/ca.crt": PUBLIC,
  "GET /pki/ca.pem": PUBLIC,
  "GET /pki/ca/:issuer": UNKNOWN_TO_ALL,
  "GET /pki/crl.der": PUBLIC,
  "GET /pki/crl/:issuer": UNKNOWN_TO_ALL,
  "POST /pki/ocsp": PUBLIC,
  "GET /pki/ocsp*": UNKNOWN_TO_ALL,
  "GET /pki/root.crl": PUBLIC,
  "GET /pki/root.crt": PUBLIC,
  "POST /pki/tsa": PUBLIC,
  "GET /politique-de-certification": PUBLIC,
  "GET /schemas/preuve-1.json": PUBLIC,
  "POST /api/signature/envelopes/:id/restore": SENDER_WORK,
  "POST /api/signature/envelopes/:id/cancel": SENDER_WORK,
  "DELETE /api/signature/me/factors/passkeys/:id": SENDERS_THING,
  "DELETE /api/organisation/members/:id/factors": LEADERS,
  "DELETE /api/organisation/members/:id/sessions": LEADERS,
  "DELETE /api/signature/me/factors/totp": NONE_YET,
  "PATCH /api/signature/me/keys/:id": SENDERS_THING,
  "DELETE /api/signature/me/keys/:id": SENDERS_THING,
  "PATCH /api/signature/me/webhooks/:id": SENDERS_THING,
  "POST /api/signature/me/webhooks/:id/secret": SENDERS_THING,
  "POST /api/signature/me/webhooks/:id/test": SENDERS_THING,
  "GET /api/signature/me/webhooks/:id/tries": SENDERS_THING,
  "POST /api/signature/me/webhooks/:id/tries/:try_id/replay": SENDERS_THING,
  "DELETE /api/signature/me/webhooks/:id": SENDERS_THING,
  "DELETE /api/signature/me/sessions/:id": SENDERS_THING,
  "DELETE /api/organisation/circuits/:id": LEADERS,
  "DELETE /api/organisation/delegations/:id": OWN_DELEGATION,
  "DELETE /api/organisation/teams/:id": LEADERS,
  "DELETE /api/organisation/invitations/:id": LEADERS,
  "DELETE /api/organisation/providers/:kind": LEADERS,
  "DELETE /api/signature/batch-jobs/:id": SENDERS_THING_WORK,
  "DELETE /api/signature/contacts/:id": SENDERS_THING_WORK,
  "DELETE /api/signature/contacts/import": ACCOUNT_WORK,
  "DELETE /api/signature/layouts/:id": SENDERS_THING_WORK,
  "DELETE /api/signature/me/push-subscriptions": ACCOUNT,
  "DELETE /api/signature/me/sessions": ACCOUNT,
  "DELETE /api/signature/saved-signatures/:id": SENDERS_THING,
  "DELETE /api/signature/mailings/:id": SENDERS_THING_WORK,
  "DELETE /api/signature/templates/:id": SENDERS_THING_WORK,
  "DELETE /api/signature/me": ACCOUNT,
  "POST /api/logout": PUBLIC,
};
