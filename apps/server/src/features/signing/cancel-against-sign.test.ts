import { setTimeout } from "node:timers/promises";
import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { verifyChain } from "../audit/index.ts";
import { type EnvelopeAggregate, type EnvelopeRecipient, lockEnvelope } from "../envelopes/index.ts";
import { recordConsent } from "./record-consent.ts";

/** Four times fifty: two hundred races, none of them long to wait for. */
const RACES = 50;
const CLIENT = { ip: "192.0.2.1", userAgent: "test" };
const MARK = { kind: "typed", text: "Paul Morel", hand: "caveat" } as const;

let test: TestApp;
let owner: TestBrowser;
let envelope: Envelope;

beforeAll(async () => {
  test = await createTestApp({ settings: { rateLimits: "off" } });
  owner = await signIn(test, await createMember(test.platform));
  envelope = await createSent(owner, { recipients: [PAUL] });
});
afterAll(() => test.close());

/** What every way of signing ends in: the consent and its act, under the envelope's lock. */
async function consent(): Promise<string> {
  const { platform } = test;
  const result = await inTransaction(platform.db, async (trx) => {
    const aggregate = (await lockEnvelope(trx, envelope.id)) as EnvelopeAggregate;
    const recipient = aggregate.recipients[0] as EnvelopeRecipient;
    return recordConsent(
      trx,
      { platform },
      {
        aggregate,
        recipient,
        values: [],
        mark: MARK,
        initials: null,
        evidence: { mark: "typed" },
        readDocumentsSha256: null,
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
  return test.platform.db
    .selectFrom("envelopes")
    .leftJoin("signing_acts", "signing_acts.envelope_id", "envelopes.id")
    .select(["envelopes.status", "signing_acts.id as act"])
    .where("envelopes.id", "=", envelope.id)
    .executeTakeFirstOrThrow();
}

/** Back to where the race began, by the ways the service has: a restored envelope waits again; a consent that is withdrawn may be given again. */
async function begin(winner: "consented" | "cancelled"): Promise<void> {
  if (winner === "cancelled") expect((await owner.post(`${ENVELOPES}${envelope.id}/restore/`)).status).toBe(200);
  else await test.platform.db.deleteFrom("signing_acts").where("envelope_id", "=", envelope.id).execute();
}

it.each([1, 2, 3, 4])(
  "of cancelling and signing at the same moment, one wins and the other is told: fifty races, part %i of 4",
  async () => {
    const wins = { consented: 0, cancelled: 0 };
    // Whoever won gives the other a start: the race stays as close as the machine makes it, and neither always wins.
    let startMs = 0;
    for (let race = 0; race < RACES; race++) {
      const outcomes = new Set(
        await Promise.all([setTimeout(Math.max(0, startMs)).then(consent), setTimeout(Math.max(0, -startMs)).then(cancel)]),
      );
      const { status, act } = await standing();
      if (outcomes.has("consented")) {
        expect([[...outcomes].toSorted(), act !== null, status]).toEqual([["consented", "signature_in_progress"], true, "sent"]);
        wins.consented += 1;
        startMs += 2;
        await begin("consented");
      } else {
        expect([[...outcomes].toSorted(), act, status]).toEqual([["cancelled", "invalid_state"], null, "cancelled"]);
        wins.cancelled += 1;
        startMs -= 2;
        await begin("cancelled");
      }
    }
    expect(Math.min(wins.consented, wins.cancelled)).toBeGreaterThan(0);
    expect(await verifyChain(test.platform.db, envelope.id)).toMatchObject({ ok: true });
  },
);
