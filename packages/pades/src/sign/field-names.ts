/** Gives the PDF name of a field. No '.' may occur: it separates a field's name from its parent's (ISO 32000-2 §12.7.4.2). */
export function fieldName(namePrefix: string, name: string): string {
  return clean(`${namePrefix}_${name}`);
}

/** Gives the PDF name of an owner's one signature field. */
export function signatureFieldName(namePrefix: string, ownerKey: string): string {
  return clean(`${namePrefix}_signature_${ownerKey}`);
}

const clean = (name: string): string => name.replaceAll(".", "-");
