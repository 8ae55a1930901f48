import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { createSmsTransport, isSmsOffered } from "./create-sms-transport.ts";

const OWN = { sms: null, production: false, publicUrl: "https://localhost:8443" };
let platform: TestPlatform;
beforeAll(async () => {
  platform = await createTestPlatform();
});
afterAll(() => platform.close());

test.each([
  [OWN, true],
  [{ ...OWN, production: true }, false],
  [{ ...OWN, publicUrl: "https://signature.exemple.fr" }, false],
  [{ ...OWN, production: true, sms: { url: "https://sms.exemple.fr", token: null } }, true],
])("with %j a text is offered: %s", (settings, offered) => {
  expect(isSmsOffered(settings)).toBe(offered);
});

test("without a gateway, outside one's own machine, a text is refused and kept nowhere", async () => {
  const outcome = await createSmsTransport({ ...OWN, production: true }, platform).deliver({ to: "+33612345678", text: "482913 : code" });
  expect(outcome.state).toBe("refused");
  expect(await platform.db.selectFrom("mailbox_messages").selectAll().execute()).toEqual([]);
});
