import { concatBytes } from "../src/asn1/der-writer.ts";
import { OID } from "../src/asn1/oids.ts";
import { attribute, createSignedData } from "../src/cms/signed-data.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { completeSignature } from "../src/sign/create-signature.ts";
import { prepareDocumentTimestamp } from "../src/sign/long-term.ts";
import {
  type Attack,
  EVIL_CONTENT,
  HIDDEN_OBJECT,
  sealed,
  swap,
  type Attacks,
} from "./attack-stage.ts";
import { CMS_ATTACKS, DIGEST_ATTACKS } from "./attacks-digests.ts";
import { DISGUISE_ATTACKS, PARENT_ATTACKS } from "./attacks-disguise.ts";
import { FILLING_ATTACKS } from "./attacks-filling.ts";
import { FORM_ATTACKS } from "./attacks-form.ts";
import { MAKER_ATTACKS } from "./attacks-makers.ts";
import { MEANING_ATTACKS } from "./attacks-meaning.ts";
import { KEPT_ATTACKS } from "./attacks-kept.ts";
import { NAME_ATTACKS } from "./attacks-spelling.ts";
import { PLACE_ATTACKS } from "./attacks-places.ts";
import { ROLE_ATTACKS } from "./attacks-roles.ts";
import { SHAPE_ATTACKS } from "./attacks-shapes.ts";
import { STRUCTURE_ATTACKS } from "./attacks-structure.ts";
import { TRUST_ATTACKS } from "./attacks-trust.ts";
import { UNLISTED_ATTACKS } from "./attacks-unlisted.ts";
import { edited, forgedRevision, lastObject, latin, extended, redefined } from "./forge.ts";
import { freeCms, signFreely } from "./sign-freely.ts";
import { prepareAll, signAs } from "./sign-flow.ts";
import { smallPdf } from "./small-pdf.ts";
import { wrapped } from "./wrap-signature.ts";

const EVIL_NOTE =
  "<</Type/Annot/Subtype/FreeText/Rect[60 680 460 740]/DA(/Helv 24 Tf)/Contents(FAUX)/F 4>>";

/** Edits the last signature dictionary, lengths kept. */
function inDictionary(bytes: Uint8Array, change: (dictionary: string) => string): Uint8Array {
  const text = latin(bytes);
  const start = text.lastIndexOf("/ByteRange");
  const end = text.indexOf(">>\nendobj", start);
  const dictionary = text.slice(start, end);
  return edited(bytes, dictionary, change(dictionary).padEnd(dictionary.length));
}
const range =
  (syntax: string): Attack =>
  ({ first }) =>
    inDictionary(first, (text) =>
      swap(text, /\/ByteRange\[[^\]]*\]/, (found) => syntax.padEnd(found.length)),
    );
const contents =
  (syntax: string): Attack =>
  ({ first }) =>
    inDictionary(first, (text) =>
      swap(text, /\/Contents<[^>]*>/, (found) => syntax.padEnd(found.length)),
    );
/** Replaces the signature dictionary and the page's content in a later revision. */
const laterDictionary =
  (change: (dictionary: string) => string): Attack =>
  ({ first }) => {
    const { number, syntax } = lastObject(first, "/ByteRange");
    return forgedRevision(first, { objects: { 4: EVIL_CONTENT, [number]: change(syntax) } });
  };

/**
 * Universal signature forgery: the reference to what is signed is broken, and the reader gives up.
 */
const USF: Attacks = {
  "USF ByteRange missing": ({ first }) =>
    inDictionary(first, (text) => swap(text, "/ByteRange", "/ByteRangx")),
  "USF ByteRange null": range("/ByteRange null"),
  "USF ByteRange empty": range("/ByteRange[]"),
  "USF ByteRange of zeros": range("/ByteRange[0 0 0 0]"),
  "USF ByteRange negative": range("/ByteRange[0 -1 -1 -1]"),
  "USF ByteRange of two numbers": range("/ByteRange[0 100]"),
  "USF ByteRange of names": range("/ByteRange[/a /b /c /d]"),
  "USF ByteRange past the end": range("/ByteRange[0 100 200 99999999]"),
  "USF Contents missing": ({ first }) =>
    inDictionary(first, (text) => swap(text, "/Contents<", "/Contentz<")),
  "USF Contents null": contents("/Contents null"),
  "USF Contents empty": contents("/Contents<>"),
  "USF Contents zero": contents("/Contents<00>"),
  "USF SubFilter unknown": ({ first }) =>
    inDictionary(first, (text) => swap(text, "ETSI.CAdES.detached", "ETSI.CAdES.detachee")),
  "USF later, ByteRange missing": laterDictionary((text) => swap(text, "/ByteRange", "/ByteRangx")),
  "USF later, Contents missing": laterDictionary((text) => swap(text, "/Contents<", "/Contentz<")),
  "USF later, an empty dictionary": laterDictionary(() => "<</Type/Sig>>"),
  "USF a second signer's look without a value": ({ first }) =>
    redefined(
      first,
      "/T(env-0198_signature_bob)",
      (syntax) => swap(syntax, /\/AP *<<[^>]*>>/, "/AP<</N 900 0 R>>"),
      { 900: swap(EVIL_CONTENT, "<<", "<</Subtype/Form/BBox[0 0 9 9]") },
    ),
  "USF a second signer's value without a signature": ({ first }) =>
    extended(first, "/T(env-0198_signature_bob)", "/V<</Type/Sig/Name(Bob)>>"),
};

/** Incremental saving attacks: an unsigned update changes what is shown. */
const ISA: Attacks = {
  "ISA a whole update": ({ first }) => forgedRevision(first, { objects: { 4: EVIL_CONTENT } }),
  "ISA objects and the old startxref, no table": ({ first }) => {
    const previous = /startxref\s+\d+\s+%%EOF\n$/.exec(latin(first))?.[0] ?? "";
    return concatBytes([first, latinBytes(`4 0 obj\n${EVIL_CONTENT}\nendobj\n${previous}`)]);
  },
  "ISA objects and a trailer, no table": ({ first }) =>
    concatBytes([
      first,
      latinBytes(`4 0 obj\n${EVIL_CONTENT}\nendobj\ntrailer\n<</Root 1 0 R/Size 99>>\n%%EOF\n`),
    ]),
  "ISA objects alone": ({ first }) =>
    concatBytes([first, latinBytes(`4 0 obj\n${EVIL_CONTENT}\nendobj\n`)]),
  "ISA an object that the table leaves out": ({ first }) =>
    forgedRevision(first, {
      objects: { 950: "<<>>" },
      unlisted: `4 0 obj\n${EVIL_CONTENT}\nendobj\n`,
    }),
  "ISA a copy of the signature after the change": ({ first }) => {
    const { syntax } = lastObject(first, "/ByteRange");
    return forgedRevision(first, { objects: { 4: EVIL_CONTENT, 960: syntax } });
  },
  "ISA the same signature in a second field": ({ first }) => {
    const { number, syntax } = lastObject(first, "/T(env-0198_signature_bob)");
    const value = /\/V (\d+ 0 R)/.exec(
      lastObject(first, "/T (env-0198_signature_alice)").syntax,
    )?.[1];
    return forgedRevision(first, { objects: { [number]: `${syntax.slice(0, -2)}/V ${value}>>` } });
  },
  "ISA another catalog": ({ first }) =>
    forgedRevision(first, { objects: { 950: "<</Type/Catalog/Pages 2 0 R>>" }, root: "950 0 R" }),
  "ISA a copy of the catalog": ({ first }) =>
    forgedRevision(first, {
      objects: { 950: lastObject(first, "/Type /Catalog").syntax },
      root: "950 0 R",
    }),
  "ISA another page tree": ({ first }) =>
    forgedRevision(first, { objects: { 2: "<</Type/Pages/Kids[3 0 R 3 0 R]/Count 2>>" } }),
  "ISA an action in the catalog": ({ first }) =>
    extended(first, "/Type /Catalog", "/OpenAction<</S/JavaScript/JS(1)>>"),
  "ISA the form without its fields": ({ first }) =>
    redefined(first, "/SigFlags", (syntax) => swap(syntax, /\/Fields ?\[[^\]]*\]/, "/Fields []")),
  "ISA the form asks for new appearances": ({ first }) =>
    extended(first, "/SigFlags", "/NeedAppearances true"),
  "ISA a locked field changed": ({ first }) =>
    redefined(first, "/T (env-0198_a-date)", (syntax) => swap(syntax, "21/11/2026", "01/01/2020")),
  "ISA a locked field changed, the lock removed": ({ first }) => {
    const [field, signature] = [
      lastObject(first, "/T (env-0198_a-date)"),
      lastObject(first, "/ByteRange"),
    ];
    return forgedRevision(first, {
      objects: {
        [field.number]: swap(field.syntax, "21/11/2026", "01/01/2020"),
        [signature.number]: swap(signature.syntax, /\/Reference.*$/, ">>"),
      },
    });
  },
  "ISA bytes after the end": ({ first }) => concatBytes([first, latinBytes("surprise")]),
  "ISA one byte altered": ({ first }) => edited(first, "Contrat", "Contrad"),
};

/** Signature wrapping: what was signed moves, and the hole of the ByteRange is filled. */
const SWA: Attacks = {
  "SWA moved bytes": ({ first }) => wrapped(first, "plain"),
  "SWA moved bytes, the hole padded with spaces": ({ first }) => wrapped(first, "spaces"),
  "SWA moved bytes, the hole padded with zeros": ({ first }) => wrapped(first, "zeros"),
  "SWA moved bytes, the hole in a comment": ({ first }) => wrapped(first, "comment"),
};

/** Shadow attacks: content prepared before the signature is swapped after it. */
const SHADOW: Attacks = {
  "shadow hide: an overlay emptied": ({ shadow }) =>
    forgedRevision(shadow, {
      objects: {
        7: "<</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Length 0>>\nstream\n\nendstream",
      },
    }),
  "shadow hide: an overlay freed": ({ shadow }) =>
    forgedRevision(shadow, { objects: {}, entries: { 7: null } }),
  "shadow hide: the page leaves its overlay out": ({ shadow }) =>
    redefined(shadow, "/Contents [4 0 R 6 0 R]", (syntax) =>
      swap(syntax, "[4 0 R 6 0 R]", "[4 0 R]"),
    ),
  "shadow replace: a field repainted, its value kept": ({ shadow }) =>
    forgedRevision(shadow, {
      objects: {
        9: "<</Type/XObject/Subtype/Form/BBox[0 0 200 30]/Length 7>>\nstream\n0 0 m S\nendstream",
      },
    }),
  "shadow replace: a field's look removed": ({ shadow }) => {
    const { syntax } = lastObject(shadow, "(montant)");
    return forgedRevision(shadow, { objects: { 8: swap(syntax, /\/AP *<<[^>]*>>/, "") } });
  },
  "shadow replace: a font redefined": ({ shadow }) =>
    forgedRevision(shadow, {
      objects: { 5: "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>" },
    }),
  "shadow hide-and-replace: a table names an object hidden in a stream": ({ shadow }) =>
    forgedRevision(shadow, { objects: {}, entries: { 4: latin(shadow).indexOf(HIDDEN_OBJECT) } }),
  "shadow hide-and-replace: a dangling reference defined later": ({ shadow }) =>
    forgedRevision(shadow, { objects: { 70: "<</Hidden true>>" } }),
};

const noted = (bytes: Uint8Array): Uint8Array =>
  redefined(bytes, "/Type /Page ", (syntax) => swap(syntax, /\/Annots \[/, "/Annots [970 0 R "), {
    970: EVIL_NOTE,
  });

/** Certification attacks: an evil annotation, a sneaky signature. */
const CERTIFICATION: Attacks = {
  "EAA an annotation where filling alone is allowed": ({ certified }) => noted(certified),
  "EAA an annotation that covers the text": ({ certifiedForNotes }) => noted(certifiedForNotes),
  "SSA a visible signature added by somebody trusted": async ({ certified, bob, pki }) =>
    signFreely(certified, {
      fieldName: "second",
      rect: "60 680 460 740",
      cms: (covered) => sealed({ signer: bob, tsa: pki.tsa }, covered),
    }),
  "SSA a visible signature added by a stranger": async ({ certified, stranger }) =>
    signFreely(certified, {
      fieldName: "second",
      rect: "60 680 460 740",
      cms: async (covered) =>
        sealed({ signer: await stranger.issue({ commonName: "Bob" }) }, covered),
    }),
};

/** A trusted signer signs a range that the format does not allow. */
const signedRange =
  (make: (gap: { from: number; to: number; end: number }) => readonly number[]): Attack =>
  (stage) =>
    signFreely(stage.prepared, {
      cms: (covered) => sealed({ signer: stage.alice, tsa: stage.pki.tsa }, covered),
      range: make,
    });
const RANGES: Attacks = {
  "ByteRange with a gap too big": signedRange(({ from, to, end }) => [
    0,
    from - 12,
    to + 12,
    end - to - 12,
  ]),
  "ByteRange with a gap too small": signedRange(({ from, to, end }) => [0, from + 1, to, end - to]),
  "ByteRange that overlaps": signedRange(({ from, end }) => [0, from, from - 10, end - from + 10]),
  "ByteRange that does not begin at 0": signedRange(({ from, to, end }) => [
    1,
    from - 1,
    to,
    end - to,
  ]),
  "ByteRange that leaves the page out": signedRange(({ from, to, end }) => [
    0,
    200,
    600,
    from - 600,
    to,
    end - to,
  ]),
  "ByteRange that ends early": signedRange(({ from, to, end }) => [0, from, to, end - to - 20]),
  "ByteRange of one piece": signedRange(({ from }) => [0, from]),
};

const withCms =
  (options: Partial<Parameters<typeof freeCms>[1]>, subFilter?: string): Attack =>
  ({ prepared, free }) =>
    signFreely(prepared, {
      cms: (covered) => freeCms(covered, { ...free, ...options }),
      ...(subFilter ? { subFilter } : {}),
    });
const CMS: Attacks = {
  "a SHA-1 digest": withCms({ digest: "SHA-1" }),
  "a SHA-1 digest in an old signature": withCms({ digest: "SHA-1" }, "adbe.pkcs7.detached"),
  "no signed attributes": withCms({ attributes: "none" }),
  "no signed attributes in an old signature": withCms(
    { attributes: "none" },
    "adbe.pkcs7.detached",
  ),
  "no certificate reference": withCms({ attributes: "without_reference" }),
  "an old certificate reference (SHA-1)": withCms({ attributes: "old_reference" }),
  "two digests": withCms({ attributes: "doubled_digest" }),
  "two signers in one value": withCms({ signers: 2 }),
};

const STORE: Attacks = {
  "DSS removed": ({ archived }) =>
    redefined(archived, "/Type /Catalog", (syntax) => swap(syntax, /\/DSS \d+ 0 R/, "")),
  "DSS emptied": ({ archived }) =>
    forgedRevision(archived, {
      objects: { [lastObject(archived, "/Type/DSS").number]: "<</Type/DSS>>" },
    }),
  "DSS with an entry for a signature that is not there": ({ archived }) =>
    redefined(archived, "/Type/DSS", (syntax) =>
      swap(syntax, "/VRI<<", `/VRI<</${"AB".repeat(20)}<<>>`),
    ),
  "DSS without one of its entries": ({ archived }) =>
    redefined(archived, "/Type/DSS", (syntax) => swap(syntax, /\/[0-9A-F]{40} ?<<[^>]*>>/, "")),
};

const sha256 = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource));
const TIME: Attacks = {
  "a signature time-stamp over other bytes": ({ prepared, alice, pki }) =>
    signFreely(prepared, {
      cms: async (covered) =>
        createSignedData({
          signer: alice,
          contentType: OID.data,
          contentDigestSha256: await sha256(covered),
          certificates: alice.certificates,
          unsignedAttributes: async () => [
            attribute(OID.signatureTimestamp, await pki.tsa.timestamp(new Uint8Array(32))),
          ],
        }),
    }),
  "a document time-stamp over other bytes": async ({ second, pki }) =>
    completeSignature(
      await prepareDocumentTimestamp(second, {}),
      await pki.tsa.timestamp(new Uint8Array(32)),
    ),
  "a time-stamp of an authority that nobody trusts": ({ prepared, alice, stranger }) =>
    signAs(prepared, { signer: alice, ownerKey: "alice", tsa: stranger.tsa }),
  "a document time-stamp of an authority that nobody trusts": async ({ second, stranger }) => {
    const prepared = await prepareDocumentTimestamp(second, {});
    return completeSignature(prepared, await stranger.tsa.timestamp(prepared.digestSha256));
  },
  "a signer that nobody trusts": async ({ stranger }) =>
    signAs(await prepareAll(smallPdf()), {
      signer: await stranger.issue({ commonName: "Alice" }),
      tsa: stranger.tsa,
      ownerKey: "alice",
    }),
};

/** Every attack by its name, in classes of one idea each. */
const ATTACK_CLASSES: Readonly<Record<string, Attacks>> = {
  "Universal signature forgery": USF,
  "Incremental saving": ISA,
  "Signature wrapping": SWA,
  "Shadow attacks": SHADOW,
  Certifications: CERTIFICATION,
  "Byte ranges": RANGES,
  "Signed data": CMS,
  "Security store": STORE,
  Times: TIME,
  "Structure of the file": STRUCTURE_ATTACKS,
  Disguises: DISGUISE_ATTACKS,
  Forms: FORM_ATTACKS,
  Roles: ROLE_ATTACKS,
  Trust: TRUST_ATTACKS,
  "Meaning of entries": MEANING_ATTACKS,
  "Places and pages": PLACE_ATTACKS,
  Digests: DIGEST_ATTACKS,
  "Signed data in detail": CMS_ATTACKS,
  "Signatures that no field lists": UNLISTED_ATTACKS,
  Parents: PARENT_ATTACKS,
  "Shapes of objects": SHAPE_ATTACKS,
  Filling: FILLING_ATTACKS,
  Names: NAME_ATTACKS,
  "What must be kept": KEPT_ATTACKS,
  "Other makers’ habits": MAKER_ATTACKS,
};

export const ATTACKS: Attacks = Object.assign({}, ...Object.values(ATTACK_CLASSES));
