import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Envelope, FieldType } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, fieldAt, fieldOf, PAUL } from "../../../testing/envelope.ts";
import { openConfirmedGuest, openGuest, openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { makePng } from "../../../testing/images.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";
import { mintRecipientToken } from "../envelopes/index.ts";
import { verifyChain } from "../audit/index.ts";

let test: TestApp;
let member: Member;
let owner: TestBrowser;

beforeAll(async () => {
  ({ test, member } = await openSenderApp());
});
afterAll(() => test.close());
beforeEach(async () => {
  owner = await signIn(test, member);
});

/** The index-th of a column of fields. */
const place = (type: FieldType, index: number, more = {}) => fieldAt(type, 0.05 + index * 0.1, { width: 0.3, ...more });
const confirmed = (envelope: Envelope, email: string) => openConfirmedGuest(test, envelope.id, email);
const body = (more: object = {}) => ({ ...TYPED, ...more });
const fileOf = async (envelope: Envelope) =>
  (await owner.get(`${ENVELOPES}${envelope.id}/documents/${envelope.documents[0]?.id}/file/`)).bytes;

describe("POST sign/", () => {
  it("takes two guests from sent to completed, each with a signature that other validators accept", async () => {
    const envelope = await createSent(owner);
    const original = await fileOf(envelope);
    const paul = await confirmed(envelope, PAUL.email);
    const eloise = await confirmed(envelope, ELOISE.email);
    const first = await paul.post(
      "sign/",
      body({
        signature: {
          kind: "drawn",
          strokes: [
            [
              [0, 0.2, 0.4],
              [0.5, 0.8, 0.9],
              [1.2, 0.3, 0.5],
            ],
          ],
        },
      }),
    );
    expect([first.status, first.body.status, first.body.progress]).toEqual([200, "pending", { signed: 1, total: 2, percent: 50 }]);
    const between = await fileOf(envelope);
    const second = await eloise.post(
      "sign/",
      body({ signature: { kind: "uploaded", image: `data:image/png;base64,${Buffer.from(makePng(300, 100)).toString("base64")}` } }),
    );
    expect([second.status, second.body.status, second.body.level]).toEqual([200, "completed", "B-LTA"]);
    const final = await fileOf(envelope);
    for (const earlier of [original, between]) expect(Buffer.compare(earlier, final.subarray(0, earlier.length))).toBe(0);

    const folder = mkdtempSync(join(tmpdir(), "paraphe-signed-"));
    try {
      writeFileSync(join(folder, "final.pdf"), final);
      const seen = execFileSync("pdfsig", ["-nocert", "final.pdf"], { cwd: folder, encoding: "utf8" });
      expect(seen.match(/Signature is Valid/g)).toHaveLength(2);
      execFileSync("qpdf", ["--check", "final.pdf"], { cwd: folder });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    expect(await verifyChain(test.platform.db, envelope.id)).toMatchObject({ ok: true });
    const kinds = await test.platform.db.selectFrom("notices").select("kind").where("envelope_id", "=", envelope.id).execute();
    expect(kinds.map((row) => row.kind)).toEqual(expect.arrayContaining(["signed", "completed"]));
  });

  it("prints the values, the date and the name being its own, and keeps them where the sender reads them", async () => {
    const fields = [
      place("signature", 0),
      place("name", 1),
      place("date", 2),
      place("checkbox", 3),
      place("text", 4, { required: false, label: "Remarque" }),
      place("initials", 5),
    ];
    const envelope = await createSent(owner, { recipients: [PAUL], fields });
    const paul = await confirmed(envelope, PAUL.email);
    const values = [
      { id: fieldOf(envelope, "name"), value: "Jean Valjean" },
      { id: fieldOf(envelope, "date"), value: "01/01/1999" },
      { id: fieldOf(envelope, "checkbox"), value: "Oui" },
      { id: fieldOf(envelope, "text"), value: "Lu et approuvé, « bon pour accord » à 12\u202f500 €" },
    ];
    expect((await paul.post("sign/", body({ fields: values }))).status).toBe(200);
    const read = (await owner.get(`${ENVELOPES}${envelope.id}/`)).body as Envelope;
    expect(Object.fromEntries(read.fields.map((field) => [field.type, field.value]))).toMatchObject({
      name: "Paul Morel",
      date: new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", dateStyle: "short" }).format(test.platform.clock()),
      checkbox: "Oui",
      text: "Lu et approuvé, « bon pour accord » à 12\u202f500 €",
    });
    const act = await test.platform.db
      .selectFrom("signing_acts")
      .selectAll()
      .where("envelope_id", "=", envelope.id)
      .executeTakeFirstOrThrow();
    expect([act.content, act.sealed_at !== null, act.consent_version]).toEqual([null, true, "2026-11"]);
  });

  it("signs every document of the envelope, an approver's invisibly", async () => {
    const files = [1, 2, 3].map((pages) => ({ name: `Annexe ${pages}.pdf`, bytes: makePdf({ pages }) }));
    const envelope = await createSent(owner, { files, recipients: [PAUL, { ...ELOISE, role: "approver" }] });
    await (await confirmed(envelope, PAUL.email)).post("sign/", TYPED);
    const last = await (await confirmed(envelope, ELOISE.email)).post("sign/", TYPED);
    expect([last.status, last.body.status]).toEqual([200, "completed"]);
    const { body: list } = await owner.get(`/api/signature/signatures/?envelope=${envelope.id}`);
    expect(list.count).toBe(6);
    expect(new Set(list.results.map((row: { document: string }) => row.document)).size).toBe(3);
    expect(list.results[0]).toMatchObject({ level: "B-LTA", signer_name: "Paul Morel", certificate: { subject: "Paul Morel" } });
    const serials = new Set(list.results.map((row: { certificate: { serial_number: string } }) => row.certificate.serial_number));
    expect(serials.size).toBe(2);
  });

  it("needs the code, in this browser", async () => {
    const envelope = await createSent(owner);
    const guest = await openMailedGuest(test, envelope.id, PAUL.email);
    expect(refusal(await guest.post("sign/", TYPED))).toEqual([403, "otp_required"]);
    await guest.confirm();
    const elsewhere = openGuest(test, { envelopeId: envelope.id, token: guest.token, email: PAUL.email });
    expect(refusal(await elsewhere.post("sign/", TYPED))).toEqual([403, "otp_required"]);
    test.platform.clock.advance({ minutes: 61 });
    expect(refusal(await guest.post("sign/", TYPED))).toEqual([403, "otp_required"]);
  });

  it("security line 40: refuses to sign documents that are not those that were read", async () => {
    const envelope = await createSent(owner);
    const guest = await confirmed(envelope, PAUL.email);
    const other = await test.platform.files.put(makePdf({ text: "Autre contrat" }));
    await test.platform.db
      .updateTable("document_revisions")
      .set({ blob_sha256: other })
      .where("document_id", "=", envelope.documents[0]?.id as string)
      .where("number", "=", 0)
      .execute();
    expect(refusal(await guest.post("sign/", TYPED))).toEqual([409, "documents_changed"]);
    expect((await guest.get("guest/")).body.otp.verified).toBe(false);
  });

  it("waits for one's turn in a sequential flow, then mails the next", async () => {
    const envelope = await createSent(owner, {
      flow: "sequential",
      recipients: [
        { ...PAUL, order: 1 },
        { ...ELOISE, order: 2 },
      ],
    });
    const second = envelope.recipients[1]?.id as string;
    const token = await test.platform.db.transaction().execute((trx) => mintRecipientToken(trx, test.platform, second));
    const early = openGuest(test, { envelopeId: envelope.id, token, email: ELOISE.email });
    expect((await early.get("guest/")).body.signs_before, "before the code nobody is named").toEqual({ count: 1, names: [] });
    await early.confirm();
    const waiting = (await early.get("guest/")).body;
    expect([waiting.recipient.status, waiting.signs_before]).toEqual(["waiting", { count: 1, names: [PAUL.full_name] }]);
    const refused = await early.post("sign/", TYPED);
    expect([...refusal(refused), refused.body.detail]).toEqual([
      409,
      "not_your_turn",
      `Ce n’est pas encore votre tour. Vous recevrez un message après la signature de ${PAUL.full_name}.`,
    ]);
    await (await confirmed(envelope, PAUL.email)).post("sign/", TYPED);
    expect((await openMailedGuest(test, envelope.id, ELOISE.email)).token).not.toBe(token);
    expect((await early.get("guest/")).body.signs_before).toBeUndefined();
    expect((await early.post("sign/", TYPED)).body.status).toBe("completed");
  });

  it("tells a sender who signs last whose signature comes before", async () => {
    const own = { email: member.email, full_name: "Camille Roux", order: 3 };
    const envelope = await createSent(owner, { flow: "sequential", recipients: [own, { ...ELOISE, order: 2 }, { ...PAUL, order: 1 }] });
    const page = await owner.get(`${ENVELOPES}${envelope.id}/sign-page/`);
    expect([...refusal(page), page.body.detail]).toEqual([
      409,
      "not_your_turn",
      `Ce n’est pas encore votre tour. Vous recevrez un message après les signatures de ${PAUL.full_name} et d’${ELOISE.full_name}.`,
    ]);
  });

  it("tells a signed-in recipient that it is not their turn yet; a stranger, and the recipient of a cancelled one, learn nothing", async () => {
    const later = await createMember(test.platform);
    const [laterClient, strangerClient] = [await signIn(test, later), await signIn(test, await createMember(test.platform))];
    const recipients = [
      { ...PAUL, order: 1 },
      { email: later.email, full_name: "Noé Petit", order: 2 },
    ];
    const envelope = await createSent(owner, { flow: "sequential", recipients });
    const page = await laterClient.get(`${ENVELOPES}${envelope.id}/sign-page/`);
    expect([...refusal(page), page.body.detail]).toEqual([
      409,
      "not_your_turn",
      `Ce n’est pas encore votre tour. Vous recevrez un message après la signature de ${PAUL.full_name}.`,
    ]);
    expect(refusal(await laterClient.post(`${ENVELOPES}${envelope.id}/sign_authenticated/`, TYPED))).toEqual([409, "not_your_turn"]);
    expect(refusal(await laterClient.get(`${ENVELOPES}${envelope.id}/`))).toEqual([404, "not_found"]);
    expect(refusal(await strangerClient.get(`${ENVELOPES}${envelope.id}/sign-page/`))).toEqual([404, "not_found"]);
    await owner.post(`${ENVELOPES}${envelope.id}/cancel/`, {});
    expect(refusal(await laterClient.get(`${ENVELOPES}${envelope.id}/sign-page/`))).toEqual([404, "not_found"]);
  });

  it("refuses a second signature, and a signature of who only gets a copy", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL, { ...ELOISE, role: "viewer" }] });
    const paul = await confirmed(envelope, PAUL.email);
    await paul.post("sign/", TYPED);
    const again = await paul.post("sign/", TYPED);
    expect([...refusal(again), again.body.detail]).toEqual([409, "already_signed", "Vous avez déjà signé ce document."]);
    const viewer = envelope.recipients[1]?.id as string;
    const token = await test.platform.db.transaction().execute((trx) => mintRecipientToken(trx, test.platform, viewer));
    const copy = openGuest(test, { envelopeId: envelope.id, token, email: ELOISE.email });
    await copy.confirm();
    expect(refusal(await copy.post("sign/", TYPED))).toEqual([403, "viewer_cannot_sign"]);
  });

  it.each<[string, object, string, object]>([
    ["without consent", { consent: false }, "validation", { consent: ["Cochez la case de consentement avant de signer."] }],
    ["with an unknown kind of mark", { signature: { kind: "stamp" } }, "validation", {}],
    [
      "with an empty drawing",
      { signature: { kind: "drawn", strokes: [[[0.1, 0.1, 1]]] } },
      "validation",
      { signature: ["Dessinez votre signature"] },
    ],
    [
      "with a stroke far beyond the pad",
      {
        signature: {
          kind: "drawn",
          strokes: [
            [
              [0.1, 0.1, 1],
              [0.2, -3.5, 1],
              [0.4, 0.2, 1],
            ],
          ],
        },
      },
      "validation",
      { "signature.strokes.0.1.1": ["Un trait sort de la zone de dessin. Effacez, puis dessinez votre signature de nouveau."] },
    ],
    ["with an unknown hand", { signature: { kind: "typed", text: "Paul", font: "comic" } }, "validation", {}],
    ["with a picture that is none", { signature: { kind: "uploaded", image: "data:image/png;base64,AAAA" } }, "invalid_image", {}],
    ["with a letter that no font has", { signature: { kind: "typed", text: "保羅", font: "caveat" } }, "unsupported_character", {}],
    [
      "with a field that is nobody's",
      { fields: [{ id: "019aa000-0000-7000-8000-000000000000", value: "x" }] },
      "validation",
      { fields: ["Ce champ ne vous appartient pas."] },
    ],
    ["with a property of its own", { signed_at: "2020-01-01T00:00:00Z" }, "validation", { signed_at: ["Champ inconnu"] }],
  ])("refuses a request %s, and records nothing", async (_, changes, code, errors) => {
    const envelope = await createSent(owner);
    const guest = await confirmed(envelope, PAUL.email);
    const answer = await guest.post("sign/", body(changes));
    expect(refusal(answer)).toEqual([400, code]);
    expect(answer.body.errors ?? {}).toMatchObject(errors);
    expect(await test.platform.db.selectFrom("signing_acts").select("id").where("envelope_id", "=", envelope.id).execute()).toEqual([]);
    expect((await guest.post("sign/", TYPED)).status).toBe(200);
  });

  it("refuses a required field left blank, and a value of the wrong kind, each under its field", async () => {
    const envelope = await createSent(owner, {
      recipients: [PAUL],
      fields: [place("signature", 0), place("text", 1), place("date", 2, { required: false }), place("checkbox", 3)],
    });
    const guest = await confirmed(envelope, PAUL.email);
    const text = fieldOf(envelope, "text");
    const missing = await guest.post("sign/", TYPED);
    expect([...refusal(missing), Object.keys(missing.body.errors).toSorted()]).toEqual([
      400,
      "field_required",
      [`fields.${text}`, `fields.${fieldOf(envelope, "checkbox")}`].toSorted(),
    ]);
    const filled = (value: string, box: string) =>
      body({
        fields: [
          { id: text, value },
          { id: fieldOf(envelope, "checkbox"), value: box },
        ],
      });
    const wrong = await guest.post("sign/", filled("ok", "on"));
    expect([...refusal(wrong), wrong.body.errors]).toEqual([
      400,
      "validation",
      { [`fields.${fieldOf(envelope, "checkbox")}`]: ["Répondez par Oui ou Non."] },
    ]);
    const unprintable = await guest.post("sign/", filled("Merci 😀", "true"));
    expect([...refusal(unprintable), unprintable.body.errors]).toEqual([
      400,
      "unsupported_character",
      { [`fields.${text}`]: ["Le caractère « 😀 » ne peut pas être imprimé dans le document. Remplacez-le, puis réessayez."] },
    ]);
    expect((await guest.post("sign/", filled("Merci", "true"))).status).toBe(200);
  });

  it("is described with what each kind of field takes", async () => {
    const description = (await owner.get("/api/openapi.json")).body;
    const call = Object.entries(description.paths).find(([path]) => path.endsWith("/sign/"))?.[1] as object;
    expect(JSON.stringify(call)).toContain("`Oui` ou `Non`");
  });

  it("answers again what it answered when the same request is sent again with its key", async () => {
    const envelope = await createSent(owner);
    const guest = await confirmed(envelope, PAUL.email);
    const key = { "idempotency-key": `sign-${envelope.id}` };
    const first = await guest.post("sign/", TYPED, key);
    const second = await guest.post("sign/", TYPED, key);
    expect([second.status, second.text]).toEqual([200, first.text]);
  });

  it("does not serve the owner's cookies: the session signs nothing here", async () => {
    const envelope = await createSent(owner);
    expect((await owner.post(`${ENVELOPES}${envelope.id}/sign/`, TYPED)).status).toBe(404);
  });
});

describe("a signed-in signer", () => {
  let signer: Member;
  let browser: TestBrowser;
  let envelope: Envelope;
  beforeEach(async () => {
    signer = await createMember(test.platform, { firstName: "Éloïse", lastName: "Lefèvre" });
    browser = await signIn(test, signer);
    envelope = await createSent(owner, { recipients: [{ email: signer.email.toUpperCase(), full_name: "Éloïse Lefèvre" }, PAUL] });
  });
  const call = (path: string) => `${ENVELOPES}${envelope.id}/${path}`;

  it("reads its page in one call, which writes nothing; showing it is noted once", async () => {
    const { status, body: page } = await browser.get(call("sign-page/"));
    expect([
      status,
      page.recipient.email,
      page.documents.length,
      page.fields.filter((field: { own: boolean }) => field.own).length,
    ]).toEqual([200, signer.email.toUpperCase(), 1, 1]);
    const views = () =>
      test.platform.db
        .selectFrom("audit_events")
        .select("sequence")
        .where("envelope_id", "=", envelope.id)
        .where("action", "=", "recipient_viewed")
        .execute();
    expect(await views()).toEqual([]);
    const shown = [await browser.post(call("view/")), await browser.post(call("view/"))];
    expect([...shown.map((answer) => answer.status), (await views()).length]).toEqual([204, 204, 1]);
    expect((await browser.get(call("sign-page/"))).body.recipient.status).toBe("viewed");
  });

  it("signs with the session alone", async () => {
    const answer = await browser.post(call("sign_authenticated/"), TYPED);
    expect([answer.status, answer.body.status, answer.body.recipients[0].signed]).toEqual([200, "pending", true]);
    expect(refusal(await browser.post(call("sign_authenticated/"), TYPED))).toEqual([409, "already_signed"]);
    const act = await test.platform.db
      .selectFrom("signing_acts")
      .selectAll()
      .where("envelope_id", "=", envelope.id)
      .executeTakeFirstOrThrow();
    expect([act.method, act.user_id]).toEqual(["authenticated", signer.id]);
  });

  it("declines with the session alone", async () => {
    expect((await browser.post(call("decline/"), { reason: "Désaccord" })).body.status).toBe("declined");
    expect(refusal(await browser.post(call("sign_authenticated/"), TYPED))).toEqual([409, "invalid_state"]);
  });

  it("gets 503 from hsm_sign/", async () => {
    expect(refusal(await browser.post(call("hsm_sign/"), TYPED))).toEqual([503, "hsm_unavailable"]);
  });

  it.each(["sign-page/", "view/", "sign_authenticated/", "hsm_sign/", "decline/"])(
    "security line 42: %s answers 404 to a stranger, 401 to nobody, 403 to the sender, before the body is judged",
    async (path) => {
      const stranger = await signIn(test, await createMember(test.platform));
      const ask = (who: TestBrowser) => (path === "sign-page/" ? who.get(call(path)) : who.post(call(path), { nonsense: true }));
      expect(refusal(await ask(stranger))).toEqual([404, "not_found"]);
      expect(refusal(await ask(openBrowser(test.app)))).toEqual([401, "session_expired"]);
      expect(refusal(await ask(owner))).toEqual([403, "not_a_signer"]);
    },
  );

  it("is told the state of an envelope that does not wait: a draft is unknown to it, a cancelled one too", async () => {
    const draft = await createDraft(owner, { recipients: [{ email: signer.email, full_name: "Éloïse Lefèvre" }] });
    expect((await browser.get(`${ENVELOPES}${draft.id}/sign-page/`)).status).toBe(404);
    await owner.post(call("cancel/"));
    expect((await browser.post(call("sign_authenticated/"), TYPED)).status).toBe(404);
  });

  it("security line 42: signs as itself when the sender is also a signer", async () => {
    const self = await createSent(owner, { recipients: [{ email: member.email, full_name: "Camille Roux" }] });
    const answer = await owner.post(`${ENVELOPES}${self.id}/sign_authenticated/`, TYPED);
    expect([answer.status, answer.body.status]).toEqual([200, "completed"]);
  });
});

describe("GET signatures/", () => {
  it("shows an envelope's signatures to those who see it, and to nobody else", async () => {
    const envelope = await createSent(owner, { recipients: [PAUL] });
    await (await confirmed(envelope, PAUL.email)).post("sign/", TYPED);
    const stranger = await signIn(test, await createMember(test.platform));
    const url = `/api/signature/signatures/?envelope=${envelope.id}`;
    expect((await owner.get(url)).body.count).toBe(1);
    expect((await stranger.get(url)).status).toBe(404);
    expect((await openBrowser(test.app).get(url)).status).toBe(401);
    expect((await owner.get("/api/signature/signatures/")).status).toBe(400);
    expect(JSON.stringify(await mailFor(test.platform, PAUL.email))).not.toContain("undefined");
  });
});
