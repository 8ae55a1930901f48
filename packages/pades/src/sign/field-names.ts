/**
 * A field's PDF name, without '.', which separates it from its parent's (ISO 32000-2 §12.7.4.2).
 */
export function fieldName(namePrefix: string, name: string): string {
  return clean(`${namePrefix}_${name}`);
}

/** The PDF name of an owner's signature field. */
export function signatureFieldName(namePrefix: string, ownerKey: string): string {
  return clean(`${namePrefix}_signature_${ownerKey}`);
}

const clean = (name: string): string => name.replaceAll(".", "-");
