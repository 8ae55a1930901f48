import { createHash, X509Certificate } from "node:crypto";
import type { Checkpoint, CheckpointPayload } from "@paraphe/contracts";
import type { Evidence } from "@paraphe/pades";
import { type CheckpointFault, isSealCertificate, verifyCheckpoint } from "@paraphe/proof";
import type { Platform } from "../../../server/src/platform/platform.ts";

/** `subject`: an id, number or hash, never a name; `what`: French. */
type AuditFault = { readonly subject: string; readonly what: string };

/** `checked`: things examined; `faultCount`: all faults; `faults`: the first. */
export type AuditOutcome = {
  readonly check: string;
  readonly checked: number;
  readonly faultCount: number;
  readonly faults: readonly AuditFault[];
  readonly seconds: number;
};

export type AuditPlatform = Pick<Platform, "db" | "files" | "settings">;

/** A rewritten journal has a fault for each of its events. */
const MAX_FAULTS = 20;

export type AuditNotes = {
  readonly checked: (count?: number) => void;
  readonly fault: (subject: string, what: string) => void;
};

export async function auditOutcome(
  check: string,
  run: (notes: AuditNotes) => Promise<void>,
): Promise<AuditOutcome> {
  const started = performance.now();
  const faults: AuditFault[] = [];
  let [checked, faultCount] = [0, 0];
  await run({
    checked: (count = 1) => {
      checked += count;
    },
    fault: (subject, what) => {
      faultCount += 1;
      if (faults.length < MAX_FAULTS) faults.push({ subject, what });
    },
  });
  return { check, checked, faultCount, faults, seconds: (performance.now() - started) / 1_000 };
}

/**
 * Gives the fault of a checkpoint by itself, or null. `previous`: the state before, where known.
 */
export type StatedFault = (
  checkpoint: Checkpoint,
  previous?: CheckpointPayload["previous"],
) => Promise<string | null>;

const OTHER_SEAL = "il n’est pas signé par un cachet de ce service";
const OTHER_CONTENT = "ce qui est signé n’est pas ce qui est enregistré";
const WORDS: Readonly<Record<CheckpointFault, string>> = {
  form: OTHER_SEAL,
  key: "sa clé n’est pas celle qu’il nomme",
  signature: "sa signature n’est pas valide",
  content: OTHER_CONTENT,
  timestamp: "son horodatage n’est pas valide",
};
/** The clocks of service and authority may differ so much. */
const DAY_MS = 86_400_000;

/** Checks seal, payload and time-stamp by these roots and anchors; each path is validated once. */
export function createStatedFault({ trustAnchors, certificates = [] }: Evidence): StatedFault {
  const known = new Map<string, boolean>();
  const leads = (
    kind: "signers" | "timestamps",
    [der, ...pool]: readonly [Uint8Array, ...Uint8Array[]],
  ): boolean => {
    const name = `${kind} ${createHash("sha256").update(der).digest("hex")}`;
    const verdict = known.get(name) ?? goesBackTo(der, { pool, roots: trustAnchors[kind] });
    known.set(name, verdict);
    return verdict;
  };
  return async (checkpoint, previous) => {
    const verdict = await verifyCheckpoint(checkpoint);
    if (!verdict.ok) return WORDS[verdict.fault];
    const { seal, certificates: chain, timestamp, previous: stated } = verdict.facts;
    const at = new Date(checkpoint.at);
    const isLive = isSealCertificate(seal) && seal.notBefore <= at && at <= seal.notAfter;
    if (!isLive || !leads("signers", [seal.der, ...chain])) return OTHER_SEAL;
    if (previous !== undefined && !isSame(previous, stated)) return OTHER_CONTENT;
    if (
      !leads("timestamps", [timestamp.certificateDer, ...timestamp.certificates, ...certificates])
    )
      return "son horodatage n’est pas d’une autorité de ce service";
    return Math.abs(timestamp.time.getTime() - at.getTime()) > DAY_MS
      ? "son horodatage est d’un autre jour"
      : null;
  };
}

function isSame(
  left: CheckpointPayload["previous"],
  right: CheckpointPayload["previous"],
): boolean {
  return left?.size === right?.size && left?.root === right?.root;
}

type Path = { readonly pool: readonly Uint8Array[]; readonly roots: readonly Uint8Array[] };

/** Certificates of the pool lead to a root. */
function goesBackTo(der: Uint8Array, { pool, roots }: Path): boolean {
  const certificate = new X509Certificate(der);
  const issued = (by: Uint8Array) => {
    const issuer = new X509Certificate(by);
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  };
  if (roots.some((root) => Buffer.compare(root, der) === 0 || issued(root))) return true;
  const rest = pool.filter((other) => Buffer.compare(other, der) !== 0);
  return rest.some((other) => issued(other) && goesBackTo(other, { pool: rest, roots }));
}
