import canonicalize from "canonicalize";
import type { Proof } from "@paraphe/contracts";
import { signJws } from "../trust/index.ts";
import { buildProof, type PrintToProve } from "./build-proof.ts";
import type { PrintDeps } from "./print-deps.ts";
import { loadRecordedSignatures } from "./store.ts";

/** What `preuve.json` holds: the proof, and the certificates that an offline checker needs, in base64 DER. */
export type SealedProof = {
  readonly proof: Proof & {
    readonly print: { readonly id: string; readonly envelope: string; readonly qr_type: string; readonly created_at: string };
    readonly certificates: {
      readonly signers: readonly string[];
      readonly issuer: string;
      readonly root: string;
      readonly timestamp_authority: string;
    };
  };
  readonly jws: string;
};

/**
 * Gives `preuve.json`: readable, and sealed by the service.
 * Shape: `jws` is a compact JWS whose payload is `proof` in canonical form (RFC 8785); flipping any byte of either makes them disagree.
 */
export async function sealProof(deps: PrintDeps, request: PrintToProve): Promise<SealedProof> {
  const { print } = request;
  const signers = new Map(
    (await loadRecordedSignatures(deps.platform.db, print.envelopeId)).map((row) => [row.serialNumber, base64(row.certificateDer)]),
  );
  const { ca, root, tsa } = deps.trust.certificates;
  const built = await buildProof(deps, request);
  const proof = {
    ...built,
    print: { id: print.id, envelope: print.envelopeId, qr_type: print.qrType, created_at: print.createdAt.toISOString() },
    certificates: {
      signers: built.purged ? [] : [...signers.values()],
      issuer: base64(ca),
      root: base64(root),
      timestamp_authority: base64(tsa),
    },
  };
  const canonical = canonicalize(proof);
  if (canonical === undefined) throw new Error("The proof has no canonical form");
  return { proof, jws: await signJws(deps.trust.seal, new TextEncoder().encode(canonical)) };
}

function base64(der: Uint8Array): string {
  return Buffer.from(der).toString("base64");
}
