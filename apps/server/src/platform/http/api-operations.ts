/** The first that matches a path counts; the page follows this order. */
const TAGS: readonly (readonly [RegExp, string, string])[] = [
  [
    /\/(sign|sign-page|sign_authenticated|hsm_sign|guest|send_otp|verify_otp|decline|visa)\/$/,
    "Signing",
    "What a recipient does, with a mailed link or a session.",
  ],
  [/\/(open-embed|send-back|reassign|request-extension|view|confirm-address)\/$/, "Signing", ""],
  [
    /\/(document|download|evidence|original-document|signed-document|file|first-page|correction)\/$/,
    "Files",
    "Uploaded, signed and evidence files.",
  ],
  [
    /\/signature\/(envelopes|uploads|dashboard|events)\//,
    "Envelopes",
    "Documents, their recipients and fields, from draft to completion.",
  ],
  [
    /\/signature\/(templates|layouts|mailings)\//,
    "Templates",
    "What an envelope is made from again, alone or for each line of a CSV.",
  ],
  [
    /\/signature\/(prints|signatures)\//,
    "Proofs",
    "Printed copies and the public proof behind each.",
  ],
  [/\/signature\/transparency\//, "Transparency", "The public log of every signature."],
  [/\/signature\/(contacts|recipients)\//, "Contacts", "People written to before."],
  [
    /\/signature\/(self-sign|batch-sign|batch-jobs|saved-signatures)\//,
    "Own signatures",
    "Signing one's own documents, alone or many at once.",
  ],
  [
    /\/api\/organisation\//,
    "Organisation",
    "Its settings, members, teams, circuits and delegations.",
  ],
  [/\/me\/webhooks\//, "Webhooks", "Addresses of programs, told of events."],
  [/\/signature\/me\//, "Account", "One's own account, keys, factors and sessions."],
  [
    /\/api\/(token|logout|verify-token)\/|\/signature\/(register|activate|password-reset|change-password|first-start)\//,
    "Sessions",
    "Accounts and sessions of people.",
  ],
  [/^\/api\//, "Service", "Health and this document."],
];

export const tagOf = (path: string): string =>
  TAGS.find(([pattern]) => pattern.test(path))?.[1] ?? "Service";

export const API_TAGS = TAGS.filter(([, , description]) => description !== "").map(
  ([, name, description]) => ({ name, description }),
);

const NAMES: Readonly<Record<string, string>> = {
  "POST /api/mcp/": "callMcp",
  "GET /api/organisation/members/{id}/holdings/": "getMemberHoldings",
  "POST /api/organisation/members/{id}/removal/": "removeMember",
  "POST /api/organisation/providers/{kind}/trial/": "tryProvider",
  "GET /api/organisation/settings/": "getOrganisationSettings",
  "GET /api/signature/activate/{uid}/{token}/": "activateAccount",
  "POST /api/signature/batch-sign/": "createBatch",
  "PUT /api/signature/mailings/{id}/plan/": "setMailingPlan",
  "GET /api/signature/mailings/{id}/report/": "getMailingReport",
  "PATCH /api/signature/mailings/{id}/rows/{line}/": "updateMailingRow",
  "POST /api/signature/me/webhooks/{id}/secret/": "replaceWebhookSecret",
  "POST /api/signature/me/webhooks/{id}/test/": "testWebhook",
  "POST /api/signature/me/webhooks/{id}/tries/{try_id}/replay/": "replayWebhookTry",
  "DELETE /api/signature/batch-jobs/{id}/": "cancelBatchJob",
  "GET /api/signature/contacts/doubles/": "listContactDoubles",
  "POST /api/signature/contacts/doubles/apart/": "keepContactsApart",
  "POST /api/signature/contacts/doubles/merge/": "mergeContacts",
  "GET /api/signature/contacts/export/": "exportContacts",
  "GET /api/signature/contacts/import/": "getContactImport",
  "POST /api/signature/contacts/import/": "createContactImport",
  "DELETE /api/signature/contacts/import/": "deleteContactImport",
  "GET /api/signature/contacts/import/faults/": "listContactImportFaults",
  "GET /api/signature/contacts/settings/": "getContactSettings",
  "PUT /api/signature/contacts/settings/": "setContactSettings",
  "GET /api/signature/envelopes/counts/": "countEnvelopes",
  "POST /api/signature/envelopes/{id}/confirm-address/": "confirmRecipientAddress",
  "GET /api/signature/envelopes/{id}/guest/": "getGuestEnvelope",
  "POST /api/signature/envelopes/{id}/hsm_sign/": "signEnvelopeWithHsm",
  "POST /api/signature/envelopes/{id}/reassign/": "reassignStep",
  "PATCH /api/signature/envelopes/{id}/recipients/{recipientId}/": "correctRecipient",
  "POST /api/signature/envelopes/{id}/recipients/{recipientId}/embed/": "embedSigning",
  "POST /api/signature/envelopes/{id}/recipients/{recipientId}/resend/": "resendInvitation",
  "POST /api/signature/envelopes/{id}/open-embed/": "openEmbedded",
  "POST /api/signature/envelopes/{id}/remind/": "remindRecipients",
  "POST /api/signature/envelopes/{id}/request-extension/": "requestExtension",
  "POST /api/signature/envelopes/{id}/send-back/": "sendBackEnvelope",
  "POST /api/signature/envelopes/{id}/send_otp/": "sendCode",
  "POST /api/signature/envelopes/{id}/sign_authenticated/": "signEnvelopeAsMember",
  "POST /api/signature/envelopes/{id}/verify_otp/": "verifyCode",
  "POST /api/signature/envelopes/{id}/view/": "recordView",
  "POST /api/signature/envelopes/{id}/visa/": "giveVisa",
  "GET /api/signature/events/stream/": "streamEvents",
  "POST /api/signature/first-start/": "claimFirstStart",
  "GET /api/signature/me/": "getMyAccount",
  "PATCH /api/signature/me/": "updateMyAccount",
  "DELETE /api/signature/me/": "eraseMyAccount",
  "POST /api/signature/me/confirmation/": "confirmMyIdentity",
  "POST /api/signature/me/confirmation/options/": "startMyConfirmation",
  "POST /api/signature/me/email/": "changeMyEmail",
  "POST /api/signature/me/email/confirm/": "confirmMyEmail",
  "GET /api/signature/me/export/": "exportMyData",
  "POST /api/signature/me/factors/passkeys/": "addMyPasskey",
  "POST /api/signature/me/factors/passkeys/options/": "startMyPasskey",
  "DELETE /api/signature/me/factors/passkeys/{id}/": "deleteMyPasskey",
  "POST /api/signature/me/factors/recovery-codes/": "renewMyRecoveryCodes",
  "POST /api/signature/me/factors/totp/": "addMyTotp",
  "DELETE /api/signature/me/factors/totp/": "deleteMyTotp",
  "POST /api/signature/me/factors/totp/setup/": "startMyTotp",
  "GET /api/signature/me/notifications/": "getMyNotifications",
  "POST /api/signature/me/notifications/test/": "testMyNotifications",
  "POST /api/signature/me/password/": "changeMyPassword",
  "POST /api/signature/me/phone/send-code/": "sendMyPhoneCode",
  "POST /api/signature/me/provider-link/": "linkMyProvider",
  "GET /api/signature/me/push-subscriptions/": "getPushKey",
  "POST /api/signature/me/push-subscriptions/": "createMyPushSubscription",
  "DELETE /api/signature/me/push-subscriptions/": "deleteMyPushSubscription",
  "DELETE /api/signature/me/sessions/": "endMyOtherSessions",
  "POST /api/signature/password-reset/": "requestPasswordReset",
  "GET /api/signature/prints/{id}/printable/": "getPrintableCopy",
  "GET /api/signature/prints/{id}/verify/": "verifyPrint",
  "GET /api/signature/recipients/domains/": "listKnownDomains",
  "GET /api/signature/recipients/suggestions/": "suggestRecipients",
  "POST /api/signature/register/check/": "checkRegistration",
  "POST /api/signature/register/resend/": "resendActivation",
  "POST /api/signature/self-sign/": "selfSign",
  "POST /api/signature/self-sign/control/": "checkOwnDocument",
  "POST /api/signature/self-sign/correction/": "compareOwnDocument",
  "GET /api/signature/transparency/checkpoints/latest/": "getLatestCheckpoint",
  "GET /api/signature/transparency/consistency/": "getConsistencyProof",
  "GET /api/signature/transparency/inclusion/": "getInclusionProof",
  "POST /api/token/": "logIn",
  "POST /api/token/passkey/": "logInWithPasskey",
  "POST /api/token/passkey/options/": "startPasskeyLogin",
  "POST /api/token/provider/": "startProviderLogin",
  "POST /api/token/provider/return/": "finishProviderLogin",
  "POST /api/token/recovery-code/": "logInWithRecoveryCode",
  "POST /api/token/refresh/": "refreshSession",
  "POST /api/token/totp/": "logInWithTotp",
  "GET /api/verify-token/": "getSession",
  "POST /api/logout/": "logOut",
  "GET /api/openapi.json": "getApiDocument",
  "GET /api/docs/": "getApiPage",
  "GET /api/docs/style.css": "getApiPageStyle",
};

const singular = (word: string): string => word.replace(/ies$/, "y").replace(/(?<![s])s$/, "");
const pascal = (word: string): string =>
  word.replace(/(?:^|[-_.])(\w)/g, (_, letter: string) => letter.toUpperCase());
const camel = (word: string): string =>
  pascal(word).replace(/^\w/, (letter) => letter.toLowerCase());

/**
 * Joins the action that ends the path, or the method's verb, with what it is about (`sendEnvelope`,
 * `listMyKeys`). `path` has `{id}`.
 */
export function operationIdOf(method: string, path: string): string {
  const given = NAMES[`${method} ${path}`];
  if (given !== undefined) return given;
  const parts = path
    .replace(/^\/api\/(signature\/)?/, "")
    .split("/")
    .filter((part) => part !== "");
  const last = parts.at(-1) ?? "";
  const nouns = parts.flatMap((part, index) => {
    if (part.startsWith("{")) return [];
    if (part === "me") return ["my"];
    return [parts[index + 1]?.startsWith("{") ? singular(part) : part];
  });
  const name = (words: readonly string[]) => words.map(pascal).join("");
  const isPlural = /[^s]s$/.test(last);
  if (method === "GET") return (isPlural ? "list" : "get") + name(nouns);
  if (last.startsWith("{")) return (method === "DELETE" ? "delete" : "update") + name(nouns);
  if (method === "PUT") return `set${name(nouns)}`;
  if (method === "POST" && isPlural && last !== "options")
    return `create${name([...nouns.slice(0, -1), singular(last)])}`;
  if (method === "POST" || last === "purge")
    return camel(last) + name(nouns.slice(0, -1).map(singular));
  return (method === "DELETE" ? "delete" : "update") + name(nouns);
}

export const summaryOf = (operationId: string): string => {
  const words = operationId.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** What each call with a key does, and when to use it rather than its neighbour, by `operationId`. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  callMcp:
    "Lets an assistant use the service's tools by Model Context Protocol (streamable HTTP without state): one JSON-RPC message a call; asking a person (`elicitation/create`) answers as text/event-stream.",
  listContacts:
    "Lists the address book of the key's holder; for completion while typing, use `suggestRecipients`.",
  getDashboard:
    "Gives the figures and latest envelopes of the dashboard in a period; for numbers by state alone, use `countEnvelopes`.",
  listEnvelopes:
    "Lists the envelopes that the key may read, a page at a time, filtered by state, text or dates; to follow changes, use a webhook or `streamEvents` instead.",
  createEnvelope:
    "Makes a draft from files, recipients and fields, to send by `sendEnvelope`; with `send: true` it is sent at once, or not made. From a template, use `useTemplate`; for each line of a CSV, `createMailing`.",
  countEnvelopes: "Counts the envelopes that the key may read, by state, without listing them.",
  getEnvelope: "Gives one envelope with its documents, recipients, fields and progress.",
  updateEnvelope:
    "Changes a draft: its title, files, recipients or fields; once sent, use `correctRecipient`.",
  cancelEnvelope:
    "Cancels an envelope in any state, drafts and completed ones too, so that its links end. `restoreEnvelope` undoes it within 10 days; then, or by `purgeEnvelope`, its content is erased.",
  setEnvelopeDeadline:
    "Sets, moves or removes the deadline of an open envelope; after it has passed, use `extendEnvelope`, in a draft `updateEnvelope`.",
  getEnvelopeDocumentCorrection:
    "Compares a draft's corrected copy of a file with the upload, before its sender accepts the copy.",
  getEnvelopeDocumentFile:
    "Gives one document's PDF as it is now, signed or not, for display; to keep the signed result, use `getEnvelopeDownload`.",
  getEnvelopeDocumentFirstPage:
    "Gives the first page of one document as a picture, for a list or a preview; for the whole PDF, use `getEnvelopeDocumentFile`.",
  getEnvelopeDownload:
    "Gives the signed file of a completed envelope (a zip when there are several documents); before completion, add `current=true` or use `getEnvelopeDocumentFile`.",
  listOrganisationCircuits:
    "Lists the organisation's circuits, with the kinds of document on which one is imposed or proposed; apply one with `setEnvelopeCircuit`.",
  setEnvelopeCircuit:
    "Makes the steps of a circuit a draft's recipients; the one imposed on its `kind` comes before `circuit_id`, and the draft is not sent without it. Both null remove kind and circuit.",
  duplicateEnvelope:
    "Makes a new draft from an envelope, once; for something made often, use `createTemplate`.",
  listEnvelopeEvents:
    "Lists the journal of one envelope, a page at a time, and checks its chain on request; for a file to keep, use `getEnvelopeEvidence`.",
  getEnvelopeEvidence:
    "Gives the evidence PDF, which says in words who signed and how and has `preuve.json` attached; the signed file is `getEnvelopeDownload`.",
  extendEnvelope:
    "Reopens an expired envelope, with its links, until a new deadline; before expiry, use `setEnvelopeDeadline`.",
  getEnvelopeForm:
    "Says what the files of a draft have to fill in, so that fields may be placed there.",
  setEnvelopePublicPage:
    "Says whether the public page of an envelope shows its documents or the proof alone.",
  purgeEnvelope:
    "Erases names, files and evidence of a cancelled envelope for ever, one that was completed too; its calls then answer 404. The service keeps ids, dates and hashes: `verifyPrint` still gives them for a copy made before. To close it only, use `cancelEnvelope`.",
  correctRecipient:
    "Corrects the mail address or phone number of a recipient who has yet to answer, after sending, and invites them there; a draft takes `updateEnvelope`.",
  embedSigning:
    "Gives an address that shows the signing page of one recipient inside a site of the key's `origins`; otherwise the mailed link suffices.",
  resendInvitation:
    "Sends one recipient a fresh link by mail or text, and unlocks a frozen one; for everybody who is awaited, use `remindRecipients`.",
  remindRecipients:
    "Sends every awaited recipient of an envelope a fresh link at once; for one person, use `resendInvitation`; for a rhythm, `setEnvelopeReminders`.",
  setEnvelopeReminders:
    "Sets how often awaited recipients are reminded by themselves; to remind now, use `remindRecipients`.",
  restoreEnvelope:
    "Takes back a cancellation: the links open again and awaited recipients are asked anew; for an expired envelope, use `extendEnvelope`.",
  sendEnvelope:
    "Sends a draft to its recipients, in their order; it is checked first and refused with what is missing.",
  streamEvents:
    "Streams changes while the connection is open (text/event-stream): envelope {id, version, status}, counts, refresh {} (read everything again), end {reason} (session_ended, replaced); for events that must not be missed, use a webhook.",
  listLayouts:
    "Lists saved placements of fields, which a draft may take; templates have files as well.",
  createLayout:
    "Saves a placement of fields without files, to use in drafts; with files and roles, use `createTemplate`.",
  deleteLayout: "Deletes a saved placement of fields; envelopes that took it keep theirs.",
  listMailings: "Lists mailings, each a template sent to every line of a CSV, newest first.",
  createMailing:
    "Prepares a mailing from a template and a CSV, without sending anything; then `setMailingPlan` and `startMailing`. For one envelope, use `useTemplate`.",
  getMailing: "Gives one mailing: its plan, its state and how many lines are sent or wait.",
  deleteMailing: "Deletes a mailing that is not under way; the envelopes that it made stay.",
  setMailingPlan:
    "Says what each column of the CSV becomes, before `startMailing`; every line is checked again.",
  getMailingReport:
    "Gives the lines of a mailing as CSV, each with what became of it; page by page as JSON, use `listMailingRows`.",
  listMailingRows:
    "Lists the lines of a mailing with their faults and states, a page at a time; as a file, use `getMailingReport`.",
  updateMailingRow:
    "Corrects the cells of one line that has yet to leave, or says that it leaves although a double, or stays out; what is refused needs other cells.",
  getMailingRowPreview: "Shows what one line would send, without making or sending anything.",
  startMailing:
    "Sends the lines that are ready, in the background; with `retry`, also those that failed or were stopped. Deleting the key that started it ends it, and its other lines fail; a key that loses `envelopes:send` does not: use `stopMailing`.",
  stopMailing: "Stops a mailing under way; what was sent stays sent, and `startMailing` goes on.",
  getMyAccount: "Gives the account that stands behind the key, to check that a key works.",
  deleteMyKey:
    "Revokes a key: its next call is refused, and the mailings that it started end (`startMailing`).",
  listMyWebhooks:
    "Lists the webhooks of the key's holder, with how many events wait and whether deliveries fail.",
  createMyWebhook: "Registers an address that is told of events, and gives its secret, once.",
  updateMyWebhook:
    "Changes a webhook's address or events, pauses it, or resumes it; another address and `paused: false` send what waits at once.",
  deleteMyWebhook:
    "Deletes a webhook with its log and the events that wait; to keep them, pause it by `updateMyWebhook`.",
  replaceWebhookSecret:
    "Gives a webhook a new secret, once; the old one signs beside it for 24 hours.",
  testWebhook:
    "Sends `test.ping` at once, even while the webhook is paused; its answer is in `listMyWebhookTries`.",
  listMyWebhookTries:
    "Lists the deliveries of a webhook with what the receiver answered, newest first.",
  replayWebhookTry:
    "Sends the event of a past delivery again under the same id, at once, or after an earlier event of its envelope (`waits`); what waits for its next try is tried now (`updateMyWebhook` with `paused: false`: all that waits).",
  listPrints: "Lists the copies to print that the key may read, with the addresses of their files.",
  generatePrint:
    "Makes a copy to print of an envelope, with QR codes that lead to its public proof; for the signed file itself, use `getEnvelopeDownload`.",
  getPrintDocument:
    "Gives the signed PDF behind a printed copy, byte for byte; the copy itself is `getPrintableCopy`.",
  getPrintableCopy:
    "Gives the copy to print, with QR codes and without signatures; the signed file is `getPrintDocument`.",
  getPrintProof:
    "Gives `preuve.json` of a printed copy, for checks without the service; as an answer to read, use `verifyPrint`.",
  verifyPrint:
    "Checks the files behind a printed copy now and says who signed; for a file to keep, use `getPrintProof`.",
  listKnownDomains:
    "Lists the domains of addresses written to before, with which a mistyped one is compared.",
  suggestRecipients:
    "Suggests people while a name or address is typed; to read the whole address book, use `listContacts`.",
  listTemplates: "Lists templates: files, fields and roles from which envelopes are made.",
  createTemplate:
    "Makes a template from an envelope: its files, fields, message and roles; fields alone are a layout.",
  getTemplate:
    "Gives one template with its documents, fields and roles, as needed before `useTemplate`.",
  updateTemplate: "Renames a template; envelopes made from it stay as they are.",
  deleteTemplate: "Deletes a template; envelopes made from it stay.",
  getTemplateDocumentFile:
    "Gives the PDF of one document of a template; of an envelope, use `getEnvelopeDocumentFile`.",
  useTemplate:
    "Makes a draft from a template for the people given, without sending it; for every line of a CSV, use `createMailing`.",
  createUpload:
    "Takes one file ahead, as raw bytes, whose id `createEnvelope` then names; small files can be in its body instead.",
};

const PDF = [
  "JVBERi0xLjcKJeLjz9MKMSAwIG9iago8PC9UeXBlL0NhdGFsb2cvUGFnZXMgMiAwIFI+PgplbmRvYmoKMiAw",
  "IG9iago8PC9UeXBlL1BhZ2VzL0tpZHNbNCAwIFJdL0NvdW50IDE+PgplbmRvYmoKMyAwIG9iago8PC9UeXBl",
  "L0ZvbnQvU3VidHlwZS9UeXBlMS9CYXNlRm9udC9IZWx2ZXRpY2E+PgplbmRvYmoKNCAwIG9iago8PC9UeXBl",
  "L1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCA1OTUgODQyXS9SZXNvdXJjZXM8PC9Gb250PDwvRjEg",
  "MyAwIFI+Pj4+L0NvbnRlbnRzIDUgMCBSPj4KZW5kb2JqCjUgMCBvYmoKPDwvTGVuZ3RoIDU5Pj4Kc3RyZWFt",
  "CkJUIC9GMSAxOCBUZiA2MCA3NjIgVGQgKENvbnRyYXQgZGUgbG9jYXRpb24gLSBwYWdlIDEpIFRqIEVUCmVu",
  "ZHN0cmVhbQplbmRvYmoKeHJlZgowIDYKMDAwMDAwMDAwMCA2NTUzNSBmIAowMDAwMDAwMDE1IDAwMDAwIG4g",
  "CjAwMDAwMDAwNjAgMDAwMDAgbiAKMDAwMDAwMDExMSAwMDAwMCBuIAowMDAwMDAwMTc0IDAwMDAwIG4gCjAw",
  "MDAwMDAyODYgMDAwMDAgbiAKdHJhaWxlcgo8PC9TaXplIDYvUm9vdCAxIDAgUj4+CnN0YXJ0eHJlZgozOTMK",
  "JSVFT0YK",
].join("");

/** Whoever sends an example puts its own ids there. */
export const EXAMPLE_IDS = {
  envelope: "01990000-0000-7000-8000-0000000000e1",
  recipient: "01990000-0000-7000-8000-0000000000d1",
  template: "01990000-0000-7000-8000-0000000000c1",
} as const;

const place = { page: 1, x: 0.1, y: 0.7, width: 0.35, height: 0.08 };
const file = (name: string) => ({ name, content: PDF });

/** Examples by operation, in an order in which a program may send them; a test does. */
export const API_EXAMPLES: Readonly<Record<string, object>> = {
  createEnvelope: {
    title: "Bail d’habitation",
    message: "Merci de signer avant la remise des clés.",
    recipients: [{ email: "camille.durand@exemple.fr", full_name: "Camille Durand" }],
    fields: [{ document_index: 0, recipient_index: 0, type: "signature", ...place }],
    files: [file("Bail.pdf")],
  },
  updateEnvelope: { title: "Bail d’habitation, rue des Lilas", files: [file("Annexe.pdf")] },
  createTemplate: {
    envelope: EXAMPLE_IDS.envelope,
    name: "Bail meublé",
    roles: [{ recipient: EXAMPLE_IDS.recipient, label: "Locataire" }],
  },
  updateTemplate: { name: "Bail meublé, un locataire" },
  useTemplate: {
    title: "Bail de Camille Durand",
    people: [{ role_index: 0, email: "camille.durand@exemple.fr", full_name: "Camille Durand" }],
  },
  createMailing: {
    template: EXAMPLE_IDS.template,
    file: {
      name: "locataires.csv",
      content: btoa("Nom;Email;Titre\nLou Petit;lou@exemple.fr;Bail 12\nNoa Roux;noa@;Bail 13\n"),
    },
  },
  setMailingPlan: { columns: ["name:0", "email:0", "title"], deadline_days: 14 },
  updateMailingRow: { cells: ["Noa Roux", "noa@exemple.fr", "Bail 13"] },
  startMailing: { retry: false },
  createLayout: {
    name: "Signature en bas",
    fields: [{ document_rank: 0, person_rank: 0, type: "signature", ...place }],
  },
  setEnvelopePublicPage: { proof_only: true },
  sendEnvelope: { message: "Bonjour, voici le bail." },
  setEnvelopeReminders: { every_days: 3 },
  setEnvelopeDeadline: { deadline_at: "2027-01-15T12:00:00Z" },
  extendEnvelope: { deadline_at: "2027-01-31T12:00:00Z" },
  correctRecipient: { email: "camille.durand@exemple.org" },
  resendInvitation: { channel: "email" },
  embedSigning: { origin: "http://localhost:3000" },
  generatePrint: { envelope: EXAMPLE_IDS.envelope, qr_type: "page" },
};

/** By `operation.name`, `Schema.name` or `parent.name`. */
export const PLACES: Readonly<Record<string, string>> = {
  "ApiKey.by": "Name of who stands behind it.",
  "AuditEvent.detail": "Further facts, which depend on `action`.",
  "BatchPlacement.page": "Number of the page, from 1; -1: the last; `all`: each.",
  "BatchRetryRequest.items":
    "Ranks of the items to sign again, from 0; absent: all that failed or were cancelled.",
  "by.team": "The team, by its id in a request; null: that of whoever prepares.",
  "callMcp.error": "Why the call failed.",
  "callMcp.id": "Id of the message, as the client gave it.",
  "callMcp.result": "The answer of the method.",
  "certificates.root": "The root certificate.",
  "certificates.signers": "Certificates of the signers.",
  "ChangedEnvelopeRequest.order": "Ids of all documents, in their new order.",
  "Checkpoint.signature": "Signature of the head (RFC 7515), by the service's seal.",
  "Checkpoint.size": "Size of the log, in leaves.",
  "Checkpoint.timestamp": "Time-stamp of the signature (RFC 3161), DER in base64.",
  "ConfirmationRequest.code": "Code of the authenticator application.",
  "createUpload.name": "Name of the file, which ends in `.pdf`.",
  "DashboardAnswer.notifications": "Envelopes completed lately.",
  "data.recipients": "How many there are.",
  "declineEnvelope.recipient":
    "Id of the recipient for whom a session acts, where several have its address.",
  "delegation.consent": "The sentence to accept.",
  "Delivery.tries": "Tries so far.",
  "Document.order": "Rank of the document, from 1.",
  "documents.refused": "Why its fields cannot be used; null: they can.",
  "due.days": "Business days that this person has.",
  "embedSigning.origin":
    "One of the key's `origins`: in https, without a path; in http, `localhost` or `127.0.0.1`; a port may follow.",
  "embedSigning.url": "Address for a frame, which opens once.",
  "Envelope.download_url":
    "Address of the signed file in a session; a key uses `getEnvelopeDownload`. Null before the first signature.",
  "Envelope.files": "The same as `documents`.",
  "Envelope.returned": "True for a draft that came back to be corrected.",
  "error.code": "Code of JSON-RPC.",
  "error.message": "Why the call failed.",
  "events.detail": "Further facts, which depend on `action`.",
  "ExtendRequest.deadline_at":
    "The new deadline; left out: the seventh day in Paris after the deadline, or after today once it has passed.",
  "fields.name": "Name of the form's field, or of the tag.",
  "fields.role": "The role that the text tag names; null: none.",
  "files.name": "Name of the file, which ends in `.pdf`; of one sent ahead, its own by default.",
  "FirstStartCheck.token": "The token of the address that the service printed.",
  "FirstStartRequest.token": "The token of the address that the service printed.",
  "getDashboard.from": "First day (YYYY-MM-DD).",
  "getDashboard.to": "Last day (YYYY-MM-DD).",
  "getEnvelopeDownload.current":
    "`true`: the file as it is, before completion too. Without it a key gets 409 `not_completed`.",
  "getEnvelopeSignPage.recipient":
    "Id of the recipient for whom a session acts, where several have its address.",
  "getHealth.status": "Always `ok`.",
  "getHealthLive.status": "Always `ok`.",
  "getHealthReady.status": "Always `ok`.",
  "getInclusionProof.size": "Size of the log, in leaves.",
  "given.signatures": "How many signatures were given under it.",
  "giveVisa.recipient":
    "Id of the recipient for whom a session acts, where several have its address.",
  "Inclusion.size": "Size of the log, in leaves.",
  "InvitationAnswer.account":
    "Whether the address has an account: `none`, `open`, or `closed`, which cannot be used.",
  "KeyRequest.holder": "Id of the team or organisation that has it; left out: the caller.",
  "LayoutField.page": "Number of the page, from 1; -1: the last.",
  "Leaves.size": "Size of the log, in leaves.",
  "listContacts.ordering": "By what to sort.",
  "listContacts.origin": "Gives contacts of this origin alone.",
  "listContacts.team": "`mine`, or the id of a team whose contacts to give.",
  "listEnvelopeEvents.kind": "Gives events of this kind alone.",
  "listEnvelopes.from": "First day (YYYY-MM-DD).",
  "listEnvelopes.status": "Gives envelopes of this state alone.",
  "listEnvelopes.team": "`mine`, or the id of a team whose envelopes to give.",
  "listEnvelopes.to": "Last day (YYYY-MM-DD).",
  "listMailingRows.order": "`faults`: what to correct first; `line`: as in the file.",
  "listMailingRows.state": "Gives lines of this state alone.",
  "listPrints.envelope": "Gives the copies of this envelope alone.",
  "listSignatures.envelope": "Gives the signatures of this envelope alone.",
  "Mailing.columns": "The columns of the file.",
  "Mailing.left": "Lines that stay out: left out, or stopped.",
  "Mailing.stopped": "Those of `left` that a stop left, which `retry` sends.",
  "MailingRequest.template": "Id of the template.",
  "MailingRowRequest.choice":
    "`send`: a line of state `double` leaves all the same (it mends no `refused` one); `leave`: the line stays out; null: neither.",
  "mails.address": "Address from which mails leave.",
  "NewPasskey.id": "Id of the passkey, in base64url.",
  "NotificationChoice.email": "Whether to tell by mail.",
  "notifications.email": "Whether to tell by mail.",
  "NotificationsAnswer.email": "Whether to tell by mail.",
  "NotificationsAnswer.waiting": "What waits for the morning or the summary; null: nothing.",
  "NotificationsRequest.email": "Whether to tell by mail.",
  "oidc.issuer": "Address of the provider.",
  "oidc.label": "Words of the provider's button.",
  "openEmbedded.origin": "The site that shows the page.",
  "openEmbedded.token": "For the header `X-Signature-Token`.",
  "otp.failed": "`sms`: no text could be sent, the code goes by mail; null: none failed.",
  "pages.height": "Height of the page as displayed, in points.",
  "pages.width": "Width of the page as displayed, in points.",
  "PasskeyAssertion.id": "Id of the passkey, in base64url.",
  "personal.value": "The personal part.",
  "PhoneVerifyRequest.code": "The code that was received by text.",
  "Problem.status": "Status of the answer.",
  "Problem.title": "What the status says, in French.",
  "Problem.type": "Always `about:blank`.",
  "proconnect.issuer": "Address of the provider.",
  "proconnect.label": "Words of the provider's button.",
  "progress.signed": "How many have signed.",
  "Proof.cancelled": "Whether it was cancelled.",
  "Proof.completed": "Whether everybody has signed.",
  "Proof.warnings": "What to look at.",
  "ProofContent.cancelled": "Whether it was cancelled.",
  "ProofContent.completed": "Whether everybody has signed.",
  "ProofContent.files": "Files whose hashes the proof states.",
  "ProofContent.warnings": "What to look at.",
  "ProofFile.timestamp": "Time-stamp of `jws` (RFC 3161), DER in base64; null: none.",
  "ProviderList.addresses": "Addresses to register at the provider.",
  "ProviderRequest.issuer": "Address of the provider.",
  "ProviderRequest.label": "Words of the provider's button.",
  "ProviderReturnRequest.code": "As the provider gave it in the address.",
  "ProviderReturnRequest.state": "As the provider gave it in the address.",
  "providers.label": "Words of the provider's button.",
  "PublicInclusion.size": "Size of the log, in leaves.",
  "PushSubscriptionRequest.keys": "Keys of the browser's subscription (RFC 8291).",
  "reach.by": "Whether the signer came by the mailed link or by an account.",
  "reach.code": "How the code reached this person; null: not known.",
  "reassignStep.recipient":
    "Id of the recipient for whom a session acts, where several have its address.",
  "received.signatures": "How many signatures were given under it.",
  "recipients.role":
    "What the person does; in `use_forms`, the role that the text tags name (null: none).",
  "recordView.recipient":
    "Id of the recipient for whom a session acts, where several have its address.",
  "RecoveryCodeRequest.code": "One of the recovery codes.",
  "RegistrationRequest.choice": "Who may register.",
  "RenameTemplateRequest.name": "Name; a site's address in it is refused.",
  "requestExtension.recipient":
    "Id of the recipient for whom a session acts, where several have its address.",
  "response.signature": "As the browser gave it, in base64url (WebAuthn).",
  "results.people": "How many people have such an address.",
  "returns.order": "Rank to which it may go back; 0: its sender, for correction.",
  "RoleRequest.from": "The role that was read; 409 when it has changed.",
  "roles.label": "Name of the role, `Locataire` say.",
  "roles.recipient": "Id of the recipient whose place the role takes.",
  "SavedSignature.image": "Address of the picture of the mark, for the session.",
  "SaveLayoutRequest.name": "Name; a site's address in it is refused.",
  "SaveTemplateRequest.name": "Name; a site's address in it is refused.",
  "sendBackEnvelope.recipient":
    "Id of the recipient for whom a session acts, where several have its address.",
  "SendBackRequest.order": "Rank to which it goes back; 0: its sender, for correction.",
  "sent_back.to": "Names of those to whom it went back.",
  "signEnvelopeAsMember.recipient":
    "Id of the recipient for whom a session acts, where several have its address.",
  "signEnvelopeWithHsm.recipient":
    "Id of the recipient for whom a session acts, where several have its address.",
  "signs_before.sent_back": "Who has the document again, in French.",
  "signs_before.visas": "How many of them give a visa.",
  "step.returned": "From whom it came back, and why.",
  "TotpRequest.code": "Code of the authenticator application.",
  "updateEnvelope.order": "Ids of all documents, in their new order.",
  "use_forms.recipients": "Who fills in the fields of each role.",
  "VerifyTokenAnswer.sms": "Whether texts can be sent.",
  "Webhook.by": "Name of who stands behind it.",
  "Webhook.paused":
    "Why it rests: `asked`; `failing`, after three days; `gone`, after a 410; null: it does not.",
  "WebhookRequest.holder": "Id of the team or organisation that has it; left out: the caller.",
  "WebhookTry.path": "Path of the address that was called.",
  "WebhookTry.status": "Status that the receiver answered; null: no answer.",
};
