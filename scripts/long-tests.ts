/**
 * The files that take more than twenty seconds, nearly all of them waiting: for other makers' validators, a killed process, a database's start.
 * In the order they begin: the longest first, while the stories use what they leave of the cores.
 */
export const LONG = new Set([
  "kills.test.ts",
  "others-validate.test.ts",
  "main.test.ts",
  "backup.test.ts",
  "embedded-postgres.test.ts",
  "heals-by-itself.test.ts",
  "own-server.test.ts",
  "whole-service.test.ts",
  "whole-service-others.test.ts",
  "renew-archive.test.ts",
  "seal-act.test.ts",
  "create-queue.test.ts",
  "printed-copies.test.ts",
  "attacks.test.ts",
  "proofs-offline.test.ts",
  "forged-rows.test.ts",
  "evidence-file.test.ts",
  "checkpoints-of-two-processes.test.ts",
  "rewritten-past.test.ts",
  "verify-store.test.ts",
  "api.test.ts",
  "pdf-sandbox.test.ts",
  "known-remarks.test.ts",
]);
