import { createHash } from "node:crypto";
import type { Checkpoint } from "@paraphe/contracts";
import {
  createCrl,
  createRoot,
  createTimestampToken,
  issueCertificate,
  isStrictToken,
  keyIdentifier,
  parseCertificate,
  type Signer,
  webCryptoSigner,
} from "@paraphe/pades";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { verifyCheckpoint } from "./verify-checkpoint.ts";
import { logEvidence, verifyTrustedCheckpoint } from "./verify-trusted-checkpoint.ts";

const NOW = new Date("2026-11-22T20:04:05.000Z");
const DAY_MS = 86_400_000;
const YESTERDAY = new Date(NOW.getTime() - DAY_MS);
const TOMORROW = new Date(NOW.getTime() + DAY_MS);
const STATED = {
  log: "https://signature.exemple.fr",
  size: 7,
  root: "ab".repeat(32),
  at: NOW.toISOString(),
  previous: { size: 3, root: "cd".repeat(32) },
};
let seal: Signer;
let authority: Signer;
let sound: Checkpoint;
let rootDer: Uint8Array;
let issuer: Signer;
let stranger: { readonly seal: Signer; readonly authority: Signer; readonly root: Uint8Array };

const base64Url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64url");

async function makeSigner(
  profile: "seal" | "tsa",
  issuer: Signer,
  notBefore = YESTERDAY,
): Promise<Signer> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const certificate = await issueCertificate(issuer, {
    profile,
    subject: { commonName: profile === "seal" ? "Cachet" : "Horodatage" },
    subjectPublicKey: new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)),
    serialNumber: new Uint8Array(16).fill(profile === "seal" ? 7 : 9),
    notBefore,
    notAfter: TOMORROW,
  });
  return webCryptoSigner(pair.privateKey, [certificate]);
}

/** Signs any payload. */
async function checkpointOf(
  text: string,
  sealed = STATED,
  asked: object = {},
): Promise<Checkpoint> {
  const header = base64Url(
    JSON.stringify({
      alg: "ES256",
      typ: "JOSE",
      ...asked,
      x5c: seal.certificates.map((der) => Buffer.from(der).toString("base64")),
    }),
  );
  const signed = `${header}.${base64Url(text)}`;
  const signature = `${signed}.${base64Url(rawOf(await seal.sign(new TextEncoder().encode(signed))))}`;
  const token = await createTimestampToken(
    {
      hashAlgorithm: "SHA-256",
      imprint: new Uint8Array(createHash("sha256").update(signature).digest()),
      nonce: null,
      certificateRequested: true,
    },
    {
      signer: authority,
      policyOid: "1.3.6.1.4.1.32473.1",
      serialNumber: Uint8Array.of(1, 2, 3),
      now: NOW,
    },
  );
  const { subjectPublicKey } = parseCertificate(seal.certificates[0] ?? new Uint8Array());
  return {
    size: sealed.size,
    root: sealed.root,
    at: sealed.at,
    key_id: Buffer.from(await keyIdentifier(subjectPublicKey)).toString("hex"),
    signature,
    timestamp: Buffer.from(token).toString("base64"),
  };
}

function rawOf(der: Uint8Array): Uint8Array {
  const halves: Buffer[] = [];
  for (let offset = 2; offset < der.length; ) {
    const length = der[offset + 1] ?? 0;
    halves.push(
      Buffer.concat([Buffer.alloc(32), der.subarray(offset + 2, offset + 2 + length)]).subarray(
        -32,
      ),
    );
    offset += 2 + length;
  }
  return Buffer.concat(halves);
}

const canonical = ({ at, log, previous, root, size }: typeof STATED) =>
  JSON.stringify({ at, log, previous: { root: previous.root, size: previous.size }, root, size });

async function makeAuthorities() {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, true, [
    "sign",
    "verify",
  ]);
  const subjectPublicKey = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  const root = await createRoot(webCryptoSigner(pair.privateKey, []), {
    subject: { commonName: "Racine" },
    subjectPublicKey,
    serialNumber: new Uint8Array(16).fill(3),
    notBefore: YESTERDAY,
    notAfter: TOMORROW,
  });
  const issuer = webCryptoSigner(pair.privateKey, [root]);
  return {
    root,
    issuer,
    seal: await makeSigner("seal", issuer),
    authority: await makeSigner("tsa", issuer),
  };
}

beforeAll(async () => {
  const own = await makeAuthorities();
  [seal, authority, rootDer, issuer] = [own.seal, own.authority, own.root, own.issuer];
  stranger = await makeAuthorities();
  sound = await checkpointOf(canonical(STATED));
});

async function forgedBy(
  signers: Partial<Record<"seal" | "authority", Signer>>,
): Promise<Checkpoint> {
  const own = { seal, authority };
  [seal, authority] = [signers.seal ?? own.seal, signers.authority ?? own.authority];
  try {
    return await checkpointOf(canonical(STATED));
  } finally {
    [seal, authority] = [own.seal, own.authority];
  }
}

describe("a checkpoint verified by the reader's roots", () => {
  const base64 = (der: Uint8Array) => Buffer.from(der).toString("base64");
  const trusting = (...roots: readonly Uint8Array[]) => ({
    evidence: logEvidence({ roots: roots.map(base64), timestamps: [], certificates: [] }),
    now: NOW,
  });

  test("is valid from the reader's service, later too", async () => {
    expect(await verifyTrustedCheckpoint(sound, trusting(rootDer))).toMatchObject({ ok: true });
    const later = { ...trusting(stranger.root, rootDer), now: new Date("2040-01-01T00:00:00Z") };
    expect(await verifyTrustedCheckpoint(sound, later)).toMatchObject({ ok: true });
  });

  test("uses the reader's own root instead of the published ones", async () => {
    const evidence = logEvidence({ roots: [base64(rootDer)], timestamps: [], certificates: [] }, [
      stranger.root,
    ]);
    expect(await verifyTrustedCheckpoint(sound, { evidence, now: NOW })).toEqual({
      ok: false,
      fault: "seal",
    });
  });

  test("accepts an outside time-stamping authority by its anchor", async () => {
    const stampedOutside = await forgedBy({ authority: stranger.authority });
    const evidence = logEvidence({
      roots: [base64(rootDer)],
      timestamps: [base64(stranger.root)],
      certificates: [],
    });
    expect(await verifyTrustedCheckpoint(stampedOutside, { evidence, now: NOW })).toMatchObject({
      ok: true,
    });
  });

  test.each([
    ["somebody else's seal and authority", () => stranger, "seal"],
    ["somebody else's seal", () => ({ seal: stranger.seal }), "seal"],
    ["somebody else's time-stamp", () => ({ authority: stranger.authority }), "authority"],
    ["the time-stamping authority in the place of the seal", () => ({ seal: authority }), "seal"],
  ] as const)(
    "is valid by itself but not trusted when made by %s",
    async (_what, signers, fault) => {
      const forged = await forgedBy(signers());
      expect(await verifyCheckpoint(forged)).toMatchObject({ ok: true });
      expect(await verifyTrustedCheckpoint(forged, trusting(rootDer))).toEqual({
        ok: false,
        fault,
      });
    },
  );

  describe("with revocation data", () => {
    type Revoked = { readonly who: Signer; readonly at: Date };
    const listed = (thisUpdate: Date, ...revoked: readonly Revoked[]) =>
      createCrl(issuer, {
        number: 1n,
        thisUpdate,
        nextUpdate: new Date(thisUpdate.getTime() + 7 * DAY_MS),
        revoked: revoked.map(({ who, at }) => ({
          serialNumber: parseCertificate(who.certificates[0] ?? new Uint8Array()).serialNumber,
          revokedAt: at,
        })),
      });
    const judged = async (checkpoint: Checkpoint, ...crls: readonly Uint8Array[]) => {
      const published = {
        roots: [base64(rootDer)],
        timestamps: [],
        certificates: [],
        crls: crls.map(base64),
      };
      return verifyTrustedCheckpoint(checkpoint, {
        evidence: logEvidence(published),
        now: new Date(NOW.getTime() + 300 * DAY_MS),
      });
    };
    const HOUR_AGO = new Date(NOW.getTime() - DAY_MS / 24);

    test("needs a CRL of its time or later, not one of long before", async () => {
      for (const at of [HOUR_AGO, TOMORROW])
        expect(await judged(sound, await listed(at))).toMatchObject({
          ok: true,
          revocation: "checked",
        });
      expect(await judged(sound)).toMatchObject({ ok: true, revocation: "unknown" });
      expect(await judged(sound, await listed(new Date(NOW.getTime() - 2 * DAY_MS)))).toMatchObject(
        { ok: true, revocation: "unknown" },
      );
    });

    test("ignores a later revocation and reports an earlier one", async () => {
      for (const who of [seal, authority]) {
        expect(await judged(sound, await listed(TOMORROW, { who, at: TOMORROW }))).toMatchObject({
          ok: true,
          revocation: "checked",
        });
        expect(await judged(sound, await listed(TOMORROW, { who, at: HOUR_AGO }))).toEqual({
          ok: false,
          fault: "revoked",
        });
      }
    });

    test("needs no revocation data of an outside authority", async () => {
      const published = {
        roots: [base64(rootDer)],
        timestamps: [base64(stranger.root)],
        certificates: [],
      };
      const evidence = logEvidence({ ...published, crls: [base64(await listed(TOMORROW))] });
      const outside = await forgedBy({ authority: stranger.authority });
      expect(await verifyTrustedCheckpoint(outside, { evidence, now: NOW })).toMatchObject({
        ok: true,
        revocation: "checked",
      });
    });

    test("refuses a certificate that was not valid yet", async () => {
      for (const [profile, member] of [
        ["seal", "seal"],
        ["tsa", "authority"],
      ] as const) {
        const early = await forgedBy({
          [member]: await makeSigner(profile, issuer, new Date(NOW.getTime() + 60_000)),
        });
        expect(await judged(early, await listed(TOMORROW))).toEqual({ ok: false, fault: member });
      }
    });
  });

  test("is not trusted without any root", async () => {
    expect(await verifyTrustedCheckpoint(sound, trusting())).toEqual({ ok: false, fault: "seal" });
  });
});

test("reads log, previous state, seal and time of a valid checkpoint", async () => {
  const verdict = await verifyCheckpoint(sound);
  if (!verdict.ok) throw new Error(verdict.fault);
  const { log, previous, seal: certificate, timestamp } = verdict.facts;
  expect({ log, previous }).toEqual({ log: STATED.log, previous: STATED.previous });
  expect([certificate.subject.commonName, timestamp.authorityName, timestamp.time]).toEqual([
    "Cachet",
    "Horodatage",
    NOW,
  ]);
});

describe("a checkpoint is refused", () => {
  test.each([
    ["another size", { size: 8 }, "content"],
    ["another root", { root: "ef".repeat(32) }, "content"],
    ["another moment", { at: "2026-11-22T20:04:06.000Z" }, "content"],
    ["another key", { key_id: "00" }, "key"],
    ["no signature", { signature: "" }, "form"],
    ["no time-stamp", { timestamp: "" }, "timestamp"],
  ] as const)("with %s", async (_what, change, fault) => {
    expect(await verifyCheckpoint({ ...sound, ...change })).toEqual({ ok: false, fault });
  });

  test.each([
    ["in another order", JSON.stringify(STATED)],
    ["with one word more", canonical(STATED).replace("{", '{"a":1,')],
    ["of something else", '{"print":"x"}'],
  ])("when its signed payload is written %s", async (_what, text) => {
    expect((await verifyCheckpoint(await checkpointOf(text))).ok).toBe(false);
  });

  test.each([
    { crit: ["b64"], b64: false },
    { crit: ["exp"], exp: 1 },
    { crit: [] },
    { b64: true },
  ])("when its header asks for an unsupported feature: %j", async (asked) => {
    expect(await verifyCheckpoint(await checkpointOf(canonical(STATED), STATED, asked))).toEqual({
      ok: false,
      fault: "form",
    });
  });

  test("with the time-stamp of another checkpoint", async () => {
    const other = await checkpointOf(canonical({ ...STATED, size: 9 }), { ...STATED, size: 9 });
    expect(await verifyCheckpoint({ ...sound, timestamp: other.timestamp })).toEqual({
      ok: false,
      fault: "timestamp",
    });
  });

  test("with any changed letter of its signature or time-stamp", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("signature", "timestamp"),
        fc.nat(),
        fc.constantFrom(..."Aa0_x"),
        async (member, place, letter) => {
          const text = sound[member];
          const at = place % text.length;
          const changed = text.slice(0, at) + letter + text.slice(at + 1);
          const isSame =
            Buffer.from(changed, "base64").equals(Buffer.from(text, "base64")) &&
            changed.split(".").length === text.split(".").length;
          if (isSame) return;
          // Changed bytes outside a token's signature make its encoding non-canonical.
          const isWritten = member === "signature" || isStrictToken(Buffer.from(changed, "base64"));
          expect((await verifyCheckpoint({ ...sound, [member]: changed })).ok && isWritten).toBe(
            false,
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});
