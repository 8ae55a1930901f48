import { problem } from "@paraphe/contracts";
import { sql } from "kysely";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isLoopbackAddress } from "../addresses.ts";
import type { Platform } from "../platform.ts";
import { sendProblem } from "./problem-reply.ts";

const READY_MS = 2_000;
const FRESH_MS = 1_000;

const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

type Part = "database" | "store" | "sandbox" | "jobs";

/**
 * `GET /api/health/live`: 200 while the process answers. `GET /api/health/ready` and
 * `/api/health/`: 200, or 503 within two seconds; a local caller without a proxy reads what is
 * missing (contract §1 and §7).
 */
export function checkHealth(app: FastifyInstance, platform: Platform): void {
  /** One check a second: it writes to the disk. */
  let asked: { readonly at: number; readonly missing: Promise<readonly Part[]> } | null = null;
  const missingNow = () => {
    if (asked === null || performance.now() - asked.at > FRESH_MS)
      asked = { at: performance.now(), missing: missingParts(platform) };
    return asked.missing;
  };
  app.get("/api/health/live", async () => ({ status: "ok" }));
  for (const path of ["/api/health/", "/api/health/ready"])
    app.get(path, async (request, reply) => {
      const missing = await missingNow();
      if (missing.length === 0) return { status: "ok" };
      const extensions = isLoopbackAddress(request.ip) && !cameByProxy(request) ? { missing } : {};
      return sendProblem(reply, problem("service_unavailable", { extensions }));
    });
}

/** True for any proxy, named by `TRUST_PROXY` or not: the caller may be anywhere. */
function cameByProxy({ headers }: FastifyRequest): boolean {
  return FORWARDED.some((name) => headers[name] !== undefined);
}

async function missingParts(platform: Platform): Promise<readonly Part[]> {
  const checks: Readonly<Record<Part, () => Promise<unknown>>> = {
    database: () => assertWritable(platform),
    store: () => platform.files.check(),
    sandbox: () => platform.sandbox.check(),
    jobs: () => platform.queue.check(),
  };
  const missing = await Promise.all(
    Object.entries(checks).map(async ([part, check]) => {
      try {
        await Promise.race([check(), late()]);
        return null;
      } catch (error) {
        platform.log.error({ error, part }, "the service is not ready");
        return part as Part;
      }
    }),
  );
  return missing.filter((part) => part !== null);
}

async function assertWritable({ db }: Platform): Promise<void> {
  const { rows } = await sql<{
    read_only: string;
  }>`select current_setting('transaction_read_only') as read_only`.execute(db);
  if (rows[0]?.read_only !== "off") throw new Error("The database takes no writes");
}

function late(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`No answer within ${READY_MS} ms`)), READY_MS).unref();
  });
}
