import type { Envelope, FieldType } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, fieldAt, fieldOf, PAUL } from "../../../testing/envelope.ts";
import { openConfirmedGuest, TYPED } from "../../../testing/guest.ts";
import { type Member, signIn } from "../../../testing/member.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";

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

describe("POST sign/", () => {
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
});
