import { beforeAll, expect, test } from "vitest";
import { octetString, oid, sequence, unsignedInteger } from "../asn1/der-writer.ts";
import { OID } from "../asn1/oids.ts";
import { AUTHORITY, freeCertificate, freeCms, signFreely } from "../../testing/sign-freely.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { smallPdf } from "../../testing/small-pdf.ts";
import {
  TEST_NOW,
  type TestPki,
  createTestPki,
  generateKeys,
  trusting,
} from "../../testing/test-pki.ts";
import { createCrl, createOcspCertId, createOcspResponse } from "../x509/ocsp.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { type OcspAnswer, type OcspCertId, webCryptoSigner } from "../x509/types.ts";
import type { Evidence, ValidationPolicy } from "./types.ts";
import { validate } from "./validate.ts";

const DAY = 86_400_000;
const daysFrom = (days: number): Date => new Date(TEST_NOW.getTime() + days * DAY);
const LATER = new Date(TEST_NOW.getTime() + 60_000);
let pki: TestPki;
let signed: Uint8Array;
let leaf: Uint8Array;
let ca: Uint8Array;
let certId: OcspCertId;

beforeAll(async () => {
  pki = await createTestPki();
  const alice = await pki.issue({ commonName: "Alice" });
  [leaf, ca] = alice.certificates as [Uint8Array, Uint8Array];
  certId = await createOcspCertId(leaf, ca);
  signed = await signAs(await prepareAll(smallPdf()), {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
  });
});

const validated = async (
  evidence: Partial<Evidence>,
  revocation: ValidationPolicy["revocation"] = "required",
): Promise<unknown[]> => {
  const report = await validate(signed, {
    evidence: { ...trusting(pki.root.certificates), ...evidence },
    now: LATER,
    policy: { revocation },
  });
  return report.signatures.map(({ indication, subIndication }) => [indication, subIndication]);
};
const list = (issuer: TestPki["ca"], from: Date, to: Date): Promise<Uint8Array> =>
  createCrl(issuer, { number: 1n, thisUpdate: from, nextUpdate: to, revoked: [] });
const lists = async (): Promise<Uint8Array[]> => [
  await list(pki.root, LATER, daysFrom(1)),
  await list(pki.ca, LATER, daysFrom(1)),
];
type Said = Pick<OcspAnswer, "status"> & { readonly revokedAt?: Date };
const says = (
  said: Said,
  { from = LATER, to = daysFrom(1), about = certId, producedAt = LATER } = {},
): Promise<Uint8Array> =>
  createOcspResponse(pki.ocsp, {
    producedAt,
    answers: [{ certId: about, thisUpdate: from, nextUpdate: to, ...said } as OcspAnswer],
  });
const PASSED = [["TOTAL_PASSED", null]];
const WAIT = [["INDETERMINATE", "TRY_LATER"]];

/** Gives so many different lists of one name, none of them signed by it. */
const forged = async (count: number): Promise<Uint8Array[]> => {
  const [one] = [await list(pki.ca, LATER, daysFrom(1))];
  return Array.from({ length: count }, (_, index) => {
    const der = one.slice();
    new DataView(der.buffer).setUint32(der.length - 5, index);
    return der;
  });
};
const problems = async (evidence: Partial<Evidence>): Promise<readonly string[]> =>
  (
    await validate(signed, {
      evidence: { ...trusting(pki.root.certificates), ...evidence },
      now: LATER,
    })
  ).problems;

test("ten thousand and one CRLs are too many", async () => {
  expect(await problems({ crls: await forged(10_001) })).toEqual(["pdf_too_complex"]);
});

test("six thousand CRLs are verified once each, and the one that applies is found", async () => {
  expect(await validated({ crls: [...(await forged(6_000)), ...(await lists())] })).toEqual(PASSED);
});

test("CRLs of other names cost nothing", async () => {
  const other = await list(await pki.issue({ commonName: "Autre" }), LATER, daysFrom(1));
  const many = Array.from({ length: 12_000 }, () => other.slice());
  expect(await problems({ crls: [...many, ...(await lists())] })).toEqual([]);
});

test("an old status in a new OCSP response is old", async () => {
  const crls = [await list(pki.root, LATER, daysFrom(1))];
  const about = await createOcspCertId(pki.tsaSigner.certificates[0] as Uint8Array, ca);
  const stamping = await says({ status: "good" }, { about });
  expect(await validated({ crls, ocsps: [stamping, await says({ status: "good" })] })).toEqual(
    PASSED,
  );
  expect(
    await validated({
      crls,
      ocsps: [stamping, await says({ status: "good" }, { from: daysFrom(-9), to: daysFrom(-8) })],
    }),
  ).toEqual(WAIT);
});

test("an OCSP answer that is valid beyond the signature is fresh", async () => {
  const crls = [await list(pki.root, LATER, daysFrom(1))];
  const about = await createOcspCertId(pki.tsaSigner.certificates[0] as Uint8Array, ca);
  const stamping = await says({ status: "good" }, { about });
  const answer = (to: Date): Promise<Uint8Array> =>
    says({ status: "good" }, { from: daysFrom(-3), to, producedAt: daysFrom(-3) });
  expect(await validated({ crls, ocsps: [stamping, await answer(daysFrom(3))] })).toEqual(PASSED);
  expect(await validated({ crls, ocsps: [stamping, await answer(daysFrom(-1))] })).toEqual(WAIT);
});

test("a root CRL that ended before the signature does not cover the authority", async () => {
  const [, caList] = (await lists()) as [Uint8Array, Uint8Array];
  expect(
    await validated({ crls: [caList, await list(pki.root, daysFrom(-40), daysFrom(-10))] }),
  ).toEqual(WAIT);
  expect(
    await validated({ crls: [caList, await list(pki.root, daysFrom(-40), daysFrom(10))] }),
  ).toEqual(PASSED);
});

test("a CRL of another authority with the same name is ignored", async () => {
  const stranger = await createTestPki();
  const rootList = await list(pki.root, LATER, daysFrom(1));
  expect(
    await validated({ crls: [rootList, await list(stranger.ca, LATER, daysFrom(1))] }),
  ).toEqual(WAIT);
});

test("an OCSP answer for an issuer of another key is ignored, whatever its digest", async () => {
  const digest = async (bytes: Uint8Array): Promise<Uint8Array> =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource));
  const name = await digest(parseCertificate(ca).subjectDer);
  const hashes = [octetString(name), octetString(new Uint8Array(32))];
  const der = sequence(sequence(oid(OID.sha256)), ...hashes, unsignedInteger(certId.serialNumber));
  const revoked = await says(
    { status: "revoked", revokedAt: daysFrom(-1) },
    { about: { ...certId, der } },
  );
  expect(await validated({ crls: await lists(), ocsps: [revoked] })).toEqual(PASSED);
});

test("an unknown status leaves the signature indeterminate", async () => {
  expect(await validated({ ocsps: [await says({ status: "unknown" })] }, "if_present")).toEqual(
    WAIT,
  );
  expect(
    await validated(
      { crls: await lists(), ocsps: [await says({ status: "unknown" })] },
      "if_present",
    ),
  ).toEqual(PASSED);
});

test("an OCSP answer with an unreadable certificate is checked without it", async () => {
  const good = await says({ status: "revoked", revokedAt: daysFrom(-1) });
  const responder = pki.ocsp.certificates[0] as Uint8Array;
  const at = good.length - responder.length;
  const broken = good.slice();
  broken.fill(0, at + 10, at + 40);
  expect(await validated({ ocsps: [broken] }, "if_present")).toEqual(PASSED);
  expect(await validated({ ocsps: [good] }, "if_present")).toEqual([["TOTAL_FAILED", "REVOKED"]]);
});

test("the earlier of two revocations counts, in either order", async () => {
  const told = (revokedAt: Date, thisUpdate: Date): Promise<Uint8Array> => {
    const revoked = [
      { serialNumber: parseCertificate(leaf).serialNumber, revokedAt, reason: 1 as const },
    ];
    return createCrl(pki.ca, { number: 1n, thisUpdate, nextUpdate: daysFrom(2), revoked });
  };
  const crls = [await told(daysFrom(-1), TEST_NOW), await told(daysFrom(1), LATER)];
  expect(await validated({ crls }, "if_present")).toEqual([["TOTAL_FAILED", "REVOKED"]]);
});

test("authorities that certify each other are tried once from each place", async () => {
  const { privateKey, spki } = await generateKeys();
  const self = {
    commonName: "Ronde",
    subjectPublicKey: spki,
    keyUsage: 0x04,
    extensions: [AUTHORITY],
  };
  const first = await freeCertificate(
    { ...webCryptoSigner(privateKey, []), certificates: pki.ca.certificates },
    self,
  );
  const issuer = webCryptoSigner(privateKey, [first]);
  const round = await Promise.all(Array.from({ length: 20 }, () => freeCertificate(issuer, self)));
  const own = await generateKeys();
  const stray = await freeCertificate(issuer, {
    commonName: "Alice",
    subjectPublicKey: own.spki,
    keyUsage: 0x40,
  });
  const bytes = await signFreely(await prepareAll(smallPdf()), {
    cms: (covered) =>
      freeCms(covered, { privateKey: own.privateKey, certificates: [stray, ...round] }),
  });
  const report = await validate(bytes, { evidence: trusting(pki.root.certificates), now: LATER });
  expect(report.signatures[0]).toMatchObject({
    indication: "INDETERMINATE",
    subIndication: "NO_CERTIFICATE_CHAIN_FOUND",
  });
});
