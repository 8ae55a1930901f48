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
];
