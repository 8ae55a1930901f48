import { completeSignature, longTermNeeds, prepareDocumentTimestamp } from "@paraphe/pades";
import { countersign } from "./countersign.ts";
import { type Demo, runExample } from "./demo.ts";

/** The file has all that proves it, under a document time-stamp. */
export async function archive(demo: Demo): Promise<Uint8Array> {
  return extend(demo, await countersign(demo), demo.now);
}

export async function extend({ pki }: Demo, bytes: Uint8Array, at: Date): Promise<Uint8Array> {
  // The caller fetches it, from addresses that it trusts.
  const needs = await longTermNeeds(bytes, {
    trustAnchors: { signers: [pki.root], timestamps: [pki.root] },
  });
  const revision = await prepareDocumentTimestamp(bytes, {
    longTermData: await pki.gather(needs, at),
  });
  return completeSignature(revision, await pki.timestampAt(at).timestamp(revision.digestSha256));
}

if (import.meta.main) await runExample(archive);
