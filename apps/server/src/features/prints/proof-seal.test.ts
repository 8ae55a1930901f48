import { createHash, createPublicKey, verify as verifySignature, X509Certificate } from "node:crypto";
import { readSealKeys } from "@paraphe/proof";
import canonicalize from "canonicalize";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestApp } from "../../../testing/app.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { bytesAt, notOk, openProven, proofIn, type Proven, sealedBy, verifyProven, writtenOut } from "../../../testing/proven-envelope.ts";
import { createTrust, rotateAuthority } from "../trust/index.ts";
import { revokeCertificate } from "../trust/store.ts";

const JWKS = "/.well-known/jwks.json";
const YEARS_15 = 15 * 365;
let proven: Proven;
let jwks: Uint8Array;
beforeAll(async () => {
  proven = await openProven();
  jwks = await bytesAt(proven.anybody, JWKS);
}, 60_000);
afterAll(() => proven.test.close());

const verify = (request: Parameters<typeof verifyProven>[1] = {}) => verifyProven(proven, request);
const sealOf = ({ jws }: { jws: string }) => JSON.parse(Buffer.from(jws.split(".")[0] ?? "", "base64url").toString());
const inYears = () => new Date(proven.test.platform.clock().getTime() + YEARS_15 * 86_400_000);

describe("the time-stamp over the seal of preuve.json", () => {
  it("proves the seal when its certificate has ended, and every other check holds as well", async () => {
    const seal = new X509Certificate(Buffer.from(sealOf(proofIn(proven.proof)).x5c[0], "base64"));
    expect(seal.validToDate < inYears()).toBe(true);
    const report = await verify({ now: inYears() });
    expect([report.verdict, notOk(report)]).toEqual(["valid", []]);
    expect(report.checks.find(({ name }) => name === "signatures")?.sentence).toContain("valides quand la preuve a été horodatée");
    expect(report.checks.find(({ name }) => name === "stamp")?.sentence).toBe(
      "La preuve est horodatée par «\u00a0Paraphe Horodatage\u00a0», le 21/11/2026 à 10:00:00 (UTC).",
    );
  });

  it("is missed once the seal's certificate has ended, and said to be missing before", async () => {
    const bare = writtenOut({ ...proofIn(proven.proof), timestamp: null });
    expect(notOk(await verify({ proof: bare }))).toEqual([["stamp", "not_checked"]]);
    const later = await verify({ proof: bare, now: inYears() });
    expect([later.verdict, notOk(later)]).toEqual([
      "indeterminate",
      [
        ["stamp", "not_checked"],
        ["seal_chain", "not_checked"],
        ["signatures", "not_checked"],
      ],
    ]);
  });

  it("fails with any bit of it flipped, and as another proof's", { timeout: 120_000 }, async () => {
    const file = proofIn(proven.proof);
    const token = Buffer.from(file.timestamp ?? "", "base64");
    expect(token.length).toBeGreaterThan(500);
    const held: string[] = [];
    for (let bit = 0; bit < token.length * 8; bit += 37) {
      const flipped = Buffer.from(token);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const { checks } = await verify({ proof: writtenOut({ ...file, timestamp: flipped.toString("base64") }), files: [] });
      if (checks.find(({ name }) => name === "stamp")?.state !== "failed") held.push(`${bit >> 3}:${bit & 7}`);
    }
    expect(held).toEqual([]);
    const other = proofIn(await sealedBy(proven.test, { ...file.proof, title: "Autre" }));
    for (const timestamp of [other.timestamp, Buffer.concat([token, Buffer.of(0)]).toString("base64")])
      expect(notOk(await verify({ proof: writtenOut({ ...file, timestamp }) }))).toContainEqual(["stamp", "failed"]);
  });

  it("fails when an authority of somebody else's made it", async () => {
    const other = await createTestApp();
    const { platform } = other;
    const file = proofIn(proven.proof);
    const token = await (await createTrust(platform)).timestamp.timestamp(new Uint8Array(createHash("sha256").update(file.jws).digest()));
    await other.close();
    const report = await verify({ proof: writtenOut({ ...file, timestamp: Buffer.from(token).toString("base64") }) });
    expect(notOk(report)).toEqual([["stamp", "failed"]]);
  });
});

describe("the keys of the seal", () => {
  it("are published, named by their RFC 7638 thumbprints as in the JWS, with their certificates", async () => {
    const answer = await proven.anybody.get(JWKS);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, expect.stringContaining("application/jwk-set+json")]);
    const [key, ...more] = JSON.parse(answer.text).keys;
    expect(more).toEqual([]);
    expect(key).toMatchObject({ kty: "EC", crv: "P-256", use: "sig", alg: "ES256" });
    expect(Object.keys(key).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "x5c", "y"]);
    const members = `{"crv":"${key.crv}","kty":"${key.kty}","x":"${key.x}","y":"${key.y}"}`;
    expect(key.kid).toBe(createHash("sha256").update(members).digest("base64url"));
    const { kid, x5c } = sealOf(proofIn(proven.proof));
    expect([kid, x5c]).toEqual([key.kid, key.x5c]);
  });

  it("security line 59: verify preuve.json offline, by any library for JWS, and by the checker, which needs no root then", async () => {
    const { jws, proof } = proofIn(proven.proof);
    const [header = "", payload = "", value = ""] = jws.split(".");
    const key = JSON.parse(Buffer.from(jwks).toString()).keys.find(({ kid }: { kid: string }) => kid === sealOf({ jws }).kid);
    const publicKey = createPublicKey({ key, format: "jwk" });
    const holds = (text: string) =>
      verifySignature("sha256", Buffer.from(text), { key: publicKey, dsaEncoding: "ieee-p1363" }, Buffer.from(value, "base64url"));
    expect([holds(`${header}.${payload}`), holds(`${header}.${payload.slice(0, -4)}AAAA`)]).toEqual([true, false]);
    expect(Buffer.from(payload, "base64url").toString()).toBe(canonicalize(proof));
    const report = await verify({ roots: [], sealKeys: readSealKeys(jwks) });
    expect([report.verdict, notOk(report)]).toEqual(["valid", []]);
    expect(report.checks.find(({ name }) => name === "seal_key")?.state).toBe("ok");
  });

  it("of another service vouch for nothing: its seal, its root and its time-stamps hold, its key is not trusted", async () => {
    const attacker = await openProven();
    const forged = { proof: attacker.proof, files: [{ name: "contrat.pdf", bytes: attacker.pdf }] };
    await attacker.test.close();
    expect((await verify({ ...forged, roots: attacker.roots })).verdict).toBe("valid");
    const report = await verify({ ...forged, roots: [], sealKeys: readSealKeys(jwks) });
    expect([report.verdict, notOk(report)]).toEqual(["invalid", [["seal_key", "failed"]]]);
    // Both that were given must hold.
    expect((await verify({ ...forged, roots: attacker.roots, sealKeys: readSealKeys(jwks) })).verdict).toBe("invalid");
  });

  it("are believed by what they are, not by what they call themselves", async () => {
    const stranger = await createTestApp();
    const [key] = JSON.parse(Buffer.from(await bytesAt(openBrowser(stranger.app), JWKS)).toString()).keys;
    await stranger.close();
    const { kid } = sealOf(proofIn(proven.proof));
    const renamed = Buffer.from(JSON.stringify({ keys: [{ ...key, kid }] }));
    expect(notOk(await verify({ roots: [], sealKeys: readSealKeys(renamed) }))).toEqual([["seal_key", "failed"]]);
  });

  it.each([
    "",
    "{}",
    "[]",
    '{"keys":3}',
    '{"keys":[null,1,{"kty":"RSA","n":"AA","e":"AQAB"},{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}',
  ])("are none in %j", (text) => {
    expect(readSealKeys(Buffer.from(text))).toEqual([]);
  });
});

describe("after each key was replaced", () => {
  let before: Proven;
  afterEach(() => before.test.close());

  it("a proof made before and one made since hold, by the roots and by the keys that are published since", async () => {
    before = await openProven();
    const { test, anybody, print, pdf, roots } = before;
    test.platform.clock.advance({ hours: 1 });
    for (const purpose of ["seal", "tsa", "ca"] as const) expect((await rotateAuthority(test.platform, purpose)).ok).toBe(true);
    // Whatever was read of the keys is half a minute old at most.
    test.platform.clock.advance({ minutes: 1 });
    const young = await bytesAt(anybody, print.proof_url);
    const published = await bytesAt(anybody, JWKS);
    const keyOf = (bytes: Uint8Array) => sealOf(proofIn(bytes)).kid;
    expect(keyOf(young)).not.toBe(keyOf(before.proof));
    // The seal was replaced by itself, then with its issuer.
    expect(readSealKeys(published)).toHaveLength(3);
    const given = { files: [{ name: "contrat.pdf", bytes: pdf }] };
    for (const proof of [before.proof, young]) {
      expect(notOk(await verifyProven(before, { ...given, proof, roots }))).toEqual([]);
      expect(notOk(await verifyProven(before, { ...given, proof, roots: [], sealKeys: readSealKeys(published) }))).toEqual([]);
    }
    expect(notOk(await verifyProven(before, { ...given, proof: young, roots: [], sealKeys: readSealKeys(published).slice(0, 1) }))).toEqual(
      [["seal_key", "failed"]],
    );
  });

  it("a seal that was revoked since proves what was stamped before, and nothing that is made by it", async () => {
    before = await openProven();
    const { test, proof } = before;
    test.platform.clock.advance({ hours: 1 });
    const file = proofIn(proof);
    const serial = new X509Certificate(Buffer.from(sealOf(file).x5c[0], "base64")).serialNumber.toLowerCase();
    await revokeCertificate(test.platform.db, serial, { at: test.platform.clock(), reason: 1 });
    test.platform.clock.advance({ hours: 1 });
    const { ocsp, currentEvidence } = await createTrust(test.platform);
    const answer = await ocsp(new Uint8Array(Buffer.from(sealOf(file).x5c[0], "base64")));
    const { crls = [] } = await currentEvidence();
    const revocation = {
      crls: crls.map((der) => Buffer.from(der).toString("base64")),
      ocsps: [Buffer.from(answer ?? []).toString("base64")],
    };
    const since = await sealedBy(test, { ...file.proof, revocation });
    expect(notOk(await verifyProven(before, { proof: since, files: [] }))).toContainEqual(["seal_chain", "failed"]);
    expect(notOk(await verifyProven(before, { files: [] }))).toEqual([
      ["file", "not_checked"],
      ["cards", "not_checked"],
    ]);
  });
});
