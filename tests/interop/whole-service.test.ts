import { execFileSync } from "node:child_process";
import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../apps/server/testing/app.ts";
import { multipart, type TestBrowser } from "../../apps/server/testing/browser.ts";
import { createDraft, ENVELOPES, type EnvelopeValues } from "../../apps/server/testing/envelope.ts";
import { openMailedGuest, type TestGuest } from "../../apps/server/testing/guest.ts";
import { makePng } from "../../apps/server/testing/images.ts";
import { createMember, type Member, signIn } from "../../apps/server/testing/member.ts";
import { makePdf } from "../../apps/server/testing/pdf.ts";
import { openSoftHsm, SOFT_HSM_MISSING, type SoftHsm } from "../../apps/server/testing/soft-hsm.ts";
import { openTestTsa, type TestTsa } from "../../apps/server/testing/tsa-server.ts";
import { createSealing, enqueueRenewals } from "../../apps/server/src/features/sealing/index.ts";
import { createTrust } from "../../apps/server/src/features/trust/index.ts";
import type { Hsm } from "../../apps/server/src/platform/hsm/hsm.ts";
import { openHsm } from "../../apps/server/src/platform/hsm/open-hsm.ts";
import { LIFE, liveWithMany } from "../../packages/pades/interop/signing-rounds.ts";
import { temporaryFolder } from "../../packages/pades/interop/tool.ts";
import { smallPdf } from "../../packages/pades/testing/small-pdf.ts";
import { createTestPki } from "../../packages/pades/testing/test-pki.ts";
import { runKeys } from "../../scripts/keys/run-keys.ts";
import { everyField, place } from "../support/every-field.ts";
import { missingValidators, NO_COMPLAINT, openValidators, type ServiceFile, type Validators } from "../support/open-validators.ts";
import { DRAWN } from "../support/story.ts";

const missing = missingValidators();
const PEOPLE = ["Côme Œuvrard", "Maëlys N'Guessan", "Jørgen Đặng", "Anne-Sophie d’Été"].map((full_name, index) => ({
  full_name,
  email: `personne${index + 1}@exemple.fr`,
}));
const [COME, MAELYS, JORGEN, ANNE] = PEOPLE as [Person, Person, Person, Person];
type Person = { readonly full_name: string; readonly email: string };

const DRAWN_MARK = DRAWN;
const TYPED_MARK = { kind: "typed", text: "Maëlys N’Guessan", font: "la-belle-aurore" };
const UPLOADED_MARK = { kind: "uploaded", image: `data:image/png;base64,${Buffer.from(makePng(300, 120)).toString("base64")}` };
const MARKS: readonly object[] = [DRAWN_MARK, TYPED_MARK, UPLOADED_MARK];

/** The service, every feature joined, that people sign in: what comes out of it is judged by strangers who hold its root and nothing else. */
describe.skipIf(missing)(`files completed by the whole service${missing ? ` (${missing})` : ""}`, () => {
  let service: TestApp;
  let member: Member;
  let sender: TestBrowser;
  let validators: Validators;
  let token: SoftHsm | null = null;
  let hsm: Hsm | null = null;

  beforeAll(async () => {
    if (missing) return;
    validators = openValidators();
    token = SOFT_HSM_MISSING === null ? await openSoftHsm() : null;
    hsm = token === null ? null : await openHsm(token.settings);
    // Files that others archived that day are uploaded an hour later.
    service = await createTestApp({
      settings: { rateLimits: "off" },
      now: new Date(LIFE.archived.getTime() + 3_600_000),
      platform: { hsm },
    });
    member = await createMember(service.platform);
  }, 60_000);
  // The clock moves from test to test, and a session with it.
  beforeEach(async () => {
    sender = await signIn(service, member);
  });
  afterAll(async () => {
    if (missing) return;
    validators.close();
    await service.close();
    hsm?.close();
    await token?.close();
  });

  /** While what authorities said of one another (OCSP) is fresh: pyHanko asks for that, of the last time-stamp. */
  const later = (): Date => new Date(service.platform.clock().getTime() + 30 * 60_000);
  const rootOf = async (): Promise<Uint8Array> => new Uint8Array((await service.app.inject("/pki/root.crt")).rawPayload);

  /** Every document of a completed envelope, as its sender downloads it. */
  async function filesOf(
    envelope: Envelope,
    expected: Partial<ServiceFile> & Pick<ServiceFile, "signatures">,
  ): Promise<readonly ServiceFile[]> {
    const read = (await sender.get(`${ENVELOPES}${envelope.id}/`)).body as Envelope;
    expect([read.status, read.level]).toEqual(["completed", "B-LTA"]);
    const root = await rootOf();
    return Promise.all(
      read.documents.map(async ({ id }, index) => ({
        name: `${envelope.id}-${index}-${expected.timestamps ?? 1}`,
        pdf: (await sender.get(`${ENVELOPES}${envelope.id}/documents/${id}/file/`)).bytes,
        prefix: envelope.id,
        timestamps: 1,
        anchors: [root],
        at: later(),
        ...expected,
      })),
    );
  }

  async function expectNoComplaint(files: readonly ServiceFile[]): Promise<void> {
    for (const file of files) expect(await validators.complaintsAbout(file), file.name).toEqual(NO_COMPLAINT);
  }

  const bytesOf = (envelope: Envelope, document: string): Promise<Uint8Array> =>
    sender.get(`${ENVELOPES}${envelope.id}/documents/${document}/file/`).then(({ bytes }) => bytes);

  async function send(values: EnvelopeValues): Promise<{ envelope: Envelope; guests: TestGuest[] }> {
    const draft = await createDraft(sender, values);
    const fixable = draft.documents.filter(({ control }) => control.result === "fixable").map(({ id }) => id);
    if (fixable.length > 0) {
      const accepted = await sender.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { accept_normalised: fixable } });
      expect(accepted.status, accepted.text).toBe(200);
    }
    const sent = await sender.post(`${ENVELOPES}${draft.id}/send/`);
    expect(sent.status, sent.text).toBe(200);
    const guests: TestGuest[] = [];
    for (const { email } of draft.recipients.filter(({ role }) => role !== "viewer")) {
      const guest = await openMailedGuest(service, draft.id, email);
      await guest.confirm();
      guests.push(guest);
    }
    return { envelope: sent.body, guests };
  }

  /** Fills every own text and box, copies every mention, and signs. */
  async function sign(
    envelope: Envelope,
    { guest, person, mark, initials }: { guest: TestGuest; person: Person; mark: object; initials?: object | undefined },
    call = "sign/",
  ) {
    const recipient = envelope.recipients.find(({ email }) => email === person.email)?.id;
    const fields = envelope.fields
      .filter((field) => field.recipient_id === recipient && ["text", "checkbox", "mention"].includes(field.type))
      .map(({ id, type, value }) => ({
        id,
        value: type === "mention" ? value : type === "text" ? `Lu et approuvé par ${person.full_name}, « bon pour accord »` : "Oui",
      }));
    const answer = await guest.post(call, { fields, signature: mark, initials, consent: true });
    expect([200, 202], answer.text).toContain(answer.status);
  }

  /** Sends to these people, who sign one after the other a minute apart, each with another kind of mark, every second one with initials of their own. */
  async function complete(people: readonly Person[], values: EnvelopeValues = {}): Promise<Envelope> {
    const { envelope, guests } = await send({ recipients: people, ...values });
    for (const [index, guest] of guests.entries()) {
      const [mark, other] = [0, 1].map((step) => MARKS[(index + step) % MARKS.length] as object);
      await sign(envelope, { guest, person: people[index] as Person, mark: mark as object, initials: index % 2 === 1 ? other : undefined });
      service.platform.clock.advance({ minutes: 1 });
    }
    await service.settle({ deferred: "run" });
    return envelope;
  }

  test("one signer: no complaint", async () => {
    await expectNoComplaint(await filesOf(await complete([COME]), { signatures: 1 }));
  });

  test("two signers and an approver, who signs invisibly: no complaint", async () => {
    const people = [COME, MAELYS, { ...JORGEN, role: "approver" }];
    await expectNoComplaint(await filesOf(await complete(people), { signatures: 3 }));
  });

  test("three signers, each with a drawn, typed or uploaded mark and every kind of field, on documents of several shapes: no complaint", async () => {
    const shapes = [
      makePdf({ pages: 2 }),
      smallPdf({ rotate: 90 }),
      smallPdf({ cropBox: "20 30 500 700.137", userUnit: 1.5 }),
      smallPdf({ rotate: 270, inherited: true }),
    ];
    const people = [COME, MAELYS, JORGEN];
    const fields = shapes.flatMap((_, document) => people.flatMap((__, recipient) => everyField(document, recipient)));
    const envelope = await complete(people, {
      files: shapes.map((bytes, index) => ({ name: `Annexe ${index + 1}.pdf`, bytes })),
      fields,
    });
    const files = await filesOf(envelope, { signatures: 3 });
    expect(files).toHaveLength(4);
    await expectNoComplaint(files);
  });

  test("twenty signers at the same moment: twenty signatures, each earlier revision a prefix, no complaint", async () => {
    const people = Array.from({ length: 20 }, (_, index) => ({ full_name: `Signataire Nº ${index + 1}`, email: `s${index}@exemple.fr` }));
    const fields = people.map((_, index) =>
      place("signature", index, { x: 0.02 + 0.24 * (index % 4), y: 0.2 + 0.15 * Math.floor(index / 4) }),
    );
    const { envelope, guests } = await send({ recipients: people, fields });
    await Promise.all(
      guests.map((guest, index) => sign(envelope, { guest, person: people[index] as Person, mark: MARKS[index % 3] as object })),
    );
    await service.settle({ deferred: "run" });
    const [file] = await filesOf(envelope, { signatures: 20 });
    const revisions = await service.platform.db
      .selectFrom("document_revisions")
      .select(["kind", "blob_sha256"])
      .where("document_id", "=", envelope.documents[0]?.id ?? "")
      .orderBy("number")
      .execute();
    expect(revisions.map(({ kind }) => kind)).toEqual(["original", "prepared", ...Array.from({ length: 20 }, () => "signed"), "completed"]);
    for (const { blob_sha256 } of revisions) {
      const revision = await service.platform.files.get(blob_sha256);
      expect(Buffer.compare(revision, file?.pdf.subarray(0, revision.length) ?? new Uint8Array())).toBe(0);
    }
    await expectNoComplaint(file === undefined ? [] : [file]);
  });

  test("documents signed by their own owner with saved marks of each kind, on pages of several shapes: no complaint", async () => {
    const saved = "/api/signature/saved-signatures/";
    const made = [
      { name: "Dessinée", kind: "drawn", strokes: DRAWN_MARK.strokes },
      { name: "Saisie", kind: "typed", text: TYPED_MARK.text, font: TYPED_MARK.font },
      { name: "Importée", ...UPLOADED_MARK },
    ];
    const shapes = [smallPdf({ rotate: 90 }), smallPdf({ cropBox: "20 30 500 700.137", userUnit: 1.5 }), makePdf({ pages: 2 })];
    const files: ServiceFile[] = [];
    for (const [index, mark] of made.entries()) {
      const kept = await sender.post(saved, mark);
      expect(kept.status, kept.text).toBe(201);
      const form = multipart(
        {
          placement: JSON.stringify({ page: -1, x: 0.5, y: 0.7, width: 0.4, height: 0.1 }),
          signature: JSON.stringify({ kind: "saved", saved_signature_id: kept.body.id }),
        },
        [{ field: "file", name: "Contrat.pdf", type: "application/pdf", bytes: shapes[index] as Uint8Array }],
      );
      const signed = await sender.send("POST", "/api/signature/self-sign/", form);
      expect(signed.status, signed.text).toBe(201);
      files.push(...(await filesOf(signed.body, { signatures: 1 })));
    }
    await expectNoComplaint(files);
  });

  test("documents signed at once, by one certificate, on each page or on one: no complaint", async () => {
    const shapes = [
      makePdf({ text: "Lot 1" }),
      makePdf({ pages: 3, text: "Lot 2" }),
      smallPdf(),
      makePdf({ width: 842, height: 595, text: "Lot 4" }),
    ];
    const spot = { page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.1 };
    const form = multipart(
      {
        placement: JSON.stringify(spot),
        overrides: JSON.stringify([{ file_index: 1, placement: { ...spot, page: "all" } }]),
        signature: JSON.stringify(DRAWN_MARK),
      },
      shapes.map((bytes, index) => ({ field: "files", name: `Lot ${index}.pdf`, type: "application/pdf", bytes })),
    );
    const sent = await sender.send("POST", "/api/signature/batch-sign/", form);
    expect(sent.status, sent.text).toBe(202);
    await service.settle({ deferred: "run" });
    const job = (await sender.get(`/api/signature/batch-jobs/${sent.body.id}/`)).body;
    expect(job).toMatchObject({ status: "completed", done: shapes.length });
    const files: ServiceFile[] = [];
    for (const { envelope_id } of job.items)
      files.push(...(await filesOf((await sender.get(`${ENVELOPES}${envelope_id}/`)).body, { signatures: 1 })));
    await expectNoComplaint(files);
  });

  test("a file that others signed and archived elsewhere: no complaint, and their signatures are worth what they were", async () => {
    const others = await createTestPki("Autre Service");
    const { archived: theirs } = await liveWithMany(others, smallPdf(), 2);
    const envelope = await complete([COME, MAELYS], { files: [{ name: "Déjà signé.pdf", bytes: theirs }] });
    expect(envelope.documents[0]?.control.findings.map(({ code }) => code)).toContain("existing_signatures");
    const anchors = [await rootOf(), ...others.root.certificates];
    await expectNoComplaint(await filesOf(envelope, { signatures: 2, timestamps: 2, anchors, signedElsewhere: theirs }));
  });

  test("a file that the service completed before, countersigned in another envelope: no complaint about either", async () => {
    const first = await complete([COME, MAELYS]);
    const bytes = await bytesOf(first, first.documents[0]?.id ?? "");
    const second = await complete([ANNE], { files: [{ name: "À contresigner.pdf", bytes }] });
    const files = await filesOf(second, { signatures: 1, timestamps: 2, signedElsewhere: bytes });
    await expectNoComplaint([...files, ...files.map((file) => ({ ...file, name: `${file.name}-first`, prefix: first.id, signatures: 2 }))]);
  });

  test("files corrected with their sender's consent: no complaint", async () => {
    const folder = temporaryFolder();
    const path = folder.write("in.pdf", makePdf({ pages: 2 }));
    execFileSync("qpdf", ["--encrypt", "", "proprietaire", "256", "--", path, `${folder.path}/out.pdf`]);
    const encrypted = new Uint8Array(execFileSync("cat", [`${folder.path}/out.pdf`]));
    folder.remove();
    const plain = makePdf();
    const scripted = smallPdf({ catalogExtra: "/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>" });
    const envelope = await complete([COME, MAELYS], {
      files: [
        { name: "Protégé.pdf", bytes: encrypted },
        { name: "Précédé.pdf", bytes: new Uint8Array(Buffer.concat([Buffer.from("courriel\r\n\r\n"), plain])) },
        { name: "Actif.pdf", bytes: scripted },
      ],
    });
    await expectNoComplaint(await filesOf(envelope, { signatures: 2 }));
  });

  test.skipIf(SOFT_HSM_MISSING !== null)("signed by the organisation's key in a token, beside a person's own: no complaint", async () => {
    const { envelope, guests } = await send({ recipients: [COME, MAELYS] });
    for (const [index, call] of ["hsm_sign/", "sign/"].entries())
      await sign(envelope, { guest: guests[index] as TestGuest, person: PEOPLE[index] as Person, mark: MARKS[index] as object }, call);
    await service.settle({ deferred: "run" });
    await expectNoComplaint(await filesOf(envelope, { signatures: 2 }));
  });

  test("what was signed before the keys were replaced and the old ones revoked, and what is signed after: no complaint", async () => {
    const before = await complete([COME, MAELYS]);
    const [untouched] = await filesOf(before, { signatures: 2 });
    const keys = (words: string) => runKeys(service.platform, words.split(" "), {});
    const serialOf = async (name: string): Promise<string> =>
      (await keys("list")).lines.map((line) => line.split(/ {2,}/)).find((cells) => cells[1] === name)?.[2] ?? "";
    const old = await serialOf("Paraphe Signature");
    service.platform.clock.advance({ minutes: 2 });
    expect((await keys("rotate ca")).code).toBe(0);
    service.platform.clock.advance({ minutes: 2 });
    // The documents that the old authority stamped are stamped anew before it is revoked.
    expect((await keys(`revoke ${old} compromission`)).code).toBe(1);
    await enqueueRenewals(createSealing(service.platform, await createTrust(service.platform)));
    await service.settle();
    service.platform.clock.advance({ minutes: 2 });
    expect(await keys(`revoke ${old} compromission`)).toMatchObject({ code: 0 });
    service.platform.clock.advance({ minutes: 2 });
    const after = await complete([ANNE]);
    await expectNoComplaint([
      { ...(untouched as ServiceFile), at: later() },
      ...(await filesOf(before, { signatures: 2, timestamps: 2 })),
      ...(await filesOf(after, { signatures: 1 })),
    ]);
  });

  describe("with the time-stamps of somebody else's authority (TSA_URL), the service's own named and keyed otherwise (PKI_ORGANIZATION, PKI_KEY_TYPE)", () => {
    let tsa: TestTsa;
    let own: TestApp;
    beforeAll(async () => {
      if (missing) return;
      own = service;
      tsa = await openTestTsa({ now: own.platform.clock() });
      service = await createTestApp({
        settings: { rateLimits: "off", tsaUrl: tsa.url, pki: { organization: "Mairie de Lyon", country: "FR", keyType: "P-384" } },
        now: own.platform.clock(),
      });
      member = await createMember(service.platform);
    });
    afterAll(async () => {
      if (missing) return;
      await service.close();
      await tsa.close();
      service = own;
    });

    test("two signers: no complaint", async () => {
      const envelope = await complete([COME, MAELYS]);
      const { timestamps } = (await (await createTrust(service.platform)).evidence()).trustAnchors;
      await expectNoComplaint(await filesOf(envelope, { signatures: 2, anchors: timestamps }));
    });
  });
});
