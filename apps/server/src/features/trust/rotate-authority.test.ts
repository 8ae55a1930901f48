import { parseCertificate, parseCrl } from "@paraphe/pades";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { testTrustPlatform } from "../../../testing/trust-platform.ts";
import { createTrust } from "./create-trust.ts";
import { rotateAuthority } from "./rotate-authority.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it("an issuer's list is never older than what it issued: one that is published is made anew with a new authority", async () => {
  const platform = testTrustPlatform(database);
  const trust = await createTrust(platform);
  const before = await trust.crl("root");
  platform.clock.advance({ minutes: 5 });
  const rotated = await rotateAuthority(platform, "ca");
  const ca = rotated.ok ? rotated.value.find(({ purpose }) => purpose === "ca") : undefined;
  const after = await (await createTrust(platform)).crl("root");
  expect(after?.number).toBe((before?.number ?? 0) + 1);
  const { thisUpdate } = parseCrl(after?.der ?? new Uint8Array());
  expect(thisUpdate.getTime()).toBeGreaterThanOrEqual(parseCertificate(ca?.certificateDer ?? new Uint8Array()).notBefore.getTime());
});
