import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { multipart, openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, ENVELOPES, type EnvelopeValues, envelopeForm, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { hitThrottle } from "../../platform/throttle/throttle.ts";

let service: TestApp;
let anne: TestBrowser;

beforeAll(async () => {
  service = await createTestApp();
  anne = await signIn(service, await createMember(service.platform, { firstName: "Anne", lastName: "Roux" }));
});
afterAll(() => service.close());

const create = (values: EnvelopeValues = {}) => anne.send("POST", ENVELOPES, envelopeForm(values));
const stored = async () =>
  Number(
    (
      await service.platform.db
        .selectFrom("envelopes")
        .select((eb) => eb.fn.countAll().as("n"))
        .executeTakeFirstOrThrow()
    ).n,
  );
const FIELD = { document_index: 0, recipient_index: 0, type: "signature", page: 1, x: 0.1, y: 0.8, width: 0.3, height: 0.07 };

describe("an envelope is refused", () => {
  const sentences = (answer: { body: { errors?: Record<string, string[]> } }) => answer.body.errors;

  it("without a title, or one over 200 characters", async () => {
    expect(await create({ title: " " })).toMatchObject({ status: 400, body: { code: "validation", errors: { title: ["Titre requis"] } } });
    expect(await create({ title: "x".repeat(201) })).toMatchObject({
      status: 400,
      body: { errors: { title: ["200 caractères au maximum"] } },
    });
    expect((await create({ title: "x".repeat(200) })).status).toBe(201);
    const none = await anne.send(
      "POST",
      ENVELOPES,
      multipart({}, [{ field: "files", name: "a.pdf", type: "application/pdf", bytes: makePdf() }]),
    );
    expect(sentences(none)).toEqual({ title: ["Titre requis"] });
  });

  it("without a file", async () => {
    expect(await create({ files: [] })).toMatchObject({ status: 400, body: { errors: { files: ["Au moins un fichier"] } } });
  });

  it("with an empty file", async () => {
    expect(await create({ files: [{ name: "vide.pdf", bytes: new Uint8Array() }] })).toMatchObject({
      status: 400,
      body: { code: "validation", errors: { files: ["Le fichier est vide"] }, file_name: "vide.pdf", file_index: 0 },
    });
  });

  it("with a file over 10 485 760 bytes; exactly that many are accepted", async () => {
    const padded = (size: number) => {
      const head = Buffer.from(makePdf());
      return new Uint8Array(Buffer.concat([head, Buffer.from("%".repeat(size - head.length - 7)), Buffer.from("\n%%EOF\n")]));
    };
    expect((await create({ files: [{ name: "gros.pdf", bytes: padded(10_485_761) }] })).body).toMatchObject({
      status: 413,
      code: "file_too_large",
      detail: "Le fichier est trop volumineux (max 10MB)",
      errors: { files: ["Le fichier est trop volumineux (max 10MB)"] },
      file_name: "gros.pdf",
      file_index: 0,
    });
    expect((await create({ files: [{ name: "juste.pdf", bytes: padded(10_485_760) }] })).status).toBe(201);
  });

  it("with a file that is no PDF by its name or by its content", async () => {
    const refusal = { status: 415, code: "not_a_pdf", detail: "Seuls les fichiers PDF sont autorisés" };
    expect((await create({ files: [{ name: "bail.docx", bytes: makePdf() }] })).body).toMatchObject(refusal);
    const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), randomBytes(500)]);
    expect((await create({ files: [{ name: "image.pdf", bytes: new Uint8Array(png) }] })).body).toMatchObject({
      ...refusal,
      file_name: "image.pdf",
    });
  });

  it("whole when one file of several is bad, with the place of that one: nothing is stored", async () => {
    const before = await stored();
    const bytes = makePdf({ text: `seul ${randomBytes(4).toString("hex")}` });
    const answer = await create({
      files: [
        { name: "a.pdf", bytes },
        { name: "b.pdf", bytes: new Uint8Array(Buffer.from("pas un PDF")) },
      ],
    });
    expect(answer).toMatchObject({ status: 415, body: { file_name: "b.pdf", file_index: 1 } });
    expect(await stored()).toBe(before);
    const { createHash } = await import("node:crypto");
    expect(await service.platform.files.size(createHash("sha256").update(bytes).digest())).toBeNull();
  });

  it("with a damaged PDF", async () => {
    const bytes = makePdf().slice(0, 200);
    expect((await create({ files: [{ name: "a.pdf", bytes }] })).status).toBeGreaterThanOrEqual(415);
  });

  it("with more than 20 files, or 50 MB", async () => {
    const files = Array.from({ length: 21 }, (_, index) => ({ name: `${index}.pdf`, bytes: makePdf() }));
    expect((await create({ files })).body).toMatchObject({ status: 413, code: "envelope_too_large" });
  });

  it("with a deadline that is past, or over two years away", async () => {
    expect(sentences(await create({ deadline_at: "2026-11-21T10:00:00.000Z" }))).toEqual({
      deadline_at: ["L'échéance doit être dans le futur"],
    });
    expect(sentences(await create({ deadline_at: "2029-01-01T00:00:00.000Z" }))).toEqual({
      deadline_at: ["L’échéance doit être dans les deux ans"],
    });
    expect(sentences(await create({ deadline_at: "demain" }))).toEqual({ deadline_at: ["Date invalide"] });
  });

  it("with the same person twice; one address for two people is accepted", async () => {
    expect(sentences(await create({ recipients: [PAUL, { ...PAUL, email: "PAUL.MOREL@exemple.fr" }] }))).toHaveProperty([
      "recipients.1.email",
    ]);
    expect((await create({ recipients: [PAUL, { ...PAUL, full_name: "Jeanne Morel" }] })).status).toBe(201);
  });

  it("with a recipient whose address, name or phone is wrong", async () => {
    expect(sentences(await create({ recipients: [{ email: "x", full_name: "", phone_number: "abc" }] }))).toEqual({
      "recipients.0.email": ["Email invalide"],
      "recipients.0.full_name": ["Nom requis"],
      "recipients.0.phone_number": ["Téléphone invalide"],
    });
  });

  it("with a field out of its page, of an unknown page, document or person", async () => {
    const wrong = [{ ...FIELD, x: 0.9 }, FIELD];
    expect(sentences(await create({ fields: wrong }))).toEqual({ "fields.0": ["Le champ dépasse de la page"] });
    const far = [
      { ...FIELD, page: 2 },
      { ...FIELD, document_index: 3 },
      { ...FIELD, recipient_index: 9 },
    ];
    expect(Object.keys(sentences(await create({ fields: far })) ?? {})).toEqual([
      "fields.0.page",
      "fields.1.document_id",
      "fields.2.recipient_id",
    ]);
  });

  it("with a list that is no JSON, an unknown field, or one that reaches a prototype", async () => {
    const file = [{ field: "files", name: "a.pdf", type: "application/pdf", bytes: makePdf() }];
    const post = (fields: Record<string, string>, files = file) =>
      anne.send("POST", ENVELOPES, multipart({ title: "t", ...fields }, files));
    expect(sentences(await post({ recipients: "[{" }))).toEqual({ recipients: ["Valeur illisible"] });
    expect((await post({ status: "completed" })).body).toMatchObject({ status: 400, errors: { status: ["Champ inconnu"] } });
    expect((await post({ owner_id: "x" })).status).toBe(400);
    expect((await post({ recipients: '[{"__proto__":{"role":"viewer"},"email":"a@b.fr","full_name":"x"}]' })).status).toBe(400);
    expect((await post({}, [{ ...(file[0] as (typeof file)[0]), field: "avatar" }])).body).toMatchObject({
      status: 400,
      errors: { avatar: ["Champ inconnu"] },
    });
  });

  it("from nobody, before its body is read; and without the CSRF token", async () => {
    const stranger = openBrowser(service.app);
    expect((await stranger.send("POST", ENVELOPES, envelopeForm())).body).toMatchObject({ status: 401, code: "session_expired" });
    const form = envelopeForm();
    expect((await anne.send("POST", ENVELOPES, { ...form, headers: { ...form.headers, "x-csrftoken": "" } })).body).toMatchObject({
      status: 403,
      code: "csrf_failed",
    });
  });

  it("beyond 1 000 an hour from one account, and says until when", async () => {
    const busy = await signIn(service, await createMember(service.platform));
    await createDraft(busy);
    await service.platform.db.updateTable("throttles").set({ hits: 1_000 }).where("key", "like", "envelope create %").execute();
    expect(await busy.send("POST", ENVELOPES, envelopeForm())).toMatchObject({
      status: 429,
      body: { code: "too_many_requests" },
      headers: { "retry-after": "3600" },
    });
    await service.platform.db.deleteFrom("throttles").where("key", "like", "envelope create %").execute();
  });

  it("beyond 1 000 additions of files an hour to drafts, and 5 000 people asked a day", async () => {
    const owner = await createMember(service.platform);
    const busy = await signIn(service, owner);
    const draft = await createDraft(busy);
    const more = () => busy.send("PATCH", `${ENVELOPES}${draft.id}/`, envelopeForm());
    const send = () => busy.post(`${ENVELOPES}${draft.id}/send/`);
    const used = async (kind: string, hits: number) => {
      const rule = { key: `envelope ${kind} ${owner.id}`, limit: 9_999, windowS: kind === "invite" ? 86_400 : 3_600 };
      await hitThrottle(service.platform.db, { ...rule, now: service.platform.clock(), weight: hits });
    };
    await used("upload", 1_000);
    expect(await more()).toMatchObject({ status: 429, body: { code: "too_many_requests" } });
    await used("invite", 4_999);
    expect(await send()).toMatchObject({ status: 429, body: { code: "too_many_requests" } });
    await service.platform.db.deleteFrom("throttles").where("key", "like", "envelope %").execute();
    expect((await send()).status).toBe(200);
  });

  it("as JSON, which has no file", async () => {
    expect((await anne.post(ENVELOPES, { title: "t" })).status).toBe(415);
  });
});
