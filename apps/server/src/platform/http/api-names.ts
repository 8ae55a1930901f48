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

/** Where the rule of `operationIdOf` gives a poor name. */
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
