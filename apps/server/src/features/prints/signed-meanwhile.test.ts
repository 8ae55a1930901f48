import { afterAll, beforeAll, expect, it } from "vitest";
import { createSent, ELOISE, PAUL } from "../../../testing/envelope.ts";
import { signAsGuest } from "../../../testing/guest.ts";
import { openSenderApp, type SenderApp } from "../../../testing/sent-to-guest.ts";
import { loadEnvelope } from "../envelopes/index.ts";
import { createTrust } from "../trust/index.ts";
import { judgeProof } from "./domain/judge-proof.ts";
import { validateEnvelope } from "./validate-envelope.ts";

let app: SenderApp;
beforeAll(async () => {
  app = await openSenderApp();
});
afterAll(() => app.test.close());

it("an envelope that somebody signs while it is being judged is judged as it was read, not called invalid", async () => {
  const { test, owner } = app;
  const { platform } = test;
  const { id } = await createSent(owner, { recipients: [PAUL, ELOISE] });
  await signAsGuest(test, id, PAUL.email);
  const read = await loadEnvelope(platform.db, id);
  await signAsGuest(test, id, ELOISE.email);
  if (read === null) throw new Error("the envelope went");
  const judged = (await validateEnvelope({ platform, trust: await createTrust(platform) }, read)).map((document) => document.judged);
  expect(judged).toMatchObject([{ recordedCount: 1, problems: [] }]);
  expect(judgeProof(judged, 1)).toMatchObject({ verdict: "indeterminate", integrity: true });
});
