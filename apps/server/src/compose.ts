import { useCryptography } from "@paraphe/pades/cryptography";
import type { FastifyInstance } from "fastify";
import { accountRoutes, createAccounts, registerAccountJobs } from "./features/accounts/index.ts";
import { batchRoutes, createBatches, registerBatchJobs, resumeBatches } from "./features/batch/index.ts";
import { dashboardRoutes } from "./features/dashboard/index.ts";
import { documentRoutes, registerDocumentJobs } from "./features/documents/index.ts";
import { envelopeRoutes, registerEnvelopeJobs } from "./features/envelopes/index.ts";
import { createLive, liveRoutes } from "./features/live/index.ts";
import { evidenceRoutes } from "./features/evidence/index.ts";
import { readOutbox, registerNoticeJobs } from "./features/notices/index.ts";
import { personalDataRoutes, registerPersonalDataJobs } from "./features/personal-data/index.ts";
import { printRoutes, proofSchemaRoutes, signatureRoutes } from "./features/prints/index.ts";
import { savedSignatureRoutes } from "./features/saved-signatures/index.ts";
import { createSealing, readUnsealed, registerSealingJobs, sweepUnsealedActs } from "./features/sealing/index.ts";
import { selfSignRoutes } from "./features/self-sign/index.ts";
import { createSigning, documentAccess, registerSigningJobs, signingRoutes } from "./features/signing/index.ts";
import { registerStorageJobs } from "./features/storage/index.ts";
import { templateRoutes } from "./features/templates/index.ts";
import { createTransparency, readLogHealth, registerTransparencyJobs, transparencyRoutes } from "./features/transparency/index.ts";
import { createTrust, registerTrustJobs, trustRoutes, warnOfStrangers } from "./features/trust/index.ts";
import { type AppOptions, createApp } from "./platform/http/create-app.ts";
import { nodeCryptography } from "./platform/cryptography/node-cryptography.ts";
import { createMetrics, type Metrics } from "./platform/metrics/metrics.ts";
import { readPlatform } from "./platform/metrics/read-platform.ts";
import { openService, type Service } from "./platform/http/open-service.ts";
import { mailboxRoutes } from "./platform/mailbox/routes.ts";
import { registerMaintenanceJobs } from "./platform/maintenance.ts";
import { openPlatform } from "./platform/open-platform.ts";
import type { Platform } from "./platform/platform.ts";
import type { Settings } from "./platform/settings/settings.ts";
import { loadTls } from "./platform/tls/load-tls.ts";

/**
 * Joins the features on a platform: their jobs on its queue (not started yet), their routes on one application.
 * The one place that knows every feature.
 */
export async function composeFeatures(platform: Platform, options: AppOptions = {}): Promise<FastifyInstance> {
  useCryptography(nodeCryptography);
  const app = createApp(platform, options);
  const accounts = createAccounts(platform);
  const trust = await createTrust(platform);
  await warnOfStrangers(platform);
  const sealing = createSealing(platform, trust);
  const signing = createSigning(platform, sealing);
  const batches = createBatches(platform, sealing);

  // Before the routes: each of them tells the batches that somebody waits.
  app.addHook("onRequest", async (_request, reply) => {
    reply.raw.once("close", batches.pause.enter());
  });

  registerMaintenanceJobs(platform);
  registerNoticeJobs(platform);
  registerAccountJobs(platform);
  registerDocumentJobs(platform);
  registerEnvelopeJobs(platform);
  registerTrustJobs(platform);
  registerTransparencyJobs(createTransparency({ platform, trust }));
  registerSealingJobs(sealing);
  registerSigningJobs(platform);
  registerBatchJobs(batches);
  registerPersonalDataJobs(platform);
  registerStorageJobs(platform);

  app.register(mailboxRoutes(platform));
  app.register(trustRoutes(platform, trust));
  app.register(transparencyRoutes({ platform, trust }));
  app.register(accountRoutes(accounts));
  app.register(envelopeRoutes(platform));
  app.register(documentRoutes(platform, documentAccess(platform)));
  app.register(signingRoutes(signing));
  app.register(savedSignatureRoutes(platform));
  app.register(selfSignRoutes(signing));
  app.register(batchRoutes(batches));
  app.register(templateRoutes(platform));
  app.register(printRoutes({ platform, trust }));
  app.register(signatureRoutes({ platform, trust }));
  app.register(proofSchemaRoutes(platform.settings));
  app.register(evidenceRoutes(sealing));
  app.register(personalDataRoutes({ accounts, prints: { platform, trust } }));
  app.register(dashboardRoutes(platform));
  app.register(liveRoutes(platform, createLive(platform)));
  // What a process that died left to seal is taken up at once: it does not wait for the hour.
  app.addHook("onReady", async () => {
    if (platform.settings.role === "web") return;
    void sweepUnsealedActs(sealing);
    void resumeBatches(batches);
  });
  app.addHook("preClose", async () => {
    batches.stop.asked = true;
  });
  return app;
}

/** What whoever runs the service watches of it (docs/operations/watching.md). */
function watchService(platform: Platform, metrics: Metrics): void {
  metrics.watch(() => readPlatform(platform));
  metrics.watch(() => readLogHealth(platform));
  metrics.watch(() => readOutbox(platform));
  metrics.watch(() => readUnsealed(platform));
}

export type Composition = { readonly platform: Platform; readonly app: FastifyInstance } & Service;

/** Opens the platform that the settings name and joins the service on it; `start` makes it listen, work, or both (ROLE). */
export async function compose(settings: Settings): Promise<Composition> {
  const tls = await loadTls(settings, new Date());
  const { platform, warm, close } = await openPlatform(settings);
  try {
    const metrics = createMetrics();
    const app = await composeFeatures(platform, { tls });
    watchService(platform, metrics);
    return { platform, app, ...openService({ platform, app, metrics, warm, close }) };
  } catch (error) {
    await close();
    throw error;
  }
}
