import type { FieldPlacement, Fonts, Mark } from "../pdf/types.ts";
import { PadesError } from "../pades-error.ts";
import type { Signer, TimestampAuthority } from "../ports.ts";
import { completeSignature } from "../sign/complete-signature.ts";
import { createSignature } from "../sign/create-signature.ts";
import { prepareDocumentTimestamp } from "../sign/prepare-document-timestamp.ts";
import { prepareFields } from "../sign/prepare-fields.ts";
import { prepareSignature } from "../sign/prepare-signature.ts";
import { validate } from "../validate/validate.ts";

/** Throw-away keys whose paths end at `root`, good at `now`; the time-stamps state that time. */
export type RehearsalMeans = {
  readonly fonts: Fonts;
  readonly signer: Signer;
  readonly tsa: TimestampAuthority;
  readonly root: Uint8Array;
  readonly now: Date;
};

/** Where a file cannot be finished, and why: a code, or what our own validation says. */
export type RehearsalFailure = { readonly step: "prepare" | "sign" | "archive" | "validate"; readonly reason: string };

const PREFIX = "repetition";
const OWNERS = ["a", "b"] as const;
const MARK: Mark = {
  kind: "strokes",
  strokes: [
    [
      [0, 0.8, 0.5],
      [1, 0.2, 0.5],
    ],
  ],
};

/**
 * Takes a file that `inspectPdf` calls ok through its whole life: prepared for two people with a signature and a text each, signed by both,
 * archived, validated.
 * Shape: null when nothing stands in the way; the file itself is left as it is.
 */
export async function rehearse(bytes: Uint8Array, means: RehearsalMeans): Promise<RehearsalFailure | null> {
  let step: RehearsalFailure["step"] = "prepare";
  try {
    let file = await prepareFields(bytes, { namePrefix: PREFIX, fonts: means.fonts, fields: OWNERS.flatMap(placesOf) });
    step = "sign";
    for (const ownerKey of OWNERS) file = await signed(file, ownerKey, means);
    step = "archive";
    file = await archived(file, means);
    const reason = await complaint(file, means);
    return reason === null ? null : { step: "validate", reason };
  } catch (error) {
    if (!(error instanceof PadesError)) throw error;
    return { step, reason: error.code };
  }
}

/** Small, in a corner each: pages signed elsewhere bear only so much. */
function placesOf(ownerKey: string, index: number): FieldPlacement[] {
  const common = { ownerKey, pageNumber: 1, x: 0.02 + index * 0.2, width: 0.15, height: 0.03, label: ownerKey, tooltip: ownerKey };
  return [
    { ...common, name: `${ownerKey}-signature`, type: "signature", y: 0.02 },
    { ...common, name: `${ownerKey}-texte`, type: "text", y: 0.06 },
  ];
}

async function signed(file: Uint8Array, ownerKey: string, { fonts, signer, tsa, now }: RehearsalMeans): Promise<Uint8Array> {
  const prepared = await prepareSignature(file, {
    namePrefix: PREFIX,
    ownerKey,
    ownFields: placesOf(ownerKey, 0).map(({ name, type }) => ({ name, type, value: type === "text" ? ownerKey : null })),
    mark: MARK,
    lines: [ownerKey],
    fonts,
    signingTime: now,
    signerName: ownerKey,
  });
  return completeSignature(prepared, await createSignature({ signer, tsa, digestSha256: prepared.digestSha256 }));
}

async function archived(file: Uint8Array, { signer, tsa }: RehearsalMeans): Promise<Uint8Array> {
  const prepared = await prepareDocumentTimestamp(file, { longTermData: { certificates: signer.certificates, ocsps: [], crls: [] } });
  return completeSignature(prepared, await tsa.timestamp(prepared.digestSha256));
}

/** What our own validation holds against the file: anything but ours passed, and what came with it not failed. */
async function complaint(file: Uint8Array, { root, now }: RehearsalMeans): Promise<string | null> {
  const { problems, signatures } = await validate(file, { evidence: { trustAnchors: { signers: [root], timestamps: [root] } }, now });
  const failed = signatures.find(({ indication }) => indication === "TOTAL_FAILED");
  const reason = problems[0] ?? failed?.subIndication ?? null;
  const passed = signatures.filter(({ indication }) => indication === "TOTAL_PASSED").length;
  return reason ?? (passed < OWNERS.length + 1 ? "not_passed" : null);
}
