import { presentPrint } from "./present-print.ts";
import type { PrintDeps } from "./print-deps.ts";
import { type SealedProof, sealProof } from "./seal-proof.ts";
import { listPrintRows } from "./store.ts";

const PAGE = 50;

/** A print of an owner, and the proof behind it, made when it is asked for. */
export type OwnProof = { readonly id: string; seal(): Promise<SealedProof> };

/** Gives an owner's prints, a page at a time. */
export async function* ownProofs(deps: PrintDeps, ownerId: string): AsyncGenerator<OwnProof, void> {
  for (let page = 1; ; page += 1) {
    const { rows } = await listPrintRows(deps.platform.db, { ownerId, envelopeId: null, page, pageSize: PAGE });
    for (const print of rows) yield { id: print.id, seal: () => sealProof(deps, { print, sig: presentPrint(deps.platform, print).sig }) };
    if (rows.length < PAGE) return;
  }
}
