import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createSent, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, signAsGuest, TYPED } from "../../../testing/guest.ts";
import { openSenderApp } from "../../../testing/sent-to-guest.ts";

let test: TestApp;
let owner: TestBrowser;
beforeAll(async () => {
  ({ test, owner } = await openSenderApp());
});
afterAll(() => test.close());

/** Gives the current bytes of an envelope's first document. */
async function currentFile(envelope: Envelope): Promise<Uint8Array> {
  const { blob_sha256 } = await test.platform.db
    .selectFrom("document_revisions")
    .select("blob_sha256")
    .where("document_id", "=", envelope.documents[0]?.id as string)
    .orderBy("number", "desc")
    .executeTakeFirstOrThrow();
  return test.platform.files.get(blob_sha256);
}

it("whoever signs a file that was signed before is told so; the earlier signatures stay in it, and nothing after them is more than signing", async () => {
  const first = await createSent(owner, { recipients: [PAUL] });
  await signAsGuest(test, first.id, PAUL.email);
  expect((await owner.get(`${ENVELOPES}${first.id}/`)).body.status).toBe("completed");
  const signedBefore = await currentFile(first);

  const second = await createSent(owner, { recipients: [PAUL], files: [{ name: "Bail signé.pdf", bytes: signedBefore }] });
  const guest = await openMailedGuest(test, second.id, PAUL.email);
  expect((await guest.get("guest/")).body.documents, "nothing of the documents before the code").toBeUndefined();
  await guest.confirm();
  const { documents } = (await guest.get("guest/")).body;
  expect(documents[0].control.findings).toEqual([
    {
      code: "existing_signatures",
      detail:
        "Ce PDF porte déjà une signature, qui n’a pas été altérée. Elle est conservée. Les textes et les paraphes sont imprimés avec chaque nouvelle signature.",
    },
  ]);

  expect([200, 202]).toContain((await guest.post("sign/", TYPED)).status);
  await expect.poll(async () => (await guest.get("guest/")).body.recipient.signed, { timeout: 15_000 }).toBe(true);
  await test.settle();
  const signedAfter = await currentFile(second);
  expect(Buffer.compare(signedAfter.subarray(0, signedBefore.length), signedBefore)).toBe(0);
  const { signatures } = await test.platform.sandbox.call("validate", signedAfter, {
    evidence: { trustAnchors: { signers: [], timestamps: [] } },
    now: test.platform.clock(),
  });
  expect(signatures.map(({ kind, laterChanges }) => [kind, laterChanges])).toEqual([
    ["signature", "signing"],
    ["document_timestamp", "signing"],
    ["signature", "lta"],
    ["document_timestamp", "none"],
  ]);
});
