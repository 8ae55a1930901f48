import { completeSignature, createSignature, prepareSignature } from "@paraphe/pades";
import { type Demo, PREFIX, runExample } from "./demo.ts";
import { signElsewhere } from "./sign-elsewhere.ts";

/** Adds a second signature: the signed bytes stay an exact prefix of the new file. */
export async function countersign(demo: Demo): Promise<Uint8Array> {
  const { pki, fonts, now } = demo;
  const signed = await signElsewhere(demo);
  const revision = await prepareSignature(signed, {
    namePrefix: PREFIX,
    ownerKey: "bailleur",
    ownFields: [{ name: "signature-bailleur", type: "signature", value: null }],
    mark: {
      kind: "strokes",
      strokes: [
        [
          [0.1, 0.8, 0.4],
          [0.4, 0.2, 0.7],
          [0.7, 0.8, 0.6],
          [1.2, 0.3, 0.5],
        ],
      ],
    },
    lines: ["Ernest Lilas", "Signé électroniquement"],
    fonts,
    signingTime: now,
    signerName: "Ernest Lilas",
  });
  const signer = await pki.issue("Ernest Lilas");
  return completeSignature(
    revision,
    await createSignature({
      signer,
      tsa: pki.timestampAt(now),
      digestSha256: revision.digestSha256,
    }),
  );
}

if (import.meta.main) await runExample(countersign);
