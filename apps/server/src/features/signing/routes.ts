import type { FastifyInstance } from "fastify";
import { codeRoutes } from "./code-routes.ts";
import type { SigningDeps } from "./create-signing.ts";
import { guestRoutes } from "./guest-routes.ts";
import { signerRoutes } from "./signer-routes.ts";

/** The signing calls of contract §4: of guests, and of signed-in signers. */
export function signingRoutes(deps: SigningDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    // Somebody who signs waits for nothing that nobody waits for.
    app.addHook("preHandler", async (_request, reply) => void reply.raw.once("close", deps.platform.precedence.begin()));
    await app.register(guestRoutes(deps));
    await app.register(codeRoutes(deps));
    await app.register(signerRoutes(deps));
  };
}
