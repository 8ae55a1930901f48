import { certifiedAccountEmail } from "../seal/certified-email.ts";
import type { IssuedSigner } from "../../trust/public.ts";
import type { BatchDeps } from "./create-batches.ts";
import type { RunningBatch } from "./run-store.ts";

/**
 * Gives the one-time signer of a batch in this process: one for the batch (signatures §2), another only where a process took it up after one that died.
 * Its certificate is recorded before it signs, and each signature is followed by a true answer about it: somebody may revoke it meanwhile.
 */
export function signerOf(deps: BatchDeps, batch: RunningBatch): Promise<IssuedSigner> {
  const known = deps.signers.get(batch.id);
  if (known !== undefined) return known;
  const made = makeSigner(deps, batch);
  deps.signers.set(batch.id, made);
  made.catch(() => deps.signers.delete(batch.id));
  return made;
}

async function makeSigner({ platform, sealing }: BatchDeps, { signer }: RunningBatch): Promise<IssuedSigner> {
  const { trust } = sealing;
  const issued = await trust.issueSigner({ fullName: signer.full_name, email: certifiedAccountEmail(signer), now: platform.clock() });
  await platform.db.transaction().execute((trx) => issued.record(trx));
  return {
    ...issued,
    record: async () => {},
    async attest() {
      const answer = await trust.ocsp(issued.certificateDer);
      if (answer === null) throw new Error("Nobody answers for a certificate made by this service");
      return answer;
    },
  };
}
