import { createHash } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createDraft, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";
import { ownPdf, prepareBail, saveTemplate as save, TEMPLATES } from "../../../testing/template-calls.ts";
import { readZip } from "../../../testing/zip.ts";
import type { SessionUser } from "../accounts/index.ts";
import { verifyChain } from "../audit/index.ts";
import { sweepFiles } from "../documents/sweep-files.ts";
import { useTemplate } from "./use-template.ts";

let service: TestApp;
let anne: Member;
let browser: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  anne = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  browser = await signIn(service, anne, { remember: true });
});
afterAll(() => service.close());

const hashOf = (bytes: Uint8Array) => new Uint8Array(createHash("sha256").update(bytes).digest());
const prepared = (who: TestBrowser = browser, bytes?: Uint8Array) => prepareBail(who, bytes);

describe("templates/{id}/use/", () => {
  const people = (roles: number) =>
    Array.from({ length: roles }, (_, index) => ({
      role_index: index,
      email: `personne${index}@exemple.fr`,
      full_name: `Personne ${"ABC"[index]}`,
      phone_number: null,
    }));

  test("makes a draft with the same bytes, the fields in their places, the ranks, the message, and the people given", async () => {
    const bytes = ownPdf();
    const source = await prepared(browser, bytes);
    const { body: template } = await save(browser, source.id);
    const answer = await browser.post(`${TEMPLATES}${template.id}/use/`, { people: people(3), title: "Bail Martin" });
    expect(answer.status).toBe(201);
    const draft = answer.body;
    expect(draft).toMatchObject({
      status: "draft",
      title: "Bail Martin",
      flow: "sequential",
      message: "Merci de signer avant lundi.",
      is_owner: true,
    });
    expect(draft.id).not.toBe(source.id);
    expect(draft.documents.map((document: { sha256: string; name: string }) => [document.name, document.sha256])).toEqual(
      source.documents.map((document) => [document.name, document.sha256]),
    );
    expect(draft.documents[0].sha256).toBe(Buffer.from(hashOf(bytes)).toString("hex"));
    expect(draft.recipients.map((row: { email: string; role: string; order: number }) => [row.email, row.role, row.order])).toEqual([
      ["personne0@exemple.fr", "signer", 1],
      ["personne1@exemple.fr", "signer", 1],
      ["personne2@exemple.fr", "viewer", 2],
    ]);
    const places = (envelope: typeof source) =>
      envelope.fields.map(({ type, page, x, y, width, height, label, value, required, document_id, recipient_id }) => ({
        place: { type, page, x, y, width, height, label, value, required },
        document: envelope.documents.findIndex((document) => document.id === document_id),
        recipient: envelope.recipients.findIndex((recipient) => recipient.id === recipient_id),
      }));
    expect(places(draft)).toEqual(places(source));
    expect(await verifyChain(service.platform.db, draft.id)).toMatchObject({ ok: true });
    expect((await browser.post(`${ENVELOPES}${draft.id}/send/`)).body.status).toBe("sent");
  });

  test("keeps how often people are reminded, and none where none was set", async () => {
    const source = await prepared();
    const remindersOf = async () => {
      const { body: template } = await save(browser, source.id);
      return (await browser.post(`${TEMPLATES}${template.id}/use/`, { people: people(3) })).body.reminders;
    };
    expect(await remindersOf()).toMatchObject({ every_days: null });
    const set = await browser.send("PATCH", `${ENVELOPES}${source.id}/`, {
      body: { reminders: { every_days: 3 } },
      headers: { "if-match": `"${source.version}"` },
    });
    expect(set.status).toBe(200);
    expect(await remindersOf()).toEqual({ every_days: 3, business_days: true, next_at: null });
  });

  test("keeps « Preuve seule »; one kept before there was that choice shows the document", async () => {
    const source = await createDraft(browser, { proof_only: true, files: [{ name: "Bail.pdf", bytes: ownPdf() }], recipients: [PAUL] });
    const { body: template } = await save(browser, source.id);
    const proofOnly = async () => (await browser.post(`${TEMPLATES}${template.id}/use/`, { people: people(1) })).body.proof_only;
    expect(await proofOnly()).toBe(true);
    await sql`update templates set content = content - 'proof_only' where id = ${template.id}`.execute(service.platform.db);
    expect(await proofOnly()).toBe(false);
  });

  test("is an unknown one when it is deleted, and its files with it, while they are read", async () => {
    const { platform } = service;
    const source = await createDraft(browser, { files: [{ name: "seul.pdf", bytes: ownPdf() }], recipients: [PAUL] });
    const { body: template } = await save(browser, source.id);
    await browser.post(`${ENVELOPES}${source.id}/cancel/`);
    await browser.send("DELETE", `${ENVELOPES}${source.id}/purge/`);
    await service.settle();
    const deletedFirst = async (sha256: Uint8Array) => {
      await browser.send("DELETE", `${TEMPLATES}${template.id}/`);
      await service.settle();
      return platform.files.get(sha256);
    };
    const user = { ...anne, email_key: anne.email, full_name: "Anne Roux" } as unknown as SessionUser;
    const used = await useTemplate(
      { ...platform, files: { ...platform.files, get: deletedFirst } },
      { id: template.id, actor: { user, client: { ip: "192.0.2.1", userAgent: "" } }, request: { people: people(1) } },
    );
    expect(used).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("asks for somebody in every role, once, and for names and addresses that are right", async () => {
    const { body: template } = await save(browser, (await prepared()).id, {});
    const use = (body: object) => browser.post(`${TEMPLATES}${template.id}/use/`, body);
    expect((await use({ people: people(2) })).body.errors).toEqual({ "roles.2": ["Indiquez une personne pour le rôle « Copie 1 »"] });
    expect((await use({ people: [...people(3), { ...people(1)[0], email: "x@exemple.fr" }] })).body.errors).toEqual({
      "people.3.role_index": ["Ce rôle a déjà une personne"],
    });
    expect((await use({ people: [...people(3), { ...people(1)[0], role_index: 7 }] })).body.errors).toEqual({
      "people.3.role_index": ["Ce rôle n’est pas dans le modèle"],
    });
    const [first, ...rest] = people(3);
    expect(JSON.stringify((await use({ people: [{ ...first, email: "martin" }, ...rest] })).body.errors)).toContain("Email invalide");
    expect((await use({ people: [first, { ...first, role_index: 1 }, rest[1]] })).body.errors).toEqual({
      "recipients.1.email": ["Cette personne figure déjà parmi les destinataires"],
    });
  });
});

describe("a template's files", () => {
  test("outlive the purge of their envelope and the nightly sweep, and go when the template is deleted", async () => {
    const { platform } = service;
    const [bytes, shared] = [ownPdf(), ownPdf()];
    const source = await createDraft(browser, {
      files: [
        { name: "a.pdf", bytes },
        { name: "b.pdf", bytes: shared },
      ],
      recipients: [PAUL],
    });
    const { body: template } = await save(browser, source.id);
    await createDraft(browser, { files: [{ name: "b.pdf", bytes: shared }] });
    await browser.post(`${ENVELOPES}${source.id}/cancel/`);
    expect((await browser.send("DELETE", `${ENVELOPES}${source.id}/purge/`)).status).toBe(204);
    await service.settle();
    expect(await platform.files.size(hashOf(bytes))).toBe(bytes.length);
    platform.clock.advance({ days: 2 });
    await sweepFiles(platform);
    expect(await platform.files.size(hashOf(bytes))).toBe(bytes.length);
    await browser.post("/api/token/refresh/");
    const used = await browser.post(`${TEMPLATES}${template.id}/use/`, {
      people: [{ role_index: 0, email: PAUL.email, full_name: PAUL.full_name }],
    });
    expect(used.status).toBe(201);
    await browser.post(`${ENVELOPES}${used.body.id}/cancel/`);
    await browser.send("DELETE", `${ENVELOPES}${used.body.id}/purge/`);
    await service.settle();
    expect(await platform.files.size(hashOf(bytes))).toBe(bytes.length);

    await browser.send("DELETE", `${TEMPLATES}${template.id}/`);
    await service.settle();
    expect(await platform.files.size(hashOf(bytes))).toBeNull();
    expect(await platform.files.size(hashOf(shared))).toBe(shared.length);
  });

  test("go with the account, and are in the copy of one's data", async () => {
    const member = await createMember(service.platform);
    const own = await signIn(service, member);
    const bytes = ownPdf();
    const { body: template } = await save(own, (await prepared(own, bytes)).id, { name: "Bail meublé" });
    const zip = readZip((await own.get("/api/signature/me/export/")).bytes);
    const folder = `modeles/bail-meuble-${template.id}`;
    expect(JSON.parse(zip.get(`${folder}/modele.json`)?.toString() ?? "null")).toMatchObject({ name: "Bail meublé", flow: "sequential" });
    expect(zip.get(`${folder}/documents/1-bail.pdf`)).toEqual(Buffer.from(bytes));

    expect((await own.send("DELETE", "/api/signature/me/", { body: { password: MEMBER_PASSWORD } })).status).toBe(204);
    await service.settle();
    const left = await service.platform.db.selectFrom("templates").select("id").where("owner_id", "=", member.id).execute();
    expect(left).toEqual([]);
    expect(await service.platform.files.size(hashOf(bytes))).toBeNull();
  });
});
