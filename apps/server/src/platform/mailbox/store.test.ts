import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { insertMailboxMessage, listMailboxMessages, sweepMailbox } from "./store.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await createTestPlatform();
});
afterAll(() => platform.close());

test("the local mailbox forgets what came before, and keeps what came since", async () => {
  const message = (id: string, receivedAt: string) => ({
    id,
    channel: "email",
    destination: "a@exemple.fr",
    subject: id,
    content: { message_id: null, from: "", to: "", reply_to: null, text: "", html: null, attachments: [] },
    receivedAt: new Date(receivedAt),
  });
  const [old, recent] = [platform.newId(), platform.newId()];
  await insertMailboxMessage(platform.db, message(old, "2026-11-13T10:00:00Z"));
  await insertMailboxMessage(platform.db, message(recent, "2026-11-14T10:00:01Z"));
  await sweepMailbox(platform.db, new Date("2026-11-14T10:00:00Z"));
  expect((await listMailboxMessages(platform.db, { destination: null, limit: 10 })).map(({ id }) => id)).toEqual([recent]);
});
