/** What the signing core promises, and the tests that show it: `file: the test's name`, as the file has it. */
export type SignatureLine = { readonly what: string; readonly shownBy: readonly string[] };

export const signatureLines: readonly SignatureLine[] = [
  {
    what: "one signature a person, in an incremental update: earlier bytes are a prefix",
    shownBy: [
      "sign/object-rules.test.ts: every revision begins with the one before, byte for byte",
      "interop/sign-corpus.test.ts: accept two signers' signatures on %s, each revision a prefix of the next",
    ],
  },
  {
    what: "CAdES detached, three signed attributes, no signing-time, SHA-256, whole-file ByteRange",
    shownBy: [
      "sign/prepare-signature.test.ts: carries the PAdES dictionary: SubFilter, M, FieldMDP on own fields, and no signing-time",
      "sign/object-rules.test.ts: carries a CMS of three signed attributes, SHA-256, and a time-stamp; the person's comma adds no attribute to their name",
      "interop/openssl-file.test.ts: verifies each signature as CAdES, each document time-stamp, certificate, list and OCSP answer",
    ],
  },
  {
    what: "B-T when made, never weaker when the time-stamp authority fails",
    shownBy: [
      "validate/validate.test.ts: passes at level B-T with what people want to know",
      "sign/prepare-signature.test.ts: fails, and is never weaker, when the time-stamp authority fails or answers for something else",
    ],
  },
  {
    what: "B-LT and B-LTA: store, VRI and document time-stamp; renewal",
    shownBy: [
      "sign/long-term.test.ts: reaches B-LT with the store alone",
      "sign/long-term.test.ts: reaches B-LTA with a document time-stamp, every signature passed",
      "sign/long-term.test.ts: is renewed by another document time-stamp, and carries each certificate once",
      "sign/object-rules.test.ts: has an invisible locked field, the store's entries named by the SHA-1 of each whole value, its padding too",
      "interop/others-judge.test.ts: say that each of %i signatures is PAdES-BASELINE-LTA and passed",
      "sealing/renew-archive.test.ts: does nothing before its time, then renews each document once, and the file stays valid past its first authority's end",
    ],
  },
  {
    what: "prepared revision: every field of everybody, merged with its widget, named, flagged, locked, one shared font",
    shownBy: [
      "sign/prepare-signature.test.ts: makes one signature field a signer and text fields for the rest, each with its Lock",
      "sign/object-rules.test.ts: has each field as one indirect object that is its widget too, in the form and on its page after what was there",
      "sign/object-rules.test.ts: names, flags, turns and describes them: no dot, print, read-only, the page's rotation, a tooltip, an empty appearance",
      "sign/object-rules.test.ts: locks each signer's own fields by an indirect dictionary, and shares one font that the form names",
      "sign/prepare-signature.test.ts: keeps the file's own fields, annotations and resources",
    ],
  },
  {
    what: "a signer changes the values and looks of their own fields, every one, and nothing else",
    shownBy: [
      "sign/object-rules.test.ts: changes the value and the look of the signer's own fields alone, every one of them; the rest is what it was",
      "sign/prepare-signature.test.ts: gives every own field a new appearance, blank ones too",
      "sign/prepare-signature.test.ts: changes neither catalog, nor form, nor pages",
      "validate/validate.test.ts: a later revision that fills a locked field of the first signer",
      "sign/object-rules.test.ts: writes values as plain ASCII, or as UTF-16 with its mark",
    ],
  },
  {
    what: "marks, texts and boxes upright and in place on every page: rotation, crop, unit, inherited boxes",
    shownBy: [
      "interop/pixels.test.ts: shows on an upright page, every kind of it, and nowhere else",
      "interop/pixels.test.ts: looks the same on a page %s",
    ],
  },
  {
    what: "embedded subsets that cover French; a character without a glyph is an error, named",
    shownBy: [
      "font/fonts.test.ts: cover French, Latin Extended and Vietnamese between them",
      "sign/prepare-signature.test.ts: refuses a character without a glyph in %s, and names it",
      "sign/prepare-signature.test.ts: writes a typed name as letters of an embedded font, once for every place",
    ],
  },
  {
    what: "files signed elsewhere keep their signatures: signature fields only, values and initials said with the signature",
    shownBy: [
      "sign/signed-elsewhere.test.ts: takes one visible signature, and every earlier one stays passed",
      "sign/signed-elsewhere.test.ts: is said in the order of the fields, the place that carries the signature being seen",
      "interop/others-judge.test.ts: say so of a file that others signed and archived before, and of their signatures as well",
      "signing/signed-before.test.ts: whoever signs a file that was signed before is told so; the earlier signatures stay in it, and nothing after them is more than signing",
      "signing/existing-signatures-note.test.tsx: says that the file already carries a signature, and nothing of other findings",
    ],
  },
  {
    what: "certified files honoured: refused when they forbid signing, invisible signatures otherwise",
    shownBy: [
      "sign/prepare-signature.test.ts: refuses a certified file that forbids signing",
      "sign/signed-elsewhere.test.ts: takes invisible signatures alone, and stays passed (%s)",
      "sign/signed-elsewhere.test.ts: has in the signature's dictionary what cannot be shown",
      "interop/others-judge.test.ts: say so of a certified file, whose certification stays as it was (%s)",
    ],
  },
  {
    what: "files without an incremental update: rewritten once when unsigned, refused when signed",
    shownBy: [
      "interop/normalise.test.ts: %s is rewritten, looks the same, and signs",
      "inspect/normalise-pdf.test.ts: is never made of a signed file, whose scripts are said and stay",
      "inspect/odd-structure.test.ts: is signed or rewritten when its offsets are %i bytes wide, and stays readable",
    ],
  },
  {
    what: "the style of the file's cross-reference is kept",
    shownBy: [
      "sign/object-rules.test.ts: a file whose cross-reference is a stream keeps that style in every revision, one with a table a table",
    ],
  },
  {
    what: "no address found in a file is ever asked",
    shownBy: ["sign/object-rules.test.ts: nothing of the core reaches for the network"],
  },
  {
    what: "names with commas, times to the second, ECDSA values in both forms",
    shownBy: [
      "interop/openssl-pki.test.ts: verifies every profile strictly",
      "interop/openssl-pki.test.ts: asks OCSP, and takes good, revoked and unknown",
      "asn1/asn1.test.ts: turns ECDSA values between both forms, and refuses a number too large",
    ],
  },
  {
    what: "a tampered file is never passed, an honest one always",
    shownBy: [
      "validate/attacks.test.ts: an attack is never valid",
      "validate/attacks.test.ts: honest life of a file is always valid",
      "validate/strict-attacks.test.ts: a signed file that two readers read differently is never valid",
      "validate/strict-attacks.test.ts: one that all read as one is",
      "validate/validate.test.ts: any byte that the signature covers altered",
    ],
  },
  {
    what: "PDF/A-2b and PDF/A-3 stay what they were: drawn, typed, image marks, initials, texts, boxes, two document time-stamps",
    shownBy: ["interop/pdf-a.test.ts: says that a %s stays one in every revision"],
  },
  {
    what: "usable alone, in Node and in a browser",
    shownBy: [
      "examples/examples.test.ts: %s writes a file that pdfsig, qpdf and our own validator pass",
      "examples/browser.test.ts: signs, archives and validates a PDF in Chromium with WebCrypto keys; pdfsig and qpdf pass what it made",
    ],
  },
  {
    what: "twenty at the same moment: twenty signatures",
    shownBy: ["sealing/seal-act.test.ts: twenty people sign one envelope, and every signature lands"],
  },
  {
    what: "the name, the moment in Paris and the envelope's id under each mark",
    shownBy: [
      "domain/appearance-lines.test.ts: says when the person agreed, on the clocks of Paris, winter and summer",
      "domain/appearance-lines.test.ts: names the person and the envelope",
    ],
  },
  {
    what: "what is written is validated, and begins with what was there, before it is stored or acknowledged",
    shownBy: [
      "sealing/check-revision.test.ts: begins with the one before, and goes on",
      "sealing/check-revision.test.ts: is taken when the new signature covers it whole and passes; others' earlier ones may be unknown here",
      "sealing/check-revision.test.ts: is not taken when %s",
      "sealing/seal-own.test.ts: stores nothing of a file that its own validation does not pass",
    ],
  },
  {
    what: "nobody agrees to what could not be sealed: the room that a page has after a signature",
    shownBy: [
      "sign/overfull-pages.test.ts: of a file without signatures: seven tenths of a page by those who sign later, whatever the first one has there",
      "sign/overfull-pages.test.ts: of a file signed before: half of a page by all of them, each by its one place",
      "sign/overfull-pages.test.ts: of a file signed several times: with what others have placed and filled since the first",
      "self-sign/covered-page.test.ts: fields that would cover too much of a page signed before are said in the draft, and nobody is asked to sign",
      "self-sign/covered-page.test.ts: one's own document, alone or in a batch, is refused before it is signed when the page has no room left",
    ],
  },
  {
    what: "B-LTA at once for one's own documents and batches",
    shownBy: [
      "self-sign/self-sign.test.ts: answers a completed envelope of the user's, at B-LTA, in lists and counts, and writes to nobody",
      "batch/batch-routes.test.ts: makes of each document a completed envelope of its owner's at B-LTA, and of a bad one its reason",
    ],
  },
  {
    what: "one-time certificates: the person, a day, a key of its own that is kept nowhere; one for a batch",
    shownBy: [
      "trust/trust.test.ts: names the person, lives a day, and chains to the root",
      "trust/trust.test.ts: has a key and a serial number of its own each time",
      "trust/trust.test.ts: leaves its certificate behind, and its key nowhere",
      "batch/batch-routes.test.ts: uses one certificate for all its documents",
    ],
  },
  {
    what: "keys wrapped at rest; rotation and revocation leave old proofs valid",
    shownBy: [
      "trust/trust.test.ts: keep their keys wrapped, each under its own row",
      "trust/trust.test.ts: do not open under another master key",
      "sealing/renew-archive.test.ts: a retired signing authority is revoked once its stamps are renewed: old proofs stay valid, its list and the root's say so",
    ],
  },
  {
    what: "lists, OCSP answers and time-stamps served as openssl takes them; nothing claimed beyond a simple signature",
    shownBy: [
      "trust/routes.test.ts: openssl asks the responder itself, and is told good; lists and time-stamps come with how long they may be kept",
      "trust/routes.test.ts: are accepted by openssl, and name who was revoked",
      "trust/routes.test.ts: gives a token that openssl verifies",
      "trust/policy-page.test.ts: GET /politique-de-certification says in French what the policies mean, claims nothing more, and loads nothing",
    ],
  },
  {
    what: "the organisation's key in a token: signs, is away, has a wrong PIN",
    shownBy: [
      "signing/hsm-sign.test.ts: signs for several people with that one key, certified as the organisation's seal, and the proof names each of them",
      "signing/hsm-sign.test.ts: answers 503 while the token is away, and records nothing",
      "hsm/open-hsm.test.ts: a wrong PIN stops the start with that line and exit code 78, tried once",
    ],
  },
  {
    what: "an outside time-stamping authority: imprint, nonce, policy and chain; while it is away the act waits",
    shownBy: [
      "trust/external-tsa.test.ts: refuses an answer that %s",
      "trust/external-tsa.test.ts: takes tokens of the policy that is asked for, and of no other",
      "trust/external-tsa.test.ts: refuses a token of another authority than the one met first",
      "trust/external-tsa.test.ts: trusts as itself an authority that sends its own certificate alone, and no other of its issuer's",
      "sealing/seal-own.test.ts: asks an outside authority that goes away no more than once for each time-stamp",
      "sealing/late-time-stamp.test.ts: the last person's consent is kept too, when only the document's own time-stamp is missing: nothing is completed without it",
    ],
  },
  {
    what: "a validation ends in a verdict: what cannot be judged is undecided",
    shownBy: [
      "validate/validate.test.ts: bytes that are not a PDF are reported, not thrown",
      "prints/unjudged-file.test.ts: a file whose judgement had to be ended is not called invalid: nothing is known of it",
      "prints/unjudged-file.test.ts: an encrypted file is not called invalid: nothing is known of it",
    ],
  },
  {
    what: "an uploaded file is read in a child process, within bounds",
    shownBy: [
      "pdf-sandbox/create-pdf-sandbox.test.ts: ends a task without end, and goes on with another child",
      "pdf-sandbox/create-pdf-sandbox.test.ts: ends a task that inflates a few megabytes to more than its memory",
      "pdf/hostile-files.test.ts: when its stream inflates without end",
    ],
  },
  {
    what: "an uploaded file is refused in words, corrected in a copy, or kept with a note, by what its objects are once decoded",
    shownBy: [
      "inspect/inspect-pdf.test.ts: is refused as %s (%#)",
      "inspect/inspect-pdf.test.ts: is said to hold %s",
      "inspect/inspect-pdf.test.ts: is found in an object stream, its names written otherwise",
      "inspect/inspect-pdf.test.ts: a later change that breaks an earlier signature, or a time-stamp over other bytes, refuses the file",
      "inspect/normalise-pdf.test.ts: has no script and no action that leaves the document; links and jumps stay",
      "inspect/normalise-pdf.test.ts: shows for ever what its layers showed when it was opened",
      "inspect/normalise-pdf.test.ts: loses the bytes before its header",
      "inspect/strict-reading.test.ts: what two readers read differently",
      "inspect/form-values.test.ts: a look that shows %s than the value is said, and made anew in the copy",
      "documents/normalise-documents.test.ts: is signed in a corrected copy, once its sender accepts it; both hashes are kept",
      "domain/findings.test.ts: never says unaltered of what cannot be verified",
    ],
  },
  {
    what: "the bytes that are signed are those that were shown",
    shownBy: ["signing/sign-routes.test.ts: refuses to sign documents that are not those that were read"],
  },
];
