import type { FieldPlacement, OwnField, PagePlace } from "../pdf/types.ts";
import { type CoveredPage, type CoverExcess, coverExcess } from "../validate/page-cover.ts";

export const YES = "Oui";
export const NO = "Non";

/** Where the signature shows: in a field of the page, or nowhere. */
export type SignatureSight = "visible" | "invisible";

/**
 * Says what has no field of its own in a file signed elsewhere, to be printed with the signature: values, and the pages that were initialled.
 * Shape: of a visible signature the place that carries it is left out, being seen.
 */
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

/** Gives the place of an owner that carries the signature: the first signature, or else the first initials. */
export function carrierOf<F extends Pick<OwnField, "type">>(fields: readonly F[]): F | undefined {
  return (
    fields.find(({ type }) => type === "signature") ??
    fields.find(({ type }) => type === "initials")
  );
}

function valueOf(own: OwnField): string[] {
  if (own.type === "signature" || own.type === "initials" || own.value === null || own.value === "")
    return [];
  const value = own.type === "checkbox" ? (own.value === "true" ? YES : NO) : own.value;
  return [own.label ? `${own.label}\u00a0: ${value}` : value];
}

/** Gives the pages of these fields in words, three or more in a row as a range; nothing when none is known. */
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

/** A place as far as it covers something. */
type Placed = Pick<FieldPlacement, "type" | "width" | "height">;

/**
 * Gives the one place of an owner's that is made in a file signed before: the one that carries the signature, smaller where it is larger than
 * half of its page, which is more than a further signer may cover. Null without such a place.
 */
export function furtherPlace<F extends Placed>(own: readonly F[]): F | null {
  const carrier = carrierOf(own);
  if (!carrier) return null;
  const scale = Math.min(1, Math.sqrt(0.499 / (carrier.width * carrier.height)));
  return scale === 1
    ? carrier
    : { ...carrier, width: carrier.width * scale, height: carrier.height * scale };
}

/** What a file bears already: nothing, a signature or a document time-stamp, a certification. */
export type SignatureState = "unsigned" | "signed" | "certified";

type PlannedPlace = PagePlace & Pick<FieldPlacement, "ownerKey" | "type" | "pageNumber">;

export type PlannedFields = {
  /** In the order in which `prepareFields` will have them. */
  readonly fields: readonly PlannedPlace[];
  /** Whoever may be the first to sign: of their own places nothing comes after their signature. */
  readonly firstOwners: readonly string[];
  readonly state: SignatureState;
  /** What came since the file's first signature, as `inspectPdf` says. */
  readonly covered: readonly CoveredPage[];
};

/** A page on which so much is to be shown after a signature that this signature would not be passed any more. */
export type OverfullPage = { readonly pageNumber: number; readonly excess: CoverExcess };

/** More than rounding to a thousandth of a point takes, and less than the eye sees. Units: parts of the page. */
const MARGIN = 0.0005;

/**
 * Says of the fields of a file that is not prepared yet on which pages they would break a signature: somebody's earlier one, or that of
 * whoever of their owners signs first. It is the rule of `validate`, before anybody agrees to sign.
 * Shape: by page number.
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

/** In a file signed before, each owner has one place, which is new for who signed it. */
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

/** In any other file all places are there before the first signature, and the others' are filled after it. */
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

/** Nothing is shown beside the page. */
function partOf({ x, y, width, height }: PagePlace): number {
  const across = Math.min(1, x + width) - Math.max(0, x);
  const down = Math.min(1, y + height) - Math.max(0, y);
  return Math.max(0, across) * Math.max(0, down);
}
