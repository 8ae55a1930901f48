import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES } from "../../../testing/envelope.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../testing/smtp-server.ts";
import { verifyChain } from "../audit/index.ts";
import { runAnnouncement } from "./announce-deadline.ts";
import { expireOverdue } from "./jobs.ts";

let server: TestSmtpServer;
let service: TestApp;
let anneMember: Member;
let anne: TestBrowser;
let tag = 0;

beforeAll(async () => {
  server = await startSmtpServer();
  service = await createTestApp({ settings: { smtpUrl: server.url, mailFrom: "paraphe@exemple.fr" } });
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
});
beforeEach(async () => {
  service.platform.clock.set(new Date("2027-01-11T09:00:00Z"));
  anne = await signIn(service, anneMember);
});
afterAll(async () => {
  await service.close();
  await server.close();
});

const someone = () => ({ email: `annonce${++tag}@exemple.fr`, full_name: `Personne ${tag}` });
const inHours = (hours: number) => new Date(service.platform.clock().getTime() + hours * 3_600_000).toISOString();
const move = async ({ id }: Envelope, deadline_at: string | null) =>
  expect((await anne.send("PUT", `${ENVELOPES}${id}/deadline/`, { body: { deadline_at } })).status).toBe(200);
const remind = async ({ id }: Envelope) => expect((await anne.post(`${ENVELOPES}${id}/remind/`)).status).toBe(200);
/** Once a deadline has stood for as long as it must to be told. */
const settled = () => service.settle({ deferred: "run" });
/** What the job of an envelope's last announcement is given. */
const asked = async (id: string) => {
  const rows = service.platform.db.selectFrom("envelopes").select("deadline_announcement as announcement").where("id", "=", id);
  return { envelope_id: id, ...(await rows.executeTakeFirstOrThrow()) };
};
const announced = async ({ id }: Envelope) =>
  ((await anne.get(`${ENVELOPES}${id}/events/?page_size=100`)).body.results as { action: string; detail: object }[])
    .filter((event) => event.action === "deadline_announced")
    .map((event) => event.detail);
const news = ({ email }: { readonly email: string }) =>
  server.received.filter(({ envelope, mail }) => envelope.to.includes(email) && mail.subject?.startsWith("Nouvelle échéance"));
const askedAt = async ({ recipients }: Envelope) =>
  (
    await service.platform.db
      .selectFrom("recipients")
      .select("asked_at")
      .where("id", "=", recipients[0]?.id ?? "")
      .executeTakeFirstOrThrow()
  ).asked_at;

describe("a new deadline", () => {
  it("moved again before it was told asks nobody, and the journal lists nobody, until the last one is told", async () => {
    const one = someone();
    const sent = await createSent(anne, { deadline_at: inHours(72), recipients: [one] });
    const invited = await askedAt(sent);
    service.platform.clock.advance({ seconds: 30 });
    await move(sent, inHours(96));
    service.platform.clock.advance({ seconds: 30 });
    const last = inHours(120);
    await move(sent, last);
    expect([await announced(sent), await askedAt(sent)]).toEqual([[], invited]);
    service.platform.clock.advance({ minutes: 2 });
    await settled();
    expect(await announced(sent)).toEqual([{ deadline: last, recipients: [sent.recipients[0]?.id] }]);
    expect(await askedAt(sent)).toEqual(service.platform.clock());
    expect(news(one)).toHaveLength(1);
    expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
  });

  it("brought back is told again to whom a reminder told the other one meanwhile, and to them alone", async () => {
    const [one, other] = [someone(), someone()];
    const first = inHours(72);
    const sent = await createSent(anne, { deadline_at: first, recipients: [one, other] });
    await move(sent, inHours(96));
    const path = `${ENVELOPES}${sent.id}/recipients/${sent.recipients[0]?.id}/resend/`;
    expect((await anne.post(path, { channel: "email" })).status).toBe(200);
    await move(sent, first);
    await settled();
    expect(await announced(sent)).toEqual([{ deadline: first, recipients: [sent.recipients[0]?.id] }]);
    expect([news(one).length, news(other).length]).toEqual([1, 0]);
    expect(news(one)[0]?.mail.text).toMatch(/a fixé l’échéance .* 14 janvier 2027/);
  });

  it("that a reminder has told is not told a second time", async () => {
    const one = someone();
    const sent = await createSent(anne, { deadline_at: inHours(72), recipients: [one] });
    await move(sent, inHours(96));
    await remind(sent);
    await settled();
    expect([await announced(sent), news(one).length]).toEqual([[], 0]);
  });

  it("that no server took, brought back, is told to nobody; to who was reminded of it meanwhile it is", async () => {
    const first = inHours(72);
    const people = [someone(), someone()];
    const sent = await Promise.all(people.map((person) => createSent(anne, { deadline_at: first, recipients: [person] })));
    await service.settle();
    service.platform.clock.advance({ seconds: 1 });
    for (const envelope of sent) await move(envelope, inHours(96));
    for (const { id } of sent) await runAnnouncement(service.platform, await asked(id));
    const away = { at: "rcpt", code: 451, words: "4.3.0 plus tard" } as const;
    server.answers.push(away, away);
    await service.settle({ failures: "keep" });
    expect(await Promise.all(sent.map(announced))).toMatchObject([[{}], [{}]]);
    service.platform.clock.advance({ seconds: 1 });
    await remind(sent[1] as Envelope);
    for (const envelope of sent) await move(envelope, first);
    await settled();
    expect(people.map((person) => news(person).length)).toEqual([0, 1]);
  });

  it("of an envelope that closed meanwhile, or that it has passed for, is told to nobody", async () => {
    const people = [someone(), someone()];
    const sent = await Promise.all(people.map((person) => createSent(anne, { deadline_at: inHours(72), recipients: [person] })));
    for (const envelope of sent) await move(envelope, inHours(2));
    await anne.post(`${ENVELOPES}${sent[0]?.id}/cancel/`);
    service.platform.clock.advance({ hours: 3 });
    await expireOverdue(service.platform);
    await settled();
    expect(people.map((person) => news(person).length)).toEqual([0, 0]);
  });
});
