import { child, children, oidOf, readElement, textOf } from "../asn1/der-reader.ts";
import { oid, printableString, sequence, setOf, utf8String } from "../asn1/der-writer.ts";
import { OID } from "../asn1/oids.ts";
import type { DistinguishedName } from "./types.ts";

const ATTRIBUTES: readonly (readonly [keyof DistinguishedName, string])[] = [
  ["country", OID.country],
  ["organization", OID.organization],
  ["organizationalUnit", OID.organizationalUnit],
  ["surname", OID.surname],
  ["givenName", OID.givenName],
  ["serialNumber", OID.serialNumber],
  ["commonName", OID.commonName],
];

/** A DER Name; each value is one attribute, whatever its characters. Source: RFC 5280 §4.1.2.4. */
export function encodeName(name: DistinguishedName): Uint8Array {
  const parts = ATTRIBUTES.flatMap(([key, id]) => {
    const value = name[key];
    if (value === undefined || value === "") return [];
    // RFC 5280 Appendix A: country and serialNumber are PrintableString.
    const printable =
      key === "country" || (key === "serialNumber" && /^[A-Za-z0-9 '()+,\-./:=?]+$/.test(value));
    return [setOf(sequence(oid(id), printable ? printableString(value) : utf8String(value)))];
  });
  return sequence(...parts);
}

/** Parses a DER Name: the attributes that this product shows, the first value of each. */
export function parseName(der: Uint8Array): DistinguishedName {
  const values: Record<string, string> = {};
  for (const set of children(readElement(der))) {
    for (const attribute of children(set)) {
      const [type, value] = [child(children(attribute), 0), child(children(attribute), 1)];
      const known = ATTRIBUTES.find(([, id]) => id === oidOf(type));
      if (known) values[known[0]] ??= textOf(value);
    }
  }
  return { ...values, commonName: values.commonName ?? "" };
}
