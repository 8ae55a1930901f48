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
    "Makes a draft from files, recipients and fields, without sending it; then call `sendEnvelope`. From a template, use `useTemplate`; for each line of a CSV, `createMailing`.",
  countEnvelopes: "Counts the envelopes that the key may read, by state, without listing them.",
  getEnvelope: "Gives one envelope with its documents, recipients, fields and progress.",
  updateEnvelope:
    "Changes a draft: its title, files, recipients or fields; once sent, use `correctRecipient`.",
  cancelEnvelope:
    "Closes an envelope that waits for signatures, so that its links end; `restoreEnvelope` undoes it, `purgeEnvelope` erases its content.",
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
    "Erases names and files of a cancelled envelope for ever; ids, dates and hashes stay. To close it only, use `cancelEnvelope`.",
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
    "Corrects the cells of one line that has yet to leave, or says whether it is sent although a double, or left out.",
  getMailingRowPreview: "Shows what one line would send, without making or sending anything.",
  startMailing:
    "Sends the lines that are ready, in the background; with `retry`, also those that failed or were stopped.",
  stopMailing: "Stops a mailing under way; what was sent stays sent, and `startMailing` goes on.",
  getMyAccount: "Gives the account that stands behind the key, to check that a key works.",
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
    "Sends the event of a past delivery again under the same id, at once unless an earlier event of its envelope waits; what waits for its next try is tried now (`updateMyWebhook` with `paused: false`: all that waits).",
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
  updateTemplate:
    "Changes the name or roles of a template; envelopes made from it stay as they are.",
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
    fields: [{ document_rank: 1, person_rank: 1, type: "signature", ...place }],
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
