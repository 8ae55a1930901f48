/** Takes a CMS apart without the product's code. */
type DerElement = {
  readonly tag: number;
  readonly whole: Uint8Array;
  readonly content: Uint8Array;
};

function readDer(bytes: Uint8Array): DerElement {
  const first = bytes[1] ?? 0;
  const count = first < 0x80 ? 0 : first & 0x7f;
  const length =
    count === 0
      ? first
      : bytes.subarray(2, 2 + count).reduce((value, byte) => value * 256 + byte, 0);
  const start = 2 + count;
  return {
    tag: bytes[0] ?? 0,
    whole: bytes.subarray(0, start + length),
    content: bytes.subarray(start, start + length),
  };
}

function childrenOf(element: DerElement): DerElement[] {
  const found: DerElement[] = [];
  for (let at = 0; at < element.content.length; ) {
    const child = readDer(element.content.subarray(at));
    found.push(child);
    at += child.whole.length;
  }
  return found;
}

/** id-aa-signatureTimeStampToken, 1.2.840.113549.1.9.16.2.14 (RFC 3161, appendix A). */
const SIGNATURE_TIMESTAMP = "060b2a864886f70d010910020e";

/** Signature value and time-stamp token of a CMS SignedData with one signer (RFC 5652 §5.3). */
export function takeTimestamp(cms: Uint8Array): {
  signatureValue: Uint8Array;
  token: Uint8Array | null;
} {
  const [, explicit] = childrenOf(readDer(cms));
  const signedData = explicit && childrenOf(explicit)[0];
  const signerInfos = signedData && childrenOf(signedData).at(-1);
  const signerInfo = signerInfos && childrenOf(signerInfos)[0];
  if (!signerInfo) throw new Error("no SignerInfo in this CMS");
  const members = childrenOf(signerInfo);
  const value = members.findLast(({ tag }) => tag === 0x04);
  if (!value) throw new Error("no signature value in this SignerInfo");
  const attributes = members
    .filter(({ tag }) => tag === 0xa1)
    .flatMap(childrenOf)
    .map(childrenOf);
  const timestamp = attributes.find(
    ([oid]) => oid && Buffer.from(oid.whole).toString("hex") === SIGNATURE_TIMESTAMP,
  )?.[1];
  return {
    signatureValue: value.content,
    token: (timestamp && childrenOf(timestamp)[0]?.whole) ?? null,
  };
}
