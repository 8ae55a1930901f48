import { setTimeout as sleep } from "node:timers/promises";
import {
  type Checkpoint,
  checkpointSchema,
  consistencySchema,
  leavesSchema,
  logAuthoritiesSchema,
  MAX_LEAVES,
} from "@paraphe/contracts";
import { fromHex } from "@paraphe/kernel/bytes";
import {
  logEvidence,
  rootOf,
  type TrustedCheckpointVerdict,
  verifyCheckpoint,
  verifyConsistency,
  verifyTrustedCheckpoint,
} from "@paraphe/proof";
import { errorCode } from "../../../server/src/platform/error-code.ts";

/** Reads a service's public log; null for a 404. */
export type AskLog = (origin: string, call: string) => Promise<unknown>;

/** An absent service proves nothing about its past. `why`: system or TLS error code, or status. */
export class ServiceAwayError extends Error {
  override readonly name = "ServiceAwayError";
  readonly host: string;
  readonly why: string;
  constructor(host: string, why: string, options?: ErrorOptions) {
    super(`${host}: ${why}`, options);
    this.host = host;
    this.why = why;
  }
}

const LOG = "/api/signature/transparency/";
const MOST_TRIES = 10;

/** Errors: `ServiceAwayError` unless the answer is 200 with JSON, or 404. */
export const askService: AskLog = async (origin, call) => {
  const { host } = new URL(origin);
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(new URL(`${LOG}${call}`, origin)).catch((cause: unknown) => {
      throw new ServiceAwayError(host, errorCode(cause) ?? "fetch", { cause });
    });
    if (answer.ok)
      return answer.json().catch((cause: unknown) => {
        throw new ServiceAwayError(host, "JSON", { cause });
      });
    if (answer.status === 404) return null;
    if (answer.status !== 429 || tries === MOST_TRIES)
      throw new ServiceAwayError(host, String(answer.status));
    // A large log meets rate limits.
    await sleep(1_000 * Number(answer.headers.get("retry-after") ?? 60));
  }
};

export type LogCheck = {
  readonly state: "ok" | "failed" | "not_checked";
  readonly subject: string;
  readonly sentence: string;
};

type NamedCheckpoint = { readonly checkpoint: Checkpoint; readonly origin: string };
/** Verified by the reader's roots. `revocation`: whether its state is known. */
type LocalCheckpoint = NamedCheckpoint & { readonly revocation: "checked" | "unknown" };

/** The reader's roots (DER), else those the service publishes. */
type LogReader = {
  readonly ask: AskLog;
  readonly roots: readonly Uint8Array[];
  readonly now: Date;
};

/**
 * `unsound`: invalid; `unknown`: under no root of the reader; `revoked`: by then. None is evidence.
 */
export type LocalVerdict =
  | { readonly state: "sound"; readonly local: LocalCheckpoint }
  | { readonly state: "unsound" | "unknown" | "revoked" };

export async function readLocal(bytes: Uint8Array, reader: LogReader): Promise<LocalVerdict> {
  const checkpoint = parsed(bytes);
  const alone = checkpoint === null ? null : await verifyCheckpoint(checkpoint);
  if (checkpoint === null || !alone?.ok) return { state: "unsound" };
  const origin = alone.facts.log;
  const verdict = await verifyTrusted({ checkpoint, origin }, reader);
  if (verdict.ok)
    return { state: "sound", local: { checkpoint, origin, revocation: verdict.revocation } };
  return { state: verdict.fault === "revoked" ? "revoked" : "unknown" };
}

function parsed(bytes: Uint8Array): Checkpoint | null {
  try {
    return checkpointSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

async function verifyTrusted(
  { checkpoint, origin }: NamedCheckpoint,
  { ask, roots, now }: LogReader,
): Promise<TrustedCheckpointVerdict> {
  const published =
    logAuthoritiesSchema.safeParse(await ask(origin, "authorities/")).data ?? NOBODY;
  return verifyTrustedCheckpoint(checkpoint, { evidence: logEvidence(published, roots), now });
}
const NOBODY = { roots: [], timestamps: [], certificates: [] };

export function describeRevocation({ revocation }: LocalCheckpoint): readonly LogCheck[] {
  if (revocation === "checked") return [];
  const sentence =
    "le service ne publie pas de quoi savoir si le cachet du point de contrôle gardé était révoqué.";
  return [{ state: "not_checked", subject: "Révocation", sentence }];
}

/** Says whether the log begins with what the checkpoint attests. Source: RFC 9162 §2.1.4. */
export async function compareCheckpoint(
  { checkpoint: local, origin }: NamedCheckpoint,
  reader: LogReader,
): Promise<LogCheck> {
  const { ask } = reader;
  const said = (state: LogCheck["state"], sentence: string): LogCheck => ({
    state,
    subject: "Continuité du journal",
    sentence,
  });
  const latest = checkpointSchema.safeParse(await ask(origin, "checkpoints/latest/")).data;
  if (latest === undefined)
    return said("failed", "le service ne publie plus aucun point de contrôle.");
  if (!(await verifyCheckpoint(latest)).ok)
    return said("failed", "le dernier point de contrôle publié ne tient pas par lui-même.");
  if (!(await verifyTrusted({ checkpoint: latest, origin }, { ...reader, roots: [] })).ok)
    return said(
      "failed",
      "le dernier point de contrôle publié n’est pas signé et horodaté par les autorités que le service publie.",
    );
  if (latest.size < local.size)
    return said(
      "failed",
      `le journal n’a plus que ${latest.size} empreintes, le point de contrôle gardé en atteste ${local.size}.`,
    );
  const consistency = consistencySchema.safeParse(
    await ask(origin, `consistency/?first=${local.size}&second=${latest.size}`),
  ).data;
  if (consistency === undefined)
    return said("not_checked", "le service n’a pas donné de quoi vérifier.");
  const holds = verifyConsistency({
    first: local.size,
    firstRoot: fromHex(local.root),
    second: latest.size,
    secondRoot: fromHex(latest.root),
    path: consistency.path.map(fromHex),
  });
  return holds
    ? said(
        "ok",
        `les ${latest.size} empreintes d’aujourd’hui commencent par les ${local.size} du point de contrôle gardé.`,
      )
    : said(
        "failed",
        "le journal ne commence plus par ce que le point de contrôle gardé atteste\u00a0: il a été réécrit.",
      );
}

/** Gives leaves of a checkpoint in hex; null when their root differs. */
export async function leavesOf(
  { checkpoint: { size, root }, origin }: LocalCheckpoint,
  ask: AskLog,
): Promise<ReadonlySet<string> | null> {
  const hashes: string[] = [];
  while (hashes.length < size) {
    const to = Math.min(size, hashes.length + MAX_LEAVES);
    const page = leavesSchema.safeParse(
      await ask(origin, `leaves/?from=${hashes.length}&to=${to}`),
    ).data;
    if (
      page === undefined ||
      page.from !== hashes.length ||
      page.hashes.length !== to - hashes.length
    )
      return null;
    hashes.push(...page.hashes);
  }
  return Buffer.compare(rootOf(hashes.map(fromHex)), fromHex(root)) === 0 ? new Set(hashes) : null;
}
