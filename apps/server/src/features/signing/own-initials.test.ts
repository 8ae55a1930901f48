import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, fieldAt, PAUL } from "../../../testing/envelope.ts";
import { openConfirmedGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";

const INITIALS = { kind: "typed", text: "P. M.", font: "caveat" };
const FIELDS = [fieldAt("signature", 0.1), fieldAt("initials", 0.3)];

let test: TestApp;
let owner: TestBrowser;

beforeAll(async () => {
  ({ test, owner } = await openSenderApp());
});
afterAll(() => test.close());

const consentOf = async (envelope: Envelope) => {
  const { results } = (await owner.get(`${ENVELOPES}${envelope.id}/events/`)).body;
  return results.find((event: { action: string }) => event.action === "consent_given").detail;
};

it("initials of their own are said in the journal, apart from the signature", async () => {
  const envelope = await createSent(owner, { recipients: [PAUL], fields: FIELDS });
  const paul = await openConfirmedGuest(test, envelope.id, PAUL.email);
  const strokes = [
    [
      [0, 0.2, 0.4],
      [0.5, 0.8, 0.9],
    ],
  ];
  expect((await paul.post("sign/", { ...TYPED, initials: { kind: "drawn", strokes } })).status).toBe(200);
  expect(await consentOf(envelope)).toMatchObject({ mark: "typed", initials: "drawn" });
});

it.each([
  ["that no hand can write", { ...INITIALS, text: "署" }, 400, "unsupported_character"],
  ["that draw nothing", { kind: "drawn", strokes: [[[0.5, 0.5, 1]]] }, 400, "validation"],
])("initials %s are refused by their name, and nothing is signed", async (_what, initials, status, code) => {
  const envelope = await createSent(owner, { recipients: [PAUL], fields: FIELDS });
  const paul = await openConfirmedGuest(test, envelope.id, PAUL.email);
  const refused = await paul.post("sign/", { ...TYPED, initials });
  expect([refused.status, refused.body.code, Object.keys(refused.body.errors)]).toEqual([status, code, ["initials"]]);
  expect((await paul.get("guest/")).body.recipient.signed).toBe(false);
});

it("a kept mark serves as initials beside a kept signature; each use is noted", async () => {
  const member = await createMember(test.platform, { firstName: "Paul", lastName: "Morel" });
  const paul = await signIn(test, member);
  const save = async (name: string, text: string) =>
    (await paul.post("/api/signature/saved-signatures/", { name, kind: "typed", text, font: "caveat" })).body.id as string;
  const [signature, initials] = [await save("Signature", "Paul Morel"), await save("Paraphe", "P. M.")];
  const envelope = await createSent(owner, { recipients: [{ email: member.email, full_name: "Paul Morel" }], fields: FIELDS });
  const kept = (id: string) => ({ kind: "saved", saved_signature_id: id });
  const signed = await paul.post(`${ENVELOPES}${envelope.id}/sign_authenticated/`, {
    fields: [],
    signature: kept(signature),
    initials: kept(initials),
    consent: true,
  });
  expect(signed.status).toBe(200);
  expect(await consentOf(envelope)).toMatchObject({ saved_signature: signature, initials: "saved", saved_initials: initials });
  const { results } = (await paul.get("/api/signature/saved-signatures/")).body;
  expect(results.map((one: { last_used_at: string | null }) => one.last_used_at !== null)).toEqual([true, true]);
});
