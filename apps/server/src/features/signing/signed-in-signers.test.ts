import { setTimeout } from "node:timers/promises";
import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectRefusal, expectStatus } from "../../../testing/answers.ts";
import { type TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { TYPED } from "../../../testing/guest.ts";
import { createMember, type Member, signIn, signInNew } from "../../../testing/member.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import {
  type EnvelopeAggregate,
  type EnvelopeRecipient,
  lockEnvelope,
} from "../envelopes/public.ts";
import { verifyChain } from "../journal/public.ts";
import { recordConsent } from "./sign-envelope.ts";

let service: TestApp;
let member: Member;
let owner: TestBrowser;

beforeAll(async () => {
  ({ test: service, member } = await openSenderApp());
});
beforeEach(async () => {
  owner = await signIn(service, member);
});
afterAll(() => service.close());

describe("a signed-in signer", () => {
  let signer: Member;
  let browser: TestBrowser;
  let envelope: Envelope;
  beforeEach(async () => {
    signer = await createMember(service.platform, { firstName: "Éloïse", lastName: "Lefèvre" });
    browser = await signIn(service, signer);
    envelope = await createSent(owner, {
      recipients: [{ email: signer.email.toUpperCase(), full_name: "Éloïse Lefèvre" }, PAUL],
    });
  });
  const call = (path: string) => `${ENVELOPES}${envelope.id}/${path}`;

  it("a sign page is one read-only call, and its showing is noted once", async () => {
    const { status, body: page } = await browser.get(call("sign-page/"));
    expect([
      status,
      page.recipient.email,
      page.documents.length,
      page.fields.filter((field: { own: boolean }) => field.own).length,
    ]).toEqual([200, signer.email.toUpperCase(), 1, 1]);
    const views = () =>
      service.platform.db
        .selectFrom("audit_events")
        .select("sequence")
        .where("envelope_id", "=", envelope.id)
        .where("action", "=", "recipient_viewed")
        .execute();
    expect(await views()).toEqual([]);
    const shown = [await browser.post(call("view/")), await browser.post(call("view/"))];
    expect([...shown.map((answer) => answer.status), (await views()).length]).toEqual([
      204, 204, 1,
    ]);
    expect((await browser.get(call("sign-page/"))).body.recipient.status).toBe("viewed");
  });

  it("a signed-in signer signs by session alone", async () => {
    const answer = await browser.post(call("sign_authenticated/"), TYPED);
    expect([answer.status, answer.body.status, answer.body.recipients[0].signed]).toEqual([
      200,
      "pending",
      true,
    ]);
    await expectRefusal(browser.post(call("sign_authenticated/"), TYPED), 409, "already_signed");
    const act = await service.platform.db
      .selectFrom("signing_acts")
      .selectAll()
      .where("envelope_id", "=", envelope.id)
      .executeTakeFirstOrThrow();
    expect([act.method, act.user_id]).toEqual(["authenticated", signer.id]);
  });

  it("a signed-in signer declines by session alone", async () => {
    expect((await browser.post(call("decline/"), { reason: "Désaccord" })).body.status).toBe(
      "declined",
    );
    await expectRefusal(browser.post(call("sign_authenticated/"), TYPED), 409, "invalid_state");
  });

  it("hsm_sign/ answers 503 to a signed-in signer", async () => {
    await expectRefusal(browser.post(call("hsm_sign/"), TYPED), 503, "hsm_unavailable");
  });

  it.each(["sign-page/", "view/", "sign_authenticated/", "hsm_sign/", "decline/"])(
    "security line 42: %s answers 404 to others, 401 without session, 403 to the sender, before the body is read",
    async (path) => {
      const stranger = await signInNew(service);
      const ask = (who: TestBrowser) =>
        path === "sign-page/" ? who.get(call(path)) : who.post(call(path), { nonsense: true });
      await expectRefusal(ask(stranger), 404, "not_found");
      await expectRefusal(ask(openBrowser(service.app)), 401, "session_expired");
      await expectRefusal(ask(owner), 403, "not_a_signer");
    },
  );

  it("a signed-in signer learns nothing of drafts and cancelled envelopes", async () => {
    const draft = await createDraft(owner, {
      recipients: [{ email: signer.email, full_name: "Éloïse Lefèvre" }],
    });
    await expectStatus(browser.get(`${ENVELOPES}${draft.id}/sign-page/`), 404);
    await owner.post(call("cancel/"));
    await expectStatus(browser.post(call("sign_authenticated/"), TYPED), 404);
  });

  it("security line 42: a sender who is a signer signs as themselves", async () => {
    const self = await createSent(owner, {
      recipients: [{ email: member.email, full_name: "Camille Roux" }],
    });
    const answer = await owner.post(`${ENVELOPES}${self.id}/sign_authenticated/`, TYPED);
    expect([answer.status, answer.body.status]).toEqual([200, "completed"]);
  });
});

describe("somebody whose address stands for two people", () => {
  let signer: Member;
  let browser: TestBrowser;

  beforeEach(async () => {
    signer = await createMember(service.platform, { firstName: "Éloïse", lastName: "Lefèvre" });
    browser = await signIn(service, signer);
  });

  /** One address, two people: herself and the company she runs; somebody else between them where there is an order. */
  const send = (flow: "parallel" | "sequential") =>
    createSent(owner, {
      flow,
      recipients: [
        { email: signer.email, full_name: "Éloïse Lefèvre", order: 1 },
        ...(flow === "sequential" ? [{ ...PAUL, order: 2 }] : []),
        { email: signer.email, full_name: "Ateliers Lefèvre", order: 3 },
      ],
    });
  const call = ({ id }: Envelope, path: string) => `${ENVELOPES}${id}/${path}`;
  const signed = async (envelope: Envelope) =>
    ((await owner.get(call(envelope, ""))).body as Envelope).recipients.map((recipient) => [
      recipient.full_name,
      recipient.signed,
    ]);

  it("an address of two recipients signs once for each, and never with the other's page", async () => {
    const envelope = await send("parallel");
    const first = (await browser.get(call(envelope, "sign-page/"))).body.recipient;
    expect(first.full_name).toBe("Éloïse Lefèvre");
    const body = { ...TYPED, recipient_id: first.id };
    await expectStatus(browser.post(call(envelope, "sign_authenticated/"), body), 200);
    await expectRefusal(
      browser.post(call(envelope, "sign_authenticated/"), body),
      409,
      "already_signed",
    );
    expect(await signed(envelope)).toEqual([
      ["Éloïse Lefèvre", true],
      ["Ateliers Lefèvre", false],
    ]);
    expect(
      (await browser.get(call(envelope, `sign-page/?recipient=${first.id}`))).body.recipient,
    ).toMatchObject({
      full_name: "Éloïse Lefèvre",
      signed: true,
    });
    const second = (await browser.get(call(envelope, "sign-page/"))).body.recipient;
    expect(second).toMatchObject({ full_name: "Ateliers Lefèvre", signed: false });
    expect(
      (
        await browser.post(call(envelope, "sign_authenticated/"), {
          ...TYPED,
          recipient_id: second.id,
        })
      ).body.status,
    ).toBe("completed");
  });

  it("two simultaneous requests of one address sign for one recipient", async () => {
    const envelope = await send("parallel");
    const path = call(envelope, "sign_authenticated/");
    const first = envelope.recipients[0]?.id;
    await Promise.all([1, 2].map(() => browser.post(path, { ...TYPED, recipient_id: first })));
    expect((await signed(envelope)).filter(([, isSigned]) => isSigned)).toHaveLength(1);
  });

  it("an address of two recipients waits for its second turn, and still reads the first page", async () => {
    const envelope = await send("sequential");
    const first = envelope.recipients[0]?.id;
    await browser.post(call(envelope, "sign_authenticated/"), { ...TYPED, recipient_id: first });
    const page = await browser.get(call(envelope, "sign-page/"));
    expect([...refusal(page), page.body.detail]).toEqual([
      409,
      "not_your_turn",
      `Ce n’est pas encore votre tour. Vous pourrez signer ou refuser après la signature de ${PAUL.full_name}.`,
    ]);
    expect(
      (await browser.get(call(envelope, `sign-page/?recipient=${first}`))).body.recipient.signed,
    ).toBe(true);
    const later = envelope.recipients[2]?.id;
    await expectRefusal(
      browser.get(call(envelope, `sign-page/?recipient=${later}`)),
      404,
      "not_found",
    );
    const stranger = await signInNew(service);
    await expectRefusal(
      stranger.get(call(envelope, `sign-page/?recipient=${first}`)),
      404,
      "not_found",
    );
  });
});

describe("cancelling against signing", () => {
  /** Four times fifty: two hundred races, none of them long to wait for. */
  const RACES = 50;
  const CLIENT = { ip: "192.0.2.1", userAgent: "test" };
  const MARK = { kind: "typed", text: "Paul Morel", hand: "caveat" } as const;
  let envelope: Envelope;

  beforeAll(async () => {
    envelope = await createSent(await signIn(service, member), { recipients: [PAUL] });
  });

  /** What every way of signing ends in: the consent and its act, under the envelope's lock. */
  async function consent(): Promise<string> {
    const { platform } = service;
    const result = await inTransaction(platform.db, async (trx) => {
      const aggregate = (await lockEnvelope(trx, envelope.id)) as EnvelopeAggregate;
      const recipient = aggregate.recipients[0] as EnvelopeRecipient;
      return recordConsent(
        trx,
        { platform },
        {
          aggregate,
          recipient,
          body: {
            fields: [],
            signature: { kind: "typed", text: "Paul Morel", font: "caveat" },
            consent: true,
          },
          mark: MARK,
          initials: null,
          evidence: { mark: "typed" },
          readDocumentsSha256: null,
          reached: { account_address: "confirmed" },
          method: "guest",
          userId: null,
          actor: { kind: "recipient", id: recipient.id, name: recipient.fullName, ...CLIENT },
          client: CLIENT,
        },
      );
    });
    return result.ok ? "consented" : result.error.code;
  }

  async function cancel(): Promise<string> {
    const answer = await owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    return answer.status === 200 ? "cancelled" : answer.body.code;
  }

  /** The envelope's state, and the act that waits, if there is one. */
  async function standing(): Promise<{ status: string; act: string | null }> {
    return service.platform.db
      .selectFrom("envelopes")
      .leftJoin("signing_acts", "signing_acts.envelope_id", "envelopes.id")
      .select(["envelopes.status", "signing_acts.id as act"])
      .where("envelopes.id", "=", envelope.id)
      .executeTakeFirstOrThrow();
  }

  /** Back to where the race began, by the ways the service has: a restored envelope waits again; a consent that is withdrawn may be given again. */
  async function begin(winner: "consented" | "cancelled"): Promise<void> {
    if (winner === "cancelled")
      await expectStatus(owner.post(`${ENVELOPES}${envelope.id}/restore/`), 200);
    else
      await service.platform.db
        .deleteFrom("signing_acts")
        .where("envelope_id", "=", envelope.id)
        .execute();
  }

  it.each([1, 2, 3, 4])(
    "cancelling against signing has one winner: fifty races, part %i of 4",
    async () => {
      const wins = { consented: 0, cancelled: 0 };
      // Whoever won gives the other a start: the race stays as close as the machine makes it, and neither always wins.
      let startMs = 0;
      for (let race = 0; race < RACES; race++) {
        const outcomes = new Set(
          await Promise.all([
            setTimeout(Math.max(0, startMs)).then(consent),
            setTimeout(Math.max(0, -startMs)).then(cancel),
          ]),
        );
        const { status, act } = await standing();
        if (outcomes.has("consented")) {
          expect([[...outcomes].toSorted(), act !== null, status]).toEqual([
            ["consented", "signature_in_progress"],
            true,
            "sent",
          ]);
          wins.consented += 1;
          startMs += 2;
          await begin("consented");
        } else {
          expect([[...outcomes].toSorted(), act, status]).toEqual([
            ["cancelled", "invalid_state"],
            null,
            "cancelled",
          ]);
          wins.cancelled += 1;
          startMs -= 2;
          await begin("cancelled");
        }
      }
      expect(Math.min(wins.consented, wins.cancelled)).toBeGreaterThan(0);
      expect(await verifyChain(service.platform.db, envelope.id)).toMatchObject({ ok: true });
    },
  );
});
