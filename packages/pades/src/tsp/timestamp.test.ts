import { beforeAll, expect, test } from "vitest";
import { createRoot, issueCertificate } from "../x509/certificate.ts";
import { webCryptoSigner } from "../x509/types.ts";
import { createTimestampToken, isStrictToken, verifyTimestampToken } from "./timestamp.ts";

const NOW = new Date("2026-11-22T20:04:05.000Z");
const imprint = new Uint8Array(32).fill(7);
const life = {
  notBefore: new Date(NOW.getTime() - 86_400_000),
  notAfter: new Date(NOW.getTime() + 86_400_000),
};
let token: Uint8Array;
let certificate: Uint8Array;

async function makePair() {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  return {
    key: pair.privateKey,
    subjectPublicKey: new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)),
  };
}

beforeAll(async () => {
  const [top, own] = [await makePair(), await makePair()];
  const request = { serialNumber: Uint8Array.of(1, 2, 3), ...life };
  const root = await createRoot(webCryptoSigner(top.key, []), {
    ...request,
    ...top,
    subject: { commonName: "Racine" },
  });
  certificate = await issueCertificate(webCryptoSigner(top.key, [root]), {
    ...request,
    profile: "tsa",
    subject: { commonName: "Horodatage" },
    subjectPublicKey: own.subjectPublicKey,
  });
  const asked = {
    hashAlgorithm: "SHA-256",
    imprint,
    nonce: null,
    certificateRequested: true,
  } as const;
  const signer = webCryptoSigner(own.key, [certificate]);
  token = await createTimestampToken(asked, {
    signer,
    policyOid: "1.3.6.1.4.1.32473.1",
    serialNumber: Uint8Array.of(9),
    now: NOW,
  });
});

test("the service's token is strict", () => {
  expect(isStrictToken(token)).toBe(true);
});

test("a token with any bit flipped is invalid or not strict", {
  timeout: 60_000,
}, async () => {
  const held: number[] = [];
  for (let bit = 0; bit < token.length * 8; bit += 1) {
    const flipped = Uint8Array.from(token);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const isSound = await verifyTimestampToken(flipped, { imprint }).then(
      () => true,
      () => false,
    );
    if (isSound && isStrictToken(flipped)) held.push(bit);
  }
  expect(held).toEqual([]);
});

test("bytes after a token, or outside its signature, make it not strict", () => {
  expect(isStrictToken(Uint8Array.of(...token, 0))).toBe(false);
  expect(isStrictToken(token.subarray(0, -1))).toBe(false);
  expect(isStrictToken(certificate)).toBe(false);
  expect(isStrictToken(new Uint8Array())).toBe(false);
});
