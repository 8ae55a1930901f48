import {
  bitString,
  booleanValue,
  explicit,
  integer,
  octetString,
  oid,
  sequence,
  time,
  unsignedInteger,
} from "../src/asn1/der-writer.ts";
import { OID } from "../src/asn1/oids.ts";
import type { Signer } from "../src/ports.ts";
import { signatureAlgorithmOf } from "../src/x509/algorithms.ts";
import { encodeName } from "../src/x509/distinguished-name.ts";
import { parseCertificate } from "../src/x509/parse-certificate.ts";
import { TEST_NOW } from "./test-pki.ts";

/** What our own profiles never make. `keyUsage`: the first byte of its bits; `extensions`: DER, besides key usage and purposes. */
export type FreeCertificate = {
  readonly commonName: string;
  readonly subjectPublicKey: Uint8Array;
  readonly keyUsage?: number;
  readonly purposes?: readonly string[];
  readonly extensions?: readonly Uint8Array[];
};

/** One extension, critical or not. Source: RFC 5280 §4.1.2.9. */
export const extension = (
  id: string,
  value: Uint8Array,
  weight: "critical" | "plain" = "plain",
): Uint8Array =>
  sequence(oid(id), ...(weight === "critical" ? [booleanValue(true)] : []), octetString(value));

/** basicConstraints of an authority. */
export const AUTHORITY = extension(OID.basicConstraints, sequence(booleanValue(true)), "critical");

/** Issues a certificate of any make, in force for the year around the tests' time. */
export async function freeCertificate(
  issuer: Signer,
  { keyUsage, purposes = [], ...rest }: FreeCertificate,
): Promise<Uint8Array> {
  const algorithm = signatureAlgorithmOf(issuer.algorithm);
  const year = 365 * 86_400_000;
  const extensions = [
    ...(keyUsage === undefined
      ? []
      : [extension(OID.keyUsage, bitString(Uint8Array.of(keyUsage)), "critical")]),
    ...(purposes.length > 0
      ? [extension(OID.extendedKeyUsage, sequence(...purposes.map(oid)))]
      : []),
    ...(rest.extensions ?? []),
  ];
  const tbs = sequence(
    explicit(0, integer(2)),
    unsignedInteger(crypto.getRandomValues(new Uint8Array(8))),
    algorithm,
    parseCertificate(issuer.certificates[0] as Uint8Array).subjectDer,
    sequence(time(new Date(TEST_NOW.getTime() - year)), time(new Date(TEST_NOW.getTime() + year))),
    encodeName({ commonName: rest.commonName }),
    rest.subjectPublicKey,
    ...(extensions.length > 0 ? [explicit(3, sequence(...extensions))] : []),
  );
  return sequence(tbs, algorithm, bitString(await issuer.sign(tbs)));
}
