import { PdfDict, PdfNumber } from "@libpdf/core";
import { type OpenPdf, arrayAt, follow, openPdf } from "../src/pdf/open-pdf.ts";
import { type Box, type Page, pageAt, rectangleOn } from "../src/pdf/page-geometry.ts";
import type { FieldPlacement, Mark } from "../src/pdf/types.ts";
import type { Signer } from "../src/ports.ts";
import { prepareFields } from "../src/sign/prepare-fields.ts";
import { archiveWith } from "../testing/archive.ts";
import {
  PLACEMENTS,
  PREFIX,
  STROKES,
  type SignStep,
  ownFields,
  signAs,
} from "../testing/sign-flow.ts";
import { TEST_FONTS } from "../testing/test-fonts.ts";
import { TEST_NOW, type TestPki } from "../testing/test-pki.ts";

const HOUR = 3_600_000;

/** Archived the same day, renewed two years later after the certificates expired. */
export const LIFE = {
  signed: TEST_NOW,
  archived: new Date(TEST_NOW.getTime() + HOUR),
  renewed: new Date(TEST_NOW.getTime() + 2 * 365 * 24 * HOUR),
  validated: new Date(TEST_NOW.getTime() + 2 * 365 * 24 * HOUR + HOUR),
} as const;

export type Life = {
  readonly prepared: Uint8Array;
  readonly signed: readonly Uint8Array[];
  readonly archived: Uint8Array;
  readonly renewed: Uint8Array;
};

/** Uses free places, or places all over the content, with every kind of field. */
export async function liveWithTwo(
  pki: TestPki,
  original: Uint8Array,
  where: "room" | "anywhere" = "room",
): Promise<Life> {
  const [alice, bob] = await Promise.all([
    pki.issue({ commonName: "Alice Martin" }),
    pki.issue({ commonName: "Bob Œuvrard" }),
  ]);
  const fields = where === "room" ? await onFreePlaces(original, PLACEMENTS) : PLACEMENTS;
  const placed = new Set(fields.map(({ name }) => name));
  const step = (ownerKey: string, signer: Signer, mark: Mark): SignStep => ({
    signer,
    ownerKey,
    tsa: pki.tsa,
    options: { mark, ownFields: ownFields(ownerKey).filter(({ name }) => placed.has(name)) },
  });
  const prepared = await prepareFields(original, {
    namePrefix: PREFIX,
    fonts: TEST_FONTS,
    fields,
    ownerKeys: ["alice", "bob"],
  });
  const first = await signAs(prepared, step("alice", alice, STROKES));
  const second = await signAs(
    first,
    step("bob", bob, { kind: "typed", text: "Bob Œuvrard", hand: "caveat" }),
  );
  return { prepared, signed: [first, second], ...(await archiveTwice(pki, second)) };
}

export async function liveWithMany(
  pki: TestPki,
  original: Uint8Array,
  { count, namePrefix = PREFIX }: { readonly count: number; readonly namePrefix?: string },
): Promise<Life> {
  const owners = Array.from({ length: count }, (_, index) => `signer-${index + 1}`);
  const placements = owners.flatMap((ownerKey, index): FieldPlacement[] => {
    const [x, y] = [0.05 + 0.24 * (index % 4), 0.05 + 0.19 * Math.floor(index / 4)];
    const both = {
      ownerKey,
      pageNumber: 1,
      x,
      width: 0.2,
      label: ownerKey,
      tooltip: `Champ de ${ownerKey}`,
    };
    return [
      { ...both, name: `${ownerKey}-sig`, type: "signature", y, height: 0.08 },
      { ...both, name: `${ownerKey}-txt`, type: "text", y: y + 0.1, height: 0.04 },
    ];
  });
  const prepared = await prepareFields(original, {
    namePrefix,
    fonts: TEST_FONTS,
    fields: placements,
  });
  const signed: Uint8Array[] = [];
  for (const ownerKey of owners) {
    const own = placements
      .filter((field) => field.ownerKey === ownerKey)
      .map(({ name, type, label }) => ({
        name,
        type,
        label,
        value: type === "text" ? `Lu et approuvé, ${ownerKey}` : null,
      }));
    const signer = await pki.issue({ commonName: `Signataire ${ownerKey}` });
    signed.push(
      await signAs(signed.at(-1) ?? prepared, {
        signer,
        tsa: pki.tsa,
        ownerKey,
        options: { ownFields: own, namePrefix },
      }),
    );
  }
  return { prepared, signed, ...(await archiveTwice(pki, signed.at(-1) ?? prepared)) };
}

async function archiveTwice(
  pki: TestPki,
  signed: Uint8Array,
): Promise<Pick<Life, "archived" | "renewed">> {
  const archived = await archiveWith(pki, signed, LIFE.archived);
  return { archived, renewed: await archiveWith(pki, archived, LIFE.renewed) };
}

const STEP = 0.02;
const EDGE = 0.02;

const overlap = (a: Box, b: Box): boolean =>
  a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
const hasArea = ([left, bottom, right, top]: Box): boolean => right > left && top > bottom;

function annotationBoxes(open: OpenPdf, page: Page): Box[] {
  const boxes: Box[] = [];
  for (const item of arrayAt(open, page.dict, "Annots") ?? []) {
    const annotation = follow(open, item);
    const rectangle = annotation instanceof PdfDict ? arrayAt(open, annotation, "Rect") : undefined;
    const [a, b, c, d] = (rectangle?.toArray() ?? []).map((value) => {
      const number = follow(open, value);
      return number instanceof PdfNumber ? number.value : Number.NaN;
    });
    if (a === undefined || b === undefined || c === undefined || d === undefined) continue;
    boxes.push([Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)]);
  }
  return boxes.filter(hasArea);
}

/** A field without room is left out. */
async function onFreePlaces(
  bytes: Uint8Array,
  placements: readonly FieldPlacement[],
): Promise<FieldPlacement[]> {
  const open = await openPdf(bytes);
  const page = pageAt(open, 1);
  const taken = annotationBoxes(open, page);
  return placements.flatMap((placement) => {
    const free = candidates(placement).find(
      (place) => !taken.some((box) => overlap(box, rectangleOn(page, place))),
    );
    if (!free) return [];
    taken.push(rectangleOn(page, free));
    return [free];
  });
}

function candidates(placement: FieldPlacement): FieldPlacement[] {
  const out = [placement];
  for (let y = EDGE; y + placement.height <= 1 - EDGE; y += STEP) {
    for (let x = EDGE; x + placement.width <= 1 - EDGE; x += STEP) out.push({ ...placement, x, y });
  }
  return out;
}

export async function overlapsItself(bytes: Uint8Array): Promise<boolean> {
  const open = await openPdf(bytes);
  for (let number = 1; number <= open.pdf.context.pages.getPageCount(); number += 1) {
    const boxes = annotationBoxes(open, pageAt(open, number));
    if (boxes.some((box, index) => boxes.slice(index + 1).some((other) => overlap(box, other))))
      return true;
  }
  return false;
}
