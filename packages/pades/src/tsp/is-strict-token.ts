import { type Asn1, child, children, oidOf, parseDer, smallInteger } from "../asn1/der-reader.ts";
import { OID } from "../asn1/oids.ts";
import { PadesError } from "../pades-error.ts";

/**
 * Says whether a time-stamp token has nothing in it that could be another byte without a fault elsewhere: one signer, the versions that its parts ask for,
 * each part under its own tag, nothing behind it, nothing that no signature covers. Its certificates are the caller's to verify, each of them.
 * Shape: DER of a ContentInfo that `verifyTimestampToken` takes.
 * Source: RFC 5652 §5.1, §5.3 (versions, tags); RFC 3161 §2.4.2 (one signer); RFC 4055 §2.1 (parameters of RSA).
 */
export function isStrictToken(der: Uint8Array): boolean {
  try {
    const [type, explicitData] = tagged(parseDer(der), 0x30, [0x06, 0xa0]);
    const [signedData] = tagged(explicitData, 0xa0, [0x30]);
    const [version, digests, encapsulated, certificates, signers] = tagged(signedData, 0x30, [0x02, 0x31, 0x30, 0xa0, 0x31]);
    const [, content] = tagged(encapsulated, 0x30, [0x06, 0xa0]);
    tagged(content, 0xa0, [0x04]);
    const [signer] = tagged(signers, 0x31, [0x30]);
    const [signerVersion, id, digest, attributes, algorithm] = tagged(signer, 0x30, [0x02, [0x30, 0x80], 0x30, 0xa0, 0x30, 0x04]);
    const [announced] = tagged(digests, 0x31, [0x30]);
    return (
      oidOf(type as Asn1) === OID.signedData &&
      smallInteger(version as Asn1) === 3 &&
      smallInteger(signerVersion as Asn1) === (id?.tag === 0x30 ? 1 : 3) &&
      nameOf(announced) === nameOf(digest) &&
      [announced, digest, algorithm].every(hasPlainParameters) &&
      children(certificates as Asn1).every(({ tag }) => tag === 0x30) &&
      children(attributes as Asn1).every(({ tag }) => tag === 0x30)
    );
  } catch (error) {
    if (error instanceof PadesError) return false;
    throw error;
  }
}

/** Gives the members of an element of this tag, when they have these tags, one for one. */
function tagged(element: Asn1 | undefined, tag: number, members: readonly (number | readonly number[])[]): readonly Asn1[] {
  const found = element?.tag === tag ? children(element) : [];
  const isAsExpected =
    found.length === members.length &&
    members.every((expected, index) => {
      const met = found[index]?.tag ?? -1;
      return typeof expected === "number" ? met === expected : expected.includes(met);
    });
  if (!isAsExpected) throw new PadesError("asn1_malformed", "Expected the members of a time-stamp token");
  return found;
}

const nameOf = (algorithm: Asn1 | undefined): string => oidOf(child(algorithm === undefined ? [] : children(algorithm), 0));

/** None, NULL, or those of RSA-PSS, by which the signature is verified. */
function hasPlainParameters(algorithm: Asn1 | undefined): boolean {
  const [type, parameters, ...more] = algorithm === undefined ? [] : children(algorithm);
  if (type === undefined || more.length > 0) return false;
  const isNull = parameters?.tag === 0x05 && parameters.content.length === 0;
  return parameters === undefined || isNull || oidOf(type) === OID.rsaPss;
}
