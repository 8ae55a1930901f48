import type { Proof } from "@paraphe/contracts";
import { frenchMoment } from "./french-moment.ts";
import type { AddedPage, Frame, PrintedCode, PrintedRule, PrintedText } from "./marks.ts";

/** A4, and its margins. Units: points. */
const PAGE = { width: 595.28, height: 841.89 } as const;
const LEFT = 56;
const WIDTH = PAGE.width - 2 * LEFT;
const FOOT = 64;
/** Modules of 0.45 mm: there is room. */
const MODULE_PT = (0.45 * 72) / 25.4;
const LABEL_WIDTH = 96;
const ROW = { size: 9.5, height: 15 } as const;
/** About as many letters as a fact has room for beside the code. */
const CHARACTERS_A_LINE = 58;
const MOST_LINES = 4;
const WORDS = {
  valid: "Signatures valides",
  indeterminate: "Résultat indéterminé",
  invalid: "Signature non valide",
} as const;

export type CertificateFacts = {
  readonly proof: Proof;
  readonly code: PrintedCode["modules"];
  /** Without its fragment: what a person types. */
  readonly verifyUrl: string;
  readonly domain: string;
  readonly documentName: string;
  /** Of the file that this copy was made from; hexadecimal. */
  readonly sha256: string;
  readonly pageCount: number;
  readonly madeAt: string;
};

/** What has been laid out so far, from the top down. */
type Flow = { y: number; readonly texts: PrintedText[]; readonly rules: PrintedRule[] };

/** Lays out the page that is added to a copy: what was signed, by whom and when, its fingerprint, and where to verify it. */
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
  return { ...PAGE, codes: [{ modules: facts.code, frame: code }], texts: [...flow.texts, caption], rules: flow.rules };
}

type Style = Pick<PrintedText, "size"> & Partial<Pick<PrintedText, "face" | "tone">>;

const text = (lines: readonly string[], frame: Frame, style: Style): PrintedText => ({ lines, frame, ...style });

function put(flow: Flow, lines: readonly string[], { height, ...style }: Style & { readonly height: number }): void {
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

function factRows(flow: Flow, { proof, documentName, pageCount }: CertificateFacts, code: Frame): void {
  const width = code.x - LEFT - LABEL_WIDTH - 24;
  const rows: readonly (readonly [string, string])[] = [
    ["Résultat", WORDS[proof.verdict]],
    ["", proof.reason],
    ["Document", documentName],
    ["Pages", String(pageCount)],
    ["Complété", proof.completed_at === null ? notCompletedSaid(proof) : `le ${frenchMoment(proof.completed_at)}`],
    ["Niveau", proof.level === null ? "Non établi" : `PAdES ${proof.level}`],
    ["Vérifié", `le ${frenchMoment(proof.checked_at)}`],
  ];
  flow.y = code.y;
  for (const [label, value] of rows) {
    // Whatever it comes to in the end is shrunk to its frame.
    const height = Math.min(MOST_LINES, Math.ceil(value.length / CHARACTERS_A_LINE)) * 12 + 4;
    if (label !== "") flow.texts.push(text([label], { x: LEFT, y: flow.y, width: LABEL_WIDTH, height }, { size: ROW.size, tone: "soft" }));
    flow.texts.push(text([value], { x: LEFT + LABEL_WIDTH, y: flow.y, width, height }, { size: ROW.size }));
    flow.y += height;
  }
}

const isOver = ({ cancelled, declined, expired }: Proof): boolean => cancelled || declined === true || expired === true;

function notCompletedSaid(proof: Proof): string {
  if (proof.expired === true) return "Non\u00a0: l’échéance est passée";
  return isOver(proof) ? "Non, et ne le sera pas" : "Pas encore";
}

function section(flow: Flow, title: string): void {
  flow.rules.push({ frame: { x: LEFT, y: flow.y, width: WIDTH, height: 0.6 }, tone: "line" });
  flow.y += 9;
  put(flow, [title], { size: 12.5, height: 20, face: "title" });
}

/** The file of this copy first; an envelope of several documents has the fingerprints of all. */
function fingerprints(flow: Flow, { proof, sha256 }: CertificateFacts): void {
  section(flow, "Empreinte SHA-256 du fichier signé");
  put(flow, [grouped(sha256)], { size: 8.5, height: 14 });
  const others = proof.documents.filter((document) => document.hash_sha256 !== sha256).slice(0, 5);
  for (const { name, hash_sha256 } of others) {
    put(flow, [`Autre document\u00a0: ${name ?? "sans nom"}`], { size: 8, height: 12, tone: "soft" });
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

/** As many as have room: the public page names them all. */
function signers(flow: Flow, proof: Proof): void {
  const { signers: people } = proof;
  section(flow, people.length > 1 ? "Signataires" : "Signataire");
  const room = Math.floor((PAGE.height - FOOT - 30 - flow.y) / ROW.height);
  const shown = people.length <= room ? people : people.slice(0, Math.max(0, room - 1));
  for (const { full_name, signed, signed_at } of shown) {
    const state = signed
      ? signed_at === null
        ? "A signé"
        : `A signé le ${frenchMoment(signed_at)}`
      : isOver(proof)
        ? "N’a pas signé"
        : "Signature attendue";
    const half = WIDTH / 2;
    flow.texts.push(text([full_name], { x: LEFT, y: flow.y, width: half - 12, height: 13 }, { size: ROW.size }));
    flow.texts.push(text([state], { x: LEFT + half, y: flow.y, width: half, height: 13 }, { size: ROW.size, tone: "soft" }));
    flow.y += ROW.height;
  }
  const more = people.length - shown.length;
  if (more > 0)
    put(flow, [more === 1 ? "et une autre personne" : `et ${more} autres personnes`], { size: ROW.size, height: ROW.height, tone: "soft" });
}

function foot(flow: Flow, { madeAt }: CertificateFacts): void {
  const y = PAGE.height - FOOT;
  flow.rules.push({ frame: { x: LEFT, y, width: WIDTH, height: 0.6 }, tone: "line" });
  const lines = [
    `Copie à imprimer, faite le ${frenchMoment(madeAt)}. Elle ne porte aucune signature électronique\u00a0: seul le fichier PDF signé fait foi.`,
    "Cette page a été ajoutée à la copie\u202f; elle ne fait pas partie du document signé.",
  ];
  flow.texts.push(text(lines, { x: LEFT, y: y + 8, width: WIDTH, height: 36 }, { size: 8, tone: "soft" }));
}
