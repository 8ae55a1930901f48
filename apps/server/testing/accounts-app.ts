import type { FastifyInstance } from "fastify";
import { createAccounts } from "../src/features/accounts/account-deps.ts";
import { accountRoutes } from "../src/features/accounts/routes.ts";
import { createApp } from "../src/platform/http/create-app.ts";
import type { Settings } from "../src/platform/settings/settings.ts";
import { openCheapHasher } from "./app.ts";
import type { TestPlatform } from "./platform.ts";

/** Another process of the same service, its accounts only. `more`: the test's own routes. */
export async function openAccountsApp(
  platform: TestPlatform,
  settings: Partial<Settings> = {},
  more: (scope: FastifyInstance) => void = () => {},
): Promise<{ readonly app: FastifyInstance; close(): Promise<void> }> {
  const other = { ...platform, settings: { ...platform.settings, ...settings } };
  const app = createApp(other);
  app.register(accountRoutes(createAccounts(other, openCheapHasher())));
  app.register(async (scope) => more(scope));
  await app.ready();
  return { app, close: async () => app.close() };
}
