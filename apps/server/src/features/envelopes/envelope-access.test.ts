import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, PAUL, recordTestSignature } from "../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";

let service: TestApp;
let anneMember: Member;
let anne: TestBrowser;
let paulMember: Member;
let paul: TestBrowser;
let tag = 0;

beforeAll(async () => {
  service = await createTestApp();
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  paulMember = await createMember(service.platform, { firstName: "Paul", lastName: "Morel", email: "paul.compte@exemple.fr" });
  anne = await signIn(service, anneMember);
  paul = await signIn(service, paulMember);
});
afterAll(() => service.close());
const someone = (rest: object = {}) => ({ ...PAUL, email: `f${++tag}@exemple.fr`, ...rest });
const withPaul = () => ({ email: "Paul.Compte@exemple.fr", full_name: "Paul Morel", phone_number: "0611111111" });

describe("who may do what", () => {
  const OWNER_CALLS: readonly (readonly ["POST" | "PATCH" | "DELETE" | "GET", string])[] = [
    ["PATCH", ""],
    ["POST", "send/"],
    ["POST", "cancel/"],
    ["POST", "restore/"],
    ["POST", "remind/"],
    ["DELETE", "purge/"],
    ["GET", "events/"],
  ];
  const call = (who: TestBrowser, [method, path]: readonly ["POST" | "PATCH" | "DELETE" | "GET", string], id: string) =>
    method === "GET" ? who.get(`${ENVELOPES}${id}/${path}`) : who.send(method, `${ENVELOPES}${id}/${path}`, { body: {} });

  it.each(OWNER_CALLS)("%s …/%s is the owner's: 403 for a recipient, 404 for a stranger, 401 for nobody", async (method, path) => {
    const sent = await createSent(anne, { recipients: [withPaul()] });
    expect((await call(paul, [method, path], sent.id)).body).toMatchObject({ status: 403, code: "not_allowed" });
    const guest = await signIn(service, await createMember(service.platform));
    expect((await call(guest, [method, path], sent.id)).body).toMatchObject({ status: 404, code: "not_found" });
    expect((await call(openBrowser(service.app), [method, path], sent.id)).status).toBe(401);
    expect((await call(anne, [method, path], service.platform.newId())).status).toBe(404);
    // An id that is none is as unknown as another: never told apart.
    expect((await call(anne, [method, path], "pas-un-id")).body).toMatchObject({ status: 404, code: "not_found" });
  });

  it("a recipient reads as themselves: their own values and phone, action_required while awaited", async () => {
    const place = { document_index: 0, page: 1, width: 0.2, height: 0.05 };
    const sent = await createSent(anne, {
      recipients: [withPaul(), { ...ELOISE }],
      fields: [
        { ...place, recipient_index: 0, type: "text", x: 0.1, y: 0.1, value: "pour Paul" },
        { ...place, recipient_index: 1, type: "text", x: 0.1, y: 0.3, value: "pour Éloïse" },
      ],
    });
    const seen = (await paul.get(`${ENVELOPES}${sent.id}/`)).body;
    expect(seen).toMatchObject({ status: "action_required", is_owner: false });
    expect(seen.recipients).toMatchObject([{ phone_number: "+33611111111" }, { phone_number: null, full_name: "Éloïse Lefèvre" }]);
    expect(seen.fields.map((field: { value: string | null }) => field.value).filter(Boolean)).toEqual(["pour Paul"]);
    const owned = (await anne.get(`${ENVELOPES}${sent.id}/`)).body;
    expect(owned).toMatchObject({ status: "sent", is_owner: true, recipients: [{}, { phone_number: "+33612345678" }] });
    await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
    expect((await paul.get(`${ENVELOPES}${sent.id}/`)).body.status).toBe("pending");
  });

  it("a recipient sees neither a draft, nor a cancelled envelope, nor one whose turn has not come", async () => {
    const draft = await createDraft(anne, { recipients: [withPaul()] });
    expect((await paul.get(`${ENVELOPES}${draft.id}/`)).status).toBe(404);
    expect((await paul.post(`${ENVELOPES}${draft.id}/cancel/`)).status).toBe(404);
    const waiting = await createSent(anne, { flow: "sequential", recipients: [someone(), { ...withPaul(), order: 2 }] });
    expect((await paul.get(`${ENVELOPES}${waiting.id}/`)).status).toBe(404);
    const cancelled = await createSent(anne, { recipients: [withPaul()] });
    await anne.post(`${ENVELOPES}${cancelled.id}/cancel/`);
    expect((await paul.get(`${ENVELOPES}${cancelled.id}/`)).status).toBe(404);
  });

  it("a call with a signature token ignores the session", async () => {
    const sent = await createSent(anne);
    expect((await anne.get(`${ENVELOPES}${sent.id}/`, { headers: { "x-signature-token": "A".repeat(43) } })).status).toBe(401);
  });

  it("a sender who is also a signer sees that it waits for them", async () => {
    const sent = await createSent(anne, { recipients: [{ email: anneMember.email, full_name: "Anne Roux" }] });
    expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body).toMatchObject({ status: "action_required", is_owner: true });
  });
});
