import { createHash } from "node:crypto";
import { toHex } from "@paraphe/kernel/bytes";
import { type Document, type Problem, problem } from "@paraphe/contracts";
import { type OverfullPage, overfullPages, type SignatureState } from "@paraphe/pades/parts";
import {
  type DocumentControl,
  type StoredDocument,
  type StoredFinding,
  unreadDetail,
} from "./domain/document.ts";
import type { FieldToPrepare } from "./prepare-revision.ts";

/**
 * Digest of what a signer agrees to: each document's id and original hash, in order. Signatures
 * leave it unchanged.
 */
export function documentsDigest(
  documents: readonly Pick<StoredDocument, "id" | "position" | "original">[],
): Uint8Array {
  const hash = createHash("sha256");
  for (const document of [...documents].sort((left, right) => left.position - right.position)) {
    hash.update(document.id).update("\n").update(document.original.sha256);
  }
  return new Uint8Array(hash.digest());
}

/** `sha256` and `size` are of the current bytes, as `documents/{docId}/file/` gives them. */
export function presentDocument(document: StoredDocument): Document {
  return {
    id: document.id,
    name: document.name,
    size: document.current.sizeBytes,
    page_count: document.pageCount,
    sha256: toHex(document.current.sha256),
    pages: document.pages.map(({ width, height, rotation }) => ({ width, height, rotation })),
    order: document.position,
    control: {
      result: document.control.result,
      findings: [...presentFindings(document.control.findings)],
      accepted: document.normalisedAccepted,
    },
  };
}

const SENTENCES: Readonly<Record<string, string>> = {
  encryption_removed:
    "Ce PDF est protégé contre la modification. La copie à signer ne portera plus cette protection.",
  structure_rebuilt:
    "La structure de ce PDF est abîmée. Elle est reconstruite dans la copie à signer.",
  leading_bytes:
    "Ce PDF est précédé de données étrangères. Elles sont retirées de la copie à signer.",
  javascript: "Ce PDF contient du code JavaScript. Il est retiré de la copie à signer.",
  launch_action:
    "Ce PDF demande à lancer un programme. Cette action est retirée de la copie à signer.",
  external_action:
    "Ce PDF peut envoyer un formulaire ou ouvrir un autre fichier. Ces actions sont retirées de la copie à signer.",
  alternate_images:
    "Ce PDF contient des images de rechange, imprimées à la place de celles qui s’affichent. Elles sont retirées de la copie à signer.",
  attachments: "Ce PDF contient une pièce jointe, qui est conservée.",
  portfolio:
    "Ce PDF est un porte-documents, dont certains lecteurs montrent les pièces jointes au lieu des pages. La copie à signer montre ses pages.",
  hidden_layers:
    "Ce PDF contient des calques ou des annotations qui peuvent masquer du texte. La copie à signer les fige tels qu’ils s’affichent.",
  existing_signatures:
    "Ce PDF porte déjà une signature, qui n’a pas été altérée. Elle est conservée.",
  existing_timestamps: "Ce PDF porte déjà un horodatage, qui n’a pas été altéré. Il est conservé.",
  unverified_signatures:
    "Ce PDF porte déjà une signature qui ne peut pas être vérifiée ici : son procédé est dépassé ou inconnu, ou son certificat manque. Elle est conservée.",
  unverified_timestamps:
    "Ce PDF porte déjà un horodatage qui ne peut pas être vérifié ici : son procédé est dépassé ou inconnu. Il est conservé.",
  certified:
    "Ce PDF est certifié par son auteur : les nouvelles signatures y sont sans image, et ce que chacun remplit se lit dans les propriétés de sa signature.",
  existing_form: "Ce PDF contient un formulaire, conservé tel quel.",
  static_xfa: "Ce PDF contient un formulaire XFA statique, signé tel qu’il s’affiche.",
  form_used:
    "Les champs qui étaient dans ce PDF sont devenus ceux de l’enveloppe. Le fichier déposé est conservé.",
  tags_covered:
    "Une balise de texte est recouverte dans le document à signer. Le fichier déposé est conservé.",
  multimedia: "Ce PDF contient un élément multimédia, qui n’est pas lu pendant la signature.",
  reader_dependent:
    "Ce PDF contient des éléments que tous les lecteurs, ou l’écran et l’imprimante, ne montrent pas de la même façon. La copie à signer n’a qu’un seul affichage : relisez-la avec attention.",
  form_values:
    "Tous les lecteurs ne montrent pas les mêmes valeurs dans le formulaire de ce PDF. La copie à signer montre celles que ses champs contiennent : relisez-la avec attention.",
};
const PLURALS: Readonly<Record<string, string>> = {
  tags_covered:
    "{count} balises de texte sont recouvertes dans le document à signer. Le fichier déposé est conservé.",
  attachments: "Ce PDF contient {count} pièces jointes, qui sont conservées.",
  existing_signatures:
    "Ce PDF porte déjà {count} signatures, qui n’ont pas été altérées. Elles sont conservées.",
  existing_timestamps:
    "Ce PDF porte déjà {count} horodatages, qui n’ont pas été altérés. Ils sont conservés.",
  unverified_signatures:
    "Ce PDF porte déjà {count} signatures qui ne peuvent pas être vérifiées ici : leur procédé est dépassé ou inconnu, ou leur certificat manque. Elles sont conservées.",
  unverified_timestamps:
    "Ce PDF porte déjà {count} horodatages qui ne peuvent pas être vérifiés ici : leur procédé est dépassé ou inconnu. Ils sont conservés.",
  multimedia:
    "Ce PDF contient {count} éléments multimédias, qui ne sont pas lus pendant la signature.",
};
const UNMODIFIED_CODES: ReadonlySet<string> = new Set([
  "existing_signatures",
  "existing_timestamps",
  "unverified_signatures",
  "unverified_timestamps",
]);
/** Sentences for a file that has signatures or time-stamps, of which no copy is made. */
const KEPT_SENTENCES: Readonly<Record<string, string>> = {
  javascript:
    "Ce PDF déjà {kept} contient du code JavaScript. Il est conservé, sans être exécuté pendant la lecture.",
  launch_action:
    "Ce PDF déjà {kept} demande à lancer un programme. Cette action est conservée, sans effet pendant la lecture.",
  external_action:
    "Ce PDF déjà {kept} peut envoyer un formulaire ou ouvrir un autre fichier. Ces actions sont conservées, sans effet pendant la lecture.",
  structure_rebuilt:
    "La structure de ce PDF déjà {kept} est abîmée : tous les lecteurs ne l’affichent peut-être pas de la même façon. Elle est conservée : relisez-le avec attention.",
  alternate_images:
    "Ce PDF déjà {kept} contient des images de rechange, imprimées à la place de celles qui s’affichent. Elles sont conservées : relisez-le avec attention.",
  portfolio:
    "Ce PDF déjà {kept} est un porte-documents, dont certains lecteurs montrent les pièces jointes au lieu des pages. Il est conservé : relisez-le avec attention.",
  hidden_layers:
    "Ce PDF déjà {kept} contient des calques ou des annotations qui peuvent masquer du texte. Ils sont conservés : relisez-le avec attention.",
  reader_dependent:
    "Ce PDF déjà {kept} contient des éléments que tous les lecteurs, ou l’écran et l’imprimante, ne montrent pas de la même façon. Ils sont conservés : relisez-le avec attention.",
  form_values:
    "Tous les lecteurs ne montrent pas les mêmes valeurs dans le formulaire de ce PDF déjà {kept}. Il est conservé : relisez-le avec attention.",
};

/** ISO 32000-2 §12.8.2.2: no text field may follow a signature, so values come with theirs. */
const PRINTED_WITH_SIGNATURE =
  " Les textes et les paraphes sont imprimés avec chaque nouvelle signature.";

export function presentFindings(
  findings: readonly StoredFinding[],
): readonly { code: string; detail: string }[] {
  const kept = findings.find(({ code }) => UNMODIFIED_CODES.has(code))?.code ?? null;
  const isCertified = findings.some(({ code }) => code === "certified");
  return findings.map(({ code, count = 1, tags }) => {
    const detail = tags ? unreadDetail({ count, tags }) : sentenceOf(code, { count, kept });
    return {
      code,
      detail: code === kept && !isCertified ? detail + PRINTED_WITH_SIGNATURE : detail,
    };
  });
}

function sentenceOf(
  code: string,
  { count, kept }: { readonly count: number; readonly kept: string | null },
): string {
  const plural = count > 1 ? PLURALS[code]?.replace("{count}", String(count)) : undefined;
  const said =
    kept === null
      ? undefined
      : KEPT_SENTENCES[code]?.replace(
          "{kept}",
          kept.endsWith("_timestamps") ? "horodaté" : "signé",
        );
  return said ?? plural ?? SENTENCES[code] ?? "Le contrôle a relevé une particularité de ce PDF.";
}

type PlannedDocument = {
  readonly document: Pick<StoredDocument, "pages" | "control">;
  readonly fields: readonly Omit<FieldToPrepare, "id" | "documentId" | "label">[];
  readonly firstSigners: readonly string[];
};

/** Gives pages covered so far that validators reject the signature. */
export function coveredPagesOf({
  document,
  fields,
  firstSigners,
}: PlannedDocument): readonly OverfullPage[] {
  return overfullPages({
    fields: fields.map(({ recipientId, page, ...place }) => ({
      ...place,
      ownerKey: recipientId,
      pageNumber: page,
    })),
    firstOwners: firstSigners,
    state: signatureState(document.control),
    covered: document.pages.flatMap(({ covered }, index) =>
      covered ? [{ pageNumber: index + 1, ...covered }] : [],
    ),
  });
}

export function pageCovered(name: string, { pageNumber, excess }: OverfullPage): Problem {
  return problem("page_covered", { params: { name, page: pageNumber, share: SHARES[excess] } });
}

const SHARES: Readonly<Record<OverfullPage["excess"], string>> = {
  half: "plus de la moitié",
  most: "plus de 70\u00a0%",
};

export function signatureState({ findings }: DocumentControl): SignatureState {
  const codes = new Set(findings.map(({ code }) => code));
  if (codes.has("certified")) return "certified";
  return UNMODIFIED_CODES.isDisjointFrom(codes) ? "unsigned" : "signed";
}
