import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL, recordTestSignature } from "../../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { ownPdf, prepareBail, saveTemplate as save, templateField as field, TEMPLATES } from "../../../testing/template-calls.ts";
import { up as emptyKeptFields } from "../../../migrations/0036-templates-without-answers.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";

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

describe("POST templates/", () => {
  test("keeps title, message, flow, ranks, files and fields under the roles it is told, and nobody's name or address", async () => {
    const envelope = await prepared();
    const [paul] = envelope.recipients;
    const answer = await save(browser, envelope.id, { name: "  Bail   vide ", roles: [{ recipient: paul?.id, label: "Locataire" }] });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      name: "Bail   vide",
      title: "Bail d’habitation",
      message: "Merci de signer avant lundi.",
      flow: "sequential",
      documents: [
        { name: "Bail.pdf", page_count: 1 },
        { name: "Annexe.pdf", page_count: 1 },
      ],
      roles: [
        { label: "Locataire", role: "signer", order: 1, field_count: 1 },
        { label: "Signataire 1", role: "signer", order: 1, field_count: 2 },
        { label: "Copie 1", role: "viewer", order: 2, field_count: 0 },
      ],
      field_count: 3,
    });
    const rows = JSON.stringify(await service.platform.db.selectFrom("templates").selectAll().execute());
    for (const personal of [PAUL.email, PAUL.full_name, ELOISE.email, "Lefèvre", "0612345678", "+33612345678"])
      expect(rows).not.toContain(personal);
  });

  test("keeps a sent or completed envelope too, as it was before anybody signed", async () => {
    const bytes = ownPdf();
    const sent = await createSent(browser, { files: [{ name: "Bail.pdf", bytes }], recipients: [PAUL] });
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    const saved = await save(browser, sent.id);
    expect(saved.status).toBe(201);
    const row = await service.platform.db
      .selectFrom("template_documents")
      .select("blob_sha256")
      .where("template_id", "=", saved.body.id)
      .executeTakeFirstOrThrow();
    expect(new Uint8Array(row.blob_sha256)).toEqual(hashOf(bytes));
  });

  test("security line 45: keeps nothing of what a signer answered: the next people find their fields empty", async () => {
    const iban = "FR76 3000 6000 0112 3456 7890 189";
    const sent = await createSent(browser, {
      recipients: [{ ...PAUL, email: "reponse@exemple.fr" }, ELOISE],
      fields: [field(0), field(0, { type: "text", label: "IBAN", y: 0.3 }), field(1, { y: 0.1 })],
    });
    await service.settle();
    const guest = await openMailedGuest(service, sent.id, "reponse@exemple.fr");
    await guest.confirm();
    const asked = sent.fields.find(({ type }) => type === "text");
    expect((await guest.post("sign/", { ...TYPED, fields: [{ id: asked?.id, value: iban }] })).status).toBe(200);
    await service.settle();
    const after = (await browser.get(`${ENVELOPES}${sent.id}/`)).body;
    expect(after.fields.map((row: { value: string | null }) => row.value)).toContain(iban);
    for (const envelope of [after, (await browser.post(`${ENVELOPES}${sent.id}/cancel/`)).body]) {
      const { body: template } = await save(browser, envelope.id);
      const row = await service.platform.db
        .selectFrom("templates")
        .select("content")
        .where("id", "=", template.id)
        .executeTakeFirstOrThrow();
      expect(JSON.stringify(row.content)).not.toContain(iban);
    }
  });

  test("the templates kept before lose what their fields held, and nothing else", async () => {
    const { db } = service.platform;
    const { body: template } = await save(browser, (await prepared()).id);
    const contentOf = async () =>
      (await db.selectFrom("templates").select("content").where("id", "=", template.id).executeTakeFirstOrThrow()).content as {
        fields: { value: string | null }[];
      };
    const before = await contentOf();
    expect(before.fields.map((row) => row.value)).toEqual([null, "Dijon", null]);
    await emptyKeptFields(db as never);
    expect(await contentOf()).toEqual({ ...before, fields: before.fields.map((row) => ({ ...row, value: null })) });
  });

  test("refuses a stranger like an unknown envelope, a recipient as one who is not its sender, and nobody without a session", async () => {
    const envelope = await prepared();
    const stranger = await signIn(service, await createMember(service.platform));
    expect(refusal(await save(stranger, envelope.id))).toEqual([404, "not_found"]);
    expect(refusal(await save(browser, UNKNOWN))).toEqual([404, "not_found"]);
    expect((await save(openBrowser(service.app), envelope.id)).status).toBe(401);
    const zoe = await createMember(service.platform, { firstName: "Zoé", lastName: "Martin" });
    const sent = await createSent(browser, { recipients: [{ email: zoe.email, full_name: "Zoé Martin" }] });
    expect(refusal(await save(await signIn(service, zoe), sent.id))).toEqual([403, "not_allowed"]);
  });

  test("refuses a name that another has, whatever its case and accents, and a role named twice or for nobody", async () => {
    const envelope = await prepared();
    await save(browser, envelope.id, { name: "Été à Dijon" });
    const again = await save(browser, envelope.id, { name: "ETE A  DIJON" });
    expect([again.status, again.body.errors]).toEqual([400, { name: ["Un de vos modèles porte déjà ce nom"] }]);
    expect((await save(browser, envelope.id, { name: " " })).body.errors).toEqual({ name: ["Nom requis"] });
    const [paul, eloise] = envelope.recipients;
    const roles = [
      { recipient: paul?.id, label: "Locataire" },
      { recipient: eloise?.id, label: "LOCATAIRE" },
      { recipient: UNKNOWN, label: "Bailleur" },
    ];
    expect((await save(browser, envelope.id, { roles })).body.errors).toEqual({
      "roles.1.label": ["Ce nom de rôle est déjà pris"],
      "roles.2.recipient": ["Ce destinataire n’est pas dans l’enveloppe"],
    });
    const other = await signIn(service, await createMember(service.platform));
    expect((await save(other, (await prepared(other)).id, { name: "Été à Dijon" })).status).toBe(201);
  });

  test("stops at a hundred an account, also when two are saved at once", async () => {
    const member = await createMember(service.platform);
    const own = await signIn(service, member);
    const envelope = await prepared(own);
    const now = service.platform.clock();
    await service.platform.db
      .insertInto("templates")
      .values(
        Array.from({ length: 99 }, (_, index) => ({
          id: service.platform.newId(),
          owner_id: member.id,
          name: `n${index}`,
          name_key: `n${index}`,
          content: JSON.stringify({ title: "T", message: null, flow: "parallel", remind_every_days: null, roles: [], fields: [] }),
          created_at: now,
          updated_at: now,
        })),
      )
      .execute();
    const both = await Promise.all([save(own, envelope.id), save(own, envelope.id)]);
    expect(both.map((answer) => answer.status).toSorted()).toEqual([201, 409]);
    const refused = both.find((answer) => answer.status === 409);
    expect([refused?.body.code, refused?.body.detail]).toEqual([
      "too_many_templates",
      "Vous avez déjà 100 modèles, le maximum. Supprimez-en un, puis réessayez.",
    ]);
  });
});

describe("templates/{id}/", () => {
  test("is read, renamed and deleted by its owner; to anybody else it is an unknown one", async () => {
    const { body: template } = await save(browser, (await prepared()).id, { name: "À renommer" });
    await save(browser, (await prepared()).id, { name: "Déjà là" });
    const path = `${TEMPLATES}${template.id}/`;
    const stranger = await signIn(service, await createMember(service.platform));
    for (const answer of [
      await stranger.get(path),
      await stranger.send("PATCH", path, { body: { name: "À moi" } }),
      await stranger.send("DELETE", path),
      await stranger.post(`${path}use/`, { people: [] }),
      await browser.get(`${TEMPLATES}${UNKNOWN}/`),
      await browser.send("DELETE", `${TEMPLATES}${UNKNOWN}/`),
    ])
      expect(refusal(answer)).toEqual([404, "not_found"]);
    const guest = openBrowser(service.app);
    for (const answer of [
      await guest.get(TEMPLATES),
      await guest.get(path),
      await guest.send("DELETE", path),
      await guest.post(`${path}use/`, {}),
    ])
      expect(answer.status).toBe(401);
    expect((await stranger.get(TEMPLATES)).body).toEqual({ count: 0, results: [] });

    expect((await browser.send("PATCH", path, { body: { name: "déjà LÀ" } })).body.errors).toEqual({
      name: ["Un de vos modèles porte déjà ce nom"],
    });
    expect((await browser.send("PATCH", path, { body: { name: "à Renommer" } })).body.name).toBe("à Renommer");
    expect((await browser.get(path)).body.name).toBe("à Renommer");
    const names = (await browser.get(TEMPLATES)).body.results.map((row: { name: string }) => row.name);
    expect(names).toEqual(names.toSorted((a: string, b: string) => a.localeCompare(b, "fr", { numeric: false, sensitivity: "base" })));
    expect([(await browser.send("DELETE", path)).status, (await browser.get(path)).status]).toEqual([204, 404]);
  });
});
