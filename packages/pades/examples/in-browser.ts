import { type Fonts, validate } from "@paraphe/pades";
import { archive } from "./archive.ts";
import { createDemoPki } from "./demo.ts";

export type BrowserAnswer = {
  readonly bytes: readonly number[];
  readonly verdicts: readonly (readonly [indication: string, level: string | null])[];
  readonly alteredVerdicts: readonly string[];
};

/** Two people sign with WebCrypto keys; the archive fails validation with one bit changed. */
export async function archiveInBrowser(fontPaths: {
  readonly text: string;
  readonly hand: string;
}): Promise<BrowserAnswer> {
  const read = async (path: string): Promise<Uint8Array> =>
    new Uint8Array(await (await fetch(path)).arrayBuffer());
  const [text, hand] = await Promise.all([read(fontPaths.text), read(fontPaths.hand)]);
  const hands = {
    caveat: hand,
    "la-belle-aurore": hand,
    "playwrite-fr-moderne": hand,
    "herr-von-muellerhoff": hand,
  };
  const fonts: Fonts = { text: [text], hands };
  const now = new Date();
  const pki = await createDemoPki(now);
  const bytes = await archive({ pki, fonts, now });
  const altered = bytes.slice();
  altered[200] = (altered[200] ?? 0) ^ 1;
  const validated = async (file: Uint8Array) =>
    (
      await validate(file, {
        evidence: { trustAnchors: { signers: [pki.root], timestamps: [pki.root] } },
        now: new Date(now.getTime() + 1_000),
      })
    ).signatures;
  return {
    bytes: [...bytes],
    verdicts: (await validated(bytes)).map(({ indication, level }) => [indication, level] as const),
    alteredVerdicts: (await validated(altered)).map(({ indication }) => indication),
  };
}
