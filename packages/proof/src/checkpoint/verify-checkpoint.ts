import { sha256 } from "@noble/hashes/sha2.js";
import type { Checkpoint, CheckpointPayload } from "@paraphe/contracts";
import { fromBase64, toHex } from "@paraphe/kernel/bytes";
import {
  type Certificate,
  type TimestampFacts,
  keyIdentifier,
  parseCertificate,
  verifyTimestampToken,
  type CertificateReport,
  type Evidence,
  validateCertificate,
} from "@paraphe/pades/parts";

/** `form`: unreadable; `key`: another key than named; `content`: the signed payload differs. */
export type CheckpointFault = "form" | "key" | "signature" | "content" | "timestamp";

/** Valid by itself, its issuer not checked. `certificates` (DER): the seal's, then its issuers. */
export type CheckpointFacts = {
  readonly log: CheckpointPayload["log"];
  readonly previous: CheckpointPayload["previous"];
  readonly seal: Certificate;
  readonly certificates: readonly Uint8Array[];
  readonly timestamp: TimestampFacts;
};
export type CheckpointVerdict =
  | { readonly ok: true; readonly facts: CheckpointFacts }
  | { readonly ok: false; readonly fault: CheckpointFault };

/**
 * Verifies the seal's signature, its payload and the time-stamp over it.
 * Source: RFC 7515 §5.2, RFC 7518 §3.4, RFC 8785, RFC 3161 §2.2.
 */
export async function verifyCheckpoint(checkpoint: Checkpoint): Promise<CheckpointVerdict> {
  try {
    return await verify(checkpoint);
  } catch {
    return { ok: false, fault: "form" };
  }
}

async function verify(checkpoint: Checkpoint): Promise<CheckpointVerdict> {
  const [header = "", payload = "", value = "", ...more] = checkpoint.signature.split(".");
  const read = readJwsHeader(textOf(header));
  if (read === null || more.length > 0) return { ok: false, fault: "form" };
  const certificates = read.x5c.map((text) => bytesOf(String(text)));
  const seal = parseCertificate(certificates[0] ?? new Uint8Array());
  if (toHex(await keyIdentifier(seal.subjectPublicKey)) !== checkpoint.key_id)
    return { ok: false, fault: "key" };
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const key = await crypto.subtle.importKey(
    "spki",
    copyOf(seal.subjectPublicKey),
    algorithm,
    false,
    ["verify"],
  );
  const signed = new TextEncoder().encode(`${header}.${payload}`);
  if (
    !(await crypto.subtle.verify(
      { name: "ECDSA", hash: "SHA-256" },
      key,
      copyOf(bytesOf(value)),
      signed,
    ))
  )
    return { ok: false, fault: "signature" };
  const stated = JSON.parse(textOf(payload)) as CheckpointPayload;
  if (canonical(checkpoint, stated) !== textOf(payload)) return { ok: false, fault: "content" };
  const imprint = sha256(new TextEncoder().encode(checkpoint.signature));
  try {
    const timestamp = await verifyTimestampToken(bytesOf(checkpoint.timestamp), { imprint });
    return {
      ok: true,
      facts: { log: stated.log, previous: stated.previous, seal, certificates, timestamp },
    };
  } catch {
    return { ok: false, fault: "timestamp" };
  }
}

/** JSON writes strings and integers, in the order of their names, as RFC 8785 does. */
function canonical({ at, root, size }: Checkpoint, { log, previous }: CheckpointPayload): string {
  const before =
    previous === null ? null : { root: String(previous.root), size: Number(previous.size) };
  return JSON.stringify({ at, log: String(log), previous: before, root, size });
}

function textOf(base64: string): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(base64));
}

function bytesOf(base64: string): Uint8Array {
  return fromBase64(base64.replaceAll("-", "+").replaceAll("_", "/"));
}

function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

type JwsHeader = { readonly alg: unknown; readonly kid: unknown; readonly x5c: readonly unknown[] };

/**
 * Null unless ES256 with certificates, no `crit`, and a base64url payload.
 * Errors: SyntaxError, TypeError for what is no JSON object.
 * Source: RFC 7515 §4.1.6 (x5c), §4.1.11 (crit); RFC 7797 §3 (b64); RFC 7518 §3.4.
 */
export function readJwsHeader(text: string): JwsHeader | null {
  const header = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { alg, kid, x5c } = header;
  if (alg !== "ES256" || !Array.isArray(x5c) || "crit" in header || "b64" in header) return null;
  return { alg, kid, x5c };
}

/** `provenAt`: proof of existence of what it signed; null without one. */
type Moment = { readonly evidence: Evidence; readonly now: Date; readonly provenAt: Date | null };

/**
 * INDETERMINATE without revocation data of its time on the whole path: the thief of a key would
 * leave it out.
 * Source: EN 319 102-1 §5.2.5 (freshness), §5.2.6.4.
 */
export function validateSeal(der: Uint8Array, moment: Moment): Promise<CertificateReport> {
  return validateCertificate(der, { ...moment, trustedFor: "signers", policy: REQUIRED });
}

/** The service's own like a seal; an outside one, trusted for times, needs no revocation data. */
export async function validateAuthority(
  der: Uint8Array,
  moment: Moment,
): Promise<CertificateReport> {
  const own = await validateCertificate(der, {
    ...moment,
    trustedFor: "timestamps",
    policy: REQUIRED,
    evidence: ownTimes(moment.evidence),
  });
  return own.chain === null
    ? validateCertificate(der, { ...moment, trustedFor: "timestamps" })
    : own;
}

const REQUIRED = { revocation: "required" } as const;

function ownTimes(evidence: Evidence): Evidence {
  const { signers } = evidence.trustAnchors;
  return { ...evidence, trustAnchors: { signers, timestamps: signers } };
}

/** True when revoked by then. Source: EN 319 102-1 §5.1.3, table 6. */
export function isRevoked({ subIndication }: CertificateReport): boolean {
  return subIndication !== null && REVOKED.has(subIndication);
}

const REVOKED: ReadonlySet<string> = new Set([
  "REVOKED",
  "REVOKED_NO_POE",
  "CERTIFICATE_CHAIN_GENERAL_FAILURE",
]);

/** True when only revocation data are missing or old. */
export function isRevocationUnknown({ chain, subIndication }: CertificateReport): boolean {
  return chain !== null && subIndication === "TRY_LATER";
}
