import {
  bitStringBytes,
  child,
  children,
  magnitude,
  octets,
  oidOf,
  parseDer,
  readElement,
  smallInteger,
  timeOf,
  toHex,
} from "../asn1/der-reader.ts";
import {
  bitString,
  enumerated,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  time,
  unsignedInteger,
} from "../asn1/der-writer.ts";
import { OID } from "../asn1/oids.ts";
import {
  signatureAlgorithmOf,
  type AlgorithmIdentifier,
  type CrlRequest,
  type Issuer,
  type RevocationReason,
} from "./types.ts";
import { keyIdentifier, parseAlgorithm, parseCertificate } from "./certificate.ts";

/** Makes a version 2 CRL (DER); times lose their fractions. Source: RFC 5280 §5.1, §5.2. */
export async function createCrl(issuer: Issuer, request: CrlRequest): Promise<Uint8Array> {
  const certificate = parseCertificate(issuer.certificates[0] ?? new Uint8Array());
  const algorithm = signatureAlgorithmOf(issuer.algorithm);
  const entries = request.revoked.map(({ serialNumber, revokedAt, reason }) =>
    sequence(
      unsignedInteger(serialNumber),
      time(revokedAt),
      // RFC 5280 §5.3.1: absence means `unspecified`.
      ...(reason ? [sequence(sequence(oid(OID.crlReason), octetString(enumerated(reason))))] : []),
    ),
  );
  const extensions = sequence(
    sequence(
      oid(OID.authorityKeyIdentifier),
      octetString(sequence(implicit(0, await keyIdentifier(certificate.subjectPublicKey)))),
    ),
    sequence(oid(OID.crlNumber), octetString(integer(request.number))),
  );
  const tbs = sequence(
    integer(1),
    algorithm,
    certificate.subjectDer,
    time(request.thisUpdate),
    time(request.nextUpdate),
    // RFC 5280 §5.1.2.6: an empty list must be absent.
    ...(entries.length > 0 ? [sequence(...entries)] : []),
    explicit(0, extensions),
  );
  return sequence(tbs, algorithm, bitString(await issuer.sign(tbs)));
}

/** A parsed CRL. */
export type Crl = {
  readonly tbs: Uint8Array;
  readonly issuerDer: Uint8Array;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | null;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
  /** Serial numbers, hexadecimal. */
  readonly revoked: ReadonlyMap<
    string,
    { readonly at: Date; readonly reason: RevocationReason | null }
  >;
  /** Otherwise it cannot say "good" (RFC 5280 §5.2.4, §5.2.5). */
  readonly complete: boolean;
};

/** Parses a CRL. Errors: PadesError `asn1_malformed`. Source: RFC 5280 §5.1. */
export function parseCrl(der: Uint8Array): Crl {
  const outer = children(parseDer(der));
  const tbs = child(outer, 0, 0x30);
  const members = children(tbs);
  let at = members[0]?.tag === 0x02 ? 2 : 1;
  const issuer = child(members, at, 0x30);
  const thisUpdate = timeOf(child(members, at + 1));
  at += 2;
  const next = members[at];
  const hasNext = next?.tag === 0x17 || next?.tag === 0x18;
  if (hasNext) at += 1;
  const list = members[at]?.tag === 0x30 ? children(child(members, at)) : [];
  const extensions = members.find((member) => member.tag === 0xa0);
  const ids = extensions
    ? children(readElement(extensions.content)).map((item) => oidOf(child(children(item), 0)))
    : [];
  return {
    tbs: tbs.bytes,
    issuerDer: issuer.bytes,
    thisUpdate,
    nextUpdate: hasNext && next ? timeOf(next) : null,
    signatureAlgorithm: parseAlgorithm(child(outer, 1, 0x30)),
    signature: bitStringBytes(child(outer, 2, 0x03)),
    revoked: new Map(list.map((entry) => readEntry(children(entry)))),
    complete: !ids.includes(OID.deltaCrlIndicator) && !ids.includes(OID.issuingDistributionPoint),
  };
}

function readEntry(
  members: ReturnType<typeof children>,
): [string, { at: Date; reason: RevocationReason | null }] {
  const serial = toHex(magnitude(child(members, 0, 0x02)));
  const extensions = members[2] ? children(members[2]) : [];
  const reason = extensions
    .map(children)
    .find((item) => oidOf(child(item, 0)) === OID.crlReason)
    ?.at(-1);
  return [
    serial,
    {
      at: timeOf(child(members, 1)),
      reason: reason ? (smallInteger(readElement(octets(reason))) as RevocationReason) : null,
    },
  ];
}
