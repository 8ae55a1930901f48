import { FIELD_LOOKS, type FieldPlacement, type OwnField, type PagePlace } from "../pdf/types.ts";
import { type CoverExcess, type CoveredPage, coverExcess } from "../validate/types.ts";

export const YES = "Oui";
export const NO = "Non";

export type SignatureSight = "visible" | "invisible";

/** Values and initialled pages without a field in a file signed elsewhere. */
export function sayUnplaced(
  unplaced: readonly OwnField[],
  sight: SignatureSight,
): readonly string[] {
  const carrier = sight === "visible" ? carrierOf(unplaced) : undefined;
  const marks = (type: OwnField["type"]): string[] =>
    pageList(unplaced.filter((own) => own.type === type && own !== carrier));
  return [
    ...marks("signature").map((pages) => `${carrier ? "Signé aussi" : "Signé"}\u00a0: ${pages}`),
    ...marks("initials").map((pages) => `Paraphé\u00a0: ${pages}`),
    ...unplaced.flatMap(valueOf),
  ];
}

/** The first signature field, or else the first initials. */
export function carrierOf<F extends Pick<OwnField, "type">>(fields: readonly F[]): F | undefined {
  return (
    fields.find(({ type }) => type === "signature") ??
    fields.find(({ type }) => type === "initials")
  );
}

function valueOf(own: OwnField): string[] {
  const look = FIELD_LOOKS[own.type];
  if (look === "mark" || own.value === null || own.value === "") return [];
  const value = look === "box" ? (own.value === "true" ? YES : NO) : own.value;
  return [own.label ? `${own.label}\u00a0: ${value}` : value];
}

/** Three or more in a row are a range; empty when unknown. */
function pageList(fields: readonly OwnField[]): string[] {
  const pages = [...new Set(fields.flatMap(({ pageNumber }) => pageNumber ?? []))].toSorted(
    (left, right) => left - right,
  );
  const runs: [number, number][] = [];
  for (const page of pages) {
    const run = runs.at(-1);
    if (run && run[1] === page - 1) run[1] = page;
    else runs.push([page, page]);
  }
  const words = runs.flatMap(([first, last]) =>
    last - first > 1
      ? [`${first} à ${last}`]
      : first === last
        ? [`${first}`]
        : [`${first}`, `${last}`],
  );
  return words.length === 0 ? [] : [`p.\u00a0${words.join(", ")}`];
}

type Placed = Pick<FieldPlacement, "type" | "width" | "height">;

/**
 * An owner's one place in a signed file, shrunk to half of the page, the most that a further signer
 * may cover; null without one.
 */
export function furtherPlace<F extends Placed>(own: readonly F[]): F | null {
  const carrier = carrierOf(own);
  if (!carrier) return null;
  const scale = Math.min(1, Math.sqrt(0.499 / (carrier.width * carrier.height)));
  return scale === 1
    ? carrier
    : { ...carrier, width: carrier.width * scale, height: carrier.height * scale };
}

export type SignatureState = "unsigned" | "signed" | "certified";

type PlannedPlace = PagePlace & Pick<FieldPlacement, "ownerKey" | "type" | "pageNumber">;

export type PlannedFields = {
  readonly fields: readonly PlannedPlace[];
  /** Those who may sign first: their own places never come after their signature. */
  readonly firstOwners: readonly string[];
  readonly state: SignatureState;
  readonly covered: readonly CoveredPage[];
};

/** Its later places exceed what a signature tolerates. */
export type OverfullPage = { readonly pageNumber: number; readonly excess: CoverExcess };

/** Above the rounding of places, below what the eye sees. Units: parts of the page. */
const MARGIN = 0.0005;

/**
 * The pages on which planned fields would break an earlier or the first signature, by `validate`'s
 * rule. By page number.
 */
export function overfullPages({
  fields,
  firstOwners,
  state,
  covered,
}: PlannedFields): readonly OverfullPage[] {
  // A certified file gets invisible fields.
  if (state === "certified") return [];
  const excesses =
    state === "signed" ? besideSignatures(fields, covered) : afterTheFirst(fields, firstOwners);
  return [...excesses]
    .map(([pageNumber, excess]) => ({ pageNumber, excess }))
    .toSorted((left, right) => left.pageNumber - right.pageNumber);
}

type Excesses = ReadonlyMap<number, CoverExcess>;

function besideSignatures(
  fields: readonly PlannedPlace[],
  covered: readonly CoveredPage[],
): Excesses {
  const owners = Map.groupBy(fields, ({ ownerKey }) => ownerKey);
  const places = [...owners.values()].flatMap((own) => furtherPlace(own) ?? []);
  const before = new Map(covered.map((page) => [page.pageNumber, page]));
  const found = new Map<number, CoverExcess>();
  for (const [pageNumber, there] of Map.groupBy(places, (place) => place.pageNumber)) {
    const { added, filled } = before.get(pageNumber) ?? { added: 0, filled: 0 };
    const excess = coverExcess({ added: added + sumOf(there), filled }, MARGIN);
    if (excess !== null) found.set(pageNumber, excess);
  }
  return found;
}

/** All places precede the first signature; the others' are filled after it. */
function afterTheFirst(fields: readonly PlannedPlace[], firstOwners: readonly string[]): Excesses {
  const found = new Map<number, CoverExcess>();
  for (const [pageNumber, there] of Map.groupBy(fields, (field) => field.pageNumber)) {
    const most = Math.max(
      0,
      ...firstOwners.map((first) => sumOf(there.filter(({ ownerKey }) => ownerKey !== first))),
    );
    const excess = coverExcess({ added: 0, filled: most }, MARGIN);
    if (excess !== null) found.set(pageNumber, excess);
  }
  return found;
}

function sumOf(places: readonly PagePlace[]): number {
  return places.reduce((sum, place) => sum + partOf(place), 0);
}

function partOf({ x, y, width, height }: PagePlace): number {
  const across = Math.min(1, x + width) - Math.max(0, x);
  const down = Math.min(1, y + height) - Math.max(0, y);
  return Math.max(0, across) * Math.max(0, down);
}

/** A '.' would separate it from its parent's (ISO 32000-2 §12.7.4.2). */
export function fieldName(namePrefix: string, name: string): string {
  return clean(`${namePrefix}_${name}`);
}

export function signatureFieldName(namePrefix: string, ownerKey: string): string {
  return clean(`${namePrefix}_signature_${ownerKey}`);
}

const clean = (name: string): string => name.replaceAll(".", "-");
