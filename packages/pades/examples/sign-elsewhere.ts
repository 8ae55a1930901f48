import {
  completeSignature,
  createSignature,
  prepareFields,
  prepareSignature,
} from "@paraphe/pades";
import { type Demo, runExample } from "./demo.ts";
import { contractPdf, PLACES, PREFIX } from "./demo-contract.ts";

/**
 * Prepare, sign elsewhere, complete. The file never travels to whoever holds the key: 32 bytes go, a CMS comes back.
 */
export async function signElsewhere({ pki, fonts, now }: Demo): Promise<Uint8Array> {
  // Once, before anybody signs: every field of everybody, so that a later signature only fills in.
  const prepared = await prepareFields(contractPdf(), {
    namePrefix: PREFIX,
    fonts,
    fields: PLACES,
  });

  // The tenant's values, their hand, and room for the signature.
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

  // Elsewhere: a telephone, an HSM, another service.
  const signer = await pki.issue("Zoé Œuvrard");
  const signDigest = (digestSha256: Uint8Array): Promise<Uint8Array> =>
    createSignature({ signer, tsa: pki.timestampAt(now), digestSha256 });
  const cms = await signDigest(revision.digestSha256);

  // A patch of the bytes that were prepared: level B-T.
  return completeSignature(revision, cms);
}

if (import.meta.main) await runExample(signElsewhere);
