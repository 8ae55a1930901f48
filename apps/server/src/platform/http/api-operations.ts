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
