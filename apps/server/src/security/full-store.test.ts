import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../testing/app.ts";
import { multipart, refusal, type TestBrowser } from "../../testing/browser.ts";
import { createSent, ENVELOPES, envelopeForm, PAUL } from "../../testing/envelope.ts";
import { openConfirmedGuest, TYPED } from "../../testing/guest.ts";
import { createMember, signIn } from "../../testing/member.ts";
import { makePdf } from "../../testing/pdf.ts";
import {
  CAN_MOUNT,
  openSmallMedium,
  type SmallMedium,
} from "../../testing/servers/small-medium.ts";

/** The file system is real, and full or read-only. */
describe.runIf(CAN_MOUNT)("a store", () => {
  let medium: SmallMedium;
  let service: TestApp;
  let owner: TestBrowser;
  beforeAll(async () => {
    medium = openSmallMedium(4_096);
    service = await createTestApp({
      settings: {
        rateLimits: "off",
        storage: { kind: "folder", folder: join(medium.folder, "fichiers") },
      },
    });
    owner = await signIn(service, await createMember(service.platform));
  });
  afterAll(async () => {
    await service.close();
    medium.close();
  });

  // Bytes stored already need no room, so each file is new.
  let made = 0;
  const anotherPdf = () => makePdf({ text: `Bail ${++made}` });
  const upload = () =>
    owner.send(
      "POST",
      ENVELOPES,
      envelopeForm({ files: [{ name: "Bail.pdf", bytes: anotherPdf() }] }),
    );
  const selfSign = () =>
    owner.send(
      "POST",
      "/api/signature/self-sign/",
      multipart(
        {
          placement: JSON.stringify({ page: 1, x: 0.6, y: 0.8, width: 0.3, height: 0.07 }),
          signature: JSON.stringify(TYPED.signature),
        },
        [{ field: "file", name: "bail.pdf", type: "application/pdf", bytes: anotherPdf() }],
      ),
    );
  const rows = async (table: "envelopes" | "signing_acts") =>
    Number(
      (
        await service.platform.db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as("count"))
          .executeTakeFirstOrThrow()
      ).count,
    );
  const confirmed = async () => {
    const { id } = await createSent(owner, { recipients: [PAUL] });
    return openConfirmedGuest(service, id, PAUL.email);
  };

  test("a full store is 507 and keeps nothing of an upload; a signature's consent is kept, and sealed once there is room", async () => {
    const guest = await confirmed();
    const before = [await rows("envelopes"), await rows("signing_acts")];
    medium.fill();
    try {
      for (const refused of [await upload(), await selfSign()])
        expect(refusal(refused)).toEqual([507, "storage_full"]);
      expect([await rows("envelopes"), await rows("signing_acts")]).toEqual(before);
      const signed = await guest.post("sign/", TYPED);
      expect([...refusal(signed), signed.headers["retry-after"], signed.body.detail]).toEqual([
        507,
        "signature_without_room",
        "300",
        "L’espace de stockage du service est plein. Votre signature est enregistrée et sera scellée dès qu’il y aura de la place.",
      ]);
      expect((await guest.get("guest/")).body.recipient).toMatchObject({
        status: "sealing",
        signed: false,
      });
    } finally {
      medium.makeRoom();
    }
    await service.settle({ deferred: "run" });
    expect((await guest.get("guest/")).body.recipient).toMatchObject({
      status: "signed",
      signed: true,
    });
    expect((await upload()).status).toBe(201);
  });

  test("a read-only store is 503 for an upload; a signature is acknowledged, and sealed once writes work", async () => {
    const guest = await confirmed();
    const before = await rows("envelopes");
    medium.takeWrites(false);
    try {
      for (const refused of [await upload(), await selfSign()]) {
        expect(refusal(refused)).toEqual([503, "service_unavailable"]);
        expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
      }
      expect(await rows("envelopes")).toBe(before);
      expect((await guest.post("sign/", TYPED)).status).toBe(202);
    } finally {
      medium.takeWrites(true);
    }
    await service.settle({ deferred: "run" });
    expect((await guest.get("guest/")).body.recipient).toMatchObject({
      status: "signed",
      signed: true,
    });
  });
});
