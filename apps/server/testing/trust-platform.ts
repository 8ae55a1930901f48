import { randomBytes } from "node:crypto";
import { createIdMaker } from "@paraphe/kernel/uuid";
import type { TrustPlatform } from "../src/features/trust/create-trust.ts";
import { createSecretBox } from "../src/platform/secrets/secret-box.ts";
import { readSettings } from "../src/platform/settings/read-settings.ts";
import type { Settings } from "../src/platform/settings/settings.ts";
import { type TestClock, testClock } from "./platform.ts";
import type { TestDatabase } from "./database.ts";

/**
 * The part of a platform that the PKI needs. `masterKey`: shared by two processes of one service.
 */
export function testTrustPlatform(
  database: TestDatabase,
  options: { settings?: Partial<Settings>; masterKey?: Uint8Array; now?: Date } = {},
): TrustPlatform & { readonly clock: TestClock } {
  const random = (length: number) => new Uint8Array(randomBytes(length));
  const clock = testClock(options.now);
  return {
    db: database.db,
    hsm: null,
    clock,
    random,
    newId: createIdMaker(clock, random),
    secrets: createSecretBox(options.masterKey ?? random(32), random),
    settings: { ...readSettings({ DATABASE_URL: database.url }, "/tmp"), ...options.settings },
  };
}
