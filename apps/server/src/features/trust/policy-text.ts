import { createHash } from "node:crypto";
import { LEGAL_VERSIONS } from "@paraphe/contracts";
import type { PkiSettings } from "../../platform/settings/settings.ts";
import { SIGNER_POLICY_OID, TIMESTAMP_POLICY_OID } from "./policies.ts";

export type PolicySection = { readonly title: string; readonly paragraphs: readonly string[] };
export type PolicyFacts = {
  readonly publicUrl: string;
  readonly pki: PkiSettings;
  readonly isTimestampedOutside: boolean;
  /** DER: what a reader is asked to compare before trusting it. */
  readonly root: Uint8Array;
};

/** The day these words took effect: a change of what they promise gets another day, and another version of the policies' identifiers. */
const IN_FORCE = new Intl.DateTimeFormat("fr-FR", { dateStyle: "long", timeZone: "UTC" })
  .format(new Date(LEGAL_VERSIONS.certificationPolicy.since))
  .replaceAll(" ", "\u00a0");

/** What the certificates and time-stamps of this service mean, and what they do not. Order after RFC 3647 §6, without the sections that would be empty. */
export function policySections(facts: PolicyFacts): readonly PolicySection[] {
  return [...partiesSections(facts), ...keysSections(facts), ...keepingSections(facts)];
}

function partiesSections({ publicUrl, pki, root }: PolicyFacts): readonly PolicySection[] {
  const organization = escape(pki.organization);
  return [
    {
      title: "1. Objet et identification",
      paragraphs: [
        `Autorités\u00a0: «\u00a0${organization}\u00a0» (${escape(pki.country)}), pour le service ${escape(publicUrl)}. Version\u00a01, applicable depuis le ${IN_FORCE}. Politique des certificats de signataires\u00a0: <code>${SIGNER_POLICY_OID}</code>. Politique d’horodatage\u00a0: <code>${TIMESTAMP_POLICY_OID}</code>.`,
        `Empreinte SHA-256 du certificat de la racine\u00a0: <code>${fingerprint(root)}</code>.`,
        "Les signatures faites ici sont des <strong>signatures électroniques simples</strong> au sens du règlement (UE) n°\u00a0910/2014 (eIDAS), article 3, point 10. Elles ne sont ni avancées ni qualifiées, et le service ne figure sur aucune liste de confiance. Leur effet juridique et leur recevabilité comme preuve en justice ne peuvent être refusés au seul motif qu’elles sont électroniques ou qu’elles ne sont pas qualifiées (même règlement, article\u00a025, paragraphe\u00a01).",
        "L’autorité de certification est propre à ce service. Un lecteur de PDF qui ne la connaît pas affiche «\u00a0identité non vérifiée\u00a0»\u202f; l’intégrité du document se vérifie malgré cela.",
      ],
    },
    {
      title: "2. Qui fait quoi",
      paragraphs: [
        "L’organisation qui exploite ce service tient la racine, l’autorité de signature, le répondeur OCSP, l’horodatage et le cachet. L’expéditeur désigne les signataires. Le signataire est la personne nommée dans le certificat. Toute personne qui vérifie un document signé est un tiers utilisateur.",
        "Un certificat de signataire sert à signer les documents de l’enveloppe pour laquelle il a été émis, et à rien d’autre.",
      ],
    },
    {
      title: "3. Identification du signataire",
      paragraphs: [
        "Le nom est celui qu’a donné l’expéditeur, ou celui du compte de la personne. L’identité civile n’est pas vérifiée.",
        "Le certificat porte l’adresse email de la personne si, et seulement si, quelque chose qui y a été envoyé est revenu\u00a0: le lien personnel, derrière lequel un code a été saisi, ou ce code lui-même\u202f; pour qui signe depuis un compte, le lien d’une invitation ouvert pendant sa session, ou un code. L’activation d’un compte n’y suffit pas. Sinon, il porte le nom seul.",
        "Un numéro de téléphone n’est que la parole de l’expéditeur\u00a0: un lien reçu par SMS ne donne accès à rien sans un code reçu par email. Le numéro n’est jamais porté au certificat.",
        "L’historique, la page publique, <code>preuve.json</code> et le dossier de preuve disent par quel moyen, et vers quelle adresse ou quel numéro (masqués dans ce qui est public, absents quand le document n’est pas montré), chaque lien et chaque code sont allés, et ce qui est confirmé ou ne l’est pas.",
        "Deux personnes de même nom se distinguent par leur adresse, quand elle est confirmée, et par le numéro de série de leur certificat.",
      ],
    },
  ];
}

function keysSections({ isTimestampedOutside }: PolicyFacts): readonly PolicySection[] {
  return [
    {
      title: "4. Clés et certificats à usage unique",
      paragraphs: [
        "Pour chaque acte de signature, une clé P-256 est créée en mémoire, certifiée au nom de la personne, utilisée pour les documents de cet acte, puis détruite\u00a0: elle n’est jamais écrite, ni sauvegardée, ni confiée à un tiers. Le certificat vit un jour.",
        "Les clés des autorités sont conservées chiffrées (AES-256-GCM)\u202f; celle de la racine peut être gardée hors ligne. Quand l’organisation signe par un matériel de sécurité, la clé n’en sort pas, et le certificat nomme l’organisation.",
      ],
    },
    {
      title: "5. Révocation",
      paragraphs: [
        "Est révoqué un certificat dont la clé est compromise, dont le contenu est faux, ou qu’une autre autorité remplace. Le signataire, l’expéditeur ou quiconque en a un motif sérieux le demande à l’organisation (voir 9). Parce que la clé d’un signataire est détruite aussitôt, une révocation ne peut viser que ce qui a déjà été signé\u00a0: elle ne touche pas ce qui a été signé et horodaté avant elle.",
        "Chaque autorité publie sa liste des révocations, renouvelée à la demande dès qu’elle a douze heures, et aussitôt après une révocation\u202f; elle vaut sept jours. Celle de la racine, dont la clé peut être gardée hors ligne, vaut un an. Le répondeur OCSP ne dit «\u00a0valide\u00a0» que d’un certificat réellement émis\u202f; sa réponse vaut une heure.",
      ],
    },
    {
      title: "6. Horodatage",
      paragraphs: [
        `Les jetons suivent la RFC\u00a03161, à la seconde, d’après l’horloge du serveur. L’horodatage n’est pas qualifié.${isTimestampedOutside ? " Les documents portent les jetons d’une autre autorité, choisie par l’organisation, sous la politique de celle-ci." : ""}`,
      ],
    },
  ];
}

function keepingSections({ publicUrl }: PolicyFacts): readonly PolicySection[] {
  return [
    {
      title: "7. Conservation",
      paragraphs: [
        "Les certificats et les listes de révocation sont conservés sans limite de durée, même quand une clé est remplacée, pour que les anciennes preuves restent vérifiables. Les documents et les preuves le sont dix ans après la dernière signature.",
        "Un document que tous ont signé atteint le niveau PAdES B-LTA\u00a0: il porte les certificats, les réponses OCSP, les listes et un horodatage du tout, renouvelé avant la fin du certificat qui l’a émis. Il se vérifie sans ce service.",
      ],
    },
    {
      title: "8. Limites",
      paragraphs: [
        "Ce service dit qui a été invité, comment son adresse a été confirmée, ce qui a été signé et quand. Il ne dit ni l’identité civile, ni la capacité, ni les pouvoirs de la personne. Il n’a pas fait l’objet d’un audit de conformité aux normes ETSI.",
      ],
    },
    {
      title: "9. Contact et droit applicable",
      paragraphs: [
        `Pour demander une révocation, signaler une compromission ou interroger cette politique\u00a0: l’organisation qui exploite ${escape(publicUrl)}, aux coordonnées que donne son site principal. Indiquez le numéro de série du certificat, qui se lit dans le document signé. Ce qui est conservé des personnes est dit par la <a href="/confidentialite">politique de confidentialité</a>. Le règlement (UE) n°\u00a0910/2014 s’applique, et le droit de l’État où l’organisation est établie.`,
      ],
    },
  ];
}

function fingerprint(der: Uint8Array): string {
  return createHash("sha256")
    .update(der)
    .digest("hex")
    .toUpperCase()
    .replace(/..(?=.)/g, "$&:");
}

export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
