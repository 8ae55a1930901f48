import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createCrl,
  createOcspRequest,
  createOcspResponse,
  parseOcspRequest,
} from "../src/x509/ocsp.ts";
import { parseCertificate } from "../src/x509/certificate.ts";
import {
  answerTimestampRequest,
  parseTimestampResponse,
  verifyTimestampToken,
} from "../src/tsp/timestamp.ts";
import { createSignature } from "../src/sign/create-signature.ts";
import { createTestPki, TEST_NOW, TEST_POLICY, type TestPki } from "../testing/test-pki.ts";
import { type Folder, missingTool, pem, run, temporaryFolder } from "./tool.ts";
import { readFileSync } from "node:fs";

const missing = missingTool("openssl");
const DAY = 86_400_000;
const AT = String(Math.floor(TEST_NOW.getTime() / 1000));

describe.skipIf(missing)(`openssl on our PKI${missing ? ` (${missing})` : ""}`, () => {
  let folder: Folder;
  let pki: TestPki;
  let files: { root: string; ca: string; chain: string };
  beforeAll(async () => {
    folder = temporaryFolder();
    pki = await createTestPki();
    const [root, ca] = [pki.root.certificates[0], pki.ca.certificates[0]] as [
      Uint8Array,
      Uint8Array,
    ];
    files = {
      root: folder.write("root.pem", pem("CERTIFICATE", root)),
      ca: folder.write("ca.pem", pem("CERTIFICATE", ca)),
      chain: folder.write("chain.pem", pem("CERTIFICATE", ca) + pem("CERTIFICATE", root)),
    };
  });
  afterAll(() => folder.remove());

  test("openssl verifies every certificate profile strictly", async () => {
    for (const profile of ["signer", "tsa", "ocsp", "seal"] as const) {
      const signer = await pki.issue(
        { commonName: "Zoé, Œuvrard = O'Neil", organization: "A+B, Cie", country: "FR" },
        { profile, email: "zoe@exemple.fr" },
      );
      const leaf = folder.write(
        `${profile}.pem`,
        pem("CERTIFICATE", signer.certificates[0] as Uint8Array),
      );
      const verified = run("openssl", [
        "verify",
        "-x509_strict",
        "-attime",
        AT,
        "-CAfile",
        files.root,
        "-untrusted",
        files.ca,
        leaf,
      ]);
      expect(verified, verified.output).toMatchObject({ code: 0 });
      const subject = run("openssl", [
        "x509",
        "-in",
        leaf,
        "-noout",
        "-subject",
        "-nameopt",
        "utf8,sep_multiline,lname",
      ]).output;
      expect(subject).toContain("commonName=Zoé, Œuvrard = O'Neil");
    }
  });

  test("openssl shows addresses, policy and e-mail of a signer's certificate", async () => {
    const signer = await pki.issue(
      { commonName: "Camille Roux", givenName: "Camille", surname: "Roux", country: "FR" },
      { email: "camille@exemple.fr" },
    );
    const text = run("openssl", [
      "x509",
      "-in",
      folder.write("facts.pem", pem("CERTIFICATE", signer.certificates[0] as Uint8Array)),
      "-noout",
      "-text",
    ]).output;
    for (const part of [
      "email:camille@exemple.fr",
      "OCSP - URI:http://pki.test/pki/ocsp/",
      "CA Issuers - URI:",
      "URI:http://pki.test/pki/ca.crl",
      TEST_POLICY,
      "Non Repudiation",
    ]) {
      expect(text).toContain(part);
    }
  });

  test("openssl parses and verifies a CRL", async () => {
    const signer = await pki.issue({ commonName: "Révoqué" });
    const { serialNumber } = parseCertificate(signer.certificates[0] as Uint8Array);
    const crl = await createCrl(pki.ca, {
      number: 7n,
      thisUpdate: TEST_NOW,
      nextUpdate: new Date(TEST_NOW.getTime() + DAY),
      revoked: [{ serialNumber, revokedAt: TEST_NOW, reason: 1 }],
    });
    const file = folder.write("ca.crl", crl);
    const shown = run("openssl", [
      "crl",
      "-inform",
      "DER",
      "-in",
      file,
      "-noout",
      "-text",
      "-CAfile",
      files.chain,
    ]);
    expect(shown.output).toContain("verify OK");
    expect(shown.output).toContain("Key Compromise");
    const crlPem = folder.write("crl.pem", pem("X509 CRL", crl));
    const leaf = folder.write(
      "revoked.pem",
      pem("CERTIFICATE", signer.certificates[0] as Uint8Array),
    );
    const verified = run("openssl", [
      "verify",
      "-crl_check",
      "-attime",
      AT,
      "-CRLfile",
      crlPem,
      "-CAfile",
      files.root,
      "-untrusted",
      files.ca,
      leaf,
    ]);
    expect(verified.output).toContain("certificate revoked");
  });

  test("openssl accepts an empty CRL", async () => {
    const crl = await createCrl(pki.ca, {
      number: 1n,
      thisUpdate: TEST_NOW,
      nextUpdate: new Date(TEST_NOW.getTime() + DAY),
      revoked: [],
    });
    expect(
      run("openssl", [
        "crl",
        "-inform",
        "DER",
        "-in",
        folder.write("empty.crl", crl),
        "-noout",
        "-CAfile",
        files.chain,
      ]).output,
    ).toContain("verify OK");
  });

  test("openssl accepts the OCSP answers good, revoked and unknown", async () => {
    const signer = await pki.issue({ commonName: "Camille Roux" });
    const leaf = folder.write(
      "ocsp-leaf.pem",
      pem("CERTIFICATE", signer.certificates[0] as Uint8Array),
    );
    const request = `${folder.path}/request.der`;
    expect(
      run("openssl", ["ocsp", "-issuer", files.ca, "-cert", leaf, "-reqout", request, "-nonce"])
        .code,
    ).toBe(0);
    const parsed = parseOcspRequest(new Uint8Array(readFileSync(request)));
    const certId = parsed.certIds[0];
    if (!certId) throw new Error("no CertID read");
    // openssl ocsp has no -attime: this one answer is made at the real time.
    const now = new Date();
    const times = { certId, thisUpdate: now, nextUpdate: new Date(now.getTime() + DAY) };
    for (const answer of [
      { ...times, status: "good" },
      { ...times, status: "revoked", revokedAt: now, reason: 1 },
      { ...times, status: "unknown" },
    ] as const) {
      const response = await createOcspResponse(pki.ocsp, {
        answers: [answer],
        producedAt: now,
        nonce: parsed.nonce,
      });
      const file = folder.write("response.der", response);
      const verified = run("openssl", [
        "ocsp",
        "-respin",
        file,
        "-reqin",
        request,
        "-no_nonce",
        "-issuer",
        files.ca,
        "-cert",
        leaf,
        "-CAfile",
        files.chain,
      ]);
      expect(verified.output, verified.output).toContain(`ocsp-leaf.pem: ${answer.status}`);
      expect(verified.output, verified.output).toContain("Response verify OK");
      expect(verified.output).not.toContain("Nonce");
    }
  });

  test("openssl parses our OCSP request", async () => {
    const signer = await pki.issue({ commonName: "Camille Roux" });
    const request = await createOcspRequest(
      signer.certificates[0] as Uint8Array,
      pki.ca.certificates[0] as Uint8Array,
      crypto.getRandomValues(new Uint8Array(16)),
    );
    expect(
      run("openssl", ["ocsp", "-reqin", folder.write("ours.der", request), "-req_text"]).output,
    ).toContain("OCSP Nonce");
  });

  test("our answer to openssl's time-stamp query verifies", async () => {
    const data = folder.write("data.txt", "Bonjour");
    const query = `${folder.path}/query.tsq`;
    for (const options of [
      ["-cert"],
      ["-cert", "-no_nonce"],
      ["-cert", "-sha512"],
      ["-cert", "-tspolicy", TEST_POLICY],
    ]) {
      expect(run("openssl", ["ts", "-query", "-data", data, "-out", query, ...options]).code).toBe(
        0,
      );
      const response = await answerTimestampRequest(new Uint8Array(readFileSync(query)), {
        signer: pki.tsaSigner,
        policyOid: TEST_POLICY,
        serialNumber: Uint8Array.of(1, 2, 3),
        now: TEST_NOW,
      });
      const answer = folder.write("answer.tsr", response);
      const verified = run("openssl", [
        "ts",
        "-verify",
        "-queryfile",
        query,
        "-in",
        answer,
        "-CAfile",
        files.root,
        "-untrusted",
        files.ca,
        "-attime",
        AT,
      ]);
      expect(verified.output, verified.output).toContain("Verification: OK");
      const imprint = new Uint8Array(
        await crypto.subtle.digest(
          options.includes("-sha512") ? "SHA-512" : "SHA-256",
          new TextEncoder().encode("Bonjour"),
        ),
      );
      const facts = await verifyTimestampToken(parseTimestampResponse(response), { imprint });
      expect(facts.time.toISOString()).toBe("2026-11-21T14:16:04.000Z");
    }
  });

  test("our refusal of openssl's time-stamp query gives the reason", async () => {
    const query = `${folder.path}/refused.tsq`;
    const options = {
      signer: pki.tsaSigner,
      policyOid: TEST_POLICY,
      serialNumber: Uint8Array.of(1),
      now: TEST_NOW,
    };
    run("openssl", [
      "ts",
      "-query",
      "-data",
      folder.write("data.txt", "Bonjour"),
      "-tspolicy",
      "1.2.3.4",
      "-out",
      query,
    ]);
    const refused = await answerTimestampRequest(new Uint8Array(readFileSync(query)), options);
    expect(
      run("openssl", ["ts", "-reply", "-in", folder.write("refused.tsr", refused), "-text"]).output,
    ).toMatch(/unacceptedPolicy|requested TSA policy is not supported/);
    run("openssl", [
      "ts",
      "-query",
      "-data",
      folder.write("data.txt", "Bonjour"),
      "-sha1",
      "-out",
      query,
    ]);
    const sha1 = await answerTimestampRequest(new Uint8Array(readFileSync(query)), options);
    expect(
      run("openssl", ["ts", "-reply", "-in", folder.write("refused.tsr", sha1), "-text"]).output,
    ).toMatch(/unrecognized or unsupported algorithm/);
    const garbage = await answerTimestampRequest(Uint8Array.of(0x30, 0x05, 1, 2), options);
    expect(
      run("openssl", ["ts", "-reply", "-in", folder.write("refused.tsr", garbage), "-text"]).output,
    ).toMatch(/data submitted has the wrong format/);
    expect(() => parseTimestampResponse(garbage)).toThrow("refused");
  });

  test("openssl verifies the CMS as CAdES, B-B and B-T", async () => {
    const signer = await pki.issue({ commonName: "Camille Roux" });
    const content = new TextEncoder().encode("contenu signé");
    const digestSha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
    const data = folder.write("content.bin", content);
    for (const tsa of [{}, { tsa: pki.tsa }]) {
      const cms = folder.write(
        "signature.p7s",
        await createSignature({ signer, digestSha256, ...tsa }),
      );
      const verified = run("openssl", [
        "cms",
        "-verify",
        "-cades",
        "-binary",
        "-inform",
        "DER",
        "-in",
        cms,
        "-content",
        data,
        "-CAfile",
        files.root,
        "-purpose",
        "any",
        "-attime",
        AT,
        "-out",
        `${folder.path}/out`,
      ]);
      expect(verified.output, verified.output).toMatch(/CAdES Verification successful/i);
    }
  });
});
