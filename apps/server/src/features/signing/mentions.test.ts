import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, fieldAt, fieldOf, PAUL } from "../../../testing/envelope.ts";
import { openConfirmedGuest, TYPED } from "../../../testing/guest.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";

const SENTENCE = "Lu et approuvé, bon pour caution à hauteur de 12 000 €";

let test: TestApp;
let owner: TestBrowser;

beforeAll(async () => {
  ({ test, owner } = await openSenderApp());
});
afterAll(() => test.close());

it("an envelope whose mention has no sentence is not sent, and says where", async () => {
  const draft = await createDraft(owner, { recipients: [PAUL], fields: [fieldAt("signature", 0.1), fieldAt("mention", 0.3)] });
  const refused = await owner.post(`${ENVELOPES}${draft.id}/send/`);
  expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
    409,
    "not_ready_to_send",
    { "fields.1.value": ["Écrivez la phrase que le signataire recopiera."] },
  ]);
});

it("a mention is signed once copied letter by letter: refused otherwise in words, and kept as it was typed", async () => {
  const envelope = await createSent(owner, {
    recipients: [PAUL],
    fields: [fieldAt("signature", 0.1), fieldAt("mention", 0.3, { value: SENTENCE })],
  });
  const mention = fieldOf(envelope, "mention");
  const paul = await openConfirmedGuest(test, envelope.id, PAUL.email);
  const shown = (await paul.get("guest/")).body.fields.find((field: { id: string }) => field.id === mention);
  expect([shown.own, shown.value]).toEqual([true, SENTENCE]);
  const sign = (value: string | null) => paul.post("sign/", { ...TYPED, fields: [{ id: mention, value }] });

  for (const missing of [null, "  "]) {
    const refused = await sign(missing);
    expect([refused.status, refused.body.code]).toEqual([400, "field_required"]);
  }
  const refused = await sign("Lu et aprouvé, bon pour caution à hauteur de 12 000 €");
  expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
    400,
    "mention_differs",
    {
      [`fields.${mention}`]: [
        "Une lettre diffère\u00a0: écrivez «\u00a0approuvé,\u00a0», et non «\u00a0aprouvé,\u00a0» (la 3e\u00a0lettre est «\u00a0p\u00a0»).",
      ],
    },
  ]);
  expect((await sign(` ${SENTENCE}\n`)).status).toBe(200);
  const read = (await owner.get(`${ENVELOPES}${envelope.id}/`)).body as Envelope;
  expect([read.status, read.fields.find(({ id }) => id === mention)?.value]).toEqual(["completed", SENTENCE]);
  const copy = (await owner.post(`${ENVELOPES}${envelope.id}/duplicate/`)).body as Envelope;
  expect(copy.fields.find(({ type }) => type === "mention")?.value).toBe(SENTENCE);
});

it("initials that need not be put are left blank when their signer says so", async () => {
  const fields = [fieldAt("signature", 0.1), fieldAt("initials", 0.3), fieldAt("initials", 0.5, { required: false, label: "facultatif" })];
  const envelope = await createSent(owner, { recipients: [PAUL], fields });
  const paul = await openConfirmedGuest(test, envelope.id, PAUL.email);
  const [required, optional] = ["initials", "facultatif"].map(
    (name) => envelope.fields.find(({ type, label }) => (label ?? type) === name)?.id as string,
  );
  const refused = await paul.post("sign/", { ...TYPED, fields: [{ id: required, value: "Non" }] });
  expect([refused.status, refused.body.code]).toEqual([400, "field_required"]);
  expect((await paul.post("sign/", { ...TYPED, fields: [{ id: optional, value: "Non" }] })).status).toBe(200);
  const file = await owner.get(`${ENVELOPES}${envelope.id}/documents/${envelope.documents[0]?.id}/file/`);
  const objects = Buffer.from(file.bytes).toString("latin1").split("endobj");
  const hasValue = (id: string | undefined) =>
    /\/V ?[(<]/.test(objects.findLast((text) => text.includes(`_${id})`) && text.includes("/FT")) ?? "");
  expect([hasValue(required), hasValue(optional)]).toEqual([true, false]);
});
