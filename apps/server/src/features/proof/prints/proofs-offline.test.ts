import {
  createHash,
  createPublicKey,
  verify as verifySignature,
  X509Certificate,
} from "node:crypto";
import { PROOF_SCHEMA_PATH, type ProofFile } from "@paraphe/contracts";
import { readSealKeys } from "@paraphe/proof";
import canonicalize from "canonicalize";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp } from "../../../../testing/app.ts";
import { openBrowser } from "../../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { signAsGuest } from "../../../../testing/guest.ts";
import { signIn } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import {
  bytesAt,
  completeEnvelope,
  notOk,
  openProven,
  printOf,
  PRINTS,
  proofIn,
  type Proven,
  sealedBy,
  verifyProven,
  writtenOut,
} from "../../../../testing/proven-envelope.ts";
import { makeCheckpoint } from "../../journal/transparency/make-checkpoint.ts";
import { createTrust, rotateAuthority } from "../../trust/public.ts";
import { revokeCertificate } from "../../trust/store.ts";

let proven: Proven;

afterAll(() => proven.test.close());

const verify = (request: Parameters<typeof verifyProven>[1] = {}) => verifyProven(proven, request);

describe("preuve.json and its PDF, without the service", () => {
  beforeAll(async () => {
    proven = await openProven();
  });
  const flipAt = (bytes: Uint8Array, place: number) => {
    const flipped = bytes.slice();
    flipped[place] = (bytes[place] ?? 0) ^ (1 << (place % 8));
    return flipped;
  };

  test("preuve.json with the given root passes every check", async () => {
    const report = await verify();
    expect(notOk(report)).toEqual([]);
    expect(report.verdict).toBe("valid");
    expect(report.checks.map(({ name }) => name)).toEqual([
      "form",
      "seal",
      "content",
      "stamp",
      "seal_chain",
      "root",
      "completion",
      "file",
      "signatures",
      "link",
      "cards",
      "journal",
      "personal",
      "journal_files",
      "journal_facts",
      "inclusion",
      "checkpoint",
    ]);
  });

  test("preuve.json with all published certificates is valid, and not with another's root", async () => {
    const pem = Buffer.from(await bytesAt(proven.anybody, "/pki/ca.pem")).toString();
    const published = [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)/g)].map(
      ([, text]) => new Uint8Array(Buffer.from(text ?? "", "base64")),
    );
    expect((await verify({ roots: published })).verdict).toBe("valid");
    const other = await createTestApp();
    const strange = await bytesAt(openBrowser(other.app), "/pki/root.crt");
    await other.close();
    const report = await verify({ roots: [strange] });
    expect(report.verdict).toBe("invalid");
    expect(notOk(report)).toContainEqual(["seal_chain", "failed"]);
  });

  test("preuve.json alone is not valid, and names its root and fingerprint", async () => {
    const report = await verify({ roots: [] });
    expect(report.verdict).toBe("indeterminate");
    // These depend on a certificate that the proof brings: a forger brings his own.
    const leaning = [
      "seal",
      "stamp",
      "seal_chain",
      "root",
      "completion",
      "signatures",
      "checkpoint",
    ];
    expect(notOk(report)).toEqual(leaning.map((name) => [name, "not_checked"]));
    const fingerprint = createHash("sha256")
      .update(proven.roots[0] as Uint8Array)
      .digest("hex")
      .toUpperCase()
      .replace(/..(?=.)/g, "$&:");
    expect(report.roots).toEqual([{ name: "Paraphe Racine", fingerprint }]);
    expect((await proven.anybody.get("/politique-de-certification")).text).toContain(fingerprint);
    expect(report.checks.find(({ name }) => name === "root")?.sentence).toContain(fingerprint);
    expect(report.summary).not.toContain("tout tient");
  });

  test("a missing file is named, and an unknown one refused", async () => {
    expect(notOk(await verify({ files: [] }))).toEqual([
      ["file", "not_checked"],
      ["cards", "not_checked"],
    ]);
    const report = await verify({ files: [{ name: "autre.pdf", bytes: makePdf() }] });
    expect([report.verdict, notOk(report)]).toEqual([
      "invalid",
      [
        ["file", "failed"],
        ["file", "not_checked"],
        ["cards", "not_checked"],
      ],
    ]);
  });

  test("files with another envelope's proof fail", async () => {
    const print = await printOf(proven.owner, await completeEnvelope(proven));
    const other = await bytesAt(proven.anybody, print.proof_url);
    expect(notOk(await verify({ proof: other }))).toContainEqual(["file", "failed"]);
  });

  test("security line 59: any flipped byte of preuve.json makes it fail", {
    timeout: 120_000,
  }, async () => {
    const { proof } = proven;
    const places = [
      ...Array.from({ length: 400 }, (_, index) => Math.floor((index * proof.length) / 400)),
      ...Array.from({ length: 60 }, (_, index) => index),
      ...Array.from({ length: 60 }, (_, index) => proof.length - 1 - index),
    ];
    const held = [];
    for (const place of places)
      if ((await verify({ proof: flipAt(proof, place), files: [] })).verdict !== "invalid")
        held.push(place);
    expect(held).toEqual([]);
  });

  test("any flipped byte of the PDF makes it fail", { timeout: 120_000 }, async () => {
    const { pdf } = proven;
    const held = [];
    for (let index = 0; index < 125; index++) {
      const place = Math.floor((index * pdf.length) / 125);
      if (
        (await verify({ files: [{ name: "contrat.pdf", bytes: flipAt(pdf, place) }] })).verdict !==
        "invalid"
      )
        held.push(place);
    }
    expect(held).toEqual([]);
  });

  test.each<[string, string, (proof: ProofFile["proof"]) => void]>([
    [
      "an event that was edited",
      "journal",
      ({ journal }) => Object.assign(journal.events[1] ?? {}, { at: "2026-11-21T00:00:00.000Z" }),
    ],
    ["an event that was taken out", "journal", ({ journal }) => journal.events.splice(1, 1)],
    [
      "events of which the last were cut off",
      "inclusion",
      ({ journal }) => journal.events.splice(-3),
    ],
    ["another journal", "journal", (proof) => Object.assign(proof, { envelope: proof.print?.id })],
    [
      "a name that was not committed to",
      "personal",
      ({ journal }) => {
        const event = journal.events.find(({ personal }) => "actor_name" in personal);
        Object.assign(event?.personal["actor_name"] ?? {}, { value: "X" });
      },
    ],
    [
      "a file that the journal does not name",
      "journal_files",
      ({ files: [one] }) => Object.assign(one ?? {}, { sha256: "ab".repeat(32) }),
    ],
    [
      "a path to another root",
      "inclusion",
      ({ inclusion }) => Object.assign(inclusion ?? {}, { path: ["ab".repeat(32)] }),
    ],
    [
      "a checkpoint that was edited",
      "checkpoint",
      ({ inclusion }) =>
        Object.assign(inclusion?.checkpoint ?? {}, { at: "2026-11-21T00:00:00.000Z" }),
    ],
    [
      "another service’s log",
      "checkpoint",
      (proof) => Object.assign(proof, { service: "https://ailleurs.exemple" }),
    ],
    [
      "another time of signing",
      "link",
      ({ signatures: [one] }) =>
        Object.assign(one?.timestamp ?? {}, { time: "2026-11-20T00:00:00Z" }),
    ],
    [
      "another name",
      "link",
      ({ signatures: [one] }) => Object.assign(one ?? {}, { signer_name: "Paul Martin" }),
    ],
    [
      "another number",
      "link",
      ({ signatures: [one] }) => Object.assign(one ?? {}, { serial_number: "07" }),
    ],
    [
      "another certificate",
      "link",
      ({ signatures: [one], certificates }) =>
        Object.assign(one ?? {}, { certificate: certificates.issuer }),
    ],
    [
      "a certificate that is none",
      "link",
      ({ signatures: [one] }) => Object.assign(one ?? {}, { certificate: "AAAA" }),
    ],
    [
      "another field",
      "link",
      ({ signatures: [one] }) => Object.assign(one ?? {}, { field: "p_signature_1" }),
    ],
    ["no file", "completion", ({ files }) => files.splice(0)],
    [
      "the service’s own word that it does not hold",
      "completion",
      (proof) => Object.assign(proof, { verdict: "invalid" }),
    ],
  ])("a sealed proof fails with %s", async (_what, name, change) => {
    const { proof } = proofIn(proven.proof);
    change(proof);
    const report = await verify({ proof: await sealedBy(proven.test, proof) });
    expect(report.verdict).toBe("invalid");
    expect(notOk(report)).toContainEqual([name, "failed"]);
  });

  test("security line 58: no decision rests on the MD5 shown", async () => {
    const { proof } = proofIn(proven.proof);
    expect(proof.hash_md5).toBe(createHash("md5").update(proven.pdf).digest("hex"));
    Object.assign(proof, { hash_md5: "0".repeat(32) });
    for (const document of proof.documents) document.hash_md5 = null;
    expect((await verify({ proof: await sealedBy(proven.test, proof) })).verdict).toBe("valid");
  });

  test("a certificate with the same number, name and dates as the signer’s fails", async () => {
    const { proof } = proofIn(proven.proof);
    const [row] = proof.signatures;
    if (row === undefined) throw new Error("no signature");
    // The last byte belongs to the issuer's signature: all that a person reads stays as it is.
    const der = Buffer.from(row.certificate ?? "", "base64");
    der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
    row.certificate = der.toString("base64");
    expect(notOk(await verify({ proof: await sealedBy(proven.test, proof) }))).toContainEqual([
      "link",
      "failed",
    ]);
  });

  test("an unreadable root fails, whatever the proof", async () => {
    const { proof } = proofIn(proven.proof);
    proof.certificates.roots = ["AAAA"];
    expect(notOk(await verify({ proof: await sealedBy(proven.test, proof), roots: [] }))).toEqual([
      ["form", "failed"],
    ]);
  });

  test("a proof sealed by a person fails", async () => {
    const { platform } = proven.test;
    const { signer } = await (await createTrust(platform)).issueSigner({
      fullName: "Paul Morel",
      email: PAUL.email,
      now: platform.clock(),
    });
    const report = await verify({
      proof: await sealedBy(proven.test, proofIn(proven.proof).proof, signer),
    });
    expect(notOk(report)).toEqual([["seal_chain", "failed"]]);
  });
});

describe("the seal of a proof", () => {
  const JWKS = "/.well-known/jwks.json";
  const YEARS_15 = 15 * 365;
  let jwks: Uint8Array;
  beforeAll(async () => {
    proven = await openProven();
    jwks = await bytesAt(proven.anybody, JWKS);
  });
  const sealOf = ({ jws }: { jws: string }) =>
    JSON.parse(Buffer.from(jws.split(".")[0] ?? "", "base64url").toString());
  const inYears = () => new Date(proven.test.platform.clock().getTime() + YEARS_15 * 86_400_000);

  test("a time-stamp proves the seal after its certificate has ended", async () => {
    const seal = new X509Certificate(Buffer.from(sealOf(proofIn(proven.proof)).x5c[0], "base64"));
    expect(seal.validToDate < inYears()).toBe(true);
    const report = await verify({ now: inYears() });
    expect([report.verdict, notOk(report)]).toEqual(["valid", []]);
    expect(report.checks.find(({ name }) => name === "signatures")?.sentence).toContain(
      "valides quand la preuve a été horodatée",
    );
    expect(report.checks.find(({ name }) => name === "stamp")?.sentence).toBe(
      "La preuve est horodatée par «\u00a0Paraphe Horodatage\u00a0», le 21\u00a0novembre 2026 à\u00a011\u00a0h\u00a000\u00a0min\u00a000\u00a0s (heure de Paris).",
    );
  });

  test("a missing time-stamp matters once the seal's certificate has ended", async () => {
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

  test("a flipped or foreign time-stamp fails", {
    timeout: 120_000,
  }, async () => {
    const file = proofIn(proven.proof);
    const token = Buffer.from(file.timestamp ?? "", "base64");
    expect(token.length).toBeGreaterThan(500);
    const held: string[] = [];
    for (let bit = 0; bit < token.length * 8; bit += 37) {
      const flipped = Buffer.from(token);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const { checks } = await verify({
        proof: writtenOut({ ...file, timestamp: flipped.toString("base64") }),
        files: [],
      });
      if (checks.find(({ name }) => name === "stamp")?.state !== "failed")
        held.push(`${bit >> 3}:${bit & 7}`);
    }
    expect(held).toEqual([]);
    const other = proofIn(await sealedBy(proven.test, { ...file.proof, title: "Autre" }));
    for (const timestamp of [
      other.timestamp,
      Buffer.concat([token, Buffer.of(0)]).toString("base64"),
    ])
      expect(notOk(await verify({ proof: writtenOut({ ...file, timestamp }) }))).toContainEqual([
        "stamp",
        "failed",
      ]);
  });

  test("a time-stamp by another authority fails", async () => {
    const other = await createTestApp();
    const { platform } = other;
    const file = proofIn(proven.proof);
    const token = await (await createTrust(platform)).timestamp.timestamp(
      new Uint8Array(createHash("sha256").update(file.jws).digest()),
    );
    await other.close();
    const report = await verify({
      proof: writtenOut({ ...file, timestamp: Buffer.from(token).toString("base64") }),
    });
    expect(notOk(report)).toEqual([["stamp", "failed"]]);
  });

  test("the seal's keys are published by RFC 7638 thumbprint, with certificates", async () => {
    const answer = await proven.anybody.get(JWKS);
    expect([answer.status, answer.headers["content-type"]]).toEqual([
      200,
      expect.stringContaining("application/jwk-set+json"),
    ]);
    const [key, ...more] = JSON.parse(answer.text).keys;
    expect(more).toEqual([]);
    expect(key).toMatchObject({ kty: "EC", crv: "P-256", use: "sig", alg: "ES256" });
    expect(Object.keys(key).toSorted()).toEqual([
      "alg",
      "crv",
      "kid",
      "kty",
      "use",
      "x",
      "x5c",
      "y",
    ]);
    const members = `{"crv":"${key.crv}","kty":"${key.kty}","x":"${key.x}","y":"${key.y}"}`;
    expect(key.kid).toBe(createHash("sha256").update(members).digest("base64url"));
    const { kid, x5c } = sealOf(proofIn(proven.proof));
    expect([kid, x5c]).toEqual([key.kid, key.x5c]);
  });

  test("security line 59: published keys verify preuve.json offline, without a root", async () => {
    const { jws, proof } = proofIn(proven.proof);
    const [header = "", payload = "", value = ""] = jws.split(".");
    const key = JSON.parse(Buffer.from(jwks).toString()).keys.find(
      ({ kid }: { kid: string }) => kid === sealOf({ jws }).kid,
    );
    const publicKey = createPublicKey({ key, format: "jwk" });
    const holds = (text: string) =>
      verifySignature(
        "sha256",
        Buffer.from(text),
        { key: publicKey, dsaEncoding: "ieee-p1363" },
        Buffer.from(value, "base64url"),
      );
    expect([holds(`${header}.${payload}`), holds(`${header}.${payload.slice(0, -4)}AAAA`)]).toEqual(
      [true, false],
    );
    expect(Buffer.from(payload, "base64url").toString()).toBe(canonicalize(proof));
    const report = await verify({ roots: [], sealKeys: readSealKeys(jwks) });
    expect([report.verdict, notOk(report)]).toEqual(["valid", []]);
    expect(report.checks.find(({ name }) => name === "seal_key")?.state).toBe("ok");
  });

  test("another service's proof has sound parts, but an untrusted key", async () => {
    const attacker = await openProven();
    const forged = {
      proof: attacker.proof,
      files: [{ name: "contrat.pdf", bytes: attacker.pdf }],
    };
    await attacker.test.close();
    expect((await verify({ ...forged, roots: attacker.roots })).verdict).toBe("valid");
    const report = await verify({ ...forged, roots: [], sealKeys: readSealKeys(jwks) });
    expect([report.verdict, notOk(report)]).toEqual(["invalid", [["seal_key", "failed"]]]);
    // Both given values must match.
    expect(
      (await verify({ ...forged, roots: attacker.roots, sealKeys: readSealKeys(jwks) })).verdict,
    ).toBe("invalid");
  });

  test("a key is trusted by its value, not by its name", async () => {
    const stranger = await createTestApp();
    const [key] = JSON.parse(
      Buffer.from(await bytesAt(openBrowser(stranger.app), JWKS)).toString(),
    ).keys;
    await stranger.close();
    const { kid } = sealOf(proofIn(proven.proof));
    const renamed = Buffer.from(JSON.stringify({ keys: [{ ...key, kid }] }));
    expect(notOk(await verify({ roots: [], sealKeys: readSealKeys(renamed) }))).toEqual([
      ["seal_key", "failed"],
    ]);
  });

  test.each([
    "",
    "{}",
    "[]",
    '{"keys":3}',
    '{"keys":[null,1,{"kty":"RSA","n":"AA","e":"AQAB"},{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}',
  ])("%j is no key", (text) => {
    expect(readSealKeys(Buffer.from(text))).toEqual([]);
  });

  describe("after each key was replaced", () => {
    let before: Proven;
    afterEach(() => before.test.close());

    test("proofs before and after each key was replaced verify with the published roots and keys", async () => {
      before = await openProven();
      const { test, anybody, print, pdf, roots } = before;
      test.platform.clock.advance({ hours: 1 });
      for (const purpose of ["seal", "tsa", "ca"] as const)
        expect((await rotateAuthority(test.platform, purpose)).ok).toBe(true);
      // Keys that were read are half a minute old at most.
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
        expect(
          notOk(
            await verifyProven(before, {
              ...given,
              proof,
              roots: [],
              sealKeys: readSealKeys(published),
            }),
          ),
        ).toEqual([]);
      }
      expect(
        notOk(
          await verifyProven(before, {
            ...given,
            proof: young,
            roots: [],
            sealKeys: readSealKeys(published).slice(0, 1),
          }),
        ),
      ).toEqual([["seal_key", "failed"]]);
    });

    test("a seal revoked since proves what was stamped before, and nothing later", async () => {
      before = await openProven();
      const { test, proof } = before;
      test.platform.clock.advance({ hours: 1 });
      const file = proofIn(proof);
      const serial = new X509Certificate(
        Buffer.from(sealOf(file).x5c[0], "base64"),
      ).serialNumber.toLowerCase();
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
      expect(notOk(await verifyProven(before, { proof: since, files: [] }))).toContainEqual([
        "seal_chain",
        "failed",
      ]);
      expect(notOk(await verifyProven(before, { files: [] }))).toEqual([
        ["file", "not_checked"],
        ["cards", "not_checked"],
      ]);
    });
  });
});

describe("preuve.json", () => {
  beforeAll(async () => {
    proven = await openProven();
  });

  test("security line 57: preuve.json has signers' names and masked addresses, the owner's every value", async () => {
    const { owner, anybody, test } = proven;
    const viewer = { email: "lea.petit@exemple.fr", full_name: "Léa Petit", role: "viewer" };
    const print = await printOf(
      owner,
      await completeEnvelope({ test, owner }, { recipients: [PAUL, viewer] }),
    );
    const bytes = await bytesAt(anybody, print.proof_url);
    const { proof } = proofIn(bytes);
    const values = proof.journal.events.flatMap(({ personal }) =>
      Object.entries(personal).map(([name, { value }]) => [name, value]),
    );
    expect(proof.journal.disclosed).toBe("names");
    const { files, title } = proof;
    expect(new Set(values.map(String))).toEqual(
      new Set([
        "actor_name,Paul Morel",
        "full_name,Paul Morel",
        "destination,p•••@exemple.fr",
        `title,${title}`,
        `document_names,${files[0]?.document}:Bail.pdf`,
        expect.stringMatching(/^signer_names,[0-9a-f-]{36}:Paul Morel$/),
      ]),
    );
    expect(Buffer.from(bytes).toString()).not.toMatch(
      /paul\.morel@|petit@|l•••@|127\.0\.0\.1|light-my-request|Léa|Camille/,
    );
    const own = proofIn(await bytesAt(owner, `${PRINTS}${print.id}/proof/`)).proof;
    expect(own.journal.disclosed).toBe("all");
    expect(own.journal.events.flatMap(({ personal }) => Object.keys(personal))).toEqual(
      expect.arrayContaining(["email", "ip", "destination"]),
    );
    expect(JSON.stringify(own)).toContain(PAUL.email);
  });

  test("preuve.json names each file, signature and certificate", async () => {
    const { pdf, roots } = proven;
    const { $schema, proof } = proofIn(proven.proof);
    expect($schema).toBe(`https://localhost:8443${PROOF_SCHEMA_PATH}`);
    expect(proof.files).toMatchObject([
      { size_bytes: pdf.length, sha256: createHash("sha256").update(pdf).digest("hex") },
    ]);
    expect(proof.signatures).toMatchObject([
      {
        signer_name: "Paul Morel",
        level: "B-LTA",
        verdict: "valid",
        timestamp: { tsa: "Paraphe Horodatage" },
      },
    ]);
    expect(proof.certificates.roots).toEqual([
      Buffer.from(roots[0] as Uint8Array).toString("base64"),
    ]);
    expect([proof.revocation.crls.length, proof.revocation.ocsps.length]).toEqual([2, 2]);
  });

  test("preuve.json matches its published JSON Schema", async () => {
    const answer = await proven.anybody.get(PROOF_SCHEMA_PATH);
    expect(answer.headers["content-type"]).toContain("application/schema+json");
    const schema = JSON.parse(answer.text);
    const file = proofIn(proven.proof);
    expect([schema.$id, schema.$schema]).toEqual([
      file.$schema,
      "https://json-schema.org/draft/2020-12/schema",
    ]);
    expect(schema.required).toEqual(expect.arrayContaining(Object.keys(file)));
    // An earlier proof may lack members that came later.
    const since = ["visas", "declined", "expired", "completion_logged", "revoked_statement_keys"];
    const known = Object.keys(file.proof).filter((name) => !since.includes(name));
    expect(schema.properties.proof.required).toEqual(expect.arrayContaining(known));
  });

  test("preuve.json of a waiting envelope says so, and that no checkpoint covers it", async () => {
    const { test, owner, anybody } = proven;
    const envelope = await createSent(owner, { recipients: [PAUL, ELOISE] });
    await signAsGuest(test, envelope.id, PAUL.email);
    const print = await printOf(owner, envelope);
    const files = [{ name: "contrat.pdf", bytes: await bytesAt(anybody, print.document_url) }];
    const read = () => bytesAt(anybody, print.proof_url);
    expect(notOk(await verifyProven(proven, { proof: await read(), files }))).toEqual([
      ["completion", "not_checked"],
      ["inclusion", "not_checked"],
    ]);
    await makeCheckpoint({ platform: test.platform, trust: await createTrust(test.platform) });
    expect(notOk(await verifyProven(proven, { proof: await read(), files }))).toEqual([
      ["completion", "not_checked"],
    ]);
  });

  test("preuve.json of a purged envelope names nobody, and its journal verifies", async () => {
    const { test, anybody, member } = proven;
    const owner = await signIn(test, member);
    const envelope = await completeEnvelope({ test, owner });
    const print = await printOf(owner, envelope);
    const bytes = await bytesAt(anybody, print.document_url);
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    await expectStatus(owner.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`), 204);
    await test.settle();
    const proof = await bytesAt(anybody, print.proof_url);
    expect(Buffer.from(proof).toString()).not.toMatch(/Morel|Bail|exemple\.fr/);
    const report = await verifyProven(proven, { proof, files: [{ name: "contrat.pdf", bytes }] });
    expect(notOk(report)).toEqual([
      ["completion", "not_checked"],
      ["signatures", "not_checked"],
    ]);
  });
});
