import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { TYPED } from "../../../testing/guest.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
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
