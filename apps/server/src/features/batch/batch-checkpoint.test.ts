import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { multipart, type TestBrowser } from "../../../testing/browser.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { CHECKPOINT_JOB, readInclusion } from "../transparency/index.ts";

let service: TestApp;
let camille: TestBrowser;
/** How often a checkpoint was asked for. */
let asked = 0;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  camille = await signIn(service, await createMember(service.platform));
  const { queue } = service.platform;
  const { enqueue } = queue;
  queue.enqueue = (trx, name, ...rest) => {
    if (name === CHECKPOINT_JOB) asked += 1;
    return enqueue(trx, name, ...rest);
  };
}, 60_000);
afterAll(() => service.close());

it("asks once for the checkpoint that covers every document of a slice", async () => {
  const files = [1, 2, 3].map((number) => ({
    field: "files",
    name: `Acte ${number}.pdf`,
    bytes: makePdf({ text: `Acte ${number}` }),
    type: "application/pdf",
  }));
  const place = JSON.stringify({ page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.08 });
  const form = multipart({ placement: place, signature: JSON.stringify({ kind: "typed", text: "Camille", font: "caveat" }) }, files);
  const sent = await camille.post("/api/signature/batch-sign/", form.body, { headers: form.headers });
  expect(sent.status).toBe(202);
  await service.settle({ deferred: "run" });
  const { items } = (await camille.get(`/api/signature/batch-jobs/${sent.body.id}/`)).body;
  expect(items).toHaveLength(3);
  for (const { envelope_id } of items) expect(await readInclusion(service.platform.db, envelope_id)).not.toBeNull();
  expect(asked).toBe(1);
}, 60_000);
