import { setTimeout as sleep } from "node:timers/promises";
import { problem, success } from "@paraphe/contracts";
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import * as z from "zod/mini";
import { StorageFullError } from "../../src/platform/files/file-store.ts";
import { BODY_ROOM } from "../../src/platform/http/body-room.ts";
import { createApp } from "../../src/platform/http/create-app.ts";
import { sendProblem, sendResult } from "../../src/platform/http/problem-reply.ts";
import { readMultipart } from "../../src/platform/http/read-multipart.ts";
import { clientOf } from "../../src/platform/http/request-facts.ts";
import { csrfOf } from "../browser.ts";
import { type TestPlatform, createTestPlatform } from "../platform.ts";

const thing = z.strictObject({
  name: z.string("Nom requis").check(z.minLength(2, "Nom trop court")),
  tags: z.optional(z.array(z.strictObject({ label: z.string() }))),
});

/** The HTTP edge with test routes instead of features. */
export type HttpStage = {
  readonly platform: TestPlatform;
  readonly app: FastifyInstance;
  /** Runs of `/api/things/` or `/api/files/`. */
  runs(): number;
  /** Sends our page's CSRF token. */
  post(url: string, options?: Partial<InjectOptions>): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
};

/** `/api/things/` takes JSON, `/api/files/` a form; the others fail or answer as named. */
export async function openHttpStage(): Promise<HttpStage> {
  let runs = 0;
  const platform = await createTestPlatform();
  const csrf = csrfOf(platform);
  // Forms get a signed-in person's room.
  const app = createApp(platform, {
    bodyRoom: { ...BODY_ROOM, anybodyFormBytes: 4 * BODY_ROOM.signedInBytes },
  });
  app.register(async (scope) => {
    scope.post("/api/things/", { schema: { body: thing } }, async (request, reply) => {
      runs++;
      await sleep(50);
      return sendResult(
        reply,
        success({ name: (request.body as { name: string }).name, run: runs }),
        { status: 201 },
      );
    });
    scope.post("/api/files/", async (request, reply) => {
      const form = await readMultipart(request);
      const present = (value: {
        fields: object;
        files: readonly { field: string; name: string; bytes: Uint8Array }[];
      }) => ({
        run: ++runs,
        fields: value.fields,
        files: value.files.map((file) => ({
          field: file.field,
          name: file.name,
          size: file.bytes.length,
        })),
      });
      return sendResult(reply, form, { present });
    });
    scope.post("/api/broken/", async () => {
      throw new Error("select * from users where /srv/secret");
    });
    scope.post("/api/full/", async () => {
      throw new StorageFullError("full");
    });
    scope.post("/api/away/", async () => {
      throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    });
    scope.post("/api/wrapped/", async () => {
      throw new Error("The list could not be read", {
        cause: Object.assign(new Error("disk full"), { code: "53100" }),
      });
    });
    scope.get("/api/big/", async () => ({ text: "é".repeat(5_000) }));
    scope.get("/api/client/", async (request) => clientOf(request));
    scope.post("/api/busy/", async (_request, reply) =>
      sendProblem(reply, problem("signature_in_progress", { retryAfterS: 2 })),
    );
    scope.post("/pki/demande", async () => ({}));
    scope.post("/ailleurs/", async () => ({}));
    scope.get("/page", async (_request, reply) =>
      reply.type("text/html; charset=utf-8").send("<p>oui</p>"),
    );
    scope.get("/sign/page", async (_request, reply) =>
      reply.type("text/html; charset=utf-8").send("<p>oui</p>"),
    );
    scope.get("/api/fichier.pdf", async (_request, reply) =>
      reply.type("application/pdf").send(Buffer.from("%PDF-")),
    );
  });
  await app.ready();
  return {
    platform,
    app,
    runs: () => runs,
    post: (url, options = {}) =>
      app.inject({ method: "POST", url, ...options, headers: { ...csrf, ...options.headers } }),
    async close() {
      await app.close();
      await platform.close();
    },
  };
}
