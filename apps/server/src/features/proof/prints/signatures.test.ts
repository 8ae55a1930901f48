import { writeFileSync } from "node:fs";
import type { Envelope, Signature } from "@paraphe/contracts";
import type { SignatureReport } from "@paraphe/pades";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import { createSent, PAUL } from "../../../../testing/envelope.ts";
import { TYPED, openConfirmedGuest } from "../../../../testing/guest.ts";
import { createMember, type Member, signIn, signInNew } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { storedHash, storedPath } from "../../../../testing/stored-file.ts";
import { revokeCertificate } from "../../trust/store.ts";
import { checkFile } from "./read-record.ts";

describe("GET signatures/?envelope=", () => {
  let service: TestApp;
  let owner: TestBrowser;
  let camille: Member;

  beforeAll(async () => {
    service = await createTestApp({ settings: { rateLimits: "off" } });
    owner = await signInNew(service);
    camille = await createMember(service.platform);
  });
  afterAll(() => service.close());

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
    const stranger = await signInNew(service);
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
    { named: [], strays: [] },
  );
  expect(signatures).toMatchObject([
    { said: { verdict: "valid" }, warnings: [expect.stringContaining("aucun niveau PAdES")] },
  ]);
});
