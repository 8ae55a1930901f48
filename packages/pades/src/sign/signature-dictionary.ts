import type { Sha256 } from "../ports.ts";
import type { PreparedSignature, PrepareSignatureOptions } from "../pdf/types.ts";
import { writeDate, writeText } from "../pdf/write-object.ts";

/** Three numbers as wide as any offset of a table. */
const BYTE_RANGE_ROOM = "0000000000 0000000000 0000000000";
const RANGE_KEY = "/ByteRange[0 ";
const CONTENTS_KEY = "/Contents<";

export type SignatureDictionaryRequest = {
  readonly options: Pick<
    PrepareSignatureOptions,
    "signingTime" | "signerName" | "reason" | "location"
  >;
  readonly lock: readonly string[];
  /** The catalog's reference: FieldMDP digests cover it. */
  readonly catalog: string;
  readonly reserve: number;
};

/**
 * Room for ByteRange and Contents comes first, so that their places are known. Validators read
 * FieldMDP in /Reference only.
 * Source: ISO 32000-2 §12.8.1 table 255, §12.8.2.4; EN 319 142-1 §6.3.
 */
export function signatureDictionary({
  options,
  lock,
  catalog,
  reserve,
}: SignatureDictionaryRequest): string {
  const reason = options.reason ? `/Reason${writeText(options.reason)}` : "";
  const location = options.location ? `/Location${writeText(options.location)}` : "";
  const fields = lock.map(writeText).join("");
  return `<<${placeholders(reserve)}/Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/M${writeDate(options.signingTime)}/Name${writeText(options.signerName)}${reason}${location}/Reference[<</Type/SigRef/TransformMethod/FieldMDP/Data ${catalog}/TransformParams<</Type/TransformParams/V/1.2/Action/Include/Fields[${fields}]>>>>]>>`;
}

/** Source: EN 319 142-1 §5.4.3; ISO 32000-2 §12.8.5. */
export function timestampDictionary(reserve: number): string {
  return `<<${placeholders(reserve)}/Type/DocTimeStamp/Filter/Adobe.PPKLite/SubFilter/ETSI.RFC3161>>`;
}

const placeholders = (reserve: number): string =>
  `${RANGE_KEY}${BYTE_RANGE_ROOM}]${CONTENTS_KEY}${"0".repeat(reserve * 2)}>`;

/** Where the object begins, and its room. */
export type SealRequest = {
  readonly objectOffset: number;
  readonly reserve: number;
  readonly sha256?: Sha256 | undefined;
};

/** Digests everything but the Contents string. */
export async function sealRevision(
  bytes: Uint8Array,
  { objectOffset, reserve, sha256 }: SealRequest,
): Promise<PreparedSignature> {
  const rangeAt = bytes.indexOf(0x3c, objectOffset) + 2 + RANGE_KEY.length;
  const contentsAt = rangeAt + BYTE_RANGE_ROOM.length + 1 + CONTENTS_KEY.length - 1;
  const after = contentsAt + reserve * 2 + 2;
  const byteRange = [0, contentsAt, after, bytes.length - after] as const;
  const text = byteRange
    .slice(1)
    .map((value) => String(value).padEnd(10, " "))
    .join(" ");
  for (let index = 0; index < text.length; index += 1)
    bytes[rangeAt + index] = text.charCodeAt(index);
  const digestSha256 = sha256
    ? await sha256([bytes.subarray(0, contentsAt), bytes.subarray(after)])
    : await digestAround(bytes, { from: contentsAt, to: after });
  return {
    bytes,
    byteRange,
    contentsOffset: contentsAt + 1,
    contentsLength: reserve * 2,
    digestSha256,
  };
}

/** Bytes after the gap move over it and back: a copy would cost more than the digest. */
async function digestAround(
  bytes: Uint8Array,
  gap: { from: number; to: number },
): Promise<Uint8Array> {
  const tail = bytes.slice(gap.from);
  bytes.copyWithin(gap.from, gap.to);
  const length = bytes.length - (gap.to - gap.from);
  const digest = await crypto.subtle.digest("SHA-256", bytes.subarray(0, length) as BufferSource);
  bytes.set(tail, gap.from);
  return new Uint8Array(digest);
}
