import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, type TestGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, signIn } from "../../../testing/member.ts";

const SENTENCE = "Lu et approuvé, bon pour caution à hauteur de 12 000 €";

let test: TestApp;
let owner: TestBrowser;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  owner = await signIn(test, await createMember(test.platform));
});
afterAll(() => test.close());

const place = (type: string, y: number, more = {}) => ({
  document_index: 0,
  recipient_index: 0,
  type,
  page: 1,
  x: 0.1,
  y,
  width: 0.4,
  height: 0.06,
  ...more,
});
const confirmed = async (envelope: Envelope): Promise<TestGuest> => {
  const guest = await openMailedGuest(test, envelope.id, PAUL.email);
  await guest.confirm();
  return guest;
};
const fieldOf = (envelope: Envelope, type: string) => envelope.fields.find((field) => field.type === type)?.id as string;

it("an envelope whose mention has no sentence is not sent, and says where", async () => {
  const draft = await createDraft(owner, { recipients: [PAUL], fields: [place("signature", 0.1), place("mention", 0.3)] });
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
    fields: [place("signature", 0.1), place("mention", 0.3, { value: SENTENCE })],
  });
  const mention = fieldOf(envelope, "mention");
  const paul = await confirmed(envelope);
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
  const fields = [place("signature", 0.1), place("initials", 0.3), place("initials", 0.5, { required: false, label: "facultatif" })];
  const envelope = await createSent(owner, { recipients: [PAUL], fields });
  const paul = await confirmed(envelope);
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
