import { envelopeSchema, idSchema, type Result } from "@paraphe/contracts";
import {
  type Circuit,
  chooseCircuitRequest,
  circuitRequest,
  circuitsAnswer,
} from "@paraphe/contracts/circuit";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";

import { sendProblem, sendResult, visibilityFirst } from "../../../platform/http/problem-reply.ts";
import { clientOf } from "../../../platform/http/request-facts.ts";
import type { Platform } from "../../../platform/platform.ts";
import { requirePermission, requireWorkToWrite, signedInUser } from "../../accounts/public.ts";
import { requireOwner } from "../change-envelope.ts";
import { presentToOwner } from "../present-envelope.ts";
import { loadEnvelope } from "../store.ts";
import { chooseCircuit, deleteCircuit, saveCircuit } from "./circuits.ts";
import { selectCircuits } from "./store.ts";

const CIRCUITS = "/api/organisation/circuits/";
const params = z.strictObject({ id: idSchema });
const response = { 200: circuitsAnswer };
const present = (circuits: readonly Circuit[]) => ({ circuits: [...circuits] });

export function circuitRoutes(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    const manage = requirePermission(platform, "change_circuits");

    app.get(
      CIRCUITS,
      { onRequest: requirePermission(platform, "use_circuits"), schema: { response } },
      async (_request, reply) => reply.send(present(await selectCircuits(platform.db))),
    );
    app.post(
      CIRCUITS,
      { onRequest: manage, schema: { body: circuitRequest, response } },
      async (request, reply) => {
        const saving = { id: null, actorId: signedInUser(request).id, request: request.body };
        return sendResult(reply, await saveCircuit(platform, saving), { present });
      },
    );
    app.put(
      `${CIRCUITS}:id/`,
      { onRequest: manage, schema: { params, body: circuitRequest, response } },
      async (request, reply) => {
        const { id } = request.params;
        const saving = { id, actorId: signedInUser(request).id, request: request.body };
        return sendResult(reply, await saveCircuit(platform, saving), { present });
      },
    );
    app.delete(
      `${CIRCUITS}:id/`,
      { onRequest: manage, schema: { params, response } },
      async (request, reply) => {
        const deleted: Result<readonly Circuit[]> = await deleteCircuit(platform, {
          id: request.params.id,
          actorId: signedInUser(request).id,
        });
        return sendResult(reply, deleted, { present });
      },
    );
    await app.register(choiceRoute(platform));
  };
}

function choiceRoute(platform: Platform) {
  return async (scope: FastifyInstance): Promise<void> => {
    const app = scope.withTypeProvider<ZodTypeProvider>();
    visibilityFirst(scope, async (request, id) =>
      requireOwner(await loadEnvelope(platform.db, id), signedInUser(request)),
    );
    app.put(
      "/api/signature/envelopes/:id/circuit/",
      {
        onRequest: requireWorkToWrite(platform),
        schema: { params, body: chooseCircuitRequest, response: { 200: envelopeSchema } },
      },
      async (request, reply) => {
        const user = signedInUser(request);
        const chosen = await chooseCircuit(platform, {
          envelopeId: request.params.id,
          actor: { user, client: clientOf(request) },
          request: request.body,
        });
        return chosen.ok
          ? reply.send(await presentToOwner(platform, chosen.value, user))
          : sendProblem(reply, chosen.error);
      },
    );
  };
}
