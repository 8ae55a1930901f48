import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import { refusal, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { TYPED } from "../../../testing/guest.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";

let service: TestApp;
let sender: Member;
let owner: TestBrowser;
let signer: Member;
let browser: TestBrowser;

beforeAll(async () => {
  ({ test: service, member: sender } = await openSenderApp());
});
afterAll(() => service.close());
beforeEach(async () => {
  owner = await signIn(service, sender);
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
  ((await owner.get(call(envelope, ""))).body as Envelope).recipients.map((recipient) => [recipient.full_name, recipient.signed]);

describe("somebody whose address stands for two people", () => {
  it("signs once for each, and a page left open never puts its mark for the other", async () => {
    const envelope = await send("parallel");
    const first = (await browser.get(call(envelope, "sign-page/"))).body.recipient;
    expect(first.full_name).toBe("Éloïse Lefèvre");
    const body = { ...TYPED, recipient_id: first.id };
    expect((await browser.post(call(envelope, "sign_authenticated/"), body)).status).toBe(200);
    expect(refusal(await browser.post(call(envelope, "sign_authenticated/"), body))).toEqual([409, "already_signed"]);
    expect(await signed(envelope)).toEqual([
      ["Éloïse Lefèvre", true],
      ["Ateliers Lefèvre", false],
    ]);
    expect((await browser.get(call(envelope, `sign-page/?recipient=${first.id}`))).body.recipient).toMatchObject({
      full_name: "Éloïse Lefèvre",
      signed: true,
    });
    const second = (await browser.get(call(envelope, "sign-page/"))).body.recipient;
    expect(second).toMatchObject({ full_name: "Ateliers Lefèvre", signed: false });
    expect((await browser.post(call(envelope, "sign_authenticated/"), { ...TYPED, recipient_id: second.id })).body.status).toBe(
      "completed",
    );
  });

  it("sent twice at once signs for one of them", async () => {
    const envelope = await send("parallel");
    const path = call(envelope, "sign_authenticated/");
    const first = envelope.recipients[0]?.id;
    await Promise.all([1, 2].map(() => browser.post(path, { ...TYPED, recipient_id: first })));
    expect((await signed(envelope)).filter(([, isSigned]) => isSigned)).toHaveLength(1);
  });

  it("waits for the turn of the second after the first, and still reads the page of the first", async () => {
    const envelope = await send("sequential");
    const first = envelope.recipients[0]?.id;
    await browser.post(call(envelope, "sign_authenticated/"), { ...TYPED, recipient_id: first });
    const page = await browser.get(call(envelope, "sign-page/"));
    expect([...refusal(page), page.body.detail]).toEqual([
      409,
      "not_your_turn",
      `Ce n’est pas encore votre tour. Vous recevrez un message après la signature de ${PAUL.full_name}.`,
    ]);
    expect((await browser.get(call(envelope, `sign-page/?recipient=${first}`))).body.recipient.signed).toBe(true);
    const later = envelope.recipients[2]?.id;
    expect(refusal(await browser.get(call(envelope, `sign-page/?recipient=${later}`)))).toEqual([404, "not_found"]);
    const stranger = await signIn(service, await createMember(service.platform));
    expect(refusal(await stranger.get(call(envelope, `sign-page/?recipient=${first}`)))).toEqual([404, "not_found"]);
  });
});
