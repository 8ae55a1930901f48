import { createHash, X509Certificate, verify as verifySignature } from "node:crypto";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { type Envelope, type Print, type Proof, type Signature } from "@paraphe/contracts";
import { type GivenFile, verifyProof } from "@paraphe/proof";
import canonicalize from "canonicalize";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { expectStatus, expectRefusal } from "../../../../testing/answers.ts";
import { testSandbox } from "../../../../testing/platform.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { signAsGuest, TYPED, openConfirmedGuest } from "../../../../testing/guest.ts";
import { asOperator } from "../../../../testing/forged-rows.ts";
import { createMember, type Member, signIn, openMember } from "../../../../testing/member.ts";
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
} from "../../../../testing/proven-envelope.ts";
import { storedHash, storedPath } from "../../../../testing/stored-file.ts";
import type { PdfCalls, PdfSandbox } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { revokeCertificate } from "../../trust/store.ts";
import type { SignatureReport } from "@paraphe/pades";
import { checkFile } from "./read-record.ts";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});

afterAll(() => service.close());

describe("GET prints/{id}/verify/", () => {
  let member: Member;
  let owner: TestBrowser;
  let anybody: TestBrowser;
  beforeAll(async () => {
    member = await createMember(service.platform);
    owner = await signIn(service, member);
    anybody = openBrowser(service.app);
  });

  const proofOf = async ({ id, sig }: Print) =>
    (await anybody.get(`${PRINTS}${id}/verify/?sig=${sig}`)).body;
  const hashOf = (envelope: Envelope) =>
    storedHash(service.platform, envelope.documents[0]?.id ?? "");

  test("the page proves people, times, hashes, certificate, revocation and time-stamp", async () => {
    const envelope = await completeEnvelope({ test: service, owner });
    const made = await printOf(owner, envelope);
    const proof = await proofOf(made);
    const document = (await anybody.get(proof.document_url)).bytes;
    expect(proof).toMatchObject({
      verdict: "valid",
      integrity: true,
      level: "B-LTA",
      completed: true,
      title: "Bail d’habitation",
      purged: false,
      reason: "Toutes les signatures sont valides et le document n’a pas été modifié depuis.",
      warnings: [],
      signers: [
        {
          full_name: "Paul Morel",
          signed: true,
          signed_at: service.platform
            .clock()
            .toISOString()
            .replace(/\.\d+Z/, ".000Z"),
          reach: {
            by: "link",
            link: { channel: "email", destination: "p•••@exemple.fr" },
            code: { channel: "email", destination: "p•••@exemple.fr" },
            confirmed: ["email"],
          },
        },
      ],
      hash_sha256: createHash("sha256").update(document).digest("hex"),
      hash_md5: createHash("md5").update(document).digest("hex"),
      certificate: {
        subject: { CN: "Paul Morel", O: "Paraphe", C: "FR" },
        revocation: {
          ocsp_status: "good",
          ocsp_url: "https://localhost:8443/pki/ocsp",
          crl_status: "good",
          crl_url: expect.stringMatching(
            /^https:\/\/localhost:8443\/pki\/crl\/[0-9a-f-]{36}\.crl$/,
          ),
        },
        timestamp: { tsa: "Paraphe Horodatage" },
        issuers: ["Paraphe Signature", "Paraphe Racine"],
        hash_algorithm: "SHA-256",
        valid_at_signing: true,
      },
      documents: [{ page_count: expect.any(Number) }],
      cancelled: false,
      chain: { intact: true },
    });
    for (const { revocation } of [proof.certificate])
      for (const at of [revocation.ocsp_at, revocation.crl_at])
        expect(Date.parse(at)).toBeLessThanOrEqual(Date.parse(proof.checked_at));
    expect(JSON.stringify(proof)).not.toMatch(/paul\.morel|127\.0\.0\.1/);
  });

  test("the page says who is awaited, and shows no unsigned document", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL, ELOISE] });
    const made = await printOf(owner, envelope);
    expect(await proofOf(made)).toMatchObject({
      verdict: "indeterminate",
      completed: false,
      document_url: null,
      certificate: null,
      reason: "Personne n’a encore signé ce document.",
    });
    await expectStatus(anybody.get(made.document_url), 404);
    await signAsGuest(service, envelope.id, PAUL.email);
    expect(await proofOf(made)).toMatchObject({
      verdict: "indeterminate",
      integrity: true,
      reason: "Les signatures apposées sont valides, mais une signature est encore attendue.",
      signers: [{ signed: true }, { full_name: "Éloïse Lefèvre", signed: false, signed_at: null }],
    });
  });

  test("the page reports a missing file, and refuses crawlers", async () => {
    const envelope = await completeEnvelope({ test: service, owner });
    const made = await printOf(owner, envelope);
    for (const address of [made.document_url, made.proof_url])
      expect((await anybody.get(address)).headers["x-robots-tag"], address).toBe("noindex");
    rmSync(storedPath(service.platform, await hashOf(envelope)));
    expect(await proofOf(made)).toMatchObject({
      verdict: "invalid",
      document_url: null,
      reason: expect.stringContaining("est introuvable"),
    });
  });

  test("the page reports a changed file, and does not show it", async () => {
    const envelope = await completeEnvelope({ test: service, owner });
    const made = await printOf(owner, envelope);
    truncateSync(storedPath(service.platform, await hashOf(envelope)), 100);
    expect(await proofOf(made)).toMatchObject({
      verdict: "invalid",
      integrity: false,
      document_url: null,
      reason: expect.stringContaining("n’est pas celui qui a été signé"),
    });
    const shown = await anybody.get(made.document_url);
    expect([shown.status, shown.body.code, shown.body.detail]).toEqual([
      500,
      "stored_file_lost",
      "Le fichier conservé manque ou a été altéré : il n’est pas présenté. Prévenez l’organisation qui exploite ce service.",
    ]);
  });

  test("a row moved to an earlier revision changes nothing on the page", async () => {
    const envelope = await completeEnvelope({ test: service, owner });
    const made = await printOf(owner, envelope);
    const id = envelope.documents[0]?.id as string;
    const prepared = await service.platform.db
      .selectFrom("document_revisions")
      .select("blob_sha256")
      .where("document_id", "=", id)
      .where("number", "=", 1)
      .executeTakeFirstOrThrow();
    await service.platform.db
      .updateTable("document_revisions")
      .set({ blob_sha256: prepared.blob_sha256 })
      .where("document_id", "=", id)
      .where("number", "=", 3)
      .execute();
    expect(await proofOf(made)).toMatchObject({ verdict: "valid", signers: [{ signed: true }] });
  });

  test("the page shows a revocation at once, and earlier time-stamps still count", async () => {
    const envelope = await completeEnvelope({ test: service, owner });
    const made = await printOf(owner, envelope);
    const row = await service.platform.db
      .selectFrom("signatures")
      .select("serial_number")
      .where("envelope_id", "=", envelope.id)
      .executeTakeFirstOrThrow();
    service.platform.clock.advance({ minutes: 5 });
    await revokeCertificate(service.platform.db, row.serial_number, {
      at: service.platform.clock(),
      reason: 1,
    });
    const proof = await proofOf(made);
    expect(proof.certificate.revocation).toMatchObject({
      ocsp_status: "revoked",
      crl_status: "revoked",
    });
    expect(proof.integrity).toBe(true);
  });

  test("the page of a purged envelope has hashes and dates, and no names", async () => {
    const envelope = await completeEnvelope({ test: service, owner });
    const made = await printOf(owner, envelope);
    const hash = await hashOf(envelope);
    const session = await signIn(service, member);
    await session.post(`${ENVELOPES}${envelope.id}/cancel/`);
    expect(await proofOf(made)).toMatchObject({
      verdict: "indeterminate",
      document_url: null,
      purged: false,
      reason: expect.stringContaining("annulé"),
    });
    await expectStatus(anybody.get(made.document_url), 404);
    await expectStatus(session.send("DELETE", `${ENVELOPES}${envelope.id}/purge/`), 204);
    await service.settle();
    const proof = await proofOf(made);
    expect(proof).toMatchObject({
      purged: true,
      verdict: "indeterminate",
      title: null,
      signers: [],
      certificate: null,
      document_url: null,
      hash_sha256: hash,
      completed: true,
    });
    expect(JSON.stringify(proof)).not.toMatch(/Morel|Bail/);
    await expectStatus(anybody.get(made.document_url), 404);
  });

  test("the page proves several documents, each by its address", async () => {
    const files = [1, 2].map((pages) => ({
      name: `Annexe ${pages}.pdf`,
      bytes: makePdf({ pages }),
    }));
    const session = await signIn(service, member);
    const envelope = await createSent(session, { files, recipients: [PAUL] });
    await signAsGuest(service, envelope.id, PAUL.email);
    owner = session;
    const proof = await proofOf(await printOf(owner, envelope));
    expect(proof).toMatchObject({
      verdict: "valid",
      documents: [{ name: "Annexe 1.pdf" }, { name: "Annexe 2.pdf" }],
    });
    for (const document of proof.documents) {
      const answer = await anybody.get(document.document_url);
      expect(createHash("sha256").update(answer.bytes).digest("hex")).toBe(document.hash_sha256);
    }
  });
});

describe("the calls of prints", () => {
  let owner: TestBrowser;
  let anybody: TestBrowser;
  beforeAll(async () => {
    owner = await openMember(service);
    anybody = openBrowser(service.app);
  });

  test("a new print has an address, a QR code and a signature, listed to its owner only", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL] });
    const made = await printOf(owner, envelope, "last");
    expect(made).toMatchObject({
      envelope: envelope.id,
      qr_type: "last",
      verify_url: `https://localhost:8443/verify/${made.id}?sig=${made.sig}`,
      printable_url: `${PRINTS}${made.id}/printable/?sig=${made.sig}`,
    });
    expect(made.sig).toMatch(/^[A-Za-z0-9_-]{43}$/);
    // Four modules stay blank on each side (ISO/IEC 18004 §5.3.8).
    expect(made.qr_svg).toMatch(/^<svg .* d="M4 4h/);
    expect(made.qr_svg).not.toMatch(/script|href/);
    const list = (await owner.get(`${PRINTS}?envelope=${envelope.id}`)).body;
    expect([list.count, list.results[0].sig]).toEqual([1, made.sig]);
    const stranger = await openMember(service);
    expect((await stranger.get(PRINTS)).body.count).toBe(0);
    await expectStatus(anybody.get(PRINTS), 401);
    const journal = await service.platform.db
      .selectFrom("audit_events")
      .select("action")
      .where("envelope_id", "=", envelope.id)
      .execute();
    expect(journal.map((event) => event.action)).toContain("print_generated");
  });

  test("a print needs the owner and a sent envelope", async () => {
    const recipient = await createMember(service.platform);
    const envelope = await createSent(owner, {
      recipients: [{ email: recipient.email, full_name: "Camille Roux" }],
    });
    const ask = async (who: TestBrowser, id: string, qr_type = "page") =>
      refusal(await who.post(`${PRINTS}generate/`, { envelope: id, qr_type }));
    expect(await ask(await signIn(service, recipient), envelope.id)).toEqual([403, "not_allowed"]);
    expect(await ask(await openMember(service), envelope.id)).toEqual([404, "not_found"]);
    expect(await ask(owner, "019aa000-0000-7000-8000-000000000000")).toEqual([404, "not_found"]);
    expect(await ask(anybody, envelope.id)).toEqual([401, "session_expired"]);
    expect(await ask(owner, envelope.id, "poster")).toEqual([400, "validation"]);
    expect(await ask(owner, (await createDraft(owner)).id)).toEqual([409, "invalid_state"]);
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    expect(await ask(owner, envelope.id)).toEqual([409, "invalid_state"]);
  });

  test("a print opens by its sig or the owner's session, not by a wrong sig", async () => {
    const made = await printOf(owner, await createSent(owner, { recipients: [PAUL] }));
    const address = `${PRINTS}${made.id}/verify/`;
    await expectStatus(owner.get(address), 200);
    await expectRefusal(owner.get(`${address}?sig=${made.sig.slice(1)}A`), 404, "not_found");
    const stranger = await openMember(service);
    await expectRefusal(stranger.get(address), 404, "not_found");
  });

  test("the signed PDF is shown inline, byte for byte, uncached", async () => {
    const made = await printOf(owner, await completeEnvelope({ test: service, owner }));
    const answer = await anybody.get(made.document_url);
    expect([
      answer.status,
      answer.headers["content-type"],
      answer.headers["cache-control"],
    ]).toEqual([200, "application/pdf", "private, no-store"]);
    expect(answer.headers["content-disposition"]).toContain("inline");
    expect(answer.bytes.subarray(0, 5).toString()).toBe(Buffer.from("%PDF-").toString());
  });

  test("preuve.json is a JWS that verifies offline, and any change shows", async () => {
    const made = await printOf(owner, await completeEnvelope({ test: service, owner }));
    const answer = await anybody.get(made.proof_url);
    expect(answer.headers["content-disposition"]).toBe('attachment; filename="preuve.json"');
    const { proof, jws } = JSON.parse(answer.text);
    const [header, payload, signature] = (jws as string).split(".") as [string, string, string];
    const { alg, x5c } = JSON.parse(Buffer.from(header, "base64url").toString());
    expect(alg).toBe("ES256");
    expect(Buffer.from(payload, "base64url").toString()).toBe(canonicalize(proof));
    const [seal, ca] = (x5c as string[]).map(
      (der) => new X509Certificate(Buffer.from(der, "base64")),
    );
    const root = new X509Certificate(Buffer.from(proof.certificates.root, "base64"));
    const isSealed = (signed: string) =>
      verifySignature(
        "sha256",
        Buffer.from(signed),
        { key: (seal as X509Certificate).publicKey, dsaEncoding: "ieee-p1363" },
        Buffer.from(signature, "base64url"),
      );
    expect([
      isSealed(`${header}.${payload}`),
      seal?.verify((ca as X509Certificate).publicKey),
      ca?.verify(root.publicKey),
    ]).toEqual([true, true, true]);
    expect(isSealed(`${header}.${payload.slice(0, -1)}${payload.endsWith("A") ? "B" : "A"}`)).toBe(
      false,
    );
    expect(proof.verdict).toBe("valid");
  });

  test("an address that verifies too often is asked to wait", async () => {
    const limited = await createTestApp();
    try {
      const answers = [];
      for (let times = 0; times < 65; times++)
        answers.push(await limited.app.inject(`${PRINTS}x/verify/?sig=y`));
      expect(answers.slice(0, 60).every((answer) => answer.statusCode === 404)).toBe(true);
      expect([
        answers.at(-1)?.statusCode,
        Number(answers.at(-1)?.headers["retry-after"]) > 0,
      ]).toEqual([429, true]);
    } finally {
      await limited.close();
    }
  });
});

describe("a public page that was shown a moment ago", () => {
  let proven: Proven;
  let print: Print;
  let validations = 0;
  /** Read before what each test changes. */
  let shown: readonly string[];
  const counted = (calls: PdfCalls): PdfCalls => {
    const call = calls.call as (...asked: readonly unknown[]) => Promise<unknown>;
    const counting = (task: string, ...args: readonly unknown[]) => {
      if (task === "validate") validations += 1;
      return call(task, ...args);
    };
    return { call: counting as PdfCalls["call"] };
  };
  const sandbox: PdfSandbox = {
    ...testSandbox,
    ...counted(testSandbox),
    askedBy: (caller) => counted(testSandbox.askedBy(caller)),
  };
  const answer = async (call: "verify" | "proof") =>
    (await openBrowser(proven.test.app).get(`${PRINTS}${print.id}/${call}/?sig=${print.sig}`)).body;
  const verdicts = async () => [
    (await answer("verify")).verdict,
    (await answer("proof")).proof.verdict,
  ];
  const pathOf = async (envelope: Envelope) =>
    storedPath(
      proven.test.platform,
      await storedHash(proven.test.platform, envelope.documents[0]?.id ?? ""),
    );

  beforeAll(async () => {
    proven = await openProven({ platform: { sandbox } });
  });
  afterAll(() => proven.test.close());
  beforeEach(async () => {
    print = await printOf(proven.owner, proven.envelope);
    shown = await verdicts();
    validations = 0;
  });

  test.each([0, 0.25, 0.5, 0.75, 1])(
    "one byte changed in the stored file, at %f of it, is noticed by the next answer",
    async (place) => {
      expect(shown).toEqual(["valid", "valid"]);
      const path = await pathOf(proven.envelope);
      const bytes = readFileSync(path);
      const changed = Buffer.from(bytes);
      const at = Math.floor(place * (bytes.length - 1));
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(path, changed);
      expect(await verdicts()).toEqual(["invalid", "invalid"]);
      writeFileSync(path, bytes);
      expect(await verdicts()).toEqual(["valid", "valid"]);
    },
  );

  test("a removed file is noticed by the next answer", async () => {
    expect(shown).toEqual(["valid", "valid"]);
    const path = await pathOf(proven.envelope);
    const bytes = readFileSync(path);
    rmSync(path);
    expect(await verdicts()).not.toContain("valid");
    writeFileSync(path, bytes);
  });

  test("a revocation is shown by the next answer", async () => {
    const { serial_number } = await proven.test.platform.db
      .selectFrom("signatures")
      .select("serial_number")
      .where("envelope_id", "=", proven.envelope.id)
      .executeTakeFirstOrThrow();
    proven.test.platform.clock.advance({ minutes: 4 });
    const at = proven.test.platform.clock();
    await revokeCertificate(proven.test.platform.db, serial_number, { at, reason: 1 });
    const revoked = { ocsp_status: "revoked", crl_status: "revoked" };
    expect((await answer("verify")).certificate.revocation).toMatchObject(revoked);
    expect((await answer("proof")).proof.certificate.revocation).toMatchObject(revoked);
    // The list that names it is published once, from the next moment on.
    proven.test.platform.clock.advance({ seconds: 1 });
  });

  test("a changed event is noticed by the next answer", async () => {
    expect(shown).toEqual(["valid", "valid"]);
    const move = (by: string) =>
      asOperator(
        proven.test,
        sql`update audit_events set at = at + ${sql.lit(by)}::interval
          where envelope_id = ${proven.envelope.id} and action = 'recipient_signed'`,
      );
    await move("1 second");
    expect(await verdicts()).toEqual(["invalid", "invalid"]);
    await move("-1 second");
  });

  test("the same bytes are not validated again within the hour, and the answer has its time", async () => {
    expect(shown).toEqual(["valid", "valid"]);
    proven.test.platform.clock.advance({ minutes: 1 });
    expect(await verdicts()).toEqual(["valid", "valid"]);
    expect((await answer("verify")).checked_at).toBe(proven.test.platform.clock().toISOString());
    expect(validations).toBe(0);
    proven.test.platform.clock.advance({ minutes: 60 });
    expect(await verdicts()).toEqual(["valid", "valid"]);
    expect(validations).toBe(2);
  });
});

describe("the turns of the public page", () => {
  let proven: Proven;
  let envelope: Envelope;
  let print: Print;
  /** Validations begun, those at work now, and what each waits for. */
  let begun = 0;
  let atWork = 0;
  let mostAtWork = 0;
  let opened: Promise<void> = Promise.resolve();

  /** In this sandbox, validations wait until a door opens. */
  const doored = (calls: PdfCalls): PdfCalls => {
    const call = calls.call as (...asked: readonly unknown[]) => Promise<unknown>;
    const waiting = async (task: string, ...args: readonly unknown[]) => {
      if (task !== "validate") return call(task, ...args);
      begun += 1;
      atWork += 1;
      mostAtWork = Math.max(mostAtWork, atWork);
      await opened;
      return call(task, ...args).finally(() => {
        atWork -= 1;
      });
    };
    return { call: waiting as PdfCalls["call"] };
  };
  const sandbox: PdfSandbox = {
    ...testSandbox,
    ...doored(testSandbox),
    askedBy: (caller) => doored(testSandbox.askedBy(caller)),
  };

  beforeAll(async () => {
    proven = await openProven({ platform: { sandbox }, settings: { rateLimits: "on" } });
    const files = ["A.pdf", "B.pdf", "C.pdf"].map((name) => ({ name, bytes: makePdf() }));
    envelope = await completeEnvelope(proven, { files });
    print = await printOf(proven.owner, envelope);
  });
  afterAll(async () => {
    await proven.test.close();
  });
  beforeEach(() => {
    [begun, atWork, mostAtWork] = [0, 0, 0];
    // A minute later, calls of the test before no longer count.
    proven.test.platform.clock.advance({ minutes: 2 });
  });

  /** Keeps validations waiting until it is called. */
  function closeDoor(): () => void {
    const door = Promise.withResolvers<void>();
    opened = door.promise;
    return door.resolve;
  }

  /** Long enough for a busy machine. */
  const SOON = { timeout: 30_000 };
  const addressOf = (call: "verify" | "proof" | "printable", of = print) =>
    `${PRINTS}${of.id}/${call}/?sig=${of.sig}`;

  test("one proof at a time is computed per address, and others are not delayed", async () => {
    const open = closeDoor();
    const flood = openBrowser(proven.test.app, { ip: "10.1.1.1" });
    const statuses: number[] = [];
    const calls = Array.from({ length: 14 }, async (_, index) => {
      const answer = await flood.get(addressOf(index % 2 === 0 ? "verify" : "proof"));
      statuses.push(answer.status);
      return answer;
    });
    await vi.waitFor(() => expect(statuses).toEqual([429, 429, 429]), SOON);
    await vi.waitFor(() => expect([begun, mostAtWork]).toEqual([1, 1]), SOON);
    const clerk = openBrowser(proven.test.app, { ip: "10.2.2.2" }).get(
      addressOf("verify", proven.print),
    );
    await vi.waitFor(() => expect(begun).toBe(2), SOON);
    open();
    expect((await clerk).body.verdict).toBe("valid");
    // The clerk's call came after fourteen calls of three documents each, and waited for one
    // document at most.
    expect(statuses.length).toBeLessThan(14);
    const answers = await Promise.all(calls);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(11);
    expect(
      Number(answers.find(({ status }) => status === 429)?.headers["retry-after"]),
    ).toBeGreaterThan(0);
    expect(mostAtWork).toBe(2);
  }, 60_000);

  test.each(["verify", "proof"] as const)(
    "%s: a caller who left causes no further validation",
    async (call) => {
      if (proven.test.app.server.address() === null)
        await proven.test.app.listen({ port: 0, host: "127.0.0.1" });
      const { port } = proven.test.app.server.address() as AddressInfo;
      // The service has no proof of this print yet.
      const fresh = await printOf(proven.owner, envelope);
      const open = closeDoor();
      const gone = new AbortController();
      const arrived = vi.fn();
      proven.test.app.server.on("request", arrived);
      const calls = [1, 2].map(() =>
        fetch(`http://127.0.0.1:${port}${addressOf(call, fresh)}`, { signal: gone.signal }).catch(
          (error: unknown) => String(error),
        ),
      );
      await vi.waitFor(() => expect([begun, arrived.mock.calls.length]).toEqual([1, 2]), SOON);
      proven.test.app.server.off("request", arrived);
      gone.abort();
      expect(await Promise.all(calls)).toEqual([
        expect.stringContaining("AbortError"),
        expect.stringContaining("AbortError"),
      ]);
      // The service notices a moment later.
      await vi.waitFor(async () => {
        expect(
          await new Promise((resolve) =>
            proven.test.app.server.getConnections((_, count) => resolve(count)),
          ),
        ).toBe(0);
      }, SOON);
      open();
      await vi.waitFor(() => expect(atWork).toBe(0), SOON);
      const next = await openBrowser(proven.test.app).get(addressOf("verify", proven.print));
      expect(next.body.verdict).toBe("valid");
      expect(begun).toBeLessThanOrEqual(3);
    },
    60_000,
  );
});

describe("a public page without the document", () => {
  let owner: TestBrowser;
  let anybody: TestBrowser;
  let envelope: Envelope;
  let print: Print;
  beforeAll(async () => {
    owner = await openMember(service);
    anybody = openBrowser(service.app);
    envelope = await createSent(owner, { recipients: [PAUL] });
    const guest = await openConfirmedGuest(service, envelope.id, PAUL.email);
    await guest.post("sign/", TYPED);
    print = (await owner.post(`${PRINTS}generate/`, { envelope: envelope.id, qr_type: "page" }))
      .body;
  }, 60_000);

  const proofOf = async (who: TestBrowser, query: string): Promise<Proof> =>
    (await who.get(`${PRINTS}${print.id}/verify/${query}`)).body;
  const choose = (who: TestBrowser, proof_only: boolean) =>
    who.send("PUT", `${ENVELOPES}${envelope.id}/public-page/`, {
      body: JSON.stringify({ proof_only }),
      headers: { "content-type": "application/json" },
    });

  test("security line 57: `proof_only` withholds the document from all but its owner", async () => {
    const withSig = `?sig=${print.sig}`;
    expect(await proofOf(anybody, withSig)).toMatchObject({
      proof_only: false,
      document_url: expect.any(String),
    });
    expect((await choose(owner, true)).body).toMatchObject({ proof_only: true });
    expect(await proofOf(anybody, withSig)).toMatchObject({
      proof_only: true,
      verdict: "valid",
      document_url: null,
      documents: [{ document_url: null, hash_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    });
    for (const address of [print.document_url, print.printable_url]) {
      await expectRefusal(anybody.get(address), 404, "not_found");
      await expectStatus(owner.get(address), 200);
    }
    await expectStatus(anybody.get(print.proof_url), 200);
    expect((await proofOf(owner, "")).document_url).not.toBeNull();

    expect((await choose(owner, false)).body).toMatchObject({ proof_only: false });
    await expectStatus(anybody.get(print.document_url), 200);
  });

  test("security line 57: `proof_only` chosen before sending holds from the first signature", async () => {
    const sent = await createSent(owner, { recipients: [PAUL], proof_only: true });
    const guest = await openConfirmedGuest(service, sent.id, PAUL.email);
    await guest.post("sign/", TYPED);
    const own = (await owner.post(`${PRINTS}generate/`, { envelope: sent.id, qr_type: "last" }))
      .body as Print;
    const proof = (await anybody.get(`${PRINTS}${own.id}/verify/?sig=${own.sig}`)).body as Proof;
    expect(proof).toMatchObject({ verdict: "valid", proof_only: true, document_url: null });
    await expectRefusal(anybody.get(own.document_url), 404, "not_found");
    await expectStatus(owner.get(own.document_url), 200);
  });

  /** Every text of the file, with its base64 decoded. */
  const everythingIn = (text: string): string =>
    [
      text,
      ...(text.match(/[A-Za-z0-9+/_-]{40,}=*/g) ?? []).map((part) =>
        Buffer.from(part, "base64").toString("latin1"),
      ),
    ].join("\n");

  test("security line 57: `proof_only` keeps addresses out of preuve.json, which still proves the file", async () => {
    const sent = await createSent(owner, { recipients: [PAUL], proof_only: true });
    await signAsGuest(service, sent.id, PAUL.email);
    await service.settle({ deferred: "run" });
    const own = await printOf(owner, sent, "last");
    const [held, shown] = [
      await bytesAt(anybody, own.proof_url),
      await bytesAt(owner, own.proof_url.split("?")[0] ?? ""),
    ];
    const { proof } = proofIn(held);
    expect(everythingIn(Buffer.from(held).toString())).not.toMatch(
      /(?<![\w.+-])[\w.+-]{2,}@[\w-]+\.[a-z]{2,}/,
    );
    expect(everythingIn(Buffer.from(shown).toString())).toContain(PAUL.email);
    expect(proof.certificates.signers).toEqual([]);
    expect(proof.signatures).toMatchObject([
      { certificate: null, certificate_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    const [root, pdf] = [
      await bytesAt(anybody, "/pki/root.crt"),
      await bytesAt(owner, own.document_url),
    ];
    const verify = (files: readonly GivenFile[]) =>
      verifyProof({ proof: held, files, roots: [root], now: service.platform.clock() });
    expect((await verify([{ name: "contrat.pdf", bytes: pdf }])).verdict).toBe("valid");
    // Without the document, the check decides nothing about its signatures.
    const alone = await verify([]);
    const missing = ["file", "cards"].map((name) => [name, "not_checked"]);
    expect([alone.verdict, notOk(alone)]).toEqual(["indeterminate", missing]);
    const [row] = proof.signatures;
    Object.assign(row ?? {}, { certificate_sha256: "ab".repeat(32) });
    const other = await verifyProof({
      proof: await sealedBy(service, proof),
      files: [{ name: "contrat.pdf", bytes: pdf }],
      roots: [root],
      now: service.platform.clock(),
    });
    expect(notOk(other)).toContainEqual(["link", "failed"]);
  });

  test("the sender alone sets `proof_only`, and each change is in the journal once", async () => {
    const recipient = await openMember(service);
    await expectRefusal(choose(recipient, true), 404, "not_found");
    await expectRefusal(choose(anybody, true), 401, "session_expired");
    await choose(owner, true);
    await choose(owner, true);
    await choose(owner, false);
    const events = await service.platform.db
      .selectFrom("audit_events")
      .select("detail")
      .where("envelope_id", "=", envelope.id)
      .where("action", "=", "public_page_changed")
      .orderBy("sequence")
      .execute();
    expect(events.map(({ detail }) => (detail as { proof_only: boolean }).proof_only)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe("GET signatures/?envelope=", () => {
  let owner: TestBrowser;
  let camille: Member;

  beforeAll(async () => {
    owner = await openMember(service);
    camille = await createMember(service.platform);
  });

  const address = (envelope: Envelope) => `/api/signature/signatures/?envelope=${envelope.id}`;
  const signaturesOf = async (envelope: Envelope): Promise<readonly Signature[]> =>
    (await owner.get(address(envelope))).body.results;
  const signed = async (): Promise<Envelope> => {
    const envelope = await createSent(owner, {
      recipients: [PAUL, { email: camille.email, full_name: "Camille Roux", role: "viewer" }],
    });
    const guest = await openConfirmedGuest(service, envelope.id, PAUL.email);
    expect([200, 202]).toContain((await guest.post("sign/", TYPED)).status);
    await expect
      .poll(async () => (await guest.get("guest/")).body.recipient.signed, { timeout: 15_000 })
      .toBe(true);
    await service.settle();
    return envelope;
  };
  const stored = async (envelope: Envelope) =>
    storedPath(
      service.platform,
      await storedHash(service.platform, envelope.documents[0]?.id as string),
    );

  test("a signature has level, certificate, time-stamp and validity, from the stored file", async () => {
    const envelope = await signed();
    expect(await signaturesOf(envelope)).toMatchObject([
      {
        envelope: envelope.id,
        document: envelope.documents[0]?.id,
        document_name: envelope.documents[0]?.name,
        signer_name: "Paul Morel",
        level: "B-LTA",
        certificate: { subject: "Paul Morel" },
        timestamp: { tsa: "Paraphe Horodatage" },
        verdict: "valid",
        reason:
          "La signature est valide, et rien de ce qu’elle couvre n’a changé depuis. Vous pouvez vous y fier.",
      },
    ]);
  });

  test("a signature in a changed file is not valid", async () => {
    const envelope = await signed();
    writeFileSync(await stored(envelope), makePdf());
    expect(await signaturesOf(envelope)).toMatchObject([
      {
        signer_name: "Paul Morel",
        level: null,
        timestamp: null,
        verdict: "invalid",
        reason: expect.stringContaining("n’est pas celui qui a été signé"),
      },
    ]);
  });

  test("a certificate revoked after the time-stamp leaves its signature valid", async () => {
    const envelope = await signed();
    const [signature] = await signaturesOf(envelope);
    service.platform.clock.advance({ minutes: 5 });
    await revokeCertificate(service.platform.db, signature?.certificate.serial_number as string, {
      at: service.platform.clock(),
      reason: 1,
    });
    expect((await signaturesOf(envelope))[0]?.verdict).toBe("valid");
  });

  test("signatures of an envelope one does not see answer 404", async () => {
    const envelope = await signed();
    expect((await (await signIn(service, camille)).get(address(envelope))).body.count).toBe(1);
    const stranger = await openMember(service);
    const [refused, unknown] = [
      await stranger.get(address(envelope)),
      await stranger.get(
        "/api/signature/signatures/?envelope=019aa000-0000-7000-8000-000000000000",
      ),
    ];
    expect([refusal(refused), refusal(unknown)]).toEqual([
      [404, "not_found"],
      [404, "not_found"],
    ]);
    await expectStatus(openBrowser(service.app).get(address(envelope)), 401);
  });

  test("signatures are empty before the first, and need an envelope", async () => {
    expect(
      (await owner.get(address(await createSent(owner, { recipients: [PAUL] })))).body,
    ).toMatchObject({ count: 0, results: [] });
    await expectStatus(owner.get("/api/signature/signatures/"), 400);
  });
});

const REPORT: SignatureReport = {
  fieldName: "env_signature_1",
  kind: "signature",
  subFilter: "ETSI.CAdES.detached",
  indication: "TOTAL_PASSED",
  subIndication: null,
  checks: [],
  warnings: ["signing_time_attribute"],
  coverage: "whole_file",
  laterChanges: "none",
  level: null,
  signerName: "Paul Morel",
  claimedTime: null,
  certificate: null,
  timestamp: null,
  revocation: null,
  issuerNames: [],
  hashAlgorithm: "SHA-256",
  revisionLength: 1_000,
};

test("a validation's warnings come with its verdict, in words", () => {
  const { signatures } = checkFile(
    { indication: "TOTAL_PASSED", signatures: [REPORT], problems: [], pageCount: 1 },
    { named: [], unnamed: [] },
  );
  expect(signatures).toMatchObject([
    { said: { verdict: "valid" }, warnings: [expect.stringContaining("aucun niveau PAdES")] },
  ]);
});
