import { execFileSync } from "node:child_process";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { multipart, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { readStoredJournal } from "../audit/index.ts";
import { sendingInJournal } from "./domain/sending-in-journal.ts";

const OTHER = "ministre@gouv.example";
let service: TestApp;
let owner: TestBrowser;
let email: string;
beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  const member = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  email = member.email;
  owner = await signIn(service, member);
}, 60_000);
afterAll(() => service.close());

async function wordsOf(id: string): Promise<string> {
  const answer = await owner.get(`${ENVELOPES}${id}/evidence/`);
  return execFileSync("pdftotext", ["-", "-"], { input: answer.bytes, encoding: "utf8" }).replaceAll(/\s+/g, " ");
}
const rename = (to: string) => sql`update users set email = ${to} where first_name = 'Anne'`.execute(service.platform.owner);
const journalOf = (id: string) => Array.fromAsync(readStoredJournal(service.platform.db, id));

test("the sender's address is the one that the sending committed to, whatever the account's row says since", async () => {
  const { id } = await createSent(owner, { recipients: [PAUL] });
  await rename(OTHER);
  const words = await wordsOf(id);
  await rename(email);
  expect(words).toContain(email);
  expect(words).not.toContain(OTHER);
});

test("of a journal that does not commit to it, it is the account's", async () => {
  const { id } = await createSent(owner, { recipients: [PAUL] });
  const events = await journalOf(id);
  expect(sendingInJournal(events).senderEmail).toBe(email);
  const before = events.map((event) => ({
    ...event,
    personal: Object.fromEntries(Object.entries(event.personal).filter(([name]) => name !== "sender_email")),
  }));
  expect(sendingInJournal(before).senderEmail).toBeNull();
  // Nor does another event than the sending say who sent.
  const late = events.map((event) => (event.action === "envelope_sent" ? { ...event, action: "deadline_near" } : event));
  expect(sendingInJournal(late).senderEmail).toBeNull();
});

test("a document that its owner alone signs commits to it as it is created", async () => {
  const placement = JSON.stringify({ page: -1, x: 0.6, y: 0.8, width: 0.3, height: 0.07 });
  const signature = JSON.stringify({ kind: "typed", text: "Anne Roux", font: "caveat" });
  const { body, headers } = multipart({ placement, signature }, [
    { field: "file", name: "a.pdf", type: "application/pdf", bytes: makePdf() },
  ]);
  const answer = await owner.send("POST", "/api/signature/self-sign/", { body, headers });
  expect(sendingInJournal(await journalOf(answer.body.id)).senderEmail).toBe(email);
});
