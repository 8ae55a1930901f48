import { type Attack, STAGE_LATER, sealed, swap, type Attacks } from "./attack-stage.ts";
import { widget, withField } from "./attacks-form.ts";
import { HONEST_PAGES, PAGE_ATTACKS } from "./attacks-pages.ts";
import { smallPdfFromTwo } from "./attacks-roles.ts";
import { forgedRevision } from "./forge.ts";
import { prepareAll, signAs } from "./sign-flow.ts";
import { signFreely } from "./sign-freely.ts";
import { smallPdf, streamXrefPdf } from "./small-pdf.ts";

/** Numbered so by its own writer, signed by Alice. */
const numbered =
  (change: (text: string) => string, file = smallPdf()): Attack =>
  ({ alice, pki }) =>
    signFreely(file, {
      change,
      cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered),
    });
const HEAD = "\n0 1\n0000000000 65535 f";
/** Marks object 0 as in use, in rows of four bytes. */
const inUse = (text: string): string =>
  swap(text, /\/W\[1 2 1\][^>]*>>\nstream\n\0{4}/, (found) => `${found.slice(0, -4)}\u0001\0\0\0`);

/** What updates may not do with numbers 0 and 1. Source: ISO 32000-2 §7.5.4. */
const NUMBERS: Attacks = {
  "first revision: object 0 in use": numbered(
    (text) =>
      swap(
        swap(swap(text, HEAD, HEAD.replace("0 1", "6 1")), /\n6 1\n(?=\d{10} 00000 n)/, "\n0 1\n"),
        "\n6 0 obj",
        "\n0 0 obj",
      ),
    smallPdf({ objects: { 6: "<<>>" } }),
  ),
  "first revision: object 0 in use, nowhere": numbered((text) =>
    swap(text, HEAD, HEAD.replace("f", "n")),
  ),
  "first revision: object 0 in use, in a stream": numbered(inUse, streamXrefPdf()),
  "first revision: a table that some readers number from 0": numbered((text) =>
    swap(text, HEAD, HEAD.replace("0 1", "1 1")),
  ),
  "first revision: a table that begins at 1 with a row that was freed": numbered(
    (text) => swap(text, HEAD, HEAD.replace("0 1", "1 1").replace("65535", "00001")),
    smallPdfFromTwo(),
  ),
};

/** Trusted signatures at these places, after Alice's. */
const signedAt =
  (...rects: readonly string[]): Attack =>
  async ({ archived, bob, pki }) => {
    let bytes = archived;
    for (const [index, rect] of rects.entries())
      bytes = await signFreely(bytes, {
        fieldName: `place${index}`,
        rect,
        cms: (covered) => sealed({ signer: bob, tsa: pki.tsaAt(STAGE_LATER) }, covered),
      });
    return bytes;
  };
/** A later empty signature field with these flags, on a page turned or not. */
const flagged =
  (flags: number, { rotate = 0, rect = "50 50 250 110" } = {}): Attack =>
  async ({ alice, pki }) => {
    const signed = await signAs(await prepareAll(smallPdf({ rotate })), {
      signer: alice,
      tsa: pki.tsa,
      ownerKey: "alice",
    });
    return forgedRevision(signed, {
      objects: withField(signed, swap(widget(`/Rect[${rect}]`), "/F 4", `/F ${flags}`)),
    });
  };

const PLACES: Attacks = {
  "place: a page covered by two signatures, each on less than half": signedAt(
    "0 0 595 330",
    "0 500 595 830",
  ),
  "place: a page covered by twelve": signedAt(
    ...Array.from({ length: 12 }, (_, index) => `0 ${index * 60} 595 ${index * 60 + 50}`),
  ),
  "place: that does not shrink with the page (NoZoom)": flagged(4 + 8),
  "place: that does not turn with the page (NoRotate)": flagged(4 + 16, {
    rotate: 90,
    rect: "-90 100 -10 700",
  }),
  "place: that comes and goes (ToggleNoView)": flagged(4 + 32 + 256),
};
export const PLACE_ATTACKS: Attacks = {
  ...NUMBERS,
  ...PLACES,
  ...PAGE_ATTACKS,
};

export const HONEST_PLACES: Attacks = {
  ...HONEST_PAGES,
  "three further signatures that leave most of the page": signedAt(
    "50 50 250 110",
    "300 50 500 110",
    "50 150 250 210",
  ),
  "a further field that is empty, locked and printed": flagged(4 + 128),
  "a further field on a page that is not turned (NoRotate)": flagged(4 + 16),
  "a file whose first table lists what it lists": numbered((text) => text),
};
