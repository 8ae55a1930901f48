import {
  completeSignature,
  createSignature,
  prepareFields,
  prepareSignature,
} from "@paraphe/pades";
import { contractPdf, type Demo, PLACES, PREFIX, runExample } from "./demo.ts";

/** Prepares, signs elsewhere, completes: a digest of 32 bytes leaves, a CMS comes back. */
export async function signElsewhere({ pki, fonts, now }: Demo): Promise<Uint8Array> {
  // Before the first signature: every field of every signer.
  const prepared = await prepareFields(contractPdf(), {
    namePrefix: PREFIX,
    fonts,
    fields: PLACES,
  });

  const revision = await prepareSignature(prepared, {
    namePrefix: PREFIX,
    ownerKey: "locataire",
    ownFields: [
      { name: "mention", type: "text", value: "Lu et approuvé" },
      { name: "signature-locataire", type: "signature", value: null },
    ],
    mark: { kind: "typed", text: "Zoé Œuvrard", hand: "caveat" },
    lines: ["Zoé Œuvrard", "Signé électroniquement"],
    fonts,
    signingTime: now,
    signerName: "Zoé Œuvrard",
  });

  const signer = await pki.issue("Zoé Œuvrard");
  const signDigest = (digestSha256: Uint8Array): Promise<Uint8Array> =>
    createSignature({ signer, tsa: pki.timestampAt(now), digestSha256 });
  const cms = await signDigest(revision.digestSha256);

  return completeSignature(revision, cms);
}

if (import.meta.main) await runExample(signElsewhere);
