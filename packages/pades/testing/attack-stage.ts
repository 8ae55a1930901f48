import type { Signer } from "../src/ports.ts";
import { createSignature } from "../src/sign/create-signature.ts";
import { issueCertificate } from "../src/x509/certificate.ts";
import { archiveWith } from "./archive.ts";
import { prepareAll, signAs } from "./sign-flow.ts";
import { signFreely } from "./sign-freely.ts";
import { smallPdf } from "./small-pdf.ts";
import { TEST_NOW, type TestPki, createTestPki, generateKeys } from "./test-pki.ts";

/** An hour after the signatures of the test PKI. */
export const STAGE_LATER = new Date(TEST_NOW.getTime() + 3_600_000);

/**
 * What attackers work on: honest files of one trusted PKI, and the means of a signer of that PKI.
 */
export type AttackStage = {
  readonly pki: TestPki;
  readonly stranger: TestPki;
  readonly alice: Signer;
  readonly bob: Signer;
  /** A key with a certificate of the trusted CA, for signatures that our writer refuses to make. */
  readonly free: { readonly privateKey: CryptoKey; readonly certificates: readonly Uint8Array[] };
  readonly prepared: Uint8Array;
  /** Signed by Alice (B-T), Bob's fields still empty; then by Bob; then archived. */
  readonly first: Uint8Array;
  readonly second: Uint8Array;
  readonly archived: Uint8Array;
  /** Certified: filling allowed; annotations allowed too. */
  readonly certified: Uint8Array;
  readonly certifiedForNotes: Uint8Array;
  /** Signed by Alice; what it shows is hidden, painted by a field, or can be swapped. */
  readonly shadow: Uint8Array;
};

/**
 * The second content is written inside a stream that nothing uses: a table can make an object of it
 * later.
 */
const HIDDEN_CONTENT = "BT /F1 24 Tf 72 700 Td (FAUX) Tj ET";
export const HIDDEN_OBJECT = `4 0 obj\n<</Length ${HIDDEN_CONTENT.length}>>\nstream\n${HIDDEN_CONTENT}\nendstream\nendobj\n`;
const OVERLAY = "1 g 60 680 400 60 re f";
const PAINTED = "BT /F1 12 Tf 2 5 Td (100 EUR) Tj ET";

function shadowPdf(): Uint8Array {
  const stream = (entries: string, data: string): string =>
    `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;
  const field =
    "<</Type/Annot/Subtype/Widget/FT/Tx/T(montant)/V(100 EUR)/Rect[100 500 300 530]/F 4/AP<</N 9 0 R>>>>";
  return smallPdf({
    catalogExtra: "/AcroForm 10 0 R",
    pageExtra: "/Annots[8 0 R]/PieceInfo 70 0 R",
    objects: {
      3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents[4 0 R 6 0 R]/Resources<</Font<</F1 5 0 R>>/XObject<</X 7 0 R>>>>/Annots[8 0 R]/PieceInfo 70 0 R>>",
      6: stream("", "/X Do"),
      7: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]", OVERLAY),
      8: field,
      9: stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 200 30]/Resources<</Font<</F1 5 0 R>>>>",
        PAINTED,
      ),
      10: "<</Fields[8 0 R]>>",
      11: stream("", HIDDEN_OBJECT),
    },
  });
}

export async function createAttackStage(): Promise<AttackStage> {
  const [pki, stranger, keys] = await Promise.all([
    createTestPki(),
    createTestPki(),
    generateKeys(),
  ]);
  const [alice, bob] = await Promise.all([
    pki.issue({ commonName: "Alice" }),
    pki.issue({ commonName: "Bob" }),
  ]);
  const freeDer = await issueCertificate(pki.ca, {
    profile: "signer",
    subject: { commonName: "Libre" },
    subjectPublicKey: keys.spki,
    serialNumber: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
    notBefore: new Date(TEST_NOW.getTime() - 60_000),
    notAfter: new Date(TEST_NOW.getTime() + 365 * 86_400_000),
  });
  const prepared = await prepareAll(smallPdf());
  const first = await signAs(prepared, { signer: alice, tsa: pki.tsa, ownerKey: "alice" });
  const second = await signAs(first, { signer: bob, tsa: pki.tsa, ownerKey: "bob" });
  const certify = (certification: 2 | 3): Promise<Uint8Array> =>
    signFreely(smallPdf(), {
      certification,
      cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered),
    });
  return {
    pki,
    stranger,
    alice,
    bob,
    free: { privateKey: keys.privateKey, certificates: [freeDer, ...pki.ca.certificates] },
    prepared,
    first,
    second,
    archived: await archiveWith(pki, second, STAGE_LATER),
    certified: await certify(2),
    certifiedForNotes: await certify(3),
    shadow: await signAs(await prepareAll(shadowPdf()), {
      signer: alice,
      tsa: pki.tsa,
      ownerKey: "alice",
    }),
  };
}

/** Makes a CMS over these bytes as our own signatures have it. */
export async function sealed(
  by: { signer: Signer; tsa?: TestPki["tsa"] },
  covered: Uint8Array,
): Promise<Uint8Array> {
  return createSignature({
    ...by,
    digestSha256: new Uint8Array(await crypto.subtle.digest("SHA-256", covered as BufferSource)),
  });
}

export type Attack = (stage: AttackStage) => Uint8Array | Promise<Uint8Array>;
export type Attacks = Readonly<Record<string, Attack>>;

/** Replaces, or throws: an attack that changes nothing proves nothing. */
export function swap(
  text: string,
  from: string | RegExp,
  to: string | ((found: string) => string),
): string {
  const swapped = typeof to === "string" ? text.replace(from, () => to) : text.replace(from, to);
  if (swapped === text) throw new Error(`nothing to replace: ${String(from)}`);
  return swapped;
}

export const EVIL_CONTENT =
  "<</Length 35>>\nstream\nBT /F1 24 Tf 72 700 Td (FAUX) Tj ET\nendstream";
