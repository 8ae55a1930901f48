import { useCryptography } from "@paraphe/pades/cryptography";
import type { FastifyInstance } from "fastify";
import { registerAccountJobs } from "./features/accounts/jobs.ts";
import {
  createAccounts,
  notifyWithoutFactor,
  openFirstStart,
  optionalUser,
  type PasswordHasher,
  requirePermission,
  scopeOfRoute,
  signedInUser,
} from "./features/accounts/public.ts";
import { accountRoutes, delegationRoutes } from "./features/accounts/routes.ts";
import { registerStorageJobs } from "./features/accounts/storage-store.ts";
import { registerDocumentJobs } from "./features/documents/jobs.ts";
import { documentRoutes } from "./features/documents/routes.ts";
import { contactRoutes } from "./features/envelopes/contacts/routes.ts";
import { dashboardRoutes, envelopeRoutes } from "./features/envelopes/routes.ts";
import { registerEnvelopeJobs } from "./features/envelopes/jobs.ts";
import { teamRoutes } from "./features/envelopes/team-routes.ts";
import { countDelegated, selectCircuitName } from "./features/envelopes/public.ts";
import { circuitRoutes } from "./features/envelopes/circuits/routes.ts";
import { mcpRoutes } from "./features/envelopes/mcp/routes.ts";
import { webhookRoutes } from "./features/envelopes/webhooks/routes.ts";
import { uploadRoutes } from "./features/envelopes/uploads/routes.ts";
import { resumeMailings } from "./features/envelopes/templates/send-mailing.ts";
import { templateRoutes } from "./features/envelopes/templates/routes.ts";
import { createTransparency, readLogHealth } from "./features/journal/public.ts";
import { registerTransparencyJobs } from "./features/journal/transparency/create-transparency.ts";
import { transparencyRoutes } from "./features/journal/transparency/routes.ts";
import { createLive } from "./features/envelopes/live/create-live.ts";
import { liveRoutes } from "./features/envelopes/live/routes.ts";
import { registerNoticeJobs } from "./features/notices/run-outbox.ts";
import { readOutbox } from "./features/notices/public.ts";
import { organisationRoutes } from "./features/organisations/routes.ts";
import { registerPersonalDataJobs } from "./features/privacy/erase-person.ts";
import { personalDataRoutes } from "./features/privacy/routes.ts";
import {
  evidenceRoutes,
  printRoutes,
  proofSchemaRoutes,
  signatureRoutes,
} from "./features/proof/prints/routes.ts";
import { registerBatchJobs } from "./features/signing/batch/jobs.ts";
import { batchRoutes } from "./features/signing/batch/routes.ts";
import { registerSigningJobs, registerSealingJobs } from "./features/signing/seal/jobs.ts";
import { savedSignatureRoutes } from "./features/signing/marks/routes.ts";
import { selfSignRoutes } from "./features/signing/own/routes.ts";
import {
  createBatches,
  createSealing,
  createSigning,
  documentAccess,
  readUnsealed,
  resumeBatches,
  sweepUnsealedActs,
} from "./features/signing/public.ts";
import { signingRoutes } from "./features/signing/routes.ts";
import { registerTrustJobs } from "./features/trust/rotate-authority.ts";
import { createTrust, warnOfForeignAuthorities } from "./features/trust/public.ts";
import { trustRoutes } from "./features/trust/routes.ts";
import { nodeCryptography } from "./platform/cryptography/node-cryptography.ts";
import { type AppOptions, createApp } from "./platform/http/create-app.ts";
import { openService, type Service } from "./platform/http/open-service.ts";
import { mailboxRoutes } from "./platform/mailbox/routes.ts";
import { registerMaintenanceJobs } from "./platform/database/migrate-database.ts";
import { createMetrics, type Metrics } from "./platform/metrics/metrics.ts";
import { openPlatform } from "./platform/open-platform.ts";
import type { Platform } from "./platform/platform.ts";
import type { Settings } from "./platform/settings/settings.ts";
import { loadTls } from "./platform/tls/load-tls.ts";
import { readPlatform } from "./platform/http/serve-metrics.ts";

/** Only this place knows every feature: its jobs (not started yet) and routes. */
export async function composeFeatures(
  platform: Platform,
  options: AppOptions & { readonly hasher?: PasswordHasher } = {},
): Promise<FastifyInstance> {
  useCryptography(nodeCryptography);
  const app = createApp(platform, { ...options, scopeOf: scopeOfRoute });
  const accounts = createAccounts(platform, options.hasher);
  const trust = await createTrust(platform);
  await warnOfForeignAuthorities(platform);
  const sealing = createSealing(platform, trust);
  const signing = createSigning(platform, sealing);
  const batches = createBatches(platform, sealing);

  // Comes before the routes, as each request pauses the batches.
  app.addHook("onRequest", async (_request, { raw }) => {
    // A streamed answer has eleven listeners; Node warns of a leak above ten.
    raw.setMaxListeners(20).once("close", batches.pause.enter());
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
  app.register(organisationRoutes(platform, organisationGuards(platform)));
  app.register(envelopeRoutes(platform));
  app.register(uploadRoutes(platform));
  app.register(contactRoutes(platform));
  app.register(documentRoutes(platform, documentGuards(platform)));
  app.register(signingRoutes(signing));
  app.register(savedSignatureRoutes(platform));
  app.register(selfSignRoutes(signing));
  app.register(batchRoutes(batches));
  app.register(stepRoutes(platform));
  app.register(templateRoutes(platform));
  app.register(webhookRoutes(platform));
  app.register(mcpRoutes(platform));
  app.register(teamRoutes(platform));
  app.register(printRoutes({ platform, trust }));
  app.register(signatureRoutes({ platform, trust }));
  app.register(proofSchemaRoutes(platform.settings));
  app.register(evidenceRoutes(sealing));
  app.register(personalDataRoutes({ accounts, prints: { platform, trust } }));
  app.register(dashboardRoutes(platform));
  app.register(liveRoutes(platform, createLive(platform)));
  resumeWork(app, { platform, sealing, batches });
  return app;
}

type Work = {
  readonly platform: Platform;
  readonly sealing: ReturnType<typeof createSealing>;
  readonly batches: ReturnType<typeof createBatches>;
};

/** Takes up a dead process's work, without waiting for the hourly job. */
function resumeWork(app: FastifyInstance, { platform, sealing, batches }: Work): void {
  app.addHook("onReady", async () => {
    if (platform.settings.role === "web") return;
    void sweepUnsealedActs(sealing);
    void resumeBatches(batches);
    void resumeMailings(platform);
  });
  app.addHook("preClose", async () => {
    batches.stop.asked = true;
  });
}

/** Rooms below accounts get here what they ask of a session. */
const organisationGuards = (platform: Platform) => ({
  permit: (action: Parameters<typeof requirePermission>[1]) => requirePermission(platform, action),
  signedInUser,
  onFactorAsked: (
    trx: Parameters<typeof notifyWithoutFactor>[0],
    asked: Parameters<typeof notifyWithoutFactor>[2],
  ) => notifyWithoutFactor(trx, platform, asked),
});
const documentGuards = (platform: Platform) => ({
  access: documentAccess(platform),
  identify: optionalUser(platform),
});

function watchService(platform: Platform, metrics: Metrics): void {
  metrics.watch(() => readPlatform(platform));
  metrics.watch(() => readLogHealth(platform));
  metrics.watch(() => readOutbox(platform));
  metrics.watch(() => readUnsealed(platform));
}

/** `firstStart`: an address to print, or null once there is an administrator. */
export type Composition = {
  readonly platform: Platform;
  readonly app: FastifyInstance;
  firstStart(): Promise<string | null>;
} & Service;

/** `start` makes it listen, work, or both (ROLE). */
export async function compose(settings: Settings): Promise<Composition> {
  const tls = await loadTls(settings, new Date());
  const { platform, warm, close } = await openPlatform(settings);
  try {
    const metrics = createMetrics();
    const app = await composeFeatures(platform, { tls });
    watchService(platform, metrics);
    const service = openService({ platform, app, metrics, warm, close });
    return { platform, app, firstStart: () => openFirstStart(platform), ...service };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Joins circuits and delegations, which may be of a circuit or of some steps alone. */
function stepRoutes(platform: Platform) {
  const steps = { countWaiting: countDelegated, circuitName: selectCircuitName };
  return async (app: FastifyInstance): Promise<void> => {
    await app.register(circuitRoutes(platform));
    await app.register(delegationRoutes(platform, steps));
  };
}
