import type { FastifyInstance } from "fastify";
import { codeRoutes } from "./code-routes.ts";
import type { SigningDeps } from "./create-signing.ts";
import { guestRoutes } from "./guest-routes.ts";
import { signerRoutes } from "./signer-routes.ts";

/** A code leaves the queue this soon after the call that asks for it, and is foreground work itself from then on. */
const FETCHED_WITHIN_MS = 60;

/** The signing calls of contract §4: of guests, and of signed-in signers. */
export function signingRoutes(deps: SigningDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    // Signing is foreground work: mails that can wait, and registrations, yield to it.
    app.addHook("preHandler", async (_request, reply) => {
      const end = deps.platform.precedence.begin();
      reply.raw.once("close", () => setTimeout(end, FETCHED_WITHIN_MS).unref());
    });
    await app.register(guestRoutes(deps));
    await app.register(codeRoutes(deps));
    await app.register(signerRoutes(deps));
  };
}
