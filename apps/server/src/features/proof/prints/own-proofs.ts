import { createHash } from "node:crypto";
import type { ProofContent } from "@paraphe/contracts";
import { canonicalJson } from "@paraphe/kernel/canonical-json";
import type { PrintToProve } from "./build-proof.ts";
import { presentPrint } from "./open-print.ts";
import type { PrintDeps } from "./read-record.ts";
import { sealContent, type SealedProof, sealProof, writeProof } from "./seal-proof.ts";
import { listPrintRows } from "./store.ts";

const PAGE = 50;

/** The proof is made on demand. */
type OwnProof = { readonly id: string; seal(): Promise<SealedProof> };

/** A page of prints at a time. */
export async function* ownProofs(deps: PrintDeps, ownerId: string): AsyncGenerator<OwnProof, void> {
  for (let page = 1; ; page += 1) {
    const { rows } = await listPrintRows(deps.platform.db, {
      ownerId,
      envelopeId: null,
      page,
      pageSize: PAGE,
    });
    for (const print of rows)
      yield {
        id: print.id,
        seal: () => sealProof(deps, { print, sig: presentPrint(deps.platform, print).sig }),
      };
    if (rows.length < PAGE) return;
  }
}

/** An unchanged proof is not stamped anew within this time. */
const KEPT_MS = 5 * 60_000;
/** Delay before asking an unavailable authority again. */
const AWAY_MS = 60_000;
/** In characters: some two hundred proofs. */
const MOST_KEPT = 16_000_000;

type Kept = {
  readonly says: string;
  readonly at: number;
  readonly text: Promise<string>;
  length: number;
};

/**
 * The text of `preuve.json`. Files and journal are validated each time, but an unchanged proof
 * keeps its time-stamp, so that no caller floods the authority.
 * Shape: `JSON.stringify` with two spaces. Cached in bounded memory.
 */
export function createProofCache(): (deps: PrintDeps, request: PrintToProve) => Promise<string> {
  const kept = new Map<string, Kept>();
  let awayUntil = 0;

  const seal = async (
    deps: PrintDeps,
    content: ProofContent,
    now: number,
  ): Promise<{ readonly text: string; readonly isStamped: boolean }> => {
    const sealed = await sealContent(deps, content, now < awayUntil ? "spared" : "asked");
    const isStamped = sealed.timestamp !== null;
    if (!isStamped && now >= awayUntil) awayUntil = now + AWAY_MS;
    return { text: JSON.stringify(sealed, null, 2), isStamped };
  };

  return async (deps, request) => {
    const key = `${request.print.id} ${request.sig === null ? "owner" : "paper"}`;
    const content = await writeProof(deps, request);
    const [now, says] = [deps.platform.clock().getTime(), whatIsSaid(content)];
    const known = kept.get(key);
    if (known !== undefined && known.says === says && Math.abs(now - known.at) < KEPT_MS)
      return known.text;
    const sealing = seal(deps, content, now);
    const entry: Kept = { says, at: now, text: sealing.then(({ text }) => text), length: 0 };
    kept.delete(key);
    kept.set(key, entry);
    try {
      const { text, isStamped } = await sealing;
      entry.length = text.length;
      if (!isStamped && kept.get(key) === entry) kept.delete(key);
      forgetOldest(kept);
      return text;
    } catch (error) {
      if (kept.get(key) === entry) kept.delete(key);
      throw error;
    }
  };
}

/** Except the last one, however long. */
function forgetOldest(kept: Map<string, Kept>): void {
  let total = [...kept.values()].reduce((sum, { length }) => sum + length, 0);
  for (const [key, { length }] of kept) {
    if (total <= MOST_KEPT || kept.size === 1) return;
    kept.delete(key);
    total -= length;
  }
}

/** Without the times, OCSP answers and log size. */
function whatIsSaid({
  checked_at: _at,
  certificate,
  revocation: _answers,
  inclusion,
  ...rest
}: ProofContent): string {
  const revocation =
    certificate === null ? null : { ...certificate.revocation, ocsp_at: null, crl_at: null };
  const said = {
    ...rest,
    certificate: certificate === null ? null : { ...certificate, revocation },
    inclusion: inclusion?.entry ?? null,
  };
  return createHash("sha256").update(canonicalJson(said)).digest("base64");
}
