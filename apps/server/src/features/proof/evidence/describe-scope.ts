import { CONSENT_VERSION, consentText } from "@paraphe/contracts";
import type { Block } from "../../../platform/pdf-document/document-model.ts";
import type { EvidenceFacts } from "./evidence-facts.ts";

/**
 * What such a file is worth, and what it is not: the same for every envelope, but for what only a completed one has, so that nobody reads more in it than there is.
 * Source: security §3 ('Promised', 'Not promised'); eIDAS art. 3(10), 25, 41; Code civil art. 1366 and 1367.
 */
export const describeScope = ({ envelope }: Pick<EvidenceFacts, "envelope">): readonly Block[] => [
  { kind: "heading", level: 2, text: "1. Ce que ce dossier établit" },
  {
    kind: "list",
    items: [
      "L’intégrité des documents\u00a0: l’empreinte SHA-256 de chaque fichier est donnée à la section\u00a04. Tout octet modifié depuis la signature est détecté.",
      "Le lien entre chaque signature et le document\u00a0: chaque signature, au format PAdES, est faite sur le fichier lui-même et le couvre en entier tel qu’il était alors.",
      `Le moment de chaque signature\u00a0: un jeton d’horodatage (RFC\u00a03161) l’accompagne${envelope.completedAt === null ? "" : ", et un autre scelle l’ensemble à la fin"}.`,
      "Les moyens par lesquels chaque signataire a été identifié, et ce qu’il a accepté\u00a0: section\u00a05.",
      "La suite des événements\u00a0: chacun porte l’empreinte du précédent. Un événement passé qui serait modifié ou retiré est détecté par quiconque détient un point de contrôle postérieur du journal de transparence (sections\u00a08 et\u00a09).",
    ],
  },
  { kind: "heading", level: 2, text: "2. Ce qu’il n’établit pas" },
  {
    kind: "list",
    items: [
      "L’identité civile des signataires\u00a0: le service a vérifié l’accès à une adresse email, à un numéro de téléphone ou à un compte, et non un titre d’identité.",
      "Une signature avancée ou qualifiée\u00a0: il s’agit de signatures électroniques simples, au sens de l’article\u00a03, point\u00a010), du règlement (UE) n°\u00a0910/2014 (eIDAS).",
      "Un horodatage qualifié au sens de l’article\u00a042 du même règlement.",
      "Que personne n’ait pu supprimer de données\u00a0: une modification se voit, une suppression ne peut pas être empêchée.",
      "Qu’un message ait été lu\u00a0: la réponse d’un serveur dit qu’il a accepté le message, rien de plus.",
    ],
  },
];

/** Source: Regulation (EU) No 910/2014; Code civil; décret n° 2017-1416. The quotations are to the letter. */
export const LAW: readonly Block[] = [
  { kind: "heading", level: 2, text: "10. Cadre juridique" },
  {
    kind: "list",
    items: [
      "Règlement (UE) n°\u00a0910/2014, article\u00a025, paragraphe\u00a01\u00a0: «\u00a0L’effet juridique et la recevabilité d’une signature électronique comme preuve en justice ne peuvent être refusés au seul motif que cette signature se présente sous une forme électronique ou qu’elle ne satisfait pas aux exigences de la signature électronique qualifiée.\u00a0»",
      "Code civil, article\u00a01366\u00a0: «\u00a0L’écrit électronique a la même force probante que l’écrit sur support papier, sous réserve que puisse être dûment identifiée la personne dont il émane et qu’il soit établi et conservé dans des conditions de nature à en garantir l’intégrité.\u00a0»",
      "Code civil, article\u00a01367\u00a0: lorsqu’elle est électronique, la signature «\u00a0consiste en l’usage d’un procédé fiable d’identification garantissant son lien avec l’acte auquel elle s’attache\u00a0». La présomption de fiabilité du même article, que le décret n°\u00a02017-1416 réserve à la signature qualifiée, ne s’applique pas ici\u00a0: ce dossier donne au juge de quoi apprécier la fiabilité du procédé.",
    ],
  },
];

/** What a signer accepts; the journal names its version with each consent. */
export const describeConsentText = ({ validated }: Pick<EvidenceFacts, "validated">): Block => ({
  kind: "paragraph",
  text: `Texte du consentement, version ${CONSENT_VERSION}\u00a0: «\u00a0${consentText(validated.length)}\u00a0»`,
});
