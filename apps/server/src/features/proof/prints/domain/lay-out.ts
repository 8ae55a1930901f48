import type { Proof } from "@paraphe/contracts";
import { formatInstant } from "@paraphe/kernel/french-dates";

/** Points from the displayed page's top left. */
type Frame = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
type PrintedCode = { readonly modules: readonly (readonly boolean[])[]; readonly frame: Frame };
type PrintedText = {
  readonly lines: readonly string[];
  readonly frame: Frame;
  readonly size: number;
  readonly face?: "text" | "title";
  readonly tone?: "ink" | "soft" | "accent";
  readonly vertical?: "top" | "middle";
};
type PrintedRule = { readonly frame: Frame; readonly tone: "line" | "accent" };
type PageMarks = {
  readonly codes: readonly PrintedCode[];
  readonly texts: readonly PrintedText[];
  readonly rules?: readonly PrintedRule[];
};
export type MarkedPage = PageMarks & {
  readonly pageNumber: number;
  readonly scale: number;
  readonly margin: "bottom" | "right";
};
export type AddedPage = PageMarks & { readonly width: number; readonly height: number };

const printedInstant = (instant: string): string => `${formatInstant(instant)} (heure de Paris)`;

const POINTS_PER_MM = 72 / 25.4;
/** The largest comes first; a scanner at 150 dpi needs two pixels. Millimetres. */
const MODULES_MM = [0.42, 0.38, 0.35, 0.33] as const;
/** The least size of a code by the contract. */
const LEAST_SIDE_MM = 20;
/** Source: ISO/IEC 18004 §6.3.8. */
const QUIET_MODULES = 4;
const CAPTION_PT = { width: 116, height: 34, size: 7.5, smallSize: 6.5 } as const;

/** Includes the quiet zone, and words beside or under it. Points. */
type CodeFrame = {
  readonly width: number;
  readonly height: number;
  readonly module: number;
  readonly caption: "beside" | "under";
};

function codeFrames(modules: number): readonly CodeFrame[] {
  return MODULES_MM.flatMap((moduleMm): CodeFrame[] => {
    const module = Math.max(moduleMm, LEAST_SIDE_MM / modules) * POINTS_PER_MM;
    const box = (modules + 2 * QUIET_MODULES) * module;
    return [
      { width: box + CAPTION_PT.width, height: box, module, caption: "beside" },
      { width: box, height: box + CAPTION_PT.height, module, caption: "under" },
    ];
  });
}

type PlacedCode = {
  readonly modules: PrintedCode["modules"];
  readonly frame: CodeFrame;
  readonly at: { readonly x: number; readonly y: number };
  readonly side: "left" | "right";
  readonly words: readonly string[];
};

function markCode({ modules, frame, at, side, words }: PlacedCode): PageMarks {
  const quiet = QUIET_MODULES * frame.module;
  const length = modules.length * frame.module;
  const box = length + 2 * quiet;
  const left = frame.caption === "beside" && side === "right" ? at.x + CAPTION_PT.width : at.x;
  const code: PrintedCode = {
    modules,
    frame: { x: left + quiet, y: at.y + quiet, width: length, height: length },
  };
  return {
    codes: [code],
    texts: [
      caption(words, { x: left, y: at.y, box, quiet }, frame.caption === "under" ? "under" : side),
    ],
  };
}

type Drawn = {
  readonly x: number;
  readonly y: number;
  readonly box: number;
  readonly quiet: number;
};

function caption(
  words: readonly string[],
  { x, y, box, quiet }: Drawn,
  place: "under" | "left" | "right",
): PrintedText {
  const tall = { y: y + quiet, height: box - 2 * quiet, width: CAPTION_PT.width };
  const frames: Record<typeof place, Frame> = {
    under: { x: x + quiet, y: y + box, width: box - 2 * quiet, height: CAPTION_PT.height },
    left: { x: x + box, ...tall },
    right: { x: x - CAPTION_PT.width, ...tall },
  };
  return {
    lines: words,
    frame: frames[place],
    size: place === "under" ? CAPTION_PT.smallSize : CAPTION_PT.size,
    tone: "soft",
    vertical: place === "under" ? "top" : "middle",
  };
}

/** Printers leave 4.2 mm blank, where the quiet zone may lie. Points. */
export const EDGE_PT = 11;
export const GAP_PT = 2;
/** Scale of the content that makes room; smaller text is unreadable. */
const LARGEST_SCALE = 0.92;
const SMALLEST_SCALE = 0.75;
const NOTICE = "Copie à imprimer, sans signature électronique";
const NOTICE_FRAME = { width: 178, height: 9.5 } as const;
const NOTICE_SIZE = 7;

export type PageToMark = {
  readonly pageNumber: number;
  readonly width: number;
  readonly height: number;
  readonly code: PrintedCode["modules"] | null;
};
export type FoundPlace = { readonly x: number; readonly y: number; readonly size: number };
export type Captions = { readonly domain: string; readonly pageCount: number };

export function framesFor({
  code,
}: PageToMark): readonly { readonly width: number; readonly height: number }[] {
  return code === null ? [NOTICE_FRAME] : codeFrames(code.length);
}

/** Uses a blank place, or shrinks the content. Null: too small for either. */
export function layOutPage(
  page: PageToMark,
  found: FoundPlace | null,
  captions: Captions,
): MarkedPage | null {
  const whole = { pageNumber: page.pageNumber, scale: 1, margin: "bottom" } as const;
  if (page.code === null)
    return { ...whole, codes: [], texts: found === null ? [] : [notice(found)] };
  if (found === null) return withMargin(page, page.code, captions);
  const frame = codeFrames(page.code.length)[found.size];
  if (frame === undefined) throw new RangeError("Expected one of the frames that were asked for");
  const side = found.x + frame.width / 2 < page.width / 2 ? "left" : "right";
  return {
    ...whole,
    ...markCode({
      modules: page.code,
      frame,
      at: found,
      side,
      words: wordsOf(page, frame, captions),
    }),
  };
}

function notice({ x, y }: FoundPlace) {
  return {
    lines: [NOTICE],
    frame: { x, y, ...NOTICE_FRAME },
    size: NOTICE_SIZE,
    tone: "soft",
    vertical: "middle",
  } as const;
}

/** Upright pages get it at the foot, wide ones on the right. */
function withMargin(
  page: PageToMark,
  modules: PrintedCode["modules"],
  captions: Captions,
): MarkedPage | null {
  const margin = page.width > page.height ? "right" : "bottom";
  const frame = codeFrames(modules.length)
    .filter(({ caption }) => caption === (margin === "bottom" ? "beside" : "under"))
    .at(-1);
  if (frame === undefined) throw new RangeError("Expected a smallest frame");
  const [length, strip] =
    margin === "bottom" ? [page.height, frame.height] : [page.width, frame.width];
  const scale = Math.min(LARGEST_SCALE, 1 - (strip + EDGE_PT + GAP_PT) / length);
  if (
    scale < SMALLEST_SCALE ||
    frame.width + 2 * EDGE_PT > page.width ||
    frame.height + 2 * EDGE_PT > page.height
  )
    return null;
  const at = { x: page.width - EDGE_PT - frame.width, y: page.height - EDGE_PT - frame.height };
  const words = wordsOf(page, frame, captions);
  return {
    pageNumber: page.pageNumber,
    scale,
    margin,
    ...markCode({ modules, frame, at, side: "right", words }),
  };
}

function wordsOf(
  { pageNumber }: PageToMark,
  { caption }: CodeFrame,
  { domain, pageCount }: Captions,
): readonly string[] {
  const page = `Page\u00a0${pageNumber}/${pageCount}`;
  return caption === "beside"
    ? [`Vérifier\u00a0: ${domain}`, page, "Copie à imprimer,", "sans signature électronique"]
    : ["Vérifier\u00a0:", domain, `${page} – copie non signée`];
}

const PAGE = { width: 595.28, height: 841.89 } as const;
const LEFT = 56;
const WIDTH = PAGE.width - 2 * LEFT;
const FOOT = 64;
const MODULE_PT = (0.45 * 72) / 25.4;
const LABEL_WIDTH = 96;
const ROW = { size: 9.5, height: 15 } as const;
const CHARACTERS_A_LINE = 58;
const MOST_LINES = 4;
const WORDS = {
  valid: "Signatures valides",
  indeterminate: "Résultat indéterminé",
  invalid: "Signature non valide",
} as const;

type CertificateFacts = {
  readonly proof: Proof;
  readonly code: PrintedCode["modules"];
  /** Leaves out the fragment, as people type it. */
  readonly verifyUrl: string;
  readonly domain: string;
  readonly documentName: string;
  readonly sha256: string;
  readonly pageCount: number;
  readonly madeAt: string;
};

type Flow = { y: number; readonly texts: PrintedText[]; readonly rules: PrintedRule[] };

export function layOutCertificate(facts: CertificateFacts): AddedPage {
  const flow: Flow = { y: 48, texts: [], rules: [] };
  const side = facts.code.length * MODULE_PT;
  const code = { x: LEFT + WIDTH - side, y: 140, width: side, height: side };
  heading(flow, facts);
  factRows(flow, facts, code);
  flow.y = Math.max(flow.y, code.y + side + 34) + 14;
  fingerprints(flow, facts);
  address(flow, facts);
  signers(flow, facts.proof);
  foot(flow, facts);
  const under = { x: code.x, y: code.y + side + 8, width: side, height: 24 };
  const caption = text(["Vérifier\u00a0:", facts.domain], under, { size: 8, tone: "soft" });
  return {
    ...PAGE,
    codes: [{ modules: facts.code, frame: code }],
    texts: [...flow.texts, caption],
    rules: flow.rules,
  };
}

type Style = Pick<PrintedText, "size"> & Partial<Pick<PrintedText, "face" | "tone">>;

const text = (lines: readonly string[], frame: Frame, style: Style): PrintedText => ({
  lines,
  frame,
  ...style,
});

function put(
  flow: Flow,
  lines: readonly string[],
  { height, ...style }: Style & { readonly height: number },
): void {
  flow.texts.push(text(lines, { x: LEFT, y: flow.y, width: WIDTH, height }, style));
  flow.y += height;
}

function heading(flow: Flow, { proof, documentName }: CertificateFacts): void {
  put(flow, ["Page de preuve"], { size: 25, height: 34, face: "title" });
  flow.rules.push({ frame: { x: LEFT, y: flow.y, width: 64, height: 1.6 }, tone: "accent" });
  flow.y += 10;
  put(flow, [proof.title ?? documentName], { size: 13, height: 36, face: "title", tone: "accent" });
  flow.y += 8;
}

function factRows(
  flow: Flow,
  { proof, documentName, pageCount }: CertificateFacts,
  code: Frame,
): void {
  const width = code.x - LEFT - LABEL_WIDTH - 24;
  const rows: readonly (readonly [string, string])[] = [
    ["Résultat", WORDS[proof.verdict]],
    ["", proof.reason],
    ["Document", documentName],
    ["Pages", String(pageCount)],
    [
      "Complété",
      proof.completed_at === null
        ? notCompletedSaid(proof)
        : `le ${printedInstant(proof.completed_at)}`,
    ],
    ["Niveau", proof.level === null ? "Non établi" : `PAdES ${proof.level}`],
    ["Vérifié", `le ${printedInstant(proof.checked_at)}`],
  ];
  flow.y = code.y;
  for (const [label, value] of rows) {
    const height = Math.min(MOST_LINES, Math.ceil(value.length / CHARACTERS_A_LINE)) * 12 + 4;
    if (label !== "")
      flow.texts.push(
        text(
          [label],
          { x: LEFT, y: flow.y, width: LABEL_WIDTH, height },
          { size: ROW.size, tone: "soft" },
        ),
      );
    flow.texts.push(
      text([value], { x: LEFT + LABEL_WIDTH, y: flow.y, width, height }, { size: ROW.size }),
    );
    flow.y += height;
  }
}

const isOver = ({ cancelled, declined, expired }: Proof): boolean =>
  cancelled || declined === true || expired === true;

function notCompletedSaid(proof: Proof): string {
  if (proof.expired === true) return "Non\u00a0: l’échéance est passée";
  return isOver(proof) ? "Non, et ne le sera pas" : "Pas encore";
}

function section(flow: Flow, title: string): void {
  flow.rules.push({ frame: { x: LEFT, y: flow.y, width: WIDTH, height: 0.6 }, tone: "line" });
  flow.y += 9;
  put(flow, [title], { size: 12.5, height: 20, face: "title" });
}

function fingerprints(flow: Flow, { proof, sha256 }: CertificateFacts): void {
  section(flow, "Empreinte SHA-256 du fichier signé");
  put(flow, [grouped(sha256)], { size: 8.5, height: 14 });
  const others = proof.documents.filter((document) => document.hash_sha256 !== sha256).slice(0, 5);
  for (const { name, hash_sha256 } of others) {
    put(flow, [`Autre document\u00a0: ${name ?? "sans nom"}`], {
      size: 8,
      height: 12,
      tone: "soft",
    });
    put(flow, [grouped(hash_sha256)], { size: 8, height: 13, tone: "soft" });
  }
  flow.y += 8;
}

const grouped = (hex: string): string => hex.match(/.{1,8}/g)?.join(" ") ?? "";

function address(flow: Flow, { verifyUrl, domain }: CertificateFacts): void {
  section(flow, "Vérifier ce document");
  put(
    flow,
    [
      `Scannez le code, ou ouvrez l’adresse ci-dessous, puis vérifiez que celle qu’affiche votre navigateur est bien ${domain}. Le fichier signé y est vérifié au moment où vous l’ouvrez.`,
    ],
    { size: ROW.size, height: 26 },
  );
  put(flow, [verifyUrl], { size: 8.5, height: 14, tone: "accent" });
  flow.y += 8;
}

function signers(flow: Flow, proof: Proof): void {
  const { signers: people } = proof;
  section(flow, people.length > 1 ? "Signataires" : "Signataire");
  const room = Math.floor((PAGE.height - FOOT - 30 - flow.y) / ROW.height);
  const shown = people.length <= room ? people : people.slice(0, Math.max(0, room - 1));
  for (const { full_name, signed, signed_at } of shown) {
    const state = signed
      ? signed_at === null
        ? "A signé"
        : `A signé le ${printedInstant(signed_at)}`
      : isOver(proof)
        ? "N’a pas signé"
        : "Signature attendue";
    const half = WIDTH / 2;
    flow.texts.push(
      text([full_name], { x: LEFT, y: flow.y, width: half - 12, height: 13 }, { size: ROW.size }),
    );
    flow.texts.push(
      text(
        [state],
        { x: LEFT + half, y: flow.y, width: half, height: 13 },
        { size: ROW.size, tone: "soft" },
      ),
    );
    flow.y += ROW.height;
  }
  const more = people.length - shown.length;
  if (more > 0)
    put(flow, [more === 1 ? "et une autre personne" : `et ${more} autres personnes`], {
      size: ROW.size,
      height: ROW.height,
      tone: "soft",
    });
}

function foot(flow: Flow, { madeAt }: CertificateFacts): void {
  const y = PAGE.height - FOOT;
  flow.rules.push({ frame: { x: LEFT, y, width: WIDTH, height: 0.6 }, tone: "line" });
  const lines = [
    `Copie à imprimer, faite le ${printedInstant(madeAt)}. Elle ne porte aucune signature électronique\u00a0: seul le fichier PDF signé fait foi.`,
    "Cette page a été ajoutée à la copie\u202f; elle ne fait pas partie du document signé.",
  ];
  flow.texts.push(
    text(lines, { x: LEFT, y: y + 8, width: WIDTH, height: 36 }, { size: 8, tone: "soft" }),
  );
}
