import { afterAll, beforeAll } from "vitest";
import { createTestApp, type TestApp } from "./app.ts";

/** Opens a service before the tests of this suite, and closes it after them. */
export function useTestApp(overrides: Parameters<typeof createTestApp>[0] = {}): TestApp {
  const service = {} as TestApp;
  beforeAll(async () => {
    Object.assign(service, await createTestApp(overrides));
  });
  afterAll(() => service.close());
  return service;
}
