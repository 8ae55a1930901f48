import type { FastifyInstance } from "fastify";
import type { AccountDeps } from "./account-deps.ts";
import {
  addressRoutes,
  phoneRoutes,
  profileRoutes,
  pushSubscriptionRoutes,
} from "./profile-routes.ts";
import { registrationRoutes } from "./registration-routes.ts";
import { ownSessionRoutes, sessionRoutes } from "./session-routes.ts";

/** Contract §3. */
export function accountRoutes(deps: AccountDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    await app.register(sessionRoutes(deps));
    await app.register(registrationRoutes(deps));
    await app.register(profileRoutes(deps));
    await app.register(addressRoutes(deps));
    await app.register(phoneRoutes(deps.platform));
    await app.register(ownSessionRoutes(deps.platform));
    await app.register(pushSubscriptionRoutes(deps.platform));
    app.addHook("onClose", deps.hasher.close);
  };
}
