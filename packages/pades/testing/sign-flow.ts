import type { FieldPlacement, Mark, OwnField, PrepareSignatureOptions } from "../src/pdf/types.ts";
import type { Signer, TimestampAuthority } from "../src/ports.ts";
import { completeSignature, createSignature } from "../src/sign/create-signature.ts";
import { prepareSignature } from "../src/sign/prepare-signature.ts";
import { prepareFields } from "../src/sign/prepare-fields.ts";
import { TEST_FONTS } from "./test-fonts.ts";
import { TEST_NOW } from "./test-pki.ts";

export const PREFIX = "env-0198";
export const STROKES: Mark = {
  kind: "strokes",
  strokes: [
    [
      [0.1, 0.8, 0.2],
      [0.3, 0.2, 0.6],
      [0.5, 0.8, 0.9],
      [0.7, 0.25, 0.5],
      [1.0, 0.7, 0.4],
      [1.5, 0.5, 0.8],
    ],
    [
      [0.2, 0.95, 0.5],
      [1.6, 0.9, 0.7],
    ],
    [[1.7, 0.3, 1]],
  ],
};
const place = (name: string, ownerKey: string, rest: Partial<FieldPlacement>): FieldPlacement => ({
  name,
  ownerKey,
  type: "signature",
  pageNumber: 1,
  x: 0.1,
  y: 0.1,
  width: 0.3,
  height: 0.1,
  label: name,
  tooltip: `Champ ${name}`,
  ...rest,
});

/** Two signers: every kind of field for the first; a signature and a text for the second. */
export const PLACEMENTS: readonly FieldPlacement[] = [
  place("a-sig", "alice", { x: 0.1, y: 0.8 }),
  place("a-ini", "alice", { type: "initials", x: 0.8, y: 0.05, width: 0.1, height: 0.05 }),
  place("a-txt", "alice", { type: "text", x: 0.1, y: 0.1, width: 0.4, height: 0.08 }),
  place("a-date", "alice", { type: "date", x: 0.1, y: 0.22, width: 0.2, height: 0.03 }),
  place("a-name", "alice", { type: "name", x: 0.1, y: 0.27, width: 0.3, height: 0.03 }),
  place("a-box", "alice", { type: "checkbox", x: 0.1, y: 0.33, width: 0.04, height: 0.03 }),
  place("b-sig", "bob", { x: 0.6, y: 0.8 }),
  place("b-txt", "bob", { type: "text", x: 0.55, y: 0.1, width: 0.2, height: 0.05 }),
];
const VALUES: Readonly<Record<string, string | null>> = {
  "a-txt": "Lu et approuvé, « bon pour accord » à Œuvres-sur-Èvre : 12 € l’unité.\nNguyễn Thị Ánh",
  "a-date": "21/11/2026",
  "a-name": "Alice Éléonore d’Œuvre",
  "a-box": "true",
};
export const ownFields = (ownerKey: string): OwnField[] =>
  PLACEMENTS.filter((field) => field.ownerKey === ownerKey).map(({ name, type, label }) => ({
    name,
    type,
    label,
    value: VALUES[name] ?? null,
  }));

export const prepareAll = (bytes: Uint8Array): Promise<Uint8Array> =>
  prepareFields(bytes, { namePrefix: PREFIX, fonts: TEST_FONTS, fields: PLACEMENTS });

export type SignStep = {
  signer: Signer;
  tsa?: TimestampAuthority;
  ownerKey: string;
  options?: Partial<PrepareSignatureOptions>;
};

export async function signAs(
  bytes: Uint8Array,
  { signer, tsa, ownerKey, options }: SignStep,
): Promise<Uint8Array> {
  const prepared = await prepareSignature(bytes, {
    namePrefix: PREFIX,
    ownerKey,
    ownFields: ownFields(ownerKey),
    mark: STROKES,
    fonts: TEST_FONTS,
    signingTime: TEST_NOW,
    signerName: `Signataire ${ownerKey}`,
    lines: [
      `Signataire ${ownerKey}`,
      "Signé électroniquement le 21/11/2026 à 15:16:04 (UTC+1)",
      "Enveloppe 0198f3c2-7a10-7c3e-9b1a-4f2e6d8c0a11",
    ],
    ...options,
  });
  return completeSignature(
    prepared,
    await createSignature({ signer, digestSha256: prepared.digestSha256, ...(tsa ? { tsa } : {}) }),
  );
}
