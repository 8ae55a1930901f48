import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, envelopeForm, type EnvelopeValues } from "../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { verifyChain } from "../audit/index.ts";

let service: TestApp;
let paulMember: Member;
let anne: TestBrowser;

beforeAll(async () => {
  service = await createTestApp();
  paulMember = await createMember(service.platform, { firstName: "Paul", lastName: "Morel" });
});
beforeEach(async () => {
  anne = await signIn(service, await createMember(service.platform));
});
afterAll(() => service.close());

const patch = (id: string, body: object, version?: number) =>
  anne.send("PATCH", `${ENVELOPES}${id}/`, { body, headers: version === undefined ? {} : { "if-match": `"${version}"` } });
const put = (id: string, proofOnly: unknown) => anne.send("PUT", `${ENVELOPES}${id}/public-page/`, { body: { proof_only: proofOnly } });
const read = async (id: string): Promise<Envelope> => (await anne.get(`${ENVELOPES}${id}/`)).body;
/** The journal, the first event first: what it says of the public page, the word of every other event. */
const journal = async (id: string) => {
  const events = (await anne.get(`${ENVELOPES}${id}/events/?page_size=100`)).body.results as {
    action: string;
    detail: { proof_only?: boolean };
  }[];
  return events.toReversed().map(({ action, detail }) => (action === "public_page_changed" ? { proof_only: detail.proof_only } : action));
};

describe("« Preuve seule » chosen in a draft", () => {
  it("is kept over the version that was seen, through the sending, and told in the journal each time it changes", async () => {
    const draft = await createDraft(anne);
    expect(draft.proof_only).toBe(false);
    expect((await patch(draft.id, { proof_only: true }, draft.version)).body).toMatchObject({
      proof_only: true,
      version: draft.version + 1,
    });
    expect(refusal(await patch(draft.id, { proof_only: false }, draft.version))).toEqual([409, "version_conflict"]);
    expect((await patch(draft.id, { proof_only: true })).status).toBe(200);
    await patch(draft.id, { title: "Bail commercial" });
    expect((await anne.post(`${ENVELOPES}${draft.id}/send/`)).body).toMatchObject({ status: "sent", proof_only: true });
    expect((await read(draft.id)).proof_only).toBe(true);
    expect(await journal(draft.id)).toEqual([
      "envelope_created",
      { proof_only: true },
      "envelope_updated",
      "envelope_sent",
      "recipient_invited",
      "recipient_invited",
    ]);
    expect(await verifyChain(service.platform.db, draft.id)).toMatchObject({ ok: true });
  });

  it("stands beside what else one save changes, which the journal tells as well", async () => {
    const draft = await createDraft(anne);
    await patch(draft.id, { title: "Bail commercial", proof_only: true });
    expect(await journal(draft.id)).toEqual(["envelope_created", "envelope_updated", { proof_only: true }]);
    const { results } = (await anne.get(`${ENVELOPES}${draft.id}/events/`)).body;
    expect(results.find(({ action }: { action: string }) => action === "envelope_updated").detail).toMatchObject({ changed: ["title"] });
  });

  it("may be given with the files, as any of the form's values", async () => {
    const draft = await createDraft(anne, { proof_only: true });
    expect(draft.proof_only).toBe(true);
    expect(await journal(draft.id)).toEqual(["envelope_created", { proof_only: true }]);
    const wrong = (value: string) => anne.send("POST", ENVELOPES, envelopeForm({ proof_only: value } as unknown as EnvelopeValues));
    expect((await wrong("oui")).body).toMatchObject({ status: 400, errors: { proof_only: ["Valeur illisible"] } });
    expect((await wrong("1")).body).toMatchObject({ status: 400, code: "validation" });
    expect((await patch(draft.id, { proof_only: null })).body).toMatchObject({ status: 400, code: "validation" });
    expect(await journal(draft.id)).toHaveLength(2);
  });

  it("goes with the copy, and is nobody's to see but the sender's", async () => {
    const sent = await createSent(anne, { proof_only: true, recipients: [{ email: paulMember.email, full_name: "Paul Morel" }] });
    const copy = (await anne.post(`${ENVELOPES}${sent.id}/duplicate/`)).body as Envelope;
    expect(copy.proof_only).toBe(true);
    expect(await journal(copy.id)).toEqual(["envelope_created", { proof_only: true }]);
    const paul = await signIn(service, paulMember);
    expect((await paul.get(`${ENVELOPES}${sent.id}/`)).body).toMatchObject({ is_owner: false });
    expect((await paul.get(`${ENVELOPES}${sent.id}/`)).body).not.toHaveProperty("proof_only");
    expect((await anne.get(ENVELOPES)).body.results[0]).not.toHaveProperty("proof_only");
  });
});

describe("« Preuve seule » changed once sent", () => {
  it("is no part of a draft's changes any more, but of its own call", async () => {
    const { id } = await createSent(anne);
    expect(refusal(await patch(id, { proof_only: true }))).toEqual([409, "invalid_state"]);
    expect((await put(id, true)).body).toMatchObject({ proof_only: true });
    expect((await put(id, "oui")).status).toBe(400);
  });

  it("security line 61: changes twenty times a day at most, for each change stands in the journal", async () => {
    const { id } = await createSent(anne);
    for (let time = 1; time <= 20; time += 1) expect((await put(id, time % 2 === 1)).status).toBe(200);
    expect(refusal(await put(id, true))).toEqual([429, "too_many_requests"]);
    expect((await put(id, false)).status, "what changes nothing is not counted").toBe(200);
    expect((await read(id)).proof_only).toBe(false);
  });
});
