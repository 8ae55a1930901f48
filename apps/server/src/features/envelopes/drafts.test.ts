import { randomBytes } from "node:crypto";
import { PadesError } from "@paraphe/pades";
import { beforeAll, describe, expect, test } from "vitest";
import { multipart, openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  ELOISE,
  envelopeForm,
  ENVELOPES,
  type EnvelopeValues,
  patchEnvelope,
  PAUL,
  readEnvelope,
} from "../../../testing/envelope.ts";
import { createMember, openMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { type PdfAccess, SandboxBusyError } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { hitThrottle } from "../../platform/throttle/throttle.ts";
import { verifyChain } from "../journal/journal.ts";
import { receiveFiles } from "../documents/receive-document.ts";

const FIELD = {
  document_index: 0,
  recipient_index: 0,
  type: "signature",
  page: 1,
  x: 0.1,
  y: 0.8,
  width: 0.3,
  height: 0.07,
};

const service = useTestApp();

describe("a created envelope", () => {
  let anne: TestBrowser;
  beforeAll(async () => {
    anne = await openMember(service, { firstName: "Anne", lastName: "Roux" });
  });

  const create = (values: EnvelopeValues = {}) =>
    anne.send("POST", ENVELOPES, envelopeForm(values));

  test("a created envelope answers whole, as its owner sees it", async () => {
    const answer = await create({
      title: "Bail d’habitation",
      message: "Bonjour,\nmerci de signer.",
      deadline_at: "2026-12-24T17:00:00.000Z",
      flow: "sequential",
      files: [
        { name: "Bail.pdf", bytes: makePdf({ pages: 2 }) },
        { name: "État des lieux.PDF", bytes: makePdf({ text: "Etat" }) },
      ],
      recipients: [
        PAUL,
        { ...ELOISE, role: "approver", order: 2 },
        { email: "copie@exemple.fr", full_name: "Copie", role: "viewer" },
      ],
      fields: [
        FIELD,
        {
          ...FIELD,
          document_index: 1,
          recipient_index: 1,
          type: "date",
          label: "Fait le",
          required: false,
        },
      ],
    });
    expect(answer.status).toBe(201);
    const { id, documents, recipients, fields, ...rest } = answer.body;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(rest).toMatchObject({
      version: 1,
      title: "Bail d’habitation",
      message: "Bonjour,\nmerci de signer.",
      status: "draft",
      flow: "sequential",
      created_at: "2026-11-21T10:00:00.000Z",
      sent_at: null,
      deadline_at: "2026-12-24T17:00:00.000Z",
      created_by_name: "Anne Roux",
      is_owner: true,
      progress: { signed: 0, total: 2, percent: 0 },
      days_remaining: null,
      level: null,
      download_url: null,
    });
    expect(rest.files).toEqual(documents);
    expect(documents).toMatchObject([
      {
        name: "Bail.pdf",
        page_count: 2,
        order: 1,
        control: { result: "ok", findings: [], accepted: false },
        pages: [
          { width: 595, height: 842, rotation: 0 },
          { width: 595, height: 842, rotation: 0 },
        ],
      },
      { name: "État des lieux.PDF", page_count: 1, order: 2 },
    ]);
    expect(recipients).toMatchObject([
      {
        email: PAUL.email,
        role: "signer",
        order: 1,
        signed: false,
        status: "waiting",
        phone_number: null,
      },
      { full_name: "Éloïse Lefèvre", role: "approver", order: 2, phone_number: "+33612345678" },
      { role: "viewer" },
    ]);
    expect(fields).toMatchObject([
      {
        type: "signature",
        document_id: documents[0].id,
        recipient_id: recipients[0].id,
        page: 1,
        x: 0.1,
        required: true,
        label: null,
        value: null,
      },
      {
        type: "date",
        document_id: documents[1].id,
        recipient_id: recipients[1].id,
        label: "Fait le",
        required: false,
      },
    ]);
  });

  test("a created envelope keeps its files under their hash, and says so in its journal", async () => {
    const bytes = makePdf({ text: "Un seul" });
    const envelope = await createDraft(anne, { files: [{ name: "a.pdf", bytes }] });
    const sha256 = envelope.documents[0]?.sha256 ?? "";
    expect(await service.platform.files.get(Buffer.from(sha256, "hex"))).toEqual(bytes);
    const events = await anne.get(`${ENVELOPES}${envelope.id}/events/`);
    expect(events.body).toMatchObject({
      count: 1,
      results: [
        {
          action: "envelope_created",
          actor: "Anne Roux",
          ip: "127.0.0.1",
          previous_hash: null,
          detail: { documents: [sha256] },
        },
      ],
    });
    expect(await verifyChain(service.platform.db, envelope.id)).toMatchObject({
      ok: true,
      count: 1,
    });
  });

  test("a created envelope asks one after the other, in the order of the list, where a sequential flow names no order", async () => {
    const people = [1, 2, 3].map((number) => ({
      email: `p${number}@exemple.fr`,
      full_name: `Personne ${number}`,
    }));
    const envelope = await createDraft(anne, { flow: "sequential", recipients: people });
    expect(envelope.recipients.map(({ order }) => order)).toEqual([1, 2, 3]);
    const turned = await patchEnvelope(anne, envelope.id, { recipients: people.toReversed() });
    expect(
      turned.body.recipients.map(({ email, order }: { email: string; order: number }) => [
        email,
        order,
      ]),
    ).toEqual([
      ["p3@exemple.fr", 1],
      ["p2@exemple.fr", 2],
      ["p1@exemple.fr", 3],
    ]);
  });

  test("a created envelope needs neither recipients nor fields", async () => {
    const answer = await anne.send(
      "POST",
      ENVELOPES,
      multipart({ title: "Vide" }, [
        { field: "files", name: "a.pdf", type: "application/pdf", bytes: makePdf() },
      ]),
    );
    expect(answer.body).toMatchObject({
      recipients: [],
      fields: [],
      progress: { signed: 0, total: 0, percent: 0 },
    });
  });

  test("a created envelope composes accents, and drops direction and control characters", async () => {
    const envelope = await createDraft(anne, {
      title: "Re\u0301sume\u0301\u202e\u0007fin",
      files: [{ name: "../é\u202efdp.pdf", bytes: makePdf() }],
    });
    expect(envelope.title).toBe("Résumé fin");
    expect(envelope.documents[0]?.name).toBe("é fdp.pdf");
  });
});

describe("an envelope is refused", () => {
  let anne: TestBrowser;
  beforeAll(async () => {
    anne = await openMember(service, { firstName: "Anne", lastName: "Roux" });
  });

  const create = (values: EnvelopeValues = {}) =>
    anne.send("POST", ENVELOPES, envelopeForm(values));
  const stored = async () =>
    Number(
      (
        await service.platform.db
          .selectFrom("envelopes")
          .select((eb) => eb.fn.countAll().as("n"))
          .executeTakeFirstOrThrow()
      ).n,
    );

  const sentences = (answer: { body: { errors?: Record<string, string[]> } }) => answer.body.errors;

  test.each<[string, EnvelopeValues, Record<string, string[]>]>([
    ["without a title", { title: " " }, { title: ["Titre requis"] }],
    [
      "with 201 characters of title",
      { title: "x".repeat(201) },
      { title: ["200 caractères au maximum"] },
    ],
    ["without a file", { files: [] }, { files: ["Au moins un fichier"] }],
    [
      "with an empty file",
      { files: [{ name: "vide.pdf", bytes: new Uint8Array() }] },
      { "files.0": ["Le fichier est vide"] },
    ],
    [
      "with a past deadline",
      { deadline_at: "2026-11-21T10:00:00.000Z" },
      { deadline_at: ["L'échéance doit être dans le futur"] },
    ],
    [
      "with a deadline over two years away",
      { deadline_at: "2029-01-01T00:00:00.000Z" },
      { deadline_at: ["L’échéance doit être dans les deux ans"] },
    ],
    [
      "with a deadline that is no date",
      { deadline_at: "demain" },
      { deadline_at: ["Date et heure attendues\u00a0: 2026-12-31T18:00:00+01:00"] },
    ],
    [
      "with a recipient whose address, name and phone are wrong",
      { recipients: [{ email: "x", full_name: "", phone_number: "abc" }] },
      {
        "recipients.0.email": ["Email invalide"],
        "recipients.0.full_name": ["Nom requis"],
        "recipients.0.phone_number": ["Téléphone invalide"],
      },
    ],
    [
      "with a field out of its page",
      { fields: [{ ...FIELD, x: 0.9 }, FIELD] },
      { "fields.0": ["Le champ dépasse de la page"] },
    ],
  ])("an envelope is refused %s", async (_why, values, errors) => {
    const { status, body } = await create(values);
    expect([status, body.code, body.errors]).toEqual([400, "validation", errors]);
  });

  test("an envelope may have 200 characters of title, and needs a title", async () => {
    expect((await create({ title: "x".repeat(200) })).status).toBe(201);
    const none = await anne.send(
      "POST",
      ENVELOPES,
      multipart({}, [{ field: "files", name: "a.pdf", type: "application/pdf", bytes: makePdf() }]),
    );
    expect(sentences(none)).toEqual({ title: ["Titre requis"] });
  });

  test("an empty file is named in its refusal", async () => {
    expect(
      (await create({ files: [{ name: "vide.pdf", bytes: new Uint8Array() }] })).body,
    ).toMatchObject({
      file_name: "vide.pdf",
      file_index: 0,
      errors: { "files.0": ["Le fichier est vide"] },
    });
  });

  test("an envelope is refused with a file over 10 485 760 bytes; exactly that many are accepted", async () => {
    const padded = (size: number) => {
      const head = Buffer.from(makePdf());
      return new Uint8Array(
        Buffer.concat([
          head,
          Buffer.from("%".repeat(size - head.length - 7)),
          Buffer.from("\n%%EOF\n"),
        ]),
      );
    };
    expect(
      (await create({ files: [...files, { name: "gros.pdf", bytes: padded(10_485_761) }] })).body,
    ).toMatchObject({
      status: 413,
      code: "file_too_large",
      detail: "Le fichier est trop volumineux (max 10MB)",
      errors: { "files.3": ["Le fichier est trop volumineux (max 10MB)"] },
      file_name: "gros.pdf",
      file_index: 3,
    });
    expect(
      (await create({ files: [{ name: "juste.pdf", bytes: padded(10_485_760) }] })).status,
    ).toBe(201);
  });

  test("an envelope is refused with a file that is no PDF by its name or by its content", async () => {
    const refusal = {
      status: 415,
      code: "not_a_pdf",
      detail: "Seuls les fichiers PDF sont autorisés",
    };
    expect((await create({ files: [{ name: "bail.docx", bytes: makePdf() }] })).body).toMatchObject(
      refusal,
    );
    const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), randomBytes(500)]);
    expect(
      (await create({ files: [{ name: "image.pdf", bytes: new Uint8Array(png) }] })).body,
    ).toMatchObject({
      ...refusal,
      file_name: "image.pdf",
    });
  });

  test("an envelope with one bad file of several is refused whole, and nothing is stored", async () => {
    const before = await stored();
    const bytes = makePdf({ text: `seul ${randomBytes(4).toString("hex")}` });
    const answer = await create({
      files: [
        { name: "a.pdf", bytes },
        { name: "b.pdf", bytes: new Uint8Array(Buffer.from("pas un PDF")) },
      ],
    });
    expect(answer).toMatchObject({
      status: 415,
      body: {
        file_name: "b.pdf",
        file_index: 1,
        errors: { "files.1": ["Seuls les fichiers PDF sont autorisés"] },
      },
    });
    expect(await stored()).toBe(before);
    const { createHash } = await import("node:crypto");
    expect(
      await service.platform.files.size(createHash("sha256").update(bytes).digest()),
    ).toBeNull();
  });

  test("an envelope is refused with a damaged PDF", async () => {
    const bytes = makePdf().slice(0, 200);
    expect((await create({ files: [{ name: "a.pdf", bytes }] })).status).toBeGreaterThanOrEqual(
      415,
    );
  });

  test("an envelope is refused with more than 20 files, or 50 MB", async () => {
    const files = Array.from({ length: 21 }, (_, index) => ({
      name: `${index}.pdf`,
      bytes: makePdf(),
    }));
    expect(refusal(await create({ files }))).toEqual([413, "envelope_too_large"]);
  });

  test("an envelope is refused with the same person twice; one address for two people is accepted", async () => {
    expect(
      sentences(await create({ recipients: [PAUL, { ...PAUL, email: "PAUL.MOREL@exemple.fr" }] })),
    ).toHaveProperty(["recipients.1.email"]);
    expect(
      (await create({ recipients: [PAUL, { ...PAUL, full_name: "Jeanne Morel" }] })).status,
    ).toBe(201);
  });

  test("an envelope is refused with a field of an unknown page, document or person", async () => {
    const far = [
      { ...FIELD, page: 2 },
      { ...FIELD, document_index: 3 },
      { ...FIELD, recipient_index: 9 },
    ];
    expect(Object.keys(sentences(await create({ fields: far })) ?? {})).toEqual([
      "fields.0.page",
      "fields.1.document_index",
      "fields.2.recipient_index",
    ]);
  });

  test("an envelope is refused with a list that is not JSON, an unknown field, or one that reaches a prototype", async () => {
    const file = [{ field: "files", name: "a.pdf", type: "application/pdf", bytes: makePdf() }];
    const post = (fields: Record<string, string>, files = file) =>
      anne.send("POST", ENVELOPES, multipart({ title: "t", ...fields }, files));
    expect(sentences(await post({ recipients: "[{" }))).toEqual({
      recipients: ["Du JSON est attendu"],
    });
    expect((await post({ status: "completed" })).body).toMatchObject({
      status: 400,
      errors: { status: ["Champ inconnu"] },
    });
    expect((await post({ owner_id: "x" })).status).toBe(400);
    expect(sentences(await post({ files: "%PDF" }))).toEqual({
      files: ["Un fichier porte un nom (filename)"],
    });
    expect(
      (
        await post({
          recipients: '[{"__proto__":{"role":"viewer"},"email":"a@b.fr","full_name":"x"}]',
        })
      ).status,
    ).toBe(400);
    expect(
      (await post({}, [{ ...(file[0] as (typeof file)[0]), field: "avatar" }])).body,
    ).toMatchObject({
      status: 400,
      errors: { avatar: ["Champ inconnu"] },
    });
  });

  test("an envelope is refused without a session, before its body is read, and without the CSRF token", async () => {
    const stranger = openBrowser(service.app);
    expect(refusal(await stranger.send("POST", ENVELOPES, envelopeForm()))).toEqual([
      401,
      "session_expired",
    ]);
    const form = envelopeForm();
    expect(
      refusal(
        await anne.send("POST", ENVELOPES, {
          ...form,
          headers: { ...form.headers, "x-csrftoken": "" },
        }),
      ),
    ).toEqual([403, "csrf_failed"]);
  });

  test("a new envelope is refused beyond 1 000 an hour from one account, with the time to wait", async () => {
    const busy = await openMember(service);
    await createDraft(busy);
    await service.platform.db
      .updateTable("throttles")
      .set({ hits: 1_000 })
      .where("key", "like", "envelope create %")
      .execute();
    expect(await busy.send("POST", ENVELOPES, envelopeForm())).toMatchObject({
      status: 429,
      body: { code: "too_many_requests" },
      headers: { "retry-after": "3600" },
    });
    await service.platform.db
      .deleteFrom("throttles")
      .where("key", "like", "envelope create %")
      .execute();
  });

  test("an envelope is refused beyond 1 000 additions of files an hour to drafts, and 5 000 people asked a day", async () => {
    const owner = await createMember(service.platform);
    const busy = await signIn(service, owner);
    const draft = await createDraft(busy);
    const more = () => busy.send("PATCH", `${ENVELOPES}${draft.id}/`, envelopeForm());
    const send = () => actOn(busy, draft.id, "send");
    const used = async (kind: string, hits: number) => {
      const rule = {
        key: `envelope ${kind} ${owner.id}`,
        limit: 9_999,
        windowS: kind === "invite" ? 86_400 : 3_600,
      };
      await hitThrottle(service.platform.db, {
        ...rule,
        now: service.platform.clock(),
        weight: hits,
      });
    };
    await used("upload", 1_000);
    expect(refusal(await more())).toEqual([429, "too_many_requests"]);
    await used("invite", 4_999);
    expect(refusal(await send())).toEqual([429, "too_many_requests"]);
    await service.platform.db.deleteFrom("throttles").where("key", "like", "envelope %").execute();
    expect((await send()).status).toBe(200);
  });

  test("an envelope as JSON needs a file", async () => {
    expect((await anne.post(ENVELOPES, { title: "Bail" })).body.errors).toEqual({
      files: ["Au moins un fichier"],
    });
  });
});

/** Gives these answers in turn, and counts its calls. */
function answering(...answers: (Error | "ok")[]) {
  const seen = { asked: 0, atOnce: 0, running: 0 };
  const call = async () => {
    const answer = answers[seen.asked++];
    seen.running += 1;
    seen.atOnce = Math.max(seen.atOnce, seen.running);
    await Promise.resolve();
    seen.running -= 1;
    if (answer instanceof Error) throw answer;
    return {
      pageCount: 1,
      pages: [],
      takenOnLastPage: [],
      formPlaces: [],
      covered: [],
      result: "ok",
      findings: [],
    };
  };
  return { seen, access: { sandbox: { call } } as unknown as PdfAccess };
}

const files = ["un.pdf", "deux.pdf", "trois.pdf"].map((name) => ({
  name,
  bytes: makePdf({ text: name }),
}));

test("a new draft is answered as it is read again", async () => {
  const owner = await openMember(service);
  const fields = [FIELD, { ...FIELD, type: "text", y: 0.123456789, label: "Ville", value: "Pau" }];
  const draft = await createDraft(owner, { recipients: [PAUL, ELOISE], fields, message: "Salut" });
  expect(await readEnvelope(owner, draft.id)).toEqual(draft);
});

test("files are checked one after the other", async () => {
  const { seen, access } = answering("ok", "ok", "ok");
  expect(await receiveFiles(access, files)).toMatchObject({ ok: true });
  expect(seen).toMatchObject({ asked: 3, atOnce: 1 });
});

test("no file is checked after the first refusal", async () => {
  const { seen, access } = answering(
    "ok",
    new PadesError("pdf_encrypted", "asks for a password"),
    "ok",
  );
  expect(await receiveFiles(access, files)).toMatchObject({
    error: { code: "pdf_encrypted", extensions: { file_index: 1, file_name: "deux.pdf" } },
  });
  expect(seen.asked).toBe(2);
});

test("a full sandbox queue answers service_unavailable", async () => {
  expect(await receiveFiles(answering(new SandboxBusyError()).access, files)).toMatchObject({
    error: { code: "service_unavailable" },
  });
});

/** Displayed from 10 to 40 % of the width, from 10 to 20 % of the height. */
const FORM = "/Annots[<</Type/Annot/Subtype/Widget/FT/Tx/T(Nom)/Rect[59.5 673.6 238 757.8]>>]";
const place = { type: "signature", x: 0.3, y: 0.15, width: 0.3, height: 0.1 };

test("a place over a field of the file's own form is a warning of the draft, and prevents nothing", async () => {
  const anne = await openMember(service);
  const bytes = makePdf({ pages: 2, pageExtra: FORM });
  const draft = await createDraft(anne, {
    files: [{ name: "Formulaire.pdf", bytes }],
    recipients: [PAUL],
    fields: [
      { ...place, document_index: 0, recipient_index: 0, page: 1 },
      { ...place, document_index: 0, recipient_index: 0, page: 2, y: 0.5 },
    ],
  });
  const [first, second] = draft.fields;
  const warning = {
    code: "covers_form_field",
    field_id: first?.id,
    document_id: draft.documents[0]?.id,
    page: 1,
  };
  expect(draft.warnings).toEqual([warning]);
  expect((await readEnvelope(anne, draft.id)).warnings).toEqual([warning]);
  expect((await anne.get(ENVELOPES)).body.results[0].warnings).toBeUndefined();
  const moved = await patchEnvelope(anne, draft.id, { fields: [{ ...first, y: 0.6 }, second] });
  expect(moved.body.warnings).toEqual([]);
  const onSecond = await patchEnvelope(anne, draft.id, { fields: [first, { ...second, y: 0.12 }] });
  expect(onSecond.body.warnings.map((one: { page: number }) => one.page)).toEqual([1, 2]);
  const sent = await actOn(anne, draft.id, "send");
  expect([sent.status, sent.body.warnings]).toEqual([200, undefined]);
});

test("a mention that would be printed too small is a warning of the draft until its place is larger", async () => {
  const anne = await openMember(service);
  const small = {
    ...place,
    type: "mention",
    x: 0.1,
    y: 0.5,
    width: 0.2,
    height: 0.01,
    value: "Lu et approuvé, bon pour caution solidaire de la somme due",
  };
  const draft = await createDraft(anne, {
    files: [{ name: "Caution.pdf", bytes: makePdf() }],
    recipients: [PAUL],
    fields: [
      { ...place, document_index: 0, recipient_index: 0, page: 1 },
      { ...small, document_index: 0, recipient_index: 0, page: 1 },
    ],
  });
  const [signature, mention] = draft.fields;
  expect(draft.warnings).toEqual([
    {
      code: "mention_too_small",
      field_id: mention?.id,
      document_id: draft.documents[0]?.id,
      page: 1,
    },
  ]);
  const larger = await patchEnvelope(anne, draft.id, {
    fields: [signature, { ...mention, height: 0.05 }],
  });
  expect(larger.body.warnings).toEqual([]);
});
