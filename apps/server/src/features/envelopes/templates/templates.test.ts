import { createHash } from "node:crypto";
import { MAX_LAYOUTS } from "@paraphe/contracts";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { openBrowser, refusal, type TestBrowser } from "../../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ELOISE,
  ENVELOPES,
  PAUL,
  readEnvelope,
  signNth,
} from "../../../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../../testing/guest.ts";
import {
  createMember,
  type Member,
  MEMBER_PASSWORD,
  openMember,
  signIn,
} from "../../../../testing/member.ts";
import {
  ownPdf,
  prepareBail,
  saveTemplate as save,
  templateField as field,
  TEMPLATES,
} from "../../../../testing/stages/template-calls.ts";
import { readZip } from "../../../../testing/zip.ts";
import { useTestApp } from "../../../../testing/use-test-app.ts";
import type { SessionUser } from "../../accounts/public.ts";
import { verifyChain } from "../../journal/journal.ts";
import { sweepFiles } from "../../documents/jobs.ts";
import { useTemplate } from "./templates.ts";

const service = useTestApp({ settings: { rateLimits: "off" } });

const hashOf = (bytes: Uint8Array) => new Uint8Array(createHash("sha256").update(bytes).digest());

describe("templates", () => {
  const UNKNOWN = "01930000-0000-7000-8000-000000000000";
  let anne: Member;
  let browser: TestBrowser;
  beforeAll(async () => {
    anne = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
    browser = await signIn(service, anne, { remember: true });
  });
  const prepared = (who: TestBrowser = browser, bytes?: Uint8Array) => prepareBail(who, bytes);

  test("POST templates/ stores title, message, flow, ranks, files and fields under the roles given, and nobody's name or address", async () => {
    const envelope = await prepared();
    const [paul] = envelope.recipients;
    const answer = await save(browser, envelope.id, {
      name: "  Bail   vide ",
      roles: [{ recipient: paul?.id, label: "Locataire" }],
    });
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
    const rows = JSON.stringify(
      await service.platform.db.selectFrom("templates").selectAll().execute(),
    );
    for (const personal of [
      PAUL.email,
      PAUL.full_name,
      ELOISE.email,
      "Lefèvre",
      "0612345678",
      "+33612345678",
    ])
      expect(rows).not.toContain(personal);
  });

  test("POST templates/ stores a sent or completed envelope too, as it was before anybody signed", async () => {
    const bytes = ownPdf();
    const sent = await createSent(browser, {
      files: [{ name: "Bail.pdf", bytes }],
      recipients: [PAUL],
    });
    await signNth(service.platform, sent);
    const saved = await save(browser, sent.id);
    expect(saved.status).toBe(201);
    const row = await service.platform.db
      .selectFrom("template_documents")
      .select("blob_sha256")
      .where("template_id", "=", saved.body.id)
      .executeTakeFirstOrThrow();
    expect(new Uint8Array(row.blob_sha256)).toEqual(hashOf(bytes));
  });

  test("security line 45: POST templates/ stores nothing that a signer answered: the next people find their fields empty", async () => {
    const iban = "FR76 3000 6000 0112 3456 7890 189";
    const sent = await createSent(browser, {
      recipients: [{ ...PAUL, email: "reponse@exemple.fr" }, ELOISE],
      fields: [field(0), field(0, { type: "text", label: "IBAN", y: 0.3 }), field(1, { y: 0.1 })],
    });
    await service.settle();
    const guest = await openMailedGuest(service, sent.id, "reponse@exemple.fr");
    await guest.confirm();
    const asked = sent.fields.find(({ type }) => type === "text");
    expect(
      (await guest.post("sign/", { ...TYPED, fields: [{ id: asked?.id, value: iban }] })).status,
    ).toBe(200);
    await service.settle();
    const after = await readEnvelope(browser, sent.id);
    expect(after.fields.map((row: { value: string | null }) => row.value)).toContain(iban);
    for (const envelope of [after, (await actOn(browser, sent.id, "cancel")).body]) {
      const { body: template } = await save(browser, envelope.id);
      const row = await service.platform.db
        .selectFrom("templates")
        .select("content")
        .where("id", "=", template.id)
        .executeTakeFirstOrThrow();
      expect(JSON.stringify(row.content)).not.toContain(iban);
    }
  });

  test("POST templates/ refuses a stranger as for an unknown envelope, a recipient as no sender, and a visitor without a session", async () => {
    const envelope = await prepared();
    const stranger = await openMember(service);
    expect(refusal(await save(stranger, envelope.id))).toEqual([404, "not_found"]);
    expect(refusal(await save(browser, UNKNOWN))).toEqual([404, "not_found"]);
    expect((await save(openBrowser(service.app), envelope.id)).status).toBe(401);
    const zoe = await createMember(service.platform, { firstName: "Zoé", lastName: "Martin" });
    const sent = await createSent(browser, {
      recipients: [{ email: zoe.email, full_name: "Zoé Martin" }],
    });
    expect(refusal(await save(await signIn(service, zoe), sent.id))).toEqual([403, "not_allowed"]);
  });

  test("POST templates/ refuses a name that another template has, whatever its case and accents, and a role named twice or for nobody", async () => {
    const envelope = await prepared();
    await save(browser, envelope.id, { name: "Été à Dijon" });
    const again = await save(browser, envelope.id, { name: "ETE A  DIJON" });
    expect([again.status, again.body.errors]).toEqual([
      400,
      { name: ["Un de vos modèles porte déjà ce nom"] },
    ]);
    expect((await save(browser, envelope.id, { name: " " })).body.errors).toEqual({
      name: ["Nom requis"],
    });
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
    const other = await openMember(service);
    expect((await save(other, (await prepared(other)).id, { name: "Été à Dijon" })).status).toBe(
      201,
    );
  });

  test("POST templates/ stops at a hundred an account, also when two are saved at once", async () => {
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
          content: JSON.stringify({
            title: "T",
            message: null,
            flow: "parallel",
            remind_every_days: null,
            roles: [],
            fields: [],
          }),
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

  test("templates/{id}/ is read, renamed and deleted by its owner; for anybody else it is unknown", async () => {
    const { body: template } = await save(browser, (await prepared()).id, { name: "À renommer" });
    await save(browser, (await prepared()).id, { name: "Déjà là" });
    const path = `${TEMPLATES}${template.id}/`;
    const stranger = await openMember(service);
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
    expect((await browser.send("PATCH", path, { body: { name: "à Renommer" } })).body.name).toBe(
      "à Renommer",
    );
    expect((await browser.get(path)).body.name).toBe("à Renommer");
    const names = (await browser.get(TEMPLATES)).body.results.map(
      (row: { name: string }) => row.name,
    );
    expect(names).toEqual(
      names.toSorted((a: string, b: string) =>
        a.localeCompare(b, "fr", { numeric: false, sensitivity: "base" }),
      ),
    );
    expect([(await browser.send("DELETE", path)).status, (await browser.get(path)).status]).toEqual(
      [204, 404],
    );
  });
});

describe("the use of a template", () => {
  let anne: Member;
  let browser: TestBrowser;
  beforeAll(async () => {
    anne = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
    browser = await signIn(service, anne, { remember: true });
  });
  const prepared = (who: TestBrowser = browser, bytes?: Uint8Array) => prepareBail(who, bytes);

  const people = (roles: number) =>
    Array.from({ length: roles }, (_, index) => ({
      role_index: index,
      email: `personne${index}@exemple.fr`,
      full_name: `Personne ${"ABC"[index]}`,
      phone_number: null,
    }));

  test("templates/{id}/use/ makes a draft with the same bytes, the fields in their places, the ranks, the message, and the people given", async () => {
    const bytes = ownPdf();
    const source = await prepared(browser, bytes);
    const { body: template } = await save(browser, source.id);
    const answer = await browser.post(`${TEMPLATES}${template.id}/use/`, {
      people: people(3),
      title: "Bail Martin",
    });
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
    expect(
      draft.documents.map((document: { sha256: string; name: string }) => [
        document.name,
        document.sha256,
      ]),
    ).toEqual(source.documents.map((document) => [document.name, document.sha256]));
    expect(draft.documents[0].sha256).toBe(Buffer.from(hashOf(bytes)).toString("hex"));
    expect(
      draft.recipients.map((row: { email: string; role: string; order: number }) => [
        row.email,
        row.role,
        row.order,
      ]),
    ).toEqual([
      ["personne0@exemple.fr", "signer", 1],
      ["personne1@exemple.fr", "signer", 1],
      ["personne2@exemple.fr", "viewer", 2],
    ]);
    const places = (envelope: typeof source) =>
      envelope.fields.map(
        ({
          type,
          page,
          x,
          y,
          width,
          height,
          label,
          value,
          required,
          document_id,
          recipient_id,
        }) => ({
          place: { type, page, x, y, width, height, label, value, required },
          document: envelope.documents.findIndex((document) => document.id === document_id),
          recipient: envelope.recipients.findIndex((recipient) => recipient.id === recipient_id),
        }),
      );
    expect(places(draft)).toEqual(places(source));
    expect(await verifyChain(service.platform.db, draft.id)).toMatchObject({ ok: true });
    expect((await actOn(browser, draft.id, "send")).body.status).toBe("sent");
  });

  test("templates/{id}/use/ copies the interval of reminders, and none where none was set", async () => {
    const source = await prepared();
    const remindersOf = async () => {
      const { body: template } = await save(browser, source.id);
      return (await browser.post(`${TEMPLATES}${template.id}/use/`, { people: people(3) })).body
        .reminders;
    };
    expect(await remindersOf()).toMatchObject({ every_days: null });
    const set = await browser.send("PATCH", `${ENVELOPES}${source.id}/`, {
      body: { reminders: { every_days: 3 } },
      headers: { "if-match": `"${source.version}"` },
    });
    expect(set.status).toBe(200);
    expect(await remindersOf()).toEqual({ every_days: 3, business_days: true, next_at: null });
  });

  test("templates/{id}/use/ copies `proof_only`; a template older than that choice shows the document", async () => {
    const source = await createDraft(browser, {
      proof_only: true,
      files: [{ name: "Bail.pdf", bytes: ownPdf() }],
      recipients: [PAUL],
    });
    const { body: template } = await save(browser, source.id);
    const proofOnly = async () =>
      (await browser.post(`${TEMPLATES}${template.id}/use/`, { people: people(1) })).body
        .proof_only;
    expect(await proofOnly()).toBe(true);
    await sql`update templates set content = content - 'proof_only' where id = ${template.id}`.execute(
      service.platform.db,
    );
    expect(await proofOnly()).toBe(false);
  });

  test("templates/{id}/use/ answers as for an unknown template when it is deleted, with its files, while they are read", async () => {
    const { platform } = service;
    const source = await createDraft(browser, {
      files: [{ name: "seul.pdf", bytes: ownPdf() }],
      recipients: [PAUL],
    });
    const { body: template } = await save(browser, source.id);
    await actOn(browser, source.id, "cancel");
    await browser.send("DELETE", `${ENVELOPES}${source.id}/purge/`);
    await service.settle();
    const deletedFirst = async (sha256: Uint8Array) => {
      await browser.send("DELETE", `${TEMPLATES}${template.id}/`);
      await service.settle();
      return platform.files.get(sha256);
    };
    const user = {
      ...anne,
      email_key: anne.email,
      full_name: "Anne Roux",
      teams: [],
    } as unknown as SessionUser;
    const used = await useTemplate(
      { ...platform, files: { ...platform.files, get: deletedFirst } },
      {
        id: template.id,
        actor: { user, client: { ip: "192.0.2.1", userAgent: "" } },
        request: { people: people(1) },
      },
    );
    expect(used).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("templates/{id}/use/ needs a person in every role, once, with a valid name and address", async () => {
    const { body: template } = await save(browser, (await prepared()).id, {});
    const use = (body: object) => browser.post(`${TEMPLATES}${template.id}/use/`, body);
    expect((await use({ people: people(2) })).body.errors).toEqual({
      "roles.2": ["Indiquez une personne pour le rôle «\u00a0Copie 1\u00a0»"],
    });
    expect(
      (await use({ people: [...people(3), { ...people(1)[0], email: "x@exemple.fr" }] })).body
        .errors,
    ).toEqual({
      "people.3.role_index": ["Ce rôle a déjà une personne"],
    });
    expect(
      (await use({ people: [...people(3), { ...people(1)[0], role_index: 7 }] })).body.errors,
    ).toEqual({
      "people.3.role_index": ["Ce rôle n’est pas dans le modèle"],
    });
    const [first, ...rest] = people(3);
    expect(
      JSON.stringify((await use({ people: [{ ...first, email: "martin" }, ...rest] })).body.errors),
    ).toContain("Email invalide");
    expect(
      (await use({ people: [first, { ...first, role_index: 1 }, rest[1]] })).body.errors,
    ).toEqual({
      "recipients.1.email": ["Cette personne figure déjà parmi les destinataires"],
    });
  });

  test("a template's files outlive the purge of their envelope and the nightly sweep, and go when the template is deleted", async () => {
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
    await actOn(browser, source.id, "cancel");
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
    await actOn(browser, used.body.id, "cancel");
    await browser.send("DELETE", `${ENVELOPES}${used.body.id}/purge/`);
    await service.settle();
    expect(await platform.files.size(hashOf(bytes))).toBe(bytes.length);

    await browser.send("DELETE", `${TEMPLATES}${template.id}/`);
    await service.settle();
    expect(await platform.files.size(hashOf(bytes))).toBeNull();
    expect(await platform.files.size(hashOf(shared))).toBe(shared.length);
  });

  test("a template's files go with the account, and are in the export of its data", async () => {
    const member = await createMember(service.platform);
    const own = await signIn(service, member);
    const bytes = ownPdf();
    const { body: template } = await save(own, (await prepared(own, bytes)).id, {
      name: "Bail meublé",
    });
    const zip = readZip((await own.get("/api/signature/me/export/")).bytes);
    const folder = `modeles/bail-meuble-${template.id}`;
    expect(JSON.parse(zip.get(`${folder}/modele.json`)?.toString() ?? "null")).toMatchObject({
      name: "Bail meublé",
      flow: "sequential",
    });
    expect(zip.get(`${folder}/documents/1-bail.pdf`)).toEqual(Buffer.from(bytes));

    expect(
      (await own.send("DELETE", "/api/signature/me/", { body: { password: MEMBER_PASSWORD } }))
        .status,
    ).toBe(204);
    await service.settle();
    const left = await service.platform.db
      .selectFrom("templates")
      .select("id")
      .where("owner_id", "=", member.id)
      .execute();
    expect(left).toEqual([]);
    expect(await service.platform.files.size(hashOf(bytes))).toBeNull();
  });
});

describe("layouts", () => {
  const LAYOUTS = "/api/signature/layouts/";
  let anne: Member;
  let browser: TestBrowser;
  beforeAll(async () => {
    anne = await createMember(service.platform);
    browser = await signIn(service, anne, { remember: true });
  });

  const place = (more: object = {}) => ({
    document_rank: 0,
    person_rank: 0,
    type: "signature",
    page: 2,
    x: 0.1,
    y: 0.7,
    width: 0.3,
    height: 0.06,
    required: true,
    label: null,
    value: null,
    ...more,
  });
  const save = (name: string, fields: readonly object[] = [place()], who = browser) =>
    who.post(LAYOUTS, { name, fields });
  const names = async (who = browser) =>
    (await who.get(LAYOUTS)).body.results.map((layout: { name: string }) => layout.name);

  test("a layout stores the places of fields, and its owner alone gets it back, by name", async () => {
    const fields = [
      place(),
      place({ person_rank: 1, type: "text", page: 1, required: false, label: "Qualité" }),
    ];
    const saved = await save("Bail, deux signatures", fields);
    expect([saved.status, saved.body.name, saved.body.fields]).toEqual([
      201,
      "Bail, deux signatures",
      fields,
    ]);
    await save("Avenant");
    expect(await names()).toEqual(["Avenant", "Bail, deux signatures"]);
    const other = await openMember(service);
    expect(await names(other)).toEqual([]);
    expect((await other.send("DELETE", `${LAYOUTS}${saved.body.id}/`)).status).toBe(404);
    expect((await openBrowser(service.app).get(LAYOUTS)).status).toBe(401);
    expect((await browser.send("DELETE", `${LAYOUTS}${saved.body.id}/`)).status).toBe(204);
    expect((await browser.send("DELETE", `${LAYOUTS}${saved.body.id}/`)).status).toBe(404);
    expect(await names()).toEqual(["Avenant"]);
  });

  test("an account uses a layout's name once, whatever its case and accents; another account may have it", async () => {
    await save("Été");
    const again = await save("ETE");
    expect([again.status, again.body.errors]).toEqual([
      400,
      { name: ["Une de vos dispositions porte déjà ce nom"] },
    ]);
    await save("Main d’œuvre");
    expect((await save("MAIN D'OEUVRE")).status).toBe(400);
    expect((await save("Été", [place()], await openMember(service))).status).toBe(201);
  });

  test("a layout stores the sentence of a mention; an older layout has none", async () => {
    const mention = place({ type: "mention", value: "Lu et approuvé,\nbon pour accord" });
    const saved = await save("Caution", [place(), mention]);
    expect([saved.status, saved.body.fields]).toEqual([201, [place(), mention]]);
    const before = place();
    delete (before as { value?: unknown }).value;
    await service.platform.db
      .updateTable("layouts")
      .set({ fields: JSON.stringify([before]) })
      .where("id", "=", saved.body.id)
      .execute();
    const read = (await browser.get(LAYOUTS)).body.results.find(
      (layout: { id: string }) => layout.id === saved.body.id,
    );
    expect(read.fields).toEqual([place()]);
    await browser.send("DELETE", `${LAYOUTS}${saved.body.id}/`);
  });

  test("a layout is refused without a name, without a field, or with a field beyond its page", async () => {
    expect((await save(" ")).body.errors).toEqual({ name: ["Nom requis"] });
    for (const fields of [
      [],
      [place({ x: 0.9 })],
      [place({ page: 0 })],
      [place({ person_rank: 100 })],
      [place({ value: "secret" })],
    ])
      expect((await save("Refusée", fields)).status).toBe(400);
    expect(await names()).not.toContain("Refusée");
  });

  test("an account has a hundred layouts at most", async () => {
    const member = await createMember(service.platform);
    const many = await signIn(service, member);
    const rows = Array.from({ length: MAX_LAYOUTS }, (_, index) => ({
      id: service.platform.newId(),
      owner_id: member.id,
      name: `Disposition ${index}`,
      name_key: `disposition ${index}`,
      fields: JSON.stringify([place()]),
      created_at: service.platform.clock(),
    }));
    await service.platform.db.insertInto("layouts").values(rows).execute();
    const refused = await save("Une de trop", [place()], many);
    expect([refused.status, refused.body.code]).toEqual([409, "too_many_layouts"]);
  });

  test("an account's layouts are in its export, and go with the account", async () => {
    await save("À emporter");
    const zip = readZip((await browser.get("/api/signature/me/export/")).bytes);
    expect(JSON.parse(new TextDecoder().decode(zip.get("dispositions.json")))).toContainEqual(
      expect.objectContaining({ name: "À emporter" }),
    );
    expect(
      (await browser.send("DELETE", "/api/signature/me/", { body: { password: MEMBER_PASSWORD } }))
        .status,
    ).toBe(204);
    await service.settle();
    expect(
      await service.platform.db
        .selectFrom("layouts")
        .selectAll()
        .where("owner_id", "=", anne.id)
        .execute(),
    ).toEqual([]);
  });
});
