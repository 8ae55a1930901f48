import { writeTogether } from "../../platform/database/in-transaction.ts";
import { execFile, execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { LEGAL_VERSIONS } from "@paraphe/contracts";
import { parseCertificate, parseCrl } from "@paraphe/pades";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { testTrustPlatform } from "../../../testing/platform.ts";
import type { PkiSettings } from "../../platform/settings/settings.ts";
import { createTrust, type Trust, type TrustPlatform } from "./create-trust.ts";
import type { IssuedSigner } from "./issue-signer.ts";
import { policySections, trustRoutes } from "./routes.ts";
import { revokeCertificate } from "./store.ts";

let database: TestDatabase;
let platform: TrustPlatform;
let trust: Trust;
let app: FastifyInstance;

beforeAll(async () => {
  database = await createTestDatabase();
  platform = testTrustPlatform(database);
  // openssl uses the machine's clock.
  (platform.clock as unknown as { set(moment: Date): void }).set(new Date());
  trust = await createTrust(platform);
  app = Fastify();
  await app.register(trustRoutes(platform, trust));
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

const CHAIN = "-CAfile root.pem -untrusted issuer.pem";
const CHECKED = "-CAfile root.pem -verify_other issuer.pem";

describe("the public addresses", () => {
  let signer: IssuedSigner;
  let folder: string;

  /** Asynchronous, as the server answers from this process. */
  const run = promisify(execFile);
  const file = (name: string) => join(folder, name);
  const openssl = (words: string) =>
    execFileSync("openssl", words.split(" "), {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const derToPem = (der: Uint8Array, name: string) => {
    writeFileSync(file("der"), der);
    openssl(`x509 -inform DER -in der -out ${name}`);
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "paraphe-pki-"));
    derToPem(trust.certificates.root, "root.pem");
    derToPem(trust.certificates.ca, "issuer.pem");
    derToPem(trust.certificates.tsa, "tsa.pem");
    signer = await trust.issueSigner({
      fullName: "Zoë Œuvrard",
      email: "zoe@exemple.fr",
      now: platform.clock(),
    });
    await database.db.transaction().execute((trx) => writeTogether(trx, [signer.recording]));
    derToPem(signer.certificateDer, "signer.pem");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const askOcsp = async (body: Buffer | string) =>
    app.inject({
      method: "POST",
      url: "/pki/ocsp",
      headers: { "content-type": "application/ocsp-request" },
      payload: body,
    });
  const ocspText = async (certificate: string, digest = "-sha1") => {
    openssl(`ocsp ${digest} -issuer issuer.pem -cert ${certificate} -reqout ocsp.req`);
    const answer = await askOcsp(readFileSync(file("ocsp.req")));
    expect(answer.headers["content-type"]).toBe("application/ocsp-response");
    writeFileSync(file("ocsp.resp"), answer.rawPayload);
    return openssl(
      `ocsp ${digest} -issuer issuer.pem -cert ${certificate} -respin ocsp.resp ${CHECKED} -no_nonce`,
    );
  };

  describe("GET /pki/ca.pem", () => {
    it("ca.pem is a chain with which openssl strictly verifies a signer", async () => {
      const answer = await app.inject("/pki/ca.pem");
      expect(answer.statusCode).toBe(200);
      writeFileSync(file("chain.pem"), answer.body);
      expect(
        openssl("verify -x509_strict -CAfile root.pem -untrusted chain.pem signer.pem"),
      ).toContain("signer.pem: OK");
      expect(answer.headers["cache-control"]).toContain("public");
      expect(answer.headers["set-cookie"]).toBeUndefined();
    });
  });

  describe("the revocation lists", () => {
    it("openssl accepts the revocation lists, which name the revoked", async () => {
      const revoked = await trust.issueSigner({
        fullName: "Révoqué",
        email: "r@exemple.fr",
        now: platform.clock(),
      });
      await database.db.transaction().execute((trx) => writeTogether(trx, [revoked.recording]));
      const before = await app.inject("/pki/crl.der");
      await revokeCertificate(database.db, revoked.serialNumber, {
        at: platform.clock(),
        reason: 1,
      });
      const after = await app.inject("/pki/crl.der");
      writeFileSync(file("ca.crl"), after.rawPayload);
      expect(openssl("crl -inform DER -in ca.crl -CAfile issuer.pem -noout -text")).toContain(
        revoked.serialNumber.toUpperCase(),
      );
      expect(before.rawPayload.equals(after.rawPayload)).toBe(false);
      openssl("crl -inform DER -in ca.crl -out crl.pem");
      writeFileSync(file("root.crl"), (await app.inject("/pki/root.crl")).rawPayload);
      openssl("crl -inform DER -in root.crl -out rootcrl.pem");
      const check = (name: string) =>
        openssl(`verify -crl_check_all ${CHAIN} -CRLfile crl.pem -CRLfile rootcrl.pem ${name}`);
      expect(check("signer.pem")).toContain("OK");
      derToPem(revoked.certificateDer, "revoked.pem");
      expect(() => check("revoked.pem")).toThrow(/revoked/);
      expect(await ocspText("revoked.pem")).toContain("revoked");
    });

    it("a list is unchanged for twelve hours, then renewed with a greater number", async () => {
      const [first, second] = [
        await app.inject("/pki/root.crl"),
        await app.inject("/pki/root.crl"),
      ];
      expect(first.rawPayload.equals(second.rawPayload)).toBe(true);
      const clock = platform.clock as unknown as { advance(by: { hours: number }): void };
      clock.advance({ hours: 13 });
      const third = await app.inject("/pki/root.crl");
      clock.advance({ hours: -13 });
      expect(third.rawPayload.equals(first.rawPayload)).toBe(false);
    });
  });

  it("a certificate's addresses serve its own issuer's list and certificate, unknown issuers get nothing", async () => {
    const { crlUrls } = parseCertificate(signer.certificateDer);
    const list = await app.inject(new URL(crlUrls[0] as string).pathname);
    expect([list.statusCode, list.headers["content-type"]]).toEqual([200, "application/pkix-crl"]);
    expect(parseCrl(new Uint8Array(list.rawPayload)).issuerDer).toEqual(
      parseCertificate(trust.certificates.ca).subjectDer,
    );
    const id = (crlUrls[0] as string).split("/").at(-1)?.replace(".crl", "");
    expect((await app.inject(`/pki/ca/${id}.crt`)).rawPayload.equals(trust.certificates.ca)).toBe(
      true,
    );
    for (const path of [
      `/pki/ca/${id}`,
      "/pki/ca/autre.crt",
      "/pki/crl/autre.crl",
      `/pki/crl/${id}.crt`,
    ])
      expect((await app.inject(path)).statusCode).toBe(404);
  });

  describe("/pki/ocsp", () => {
    it("OCSP says good for an issued and recorded certificate", async () => {
      expect(await ocspText("signer.pem")).toContain("signer.pem: good");
    });

    it("OCSP knows an issuer by its SHA-256, not by another digest", async () => {
      expect(await ocspText("signer.pem", "-sha256")).toContain("signer.pem: good");
      openssl("ocsp -sha384 -issuer issuer.pem -cert signer.pem -reqout other.req");
      expect((await askOcsp(readFileSync(file("other.req")))).rawPayload.toString("hex")).toBe(
        "30030a0106",
      );
    });

    it("OCSP says unknown for a certificate that was never recorded", async () => {
      const unrecorded = await trust.issueSigner({
        fullName: "Jamais",
        email: "j@exemple.fr",
        now: platform.clock(),
      });
      derToPem(unrecorded.certificateDer, "unrecorded.pem");
      expect(await ocspText("unrecorded.pem")).toContain("unknown");
    });

    it("OCSP answers for the signing authority in the root's name", async () => {
      openssl("ocsp -issuer root.pem -cert issuer.pem -reqout root.req");
      writeFileSync(file("root.resp"), (await askOcsp(readFileSync(file("root.req")))).rawPayload);
      expect(
        openssl(
          "ocsp -issuer root.pem -cert issuer.pem -respin root.resp -CAfile root.pem -no_nonce",
        ),
      ).toContain("issuer.pem: good");
    });

    it("OCSP repeats the request's nonce", async () => {
      openssl("ocsp -issuer issuer.pem -cert signer.pem -nonce -reqout nonce.req");
      writeFileSync(
        file("nonce.resp"),
        (await askOcsp(readFileSync(file("nonce.req")))).rawPayload,
      );
      // With the request, openssl compares the nonces.
      expect(
        openssl(`ocsp -issuer issuer.pem -reqin nonce.req -respin nonce.resp ${CHECKED} -text`),
      ).toContain("OCSP Nonce");
    });

    it("OCSP answers GET as well, cacheable", async () => {
      openssl("ocsp -issuer issuer.pem -cert signer.pem -no_nonce -reqout get.req");
      const answer = await app.inject(
        `/pki/ocsp/${encodeURIComponent(readFileSync(file("get.req")).toString("base64"))}`,
      );
      expect(answer.headers["cache-control"]).toContain("max-age=");
      writeFileSync(file("get.resp"), answer.rawPayload);
      expect(
        openssl(`ocsp -issuer issuer.pem -cert signer.pem -respin get.resp ${CHECKED} -no_nonce`),
      ).toContain("good");
    });

    it.each([
      ["nothing", ""],
      ["noise", "not DER"],
      ["an empty sequence", "0\u0000"],
    ])("OCSP refuses %s without failing", async (_, payload) => {
      const answer = await askOcsp(payload);
      expect(answer.statusCode).toBe(200);
      expect([...answer.rawPayload]).toEqual([0x30, 0x03, 0x0a, 0x01, 0x01]); // malformedRequest
    });
  });

  describe("POST /pki/tsa", () => {
    const stamp = (payload: Buffer | string) =>
      app.inject({
        method: "POST",
        url: "/pki/tsa",
        headers: { "content-type": "application/timestamp-query" },
        payload,
      });

    it("the time-stamp route gives a token that openssl verifies", async () => {
      writeFileSync(file("data.txt"), "Bonjour");
      openssl("ts -query -data data.txt -sha256 -cert -out ts.req");
      const answer = await stamp(readFileSync(file("ts.req")));
      expect(answer.headers["content-type"]).toBe("application/timestamp-reply");
      writeFileSync(file("ts.resp"), answer.rawPayload);
      expect(openssl(`ts -verify -in ts.resp -queryfile ts.req ${CHAIN}`)).toContain("OK");
    });

    it("the time-stamp route answers noise with a well-formed refusal", async () => {
      const answer = await stamp("noise");
      writeFileSync(file("refused.resp"), answer.rawPayload);
      expect(openssl("ts -reply -in refused.resp -text")).toContain("Rejected");
    });

    it("an address that requests too many time-stamps is asked to wait", async () => {
      const answers = await Promise.all(Array.from({ length: 70 }, () => stamp("noise")));
      const refused = answers.filter((answer) => answer.statusCode === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused[0]?.headers["retry-after"]).toMatch(/^\d+$/);
    });
  });

  describe("over the wire, as others' tools ask", () => {
    let url: string;
    beforeAll(async () => {
      url = await app.listen({ port: 0, host: "127.0.0.1" });
      // The minute of the rate limit is over; openssl allows five minutes between clocks.
      (platform.clock as unknown as { advance(by: { minutes: number }): void }).advance({
        minutes: 2,
      });
    });

    it("openssl asks the responder and receives good; lists and time-stamps carry their cache times", async () => {
      const words = [
        "-issuer",
        "issuer.pem",
        "-cert",
        "signer.pem",
        "-CAfile",
        "root.pem",
        "-verify_other",
        "issuer.pem",
        "-no_nonce",
      ];
      const { stdout } = await run("openssl", ["ocsp", "-url", `${url}/pki/ocsp`, ...words], {
        cwd: folder,
      });
      expect(stdout).toContain("signer.pem: good");
      const list = await fetch(`${url}/pki/crl.der`);
      expect([list.headers.get("content-type"), list.headers.get("cache-control")]).toEqual([
        "application/pkix-crl",
        "public, max-age=3600",
      ]);
      openssl(`ts -query -digest ${"ab".repeat(32)} -sha256 -cert -out wire.req`);
      const type = { "content-type": "application/timestamp-query" };
      const answer = await fetch(`${url}/pki/tsa`, {
        method: "POST",
        headers: type,
        body: readFileSync(file("wire.req")),
      });
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
      writeFileSync(file("wire.resp"), new Uint8Array(await answer.arrayBuffer()));
      expect(openssl(`ts -verify -in wire.resp -queryfile wire.req ${CHAIN}`)).toContain("OK");
    });
  });
});

describe("the policy", () => {
  it("the policy page explains the policies in French, claims no more, and loads nothing", async () => {
    const answer = await app.inject("/politique-de-certification");
    expect([answer.statusCode, answer.headers["content-type"]]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    for (const said of [
      "2.25.1348563553.1.1",
      "2.25.1348563553.2.1",
      "signatures électroniques simples",
      "ni avancées ni qualifiées",
    ])
      expect(answer.body).toContain(said);
    expect(answer.body).not.toMatch(/<script|<img|<link|src=/);
    // The page uses our own fonts, or the system's without a built client.
    for (const [, address] of answer.body.matchAll(/url\(([^)]*)\)/g))
      expect(address).toMatch(/^\/assets\/[\w-]+\.woff2$/);
    expect(answer.body).toContain('"Instrument Sans",system-ui');
    expect(answer.body).toContain('"Spectral",Georgia');
    // A finger needs this room (WCAG 2.2, 2.5.8).
    expect(answer.body).toMatch(/header>a,nav a\{[^}]*min-height:44px/);
    expect(String(answer.headers["content-security-policy"])).toContain(
      "default-src 'none'; style-src 'unsafe-inline'; font-src 'self';",
    );
    for (const link of [
      '<a class="brand" href="/" aria-label="Paraphe, accueil"><svg',
      "<span>Paraphe</span></a>",
      '<a href="/">Retour à l’accueil</a>',
      '<a href="/confidentialite">',
    ])
      expect(answer.body).toContain(link);
    // A lawyer asks for owner, identification, keys, revocation, retention and contact.
    for (const title of [
      "Objet et identification",
      "Identification du signataire",
      "Clés et certificats à usage unique",
      "Révocation",
    ])
      expect(answer.body).toMatch(new RegExp(`<h2>\\d\\. ${title}</h2>`));
    for (const said of [
      "Conservation",
      "Limites",
      "Contact et droit applicable",
      "L’identité civile n’est pas vérifiée",
      "puis détruite",
    ])
      expect(answer.body).toContain(said);
    for (const said of [
      "si, et seulement si, quelque chose qui y a été envoyé est revenu",
      "Le numéro n’est jamais porté au certificat.",
    ])
      expect(answer.body).toContain(said);
    expect(answer.body).toContain("applicable depuis le 29\u00a0novembre\u00a02026");
    // No other duration is promised.
    expect(answer.body).toContain(
      "Les documents et les preuves le sont dix ans après la dernière signature, à moins que l’expéditeur ne supprime l’enveloppe plus tôt.",
    );
    expect(answer.body).not.toContain("que fixe l’expéditeur");
    expect(answer.body).toContain(new X509Certificate(trust.certificates.root).fingerprint256);
  });
});

describe("the policy's text", () => {
  const facts = {
    publicUrl: "https://sign.exemple.fr",
    pki: { organization: "Exemple", country: "FR" } as PkiSettings,
    root: new Uint8Array(32),
  };

  it("the policy's text belongs to its date: a new text needs a new date, then its hash", () => {
    const texts = [false, true].map((isTimestampedOutside) =>
      policySections({ ...facts, isTimestampedOutside }),
    );
    expect(createHash("sha256").update(JSON.stringify(texts)).digest("hex")).toBe(
      LEGAL_VERSIONS.certificationPolicy.sha256,
    );
  });
});
