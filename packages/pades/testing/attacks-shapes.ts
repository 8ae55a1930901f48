import { type Attack, type AttackStage, sealed, swap, type Attacks } from "./attack-stage.ts";
import { forgedRevision, forgedUpdate, lastObject, tableRow } from "./forge.ts";
import { prepareAll, signAs } from "./sign-flow.ts";
import { signFreely } from "./sign-freely.ts";
import { type SmallPdfOptions, smallPdf, type Objects } from "./small-pdf.ts";

/** Signed by Alice, then Bob. */
export const signedTwice = async (
  { alice, bob, pki }: AttackStage,
  file: SmallPdfOptions,
): Promise<Uint8Array> => {
  const first = await signAs(await prepareAll(smallPdf(file)), {
    signer: alice,
    tsa: pki.tsa,
    ownerKey: "alice",
  });
  return signAs(first, { signer: bob, tsa: pki.tsa, ownerKey: "bob" });
};
const own =
  (file: SmallPdfOptions, change: Objects = {}): Attack =>
  async (stage) => {
    const bytes = await signedTwice(stage, file);
    return Object.keys(change).length > 0 ? forgedRevision(bytes, { objects: change }) : bytes;
  };

const LONG = 150;
/** Objects from 100 on, in a chain. */
const chain = (link: (number: number, isLast: boolean) => string): Objects =>
  Object.fromEntries(
    Array.from({ length: LONG }, (_, index) => [
      100 + index,
      link(100 + index, index === LONG - 1),
    ]),
  );
const LAST = 100 + LONG - 1;

const OUTLINE: SmallPdfOptions = {
  catalogExtra: "/Outlines 99 0 R",
  objects: {
    99: `<</Type/Outlines/First 100 0 R/Last ${LAST} 0 R/Count ${LONG}>>`,
    ...chain(
      (number, isLast) =>
        `<</Title(Ch ${number})/Parent 99 0 R${isLast ? "" : `/Next ${number + 1} 0 R`}/Dest[3 0 R/Fit]>>`,
    ),
  },
};
const TAGS: SmallPdfOptions = {
  catalogExtra: "/MarkInfo<</Marked true>>/StructTreeRoot 99 0 R",
  objects: {
    99: "<</Type/StructTreeRoot/K 100 0 R>>",
    ...chain(
      (number, isLast) =>
        `<</Type/StructElem/S/Div/P ${number - 1} 0 R${isLast ? "/Alt(fin)" : `/K[${number + 1} 0 R]`}>>`,
    ),
  },
};
const NAMES: SmallPdfOptions = {
  catalogExtra: "/Names<</Dests 100 0 R>>",
  objects: chain((number, isLast) =>
    isLast
      ? "<</Names[(a)[3 0 R/Fit]]/Limits[(a)(z)]>>"
      : `<</Kids[${number + 1} 0 R]/Limits[(a)(z)]>>`,
  ),
};
const nested = (inside: string): string => `${"[".repeat(240)}${inside}${"]".repeat(240)}`;
const ARRAYS: SmallPdfOptions = {
  catalogExtra: "/PieceInfo 99 0 R",
  objects: { 99: nested("(a)") },
};

const widget = (rest: string, rect = "100 500 200 520"): string =>
  `<</Type/Annot/Subtype/Widget/FT/Tx${rest}/Rect[${rect}]/F 4/DA(/F1 10 Tf)>>`;
const form = (fields: string, annotations: string, objects: Objects): SmallPdfOptions => ({
  catalogExtra: `/AcroForm<</Fields[${fields}]/DR<</Font<</F1 5 0 R>>>>>>`,
  pageExtra: `/Annots[${annotations}]`,
  objects,
});
const TWINS = form("20 0 R 21 0 R", "20 0 R 21 0 R", {
  20: widget("/T(nom)"),
  21: widget("/T(nom)", "100 400 200 420"),
});
const NAMELESS = form("20 0 R 21 0 R", "20 0 R 21 0 R", {
  20: widget(""),
  21: widget("", "100 400 200 420"),
});
const DIRECT = form(`${widget("/T(a)")} ${widget("/T(a)")}`, "", {});

/**
 * Signed by Alice beside an empty `Sig.A`; then `Sig.B` comes below the same parent, or something
 * else.
 */
const below =
  (
    kid: string,
    {
      parent = "/T(Sig)",
      fields = "",
      more = {},
    }: { parent?: string; fields?: string; more?: Objects } = {},
  ): Attack =>
  async (stage) => {
    const room = "/Type/Annot/Subtype/Widget/FT/Sig/Rect[0 0 0 0]/F 132/P 3 0 R";
    const signed = await signFreely(
      smallPdf(
        form("19 0 R", "20 0 R", {
          19: "<</T(Sig)/Kids[20 0 R]>>",
          20: `<<${room}/T(A)/Parent 19 0 R>>`,
        }),
      ),
      { cms: (covered) => sealed({ signer: stage.alice, tsa: stage.pki.tsa }, covered) },
    );
    const [page, listed] = [lastObject(signed, "/Type /Page "), lastObject(signed, "/SigFlags")];
    return forgedRevision(signed, {
      objects: {
        901: `<<${room}${kid}>>`,
        [page.number]: swap(
          page.syntax,
          /(\/Annots ?\[[^\]]*)\]/,
          (found) => `${found.slice(0, -1)} 901 0 R]`,
        ),
        ...(fields === ""
          ? { 19: `<<${parent}/Kids[20 0 R 901 0 R]>>` }
          : {
              [listed.number]: swap(
                listed.syntax,
                /(\/Fields ?\[[^\]]*)\]/,
                (found) => `${found.slice(0, -1)} ${fields}]`,
              ),
            }),
        ...more,
      },
    });
  };
/** A parent of its own. */
const newParent = (rest: string): Attack =>
  below("/T(B)/Parent 902 0 R", { fields: "902 0 R", more: { 902: `<<${rest}/Kids[901 0 R]>>` } });

/** Arrays in cycles, grouped differently: a walk never meets two references at once. */
const circled =
  (inner: string): Attack =>
  async (stage) => {
    const bytes = await signedTwice(stage, {
      catalogExtra: "/PieceInfo 98 0 R/Lang(fr)",
      objects: { 98: "[[98 0 R]]" },
    });
    const { number, syntax } = lastObject(bytes, "/Type /Catalog");
    const apart = swap(
      swap(syntax, "/PieceInfo 98 0 R", "/PieceInfo[971 0 R]"),
      "/Lang (fr)",
      "/Lang 972 0 R",
    );
    return forgedRevision(bytes, { objects: { [number]: apart, 971: inner, 972: "(fr)" } });
  };

/** An update with this trailer entry alone. */
const trailed =
  (entry: string): Attack =>
  ({ archived }) => {
    const { number, syntax } = lastObject(archived, "/Type /Catalog");
    return forgedUpdate(archived, {
      parts: { c: `${number} 0 obj\n${syntax}\nendobj\n` },
      rows: ({ c = 0 }) => tableRow(number, c),
      trailer: (text) => `${text}${entry}`,
    });
  };

/** LibreOffice's file signed by DSS: its trailer names a missing document; then this one. */
const beside =
  (named: string, more = "", entry = ""): Attack =>
  async ({ alice, pki }) => {
    const bytes = await signFreely(
      smallPdf({ trailerExtra: `/ID[<${"0".repeat(32)}><${"0".repeat(32)}>]` }),
      {
        cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered),
        // Replaces the second identifier, length kept.
        change: (text) => {
          const at = text.lastIndexOf("trailer");
          return (
            text.slice(0, at) +
            swap(text.slice(at), /<[0-9A-Fa-f]{32}>\s*\](?=[^\]]*$)/, (id) =>
              `<>]${BESIDE} 45 0 R]`.padEnd(id.length),
            )
          );
        },
      },
    );
    const { number, syntax } = lastObject(bytes, "/Type /Catalog");
    return forgedUpdate(bytes, {
      parts: { c: `${number} 0 obj\n${syntax.slice(0, -2)}${entry}>>\nendobj\n`, m: more },
      rows: ({ c = 0, m = 0 }) =>
        tableRow(number, c) + (more && tableRow(Number.parseInt(more, 10), m)),
      trailer: (text) => `${text}${named}`,
    });
  };
const BESIDE = "/AdditionalStreams[/odt";
const METADATA =
  '45 0 obj\n<</Type/Metadata/Subtype/XML/Length 43>>\nstream\n<x:xmpmeta xmlns:x="adobe:ns:meta/"/>      \nendstream\nendobj\n';
const DOCUMENT = "970 0 obj\n<</Length 4>>\nstream\nFAUX\nendstream\nendobj\n";

/** The far end of a tree counts; a repeated name excuses nothing. */
export const SHAPE_ATTACKS: Attacks = {
  "shape: the last of 150 bookmarks": own(OUTLINE, {
    [LAST]: swap(OUTLINE.objects?.[LAST] ?? "", "(Ch", "(FAUX"),
  }),
  "shape: the leaf of a structure tree of 150 levels": own(TAGS, {
    [LAST]: swap(TAGS.objects?.[LAST] ?? "", "(fin)", "(FAUX)"),
  }),
  "shape: the leaf of a name tree of 150 levels": own(NAMES, {
    [LAST]: swap(NAMES.objects?.[LAST] ?? "", "Fit", "FitB"),
  }),
  "shape: what 240 arrays hold": own(ARRAYS, { 99: nested("(b)") }),
  "shape: a circle written otherwise, with something in it": circled("[[971 0 R](FAUX)]"),
  "names: a field of the same name, by nobody who signs": own(TWINS, {
    21: widget("/T(nom)/V(FAUX)", "100 400 200 420"),
  }),
  "names: a field without a name, moved": own(NAMELESS, { 21: widget("", "100 600 200 620") }),
  "names: the one put in the other's place": own(TWINS, {
    20: TWINS.objects?.[21] ?? "",
    21: TWINS.objects?.[20] ?? "",
  }),
  "names: a new signature field of a name that is there": below("/T(libre)", { fields: "901 0 R" }),
  "names: a new signature field of its parent's name": below("/T(Sig)", { fields: "901 0 R" }),
  "names: a new signature field of its neighbour's name": below("/T(A)/Parent 19 0 R"),
  "names: a new parent of a name that is there": newParent("/T(Sig)"),
  "below: without its parent": below("/T(B)"),
  "below: with another parent": below("/T(B)/Parent 20 0 R"),
  "below: without a name": below("/Parent 19 0 R"),
  "below: a parent that changes": below("/T(B)/Parent 19 0 R", {
    parent: "/T(Sig)/DA(/Helv 24 Tf)",
  }),
  "below: a new parent that acts": newParent("/T(Neuf)/AA<</F<</S/JavaScript/JS(1)>>>>"),
  "below: a new parent that has a value": newParent("/T(Neuf)/V<</Type/Sig>>"),
  "below: a new parent of two names": newParent("/T(Ne.uf)"),
  "below: a new parent that stands elsewhere": newParent("/T(Neuf)/Parent 19 0 R"),
  "trailer: a checksum that leads somewhere": trailed("/DocChecksum 4 0 R"),
  "trailer: a checksum with something in it": trailed("/DocChecksum<</A(b)>>"),
  "trailer: an entry that nobody knows": trailed("/Checksum/AB12"),
  "trailer: a document beside the pages that came": trailed(`${BESIDE} 49 0 R]`),
  "trailer: a document beside the pages that is there": beside(`${BESIDE} 4 0 R]`),
  "trailer: a document beside the pages that comes with its name": beside(
    `${BESIDE} 970 0 R]`,
    DOCUMENT,
  ),
  "trailer: a document beside the pages that comes after its name": beside(
    "",
    METADATA,
    "/Metadata 45 0 R",
  ),
  "trailer: a document beside the pages, with the checksum that opens it": beside(
    `${BESIDE} 49 0 R]/DocChecksum/${"0".repeat(32)}`,
  ),
  "trailer: a document beside the pages, written there": beside(
    "/AdditionalStreams[/odt<</A(b)>>]",
  ),
};

export const HONEST_SHAPES: Attacks = {
  "150 bookmarks on one level, signed twice": own(OUTLINE),
  "a structure tree of 150 levels, signed twice": own(TAGS),
  "a name tree of 150 levels, signed twice": own(NAMES),
  "240 arrays in each other, signed twice": own(ARRAYS),
  "a circle of arrays written otherwise": circled("[[971 0 R]]"),
  "two fields of one name, signed twice": own(TWINS),
  "two fields without a name, signed twice": own(NAMELESS),
  "two fields of one name written in the list itself, signed twice": own(DIRECT),
  "a field below a parent that is there": below("/T(B)/Parent 19 0 R"),
  "a field with a parent of its own": newParent("/T(Neuf)"),
  "a document beside the pages that is not there, named anew as DSS does": beside(
    `${BESIDE} 49 0 R]`,
  ),
  "a checksum in the trailer, as LibreOffice writes it": trailed(
    "/DocChecksum/549122D6DEB675C69DAED6DE6EFD6143",
  ),
};
