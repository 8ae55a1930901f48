import { verifyInclusion } from "@paraphe/proof";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { multipart, type TestBrowser } from "../../../testing/browser.ts";
import { createSent, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { leafOf, readInclusion } from "./index.ts";

let service: TestApp;
let anne: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  anne = await signIn(service, await createMember(service.platform));
}, 60_000);
afterAll(() => service.close());

/** The number of its journal's event that tells of the completion. */
async function completedAt(envelopeId: string): Promise<number | undefined> {
  const { rows } = await sql<{ sequence: number }>`
    select sequence from audit_events where envelope_id = ${envelopeId}::uuid and action = 'envelope_completed'`.execute(
    service.platform.db,
  );
  return rows[0]?.sequence;
}

async function expectProven(envelopeId: string): Promise<void> {
  await service.settle({ deferred: "run" });
  const inclusion = await readInclusion(service.platform.db, envelopeId);
  if (inclusion === null) throw new Error("its completion is in no checkpoint");
  const { leaf_index, size, path, entry, checkpoint } = inclusion;
  expect(entry.sequence).toBeGreaterThanOrEqual((await completedAt(envelopeId)) ?? Number.POSITIVE_INFINITY);
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
  expect(
    verifyInclusion({ leafHash: leafOf(entry), leafIndex: leaf_index, size, path: path.map(bytes), root: bytes(checkpoint.root) }),
  ).toBe(true);
}

test("an envelope's completion asks for the checkpoint that covers it", async () => {
  const sent = await createSent(anne, { recipients: [PAUL] });
  const guest = await openMailedGuest(service, sent.id, PAUL.email);
  await guest.confirm();
  expect((await guest.post("sign/", TYPED)).status).toBe(200);
  await expectProven(sent.id);
}, 60_000);

test("so does a document that somebody signs alone", async () => {
  const placement = JSON.stringify({ page: -1, x: 0.6, y: 0.8, width: 0.3, height: 0.07 });
  const signature = JSON.stringify({ kind: "typed", text: "Anne Roux", font: "caveat" });
  const { body, headers } = multipart({ placement, signature }, [
    { field: "file", name: "a.pdf", type: "application/pdf", bytes: makePdf() },
  ]);
  const answer = await anne.send("POST", "/api/signature/self-sign/", { body, headers });
  expect(answer.status).toBe(201);
  await expectProven(answer.body.id);
}, 60_000);
