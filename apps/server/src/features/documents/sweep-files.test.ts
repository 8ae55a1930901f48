import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { createDraft, ENVELOPES } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { sweepFiles } from "./sweep-files.ts";

let service: TestApp;
beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());

/** Makes a stored file look as old as two days before the test's clock. */
async function age(sha256: Uint8Array): Promise<void> {
  const name = Buffer.from(sha256).toString("hex");
  const then = new Date(service.platform.clock().getTime() - 2 * 86_400_000);
  await utimes(join(service.platform.settings.storage.folder, name.slice(0, 2), name.slice(2, 4), name), then, then);
}

it("removes files a day old that nothing refers to, and no other", async () => {
  const { platform } = service;
  platform.clock.set(new Date());
  const anne = await signIn(service, await createMember(platform));
  const draft = await createDraft(anne, {
    files: [
      { name: "a.pdf", bytes: makePdf() },
      { name: "b.pdf", bytes: makePdf({ text: "b" }) },
    ],
  });
  const [kept, dropped] = draft.documents.map((document) => Buffer.from(document.sha256, "hex"));
  await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { remove_documents: [draft.documents[1]?.id] } });
  const fresh = await platform.files.put(new Uint8Array([1, 2, 3]));
  const picture = await platform.files.put(new Uint8Array([4, 5, 6]));
  await platform.db.updateTable("users").set({ avatar_sha256: picture }).execute();
  for (const sha256 of [kept, dropped, picture]) await age(sha256 ?? new Uint8Array());

  expect(await sweepFiles(platform)).toBe(1);
  expect(await platform.files.size(dropped ?? new Uint8Array())).toBeNull();
  for (const sha256 of [kept, fresh, picture]) expect(await platform.files.size(sha256 ?? new Uint8Array())).not.toBeNull();
  expect(await sweepFiles(platform)).toBe(0);
});

it("leaves a file that was stored again", async () => {
  const { platform } = service;
  const bytes = new Uint8Array([7, 8, 9]);
  const sha256 = await platform.files.put(bytes);
  await age(sha256);
  await platform.files.put(bytes);
  expect(await sweepFiles(platform)).toBe(0);
  expect(await platform.files.size(sha256)).toBe(3);
});
