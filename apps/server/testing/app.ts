import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { composeFeatures } from "../src/compose.ts";
import { createPasswordHasher } from "../src/features/accounts/account-deps.ts";
import { createArgon2 } from "../src/features/accounts/argon2.ts";
import { watchAnswers } from "./described-answers.ts";
import { createTestPlatform, type TestOverrides, type TestPlatform } from "./platform.ts";

export type TestApp = {
  readonly app: FastifyInstance;
  readonly platform: TestPlatform;
  /** Runs all queued jobs; throws what a job threw. */
  readonly settle: TestPlatform["settle"];
  close(): Promise<void>;
};

/** All services of a process share one thread of passwords: one each costs 0.1 s of CPU. */
const argon2 = createArgon2();

/** A password at the service's own cost takes 40 ms of CPU. */
export const openCheapHasher = () =>
  createPasswordHasher(argon2, { memoryCost: 8, timeCost: 1, parallelism: 1 });

/** The routes of the client's files take 30 ms of CPU. */
const NO_CLIENT = join(import.meta.dirname, "no-client");

type AppOverrides = TestOverrides & {
  readonly client?: "absent" | "built";
  readonly passwords?: "cheap" | "as promised";
};

/** The whole service on its own platform, called by `app.inject`. */
export async function createTestApp({
  client = "absent",
  passwords = "cheap",
  ...overrides
}: AppOverrides = {}): Promise<TestApp> {
  const platform = await createTestPlatform(overrides);
  const app = await composeFeatures(platform, {
    ...(client === "absent" ? { clientFolder: NO_CLIENT } : {}),
    ...(passwords === "cheap" ? { hasher: openCheapHasher() } : {}),
  });
  const undescribed = watchAnswers(app);
  await platform.queue.start("enqueue");
  await app.ready();
  return {
    app,
    platform,
    settle: platform.settle,
    async close() {
      await app.close();
      await platform.close();
      if (undescribed.size > 0)
        throw new Error(`The API document lacks:\n${[...undescribed].sort().join("\n")}`);
    },
  };
}
