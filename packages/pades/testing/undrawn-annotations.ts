import { smallPdf } from "./small-pdf.ts";

const QUAD = "/Rect[70 690 200 720]/QuadPoints[70 720 200 720 70 695 200 695]";

/** Annotations without an appearance, by kind. */
export const UNDRAWN: Readonly<Record<string, string>> = {
  Square: "/Rect[50 600 150 660]/C[1 0 0]/IC[1 1 .5]/BS<</W 3>>",
  Circle: "/Rect[170 600 270 660]/C[0 0 1]",
  Highlight: `${QUAD}/C[1 1 0]`,
  Underline: `${QUAD}/C[1 0 0]`,
  StrikeOut: `${QUAD}/C[1 0 0]`,
  Squiggly: "/Rect[50 540 200 560]/QuadPoints[50 560 200 560 50 540 200 540]",
  Ink: "/Rect[300 600 400 660]/C[0 0 0]/InkList[[300 600 330 660 360 600 400 650]]/BS<</W 2/S/D/D[4 2]>>",
  Text: "/Rect[500 700 520 720]/Contents(note)",
  Line: "/Rect[50 480 250 520]/L[60 500 240 500]/LE[/OpenArrow/ClosedArrow]/C[1 0 0]/IC[1 0 0]/LL 12/LLE 4",
  Polygon: "/Rect[300 480 400 560]/Vertices[300 480 350 560 400 480]/C[0 0 1]/IC[.8 .8 1]/CA .5",
  PolyLine:
    "/Rect[420 480 520 560]/Path[[420 480][450 560 480 480 520 550]]/LE[/Circle/Diamond]/Border[0 0 2[3]]",
  Caret: "/Rect[420 600 440 620]/C[0 0 1]/RD[2 2 2 2]",
  FreeText:
    "/Rect[50 380 250 440]/Contents(Ajout accept\\351)/DA(/Helv 12 Tf 1 0 0 rg)/BS<</W 1>>/C[.9 1 .9]/Q 1/CL[20 300 60 400]/LE/OpenArrow",
  Stamp: "/Rect[300 380 480 440]/Name/NotForPublicRelease",
};

/** A page with these annotations. */
export function undrawnPdf(
  annotations: readonly (readonly [kind: string, entries: string])[],
): Uint8Array {
  const objects = Object.fromEntries(
    annotations.map(([kind, entries], index) => [
      20 + index,
      `<</Type/Annot/Subtype/${kind}/F 4${entries}>>`,
    ]),
  );
  return smallPdf({
    pageExtra: `/Annots[${annotations.map((_, index) => `${20 + index} 0 R`).join(" ")}]`,
    objects,
  });
}
