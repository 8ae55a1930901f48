import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../testing/smtp-server.ts";
import { selectNeverReached } from "../notices/index.ts";

let server: TestSmtpServer;
let service: TestApp;
let anne: TestBrowser;

beforeAll(async () => {
  server = await startSmtpServer();
  service = await createTestApp({ settings: { smtpUrl: server.url, mailFrom: "paraphe@exemple.fr" } });
  anne = await signIn(service, await createMember(service.platform));
});
afterAll(async () => {
  await service.close();
  await server.close();
});

/** Sends to Paul, whose request is tried once in vain; then takes it back. */
async function sendInVainAndCancel(tryIt: () => Promise<void>): Promise<readonly string[]> {
  const sent = await createSent(anne, { recipients: [PAUL] });
  await tryIt();
  const [notice] = await service.platform.db.selectFrom("notices").select(["state", "tries"]).where("envelope_id", "=", sent.id).execute();
  expect(notice).toEqual({ state: "queued", tries: 1 });
  expect((await anne.post(`${ENVELOPES}${sent.id}/cancel/`)).status).toBe(200);
  const rows = service.platform.db.selectFrom("notices").select("kind").where("envelope_id", "=", sent.id).orderBy("created_at");
  return (await rows.execute()).map(({ kind }) => kind);
}
const tryOnce = () => service.platform.settle({ failures: "keep" });

test.each(["rcpt", "data"] as const)("of a request put off at %s with a 451, nobody is told that it is taken back", async (at) => {
  server.answers.push({ at, code: 451, words: "4.7.1 Greylisted" });
  expect(await sendInVainAndCancel(tryOnce)).toEqual(["invitation"]);
});

test("of a request whose answer was lost its reader is told: it may have arrived", async () => {
  expect(
    await sendInVainAndCancel(async () => {
      // What a process leaves that ends after the handing over, before the server's answer is written.
      await service.platform.db.updateTable("notices").set({ tries: 1, may_have_left: true }).where("state", "=", "queued").execute();
    }),
  ).toEqual(["invitation", "cancelled"]);
});

test("a clear no after a lost answer takes no doubt away", async () => {
  // What the others left goes first.
  await tryOnce();
  const sent = await createSent(anne, { recipients: [PAUL] });
  await service.platform.db.updateTable("notices").set({ tries: 1, may_have_left: true }).where("envelope_id", "=", sent.id).execute();
  server.answers.push({ at: "rcpt", code: 550, words: "5.1.1 User unknown" });
  await service.settle();
  expect((await anne.get(`${ENVELOPES}${sent.id}/`)).body.recipients[0].deliveries[0].state).toBe("refused");
  expect(await selectNeverReached(service.platform.db, sent.id)).toEqual(new Set());
});

// The last: the server does not come back.
test("of a request that no server could be reached for, nobody is told that it is taken back", async () => {
  await server.close();
  expect(await sendInVainAndCancel(tryOnce)).toEqual(["invitation"]);
});
