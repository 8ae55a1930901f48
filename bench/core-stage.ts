import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { keySigner, makeKey } from "../apps/server/src/features/trust/make-authority.ts";
import {
  completeSignature,
  createRoot,
  createSignature,
  type FieldPlacement,
  type Fonts,
  issueCertificate,
  type Mark,
  prepareSignature,
  type Signer,
} from "../packages/pades/src/index.ts";

export const PREFIX = "bench";
export const KB = 1024;
export const MB = 1024 * KB;

const place = (name: string, type: FieldPlacement["type"], y: number): FieldPlacement => ({
  name,
  ownerKey: "a",
  type,
  pageNumber: 1,
  x: 0.1,
  y,
  width: 0.4,
  height: 0.08,
  label: name,
  tooltip: name,
});
export const FIELDS = [
  place("s", "signature", 0.8),
  place("t", "text", 0.1),
  place("d", "date", 0.3),
];
export const DRAWN: Mark = {
  kind: "strokes",
  strokes: [
    Array.from(
      { length: 90 },
      (_, index) => [index / 40, 0.5 + 0.4 * Math.sin(index / 5), 0.5] as const,
    ),
  ],
};
export const TYPED: Mark = { kind: "typed", text: "Zoé Œuvrard", hand: "caveat" };

export function streamedSha256(pieces: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return new Uint8Array(hash.digest());
}

export type SignRequest = {
  readonly fonts: Fonts;
  readonly signer: Signer;
  readonly mark?: Mark;
  readonly ownerKey?: string;
  readonly fields?: readonly FieldPlacement[];
};

/** Signs as the service does. */
export async function signOnce(prepared: Uint8Array, request: SignRequest): Promise<Uint8Array> {
  const { fonts, signer, mark = DRAWN, ownerKey = "a", fields = FIELDS } = request;
  const revision = await prepareSignature(prepared, {
    namePrefix: PREFIX,
    ownerKey,
    ownFields: fields.map(({ name, type }) => ({
      name,
      type,
      value: type === "signature" ? null : "Lu et approuvé",
    })),
    mark,
    lines: [
      "Zoé Œuvrard",
      "Signé électroniquement le 21/11/2026 à 15:16:04 (UTC+1)",
      "0198f3c2-7a10-7c3e-9b1a-4f2e6d8c0a11",
    ],
    fonts,
    signingTime: new Date(),
    signerName: "Zoé Œuvrard",
    sha256: streamedSha256,
    deflate: (data) => deflateSync(data),
  });
  return completeSignature(
    revision,
    await createSignature({ signer, digestSha256: revision.digestSha256 }),
  );
}

/** A signer with a key as the service makes it. */
export async function benchSigner(): Promise<Signer> {
  const [root, leaf] = [makeKey("P-256"), makeKey("P-256")];
  const validity = { notBefore: new Date(), notAfter: new Date(Date.now() + 86_400_000) };
  const common = {
    subject: { commonName: "Banc d’essai" },
    serialNumber: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
    ...validity,
  };
  const rootDer = await createRoot(keySigner(root.privateKey, []), {
    ...common,
    subjectPublicKey: root.subjectPublicKey,
  });
  const issuer = keySigner(root.privateKey, [rootDer]);
  const leafDer = await issueCertificate(issuer, {
    ...common,
    profile: "signer",
    subjectPublicKey: leaf.subjectPublicKey,
  });
  return keySigner(leaf.privateKey, [leafDer]);
}

/** One page of about this size, filled with noise. */
export function fillerPdf(sizeBytes: number): Uint8Array {
  const noise = new Uint8Array(sizeBytes - 700);
  for (let at = 0; at < noise.length; at += 65_536)
    crypto.getRandomValues(noise.subarray(at, Math.min(noise.length, at + 65_536)));
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (...pieces: readonly (string | Uint8Array)[]): void => {
    for (const piece of pieces) {
      const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : Buffer.from(piece);
      parts.push(bytes);
      length += bytes.length;
    }
  };
  const object = (...body: readonly (string | Uint8Array)[]): void => {
    offsets.push(length);
    add(`${offsets.length} 0 obj\n`, ...body, "\nendobj\n");
  };
  object("<</Type/Catalog/Pages 2 0 R>>");
  object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
  object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</N 4 0 R>>>>>>");
  object(
    `<</Type/XObject/Subtype/Form/BBox[0 0 0 0]/Length ${noise.length}>>\nstream\n`,
    noise,
    "\nendstream",
  );
  const start = length;
  const entries = offsets
    .map((offset) => `${String(offset).padStart(10, "0")} 00000 n\r\n`)
    .join("");
  add(
    `xref\n0 5\n0000000000 65535 f\r\n${entries}trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`,
  );
  return new Uint8Array(Buffer.concat(parts));
}
