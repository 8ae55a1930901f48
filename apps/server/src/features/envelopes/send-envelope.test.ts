import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { verifyChain } from "../audit/index.ts";
import { loadDocuments } from "../documents/index.ts";
import { findRecipientByToken } from "./index.ts";

let service: TestApp;
let anne: TestBrowser;
let tag = 0;
const fresh = <P extends { email: string }>(person: P): P => ({ ...person, email: `p${++tag}.${person.email}` });

beforeAll(async () => {
  service = await createTestApp();
  anne = await signIn(service, await createMember(service.platform, { firstName: "Anne", lastName: "Roux" }));
});
afterAll(() => service.close());

const send = (id: string, body?: unknown) => anne.post(`${ENVELOPES}${id}/send/`, body);

describe("a sent envelope", () => {
  it("asks everybody at once, each with a link of their own that only a hash remains of", async () => {
    const [paul, eloise] = [fresh(PAUL), fresh(ELOISE)];
    const draft = await createDraft(anne, { recipients: [paul, eloise], message: "Merci" });
    const answer = await send(draft.id);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: "sent",
        version: 2,
        sent_at: "2026-11-21T10:00:00.000Z",
        recipients: [{ status: "notified" }, { status: "notified" }],
      },
    });
    const links = await Promise.all(
      [paul, eloise].map(async ({ email }) => linkIn((await mailFor(service.platform, email))[0], service.platform.settings.publicUrl)),
    );
    const tokens = links.map((link) => new URL(link).searchParams.get("token") ?? "");
    expect(new Set(tokens).size).toBe(2);
    expect(links[0]).toMatch(new RegExp(`/sign/${draft.id}\\?token=[A-Za-z0-9_-]{43}$`));
    expect(await findRecipientByToken(service.platform.db, draft.id, tokens[0] ?? "")).toMatchObject({
      recipient: { email: paul.email, awaited: true },
    });
    expect(await findRecipientByToken(service.platform.db, (await createDraft(anne)).id, tokens[0] ?? "")).toBeNull();
    expect(await findRecipientByToken(service.platform.db, draft.id, "A".repeat(43))).toBeNull();
    expect(answer.text).not.toContain(tokens[0]);
  });

  it("asks only the first rank in a sequential flow, and never a viewer", async () => {
    const people = [
      fresh({ ...PAUL, order: 2 }),
      fresh({ ...ELOISE, order: 1 }),
      fresh({ email: "v@exemple.fr", full_name: "Vue", role: "viewer" }),
    ];
    const sent = await createSent(anne, { flow: "sequential", recipients: people });
    expect(sent.recipients).toMatchObject([{ status: "waiting" }, { status: "notified" }, { status: "waiting" }]);
    expect(await mailFor(service.platform, people[0]?.email ?? "")).toHaveLength(0);
    expect(await mailFor(service.platform, people[1]?.email ?? "")).toHaveLength(1);
    expect(await mailFor(service.platform, people[2]?.email ?? "")).toHaveLength(0);
  });

  it("has every field in its files, of which the original is a byte-exact prefix", async () => {
    const bytes = makePdf({ pages: 2 });
    const draft = await createDraft(anne, {
      files: [{ name: "a.pdf", bytes }],
      recipients: [PAUL, ELOISE, { email: "appro@exemple.fr", full_name: "Appro", role: "approver" }],
      fields: [
        { document_index: 0, recipient_index: 0, type: "signature", page: 1, x: 0.1, y: 0.1, width: 0.3, height: 0.1 },
        { document_index: 0, recipient_index: 1, type: "text", page: 1, x: 0.1, y: 0.3, width: 0.3, height: 0.05 },
      ],
    });
    const sent = (await send(draft.id)).body;
    expect(sent.fields).toHaveLength(3);
    expect(sent.fields[2]).toMatchObject({ type: "signature", page: 2, recipient_id: sent.recipients[1].id, required: true });
    const [document] = await loadDocuments(service.platform.db, draft.id);
    expect(document).toMatchObject({ current: { number: 1, kind: "prepared" }, original: { number: 0 } });
    const prepared = await service.platform.files.get(document?.current.sha256 ?? new Uint8Array());
    expect(Buffer.compare(prepared.subarray(0, bytes.length), bytes)).toBe(0);
    const text = Buffer.from(prepared).toString("latin1");
    expect(text.match(/\/FT\s*\/Sig/g)).toHaveLength(3);
    for (const recipient of sent.recipients) expect(text).toContain(`${draft.id}_signature_${recipient.id}`);
    expect(text).toContain(`${draft.id}_${sent.fields[1].id}`);
    expect(sent.documents[0].sha256).toBe(Buffer.from(document?.current.sha256 ?? []).toString("hex"));
  });

  it("takes a message at the last moment", async () => {
    const [paul] = [fresh(PAUL)];
    const draft = await createDraft(anne, { recipients: [paul], message: "avant" });
    expect((await send(draft.id, { message: "Signez avant lundi." })).body.message).toBe("Signez avant lundi.");
    expect((await mailFor(service.platform, paul.email))[0]?.content.text).toContain("Signez avant lundi.");
  });

  it("says in its journal what was sent and whom it asked", async () => {
    const sent = await createSent(anne, { recipients: [PAUL] });
    const { results } = (await anne.get(`${ENVELOPES}${sent.id}/events/`)).body;
    expect(results.map((event: { action: string }) => event.action)).toEqual(["recipient_invited", "envelope_sent", "envelope_created"]);
    expect(results[0].detail).toMatchObject({ recipient: sent.recipients[0]?.id, email: PAUL.email });
    expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true, count: 3 });
  });

  it("is sent once by twenty requests at once", async () => {
    const paul = fresh(PAUL);
    const draft = await createDraft(anne, { recipients: [paul] });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(draft.id)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    for (const answer of answers.filter((one) => one.status !== 200))
      expect(answer.body).toMatchObject({ status: 409, code: "invalid_state" });
    expect(await mailFor(service.platform, paul.email)).toHaveLength(1);
    expect(await verifyChain(service.platform.db, draft.id)).toMatchObject({ ok: true, count: 3 });
  });

  it("is what an update at the same moment left, or the update is refused", async () => {
    const draft = await createDraft(anne, { recipients: [PAUL] });
    const [sent, patched] = await Promise.all([
      send(draft.id),
      anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { recipients: [PAUL, ELOISE] } }),
    ]);
    expect(sent.status).toBe(200);
    const after = (await anne.get(`${ENVELOPES}${draft.id}/`)).body;
    expect(after.recipients).toHaveLength(patched.status === 200 ? 2 : 1);
    expect(after.fields).toHaveLength(after.recipients.length);
    const [document] = await loadDocuments(service.platform.db, draft.id);
    const text = Buffer.from(await service.platform.files.get(document?.current.sha256 ?? new Uint8Array())).toString("latin1");
    expect(text.match(/\/FT\s*\/Sig/g)).toHaveLength(after.recipients.length);
  });
});

describe("sending is refused", () => {
  it("without a signer", async () => {
    const draft = await createDraft(anne, { recipients: [{ ...PAUL, role: "viewer" }] });
    expect((await send(draft.id)).body).toMatchObject({
      status: 409,
      code: "not_ready_to_send",
      detail: expect.stringContaining("ajoutez au moins un signataire."),
    });
  });

  it("with a signer whose name cannot be printed, kept from before names were checked", async () => {
    const draft = await createDraft(anne);
    await service.platform.db.updateTable("recipients").set({ full_name: "李雷" }).where("envelope_id", "=", draft.id).execute();
    expect((await send(draft.id)).body).toMatchObject({
      status: 409,
      code: "not_ready_to_send",
      errors: { "recipients.0.full_name": [expect.stringContaining("李")] },
    });
  });

  it("with a deadline that has passed meanwhile", async () => {
    const draft = await createDraft(anne, { deadline_at: "2026-11-21T10:00:30Z" });
    service.platform.clock.advance({ minutes: 1 });
    expect((await send(draft.id)).body).toMatchObject({
      status: 409,
      code: "not_ready_to_send",
      detail: expect.stringContaining("l’échéance doit être dans le futur."),
    });
  });

  it("with another version than the one its sender saw: nobody is asked to sign what another page put there", async () => {
    const draft = await createDraft(anne, { recipients: [PAUL] });
    const seen = { headers: { "if-match": `"${draft.version}"` } };
    const sendSeen = (headers: Record<string, string>) => anne.send("POST", `${ENVELOPES}${draft.id}/send/`, { body: {}, headers });
    const other = await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { recipients: [fresh(ELOISE)] }, ...seen });
    const refused = await sendSeen(seen.headers);
    expect(refused.body).toMatchObject({ status: 409, code: "version_conflict", version: other.body.version });
    expect((await sendSeen({ "if-match": "autre chose" })).body.code).toBe("version_conflict");
    expect((await anne.get(`${ENVELOPES}${draft.id}/`)).body.status).toBe("draft");
    expect((await sendSeen({ "if-match": `"${other.body.version}"` })).body.status).toBe("sent");
    expect((await sendSeen(seen.headers)).body.code).toBe("invalid_state");
  });

  it("twice", async () => {
    const sent = await createSent(anne);
    expect((await send(sent.id)).body).toMatchObject({ status: 409, code: "invalid_state" });
  });
});
