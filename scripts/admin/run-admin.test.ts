import { afterAll, beforeAll, expect, it } from "vitest";
import { createMember } from "../../apps/server/testing/member.ts";
import { createTestPlatform, type TestPlatform } from "../../apps/server/testing/platform.ts";
import { runAdmin } from "./run-admin.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await createTestPlatform();
});
afterAll(() => platform.close());

it("gives an address that an invited person registers by", async () => {
  expect(await runAdmin(platform, ["invite"])).toEqual({
    code: 0,
    lines: [expect.stringMatching(/^https:\/\/localhost:8443\/register\?invitation=[\w-]{43}$/)],
  });
});

it("makes an activated account an administrator, and no other", async () => {
  const member = await createMember(platform);
  const waiting = await createMember(platform, { activated: false });
  expect((await runAdmin(platform, ["list"])).lines).toEqual(["Aucun administrateur."]);
  expect((await runAdmin(platform, ["promote", member.email])).code).toBe(0);
  expect((await runAdmin(platform, ["promote", waiting.email])).code).toBe(1);
  expect((await runAdmin(platform, ["list"])).lines).toEqual([member.email]);
});

it("says how it is used when it is misused", async () => {
  for (const words of [[], ["invite", "tous"], ["promote"], ["list", "x"], ["promote", "a@exemple.fr", "b@exemple.fr"]])
    expect((await runAdmin(platform, words)).code, words.join(" ")).toBe(64);
});
