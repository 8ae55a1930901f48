import { createHash } from "node:crypto";
import { serialize } from "node:v8";
import { type Proof, type Result, success } from "@paraphe/contracts";
import type { Evidence } from "@paraphe/pades";
import { parseCertificate, parseCrl } from "@paraphe/pades/parts";
import { loadStatuses } from "../../trust/public.ts";
import { type PrintToProve, proveRecord, type RecordToProve } from "./build-proof.ts";
import {
  type EnvelopeRecord,
  isLate,
  LOGGED_WITHIN_MS,
  type PrintDeps,
  readFiles,
  readPrinted,
  type StoredFiles,
  validateRecord,
} from "./read-record.ts";

/** What a proof is made from, read now; `digest` covers all of it. */
type ProofSources = {
  readonly record: EnvelopeRecord;
  readonly files: StoredFiles;
  readonly evidence: Evidence;
  readonly certificates: readonly Uint8Array[];
  readonly digest: string;
};

/**
 * Reads journal, place in the log, stored files (SHA-256 compared), certificates' statuses, and
 * what is trusted. Errors: `print_returned`.
 */
export async function readSources(
  deps: PrintDeps,
  { print, sig }: PrintToProve,
): Promise<Result<ProofSources>> {
  const { platform, trust } = deps;
  const opened = await readPrinted(platform.db, print);
  if (!opened.ok) return opened;
  const record = opened.value;
  const { facts, events, chain, inclusion } = record;
  const files: StoredFiles = facts.purgedAt === null ? await readFiles(deps, record) : new Map();
  const evidence = await trust.currentEvidence();
  const statuses = await loadStatuses(
    platform.db,
    facts.signatures.map(({ serial }) => serial),
  );
  const seals = await trust.seals();
  const read = {
    asked: [print, sig],
    journal: [events, chain, inclusion, await isLate(deps, record)],
    files: [...files].map(([id, file]) => [id, typeof file === "string" ? file : "whole"]),
    trusted: [evidence, seals, trust.seal.certificates, trust.certificates, statuses],
  };
  return success({
    record,
    files,
    evidence,
    certificates: [...seals, ...statuses.map(({ der }) => der)],
    digest: createHash("sha256").update(serialize(read)).digest("base64"),
  });
}

export async function validateSources(
  deps: PrintDeps,
  request: PrintToProve,
  { record, files }: ProofSources,
): Promise<RecordToProve> {
  const documents = await validateRecord(deps, record, files);
  return { ...request, record, documents };
}

const MOST_MS = 3_600_000;

/** The time when the same sources may prove something else. */
function endOf({ record, evidence, certificates }: ProofSources, now: number): number {
  const { deadlineAt, completedAt } = record.facts;
  const { trustAnchors, certificates: issuers = [], crls = [] } = evidence;
  const ders = [...trustAnchors.signers, ...trustAnchors.timestamps, ...issuers, ...certificates];
  const times = [
    ...ders.filter(({ length }) => length > 0).map((der) => parseCertificate(der).notAfter),
    ...crls.map((der) => parseCrl(der).nextUpdate),
    deadlineAt === null ? null : new Date(deadlineAt),
    completedAt === null ? null : new Date(Date.parse(completedAt) + LOGGED_WITHIN_MS),
  ];
  const coming = times.map((time) => time?.getTime() ?? 0).filter((time) => time > now);
  return Math.min(now + MOST_MS, ...coming);
}

type Kept<T> = {
  readonly digest: string;
  readonly at: number;
  readonly until: number;
  readonly value: T;
  length: number;
};

/** Characters: some two hundred proofs. */
const MOST_KEPT = 16_000_000;

/** Finds entries by their sources, in bounded memory; the oldest go. */
export function createKept<T>({ mostMs = MOST_MS }: { readonly mostMs?: number } = {}) {
  const all = new Map<string, Kept<T>>();
  const current = (key: string, now: number): Kept<T> | null => {
    const known = all.get(key);
    return known !== undefined && now >= known.at && now < known.until ? known : null;
  };
  return {
    find(key: string, { digest }: ProofSources, now: number): T | null {
      const known = current(key, now);
      return known?.digest === digest ? known.value : null;
    },
    findLast: (key: string, now: number): T | null => current(key, now)?.value ?? null,
    add(key: string, sources: ProofSources, { value, now }: { value: T; now: number }): Kept<T> {
      const until = Math.min(endOf(sources, now), now + mostMs);
      const entry = { digest: sources.digest, at: now, until, value, length: 0 };
      all.delete(key);
      all.set(key, entry);
      return entry;
    },
    measure(entry: Kept<T>, length: number): void {
      entry.length = length;
      let total = all.values().reduce((sum, one) => sum + one.length, 0);
      for (const [key, one] of all) {
        if (total <= MOST_KEPT || all.size === 1) return;
        all.delete(key);
        total -= one.length;
      }
    },
    forget(key: string, entry: Kept<T>): void {
      if (all.get(key) === entry) all.delete(key);
    },
  };
}

export const keyOf = ({ print, sig }: PrintToProve): string => `${print.id} ${sig ?? ""}`;

/**
 * Sources are read and compared each time: only a proof of the same bytes, made within an hour, is
 * used again.
 */
export function createPublicProofs(): (
  deps: PrintDeps,
  request: PrintToProve,
) => Promise<Result<Proof>> {
  const kept = createKept<Proof>();
  return async (deps, request) => {
    const key = keyOf(request);
    const read = await readSources(deps, request);
    if (!read.ok) return read;
    const sources = read.value;
    const now = deps.platform.clock();
    const known = kept.find(key, sources, now.getTime());
    if (known !== null) return success({ ...known, checked_at: now.toISOString() });
    const { proof } = await proveRecord(deps, await validateSources(deps, request, sources));
    const entry = kept.add(key, sources, { value: proof, now: now.getTime() });
    kept.measure(entry, JSON.stringify(proof).length);
    return success(proof);
  };
}
