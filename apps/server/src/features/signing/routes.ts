import type { FastifyInstance } from "fastify";
import { codeRoutes } from "./code-routes.ts";
import type { SigningDeps } from "./create-signing.ts";
import { guestRoutes } from "./guest-routes.ts";
import { signerRoutes } from "./signer-routes.ts";

/** A code that a call asks for is taken from the queue so long after the answer, and has precedence by itself then. */
const FETCHED_WITHIN_MS = 60;

/** The signing calls of contract §4: of guests, and of signed-in signers. */
export function signingRoutes(deps: SigningDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    // Somebody who signs waits for nothing that nobody waits for.
    app.addHook("preHandler", async (_request, reply) => {
      const end = deps.platform.precedence.begin();
      reply.raw.once("close", () => setTimeout(end, FETCHED_WITHIN_MS).unref());
    });
    await app.register(guestRoutes(deps));
    await app.register(codeRoutes(deps));
    await app.register(signerRoutes(deps));
  };
}
