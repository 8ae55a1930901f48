import type { FieldPlacement, PagePlace } from "../pdf/types.ts";
import { type CoveredPage, type CoverExcess, coverExcess } from "../validate/page-cover.ts";
import { furtherPlace } from "./further-place.ts";

/** What a file bears already: nothing, a signature or a document time-stamp, a certification. */
export type SignatureState = "unsigned" | "signed" | "certified";

export type PlannedPlace = PagePlace & Pick<FieldPlacement, "ownerKey" | "type" | "pageNumber">;

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
export function overfullPages({ fields, firstOwners, state, covered }: PlannedFields): readonly OverfullPage[] {
  // A certified file gets invisible fields.
  if (state === "certified") return [];
  const excesses = state === "signed" ? besideSignatures(fields, covered) : afterTheFirst(fields, firstOwners);
  return [...excesses]
    .map(([pageNumber, excess]) => ({ pageNumber, excess }))
    .toSorted((left, right) => left.pageNumber - right.pageNumber);
}

type Excesses = ReadonlyMap<number, CoverExcess>;

/** In a file signed before, each owner has one place, which is new for who signed it. */
function besideSignatures(fields: readonly PlannedPlace[], covered: readonly CoveredPage[]): Excesses {
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
    const most = Math.max(0, ...firstOwners.map((first) => sumOf(there.filter(({ ownerKey }) => ownerKey !== first))));
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
