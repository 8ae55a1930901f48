import type { OwnField } from "../pdf/types.ts";

export const YES = "Oui";
export const NO = "Non";

/** Where the signature shows: in a field of the page, or nowhere. */
export type SignatureSight = "visible" | "invisible";

/**
 * Says what has no field of its own in a file signed elsewhere, to be printed with the signature: values, and the pages that were initialled.
 * Shape: of a visible signature the place that carries it is left out, being seen.
 */
export function sayUnplaced(unplaced: readonly OwnField[], sight: SignatureSight): readonly string[] {
  const carrier = sight === "visible" ? carrierOf(unplaced) : undefined;
  const marks = (type: OwnField["type"]): string[] => pageList(unplaced.filter((own) => own.type === type && own !== carrier));
  return [
    ...marks("signature").map((pages) => `${carrier ? "Signé aussi" : "Signé"}\u00a0: ${pages}`),
    ...marks("initials").map((pages) => `Paraphé\u00a0: ${pages}`),
    ...unplaced.flatMap(valueOf),
  ];
}

/** Gives the place of an owner that carries the signature: the first signature, or else the first initials. */
export function carrierOf<F extends Pick<OwnField, "type">>(fields: readonly F[]): F | undefined {
  return fields.find(({ type }) => type === "signature") ?? fields.find(({ type }) => type === "initials");
}

function valueOf(own: OwnField): string[] {
  if (own.type === "signature" || own.type === "initials" || own.value === null || own.value === "") return [];
  const value = own.type === "checkbox" ? (own.value === "true" ? YES : NO) : own.value;
  return [own.label ? `${own.label}\u00a0: ${value}` : value];
}

/** Gives the pages of these fields in words, three or more in a row as a range; nothing when none is known. */
function pageList(fields: readonly OwnField[]): string[] {
  const pages = [...new Set(fields.flatMap(({ pageNumber }) => pageNumber ?? []))].toSorted((left, right) => left - right);
  const runs: [number, number][] = [];
  for (const page of pages) {
    const run = runs.at(-1);
    if (run && run[1] === page - 1) run[1] = page;
    else runs.push([page, page]);
  }
  const words = runs.flatMap(([first, last]) =>
    last - first > 1 ? [`${first} à ${last}`] : first === last ? [`${first}`] : [`${first}`, `${last}`],
  );
  return words.length === 0 ? [] : [`p.\u00a0${words.join(", ")}`];
}
