import type { FastifyInstance } from "fastify";
import { composeFeatures } from "../src/compose.ts";
import { createTestPlatform, type TestOverrides, type TestPlatform } from "./platform.ts";

export type TestApp = {
  readonly app: FastifyInstance;
  readonly platform: TestPlatform;
  /** Runs all queued jobs; throws what a job threw. */
  readonly settle: TestPlatform["settle"];
  close(): Promise<void>;
};

/** The whole service on its own platform, called by `app.inject`. */
export async function createTestApp(overrides: TestOverrides = {}): Promise<TestApp> {
  const platform = await createTestPlatform(overrides);
  const app = await composeFeatures(platform);
  await platform.queue.start("enqueue");
  await app.ready();
  return {
    app,
    platform,
    settle: platform.settle,
    async close() {
      await app.close();
      await platform.close();
    },
  };
}
