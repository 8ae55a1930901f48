import { LEGAL_VERSIONS } from "@paraphe/contracts";
import { LegalPage, type LegalText } from "./legal-page.tsx";

/** The service is self-hosted, so the text names the operator by role. */
export const CONDITIONS: LegalText = {
  title: "Conditions d’utilisation",
  lede: "Ce que le service fait, ce que vaut une signature faite ici, et ce que chacun s’engage à respecter.",
  since: LEGAL_VERSIONS.conditions.since,
  sections: [
    {
      id: "service",
      title: "1. Le service et qui l’exploite",
      blocks: [
        "Paraphe est un logiciel de signature électronique. L’organisation qui exploite ce service, à l’adresse affichée par votre navigateur, l’a installé sur ses propres serveurs\u00a0: elle est votre seul interlocuteur et la seule responsable de son fonctionnement. Dans ces pages, «\u00a0l’organisation\u00a0» désigne cette organisation.",
        "Son nom, son adresse et les moyens de la joindre (mentions légales, article\u00a01-1 de la loi n°\u00a02004-575 du 21 juin 2004) figurent en tête de cette page, si elle les y a indiqués\u202f; sinon, ce sont ceux que donne son site principal, ou l’administrateur qui vous a ouvert l’accès. Si vous avez reçu une demande de signature sans avoir de compte, répondez à cet email\u00a0: son expéditeur vous les donnera.",
      ],
    },
    {
      id: "objet",
      title: "2. Ce que le service permet",
      blocks: [
        "Une personne qui a un compte dépose des documents PDF, désigne les signataires, place les champs et envoie la demande. Chaque destinataire la lit et signe, depuis son compte ou comme invité, avec un lien personnel et un code à usage unique.",
        "Quand tout le monde a signé, chacun reçoit l’exemplaire signé, et toute personne qui tient une copie imprimée avec son QR code peut ouvrir la page publique de vérification.",
      ],
    },
    {
      id: "compte",
      title: "3. Votre compte",
      blocks: [
        "Le compte est personnel. Vous donnez un nom, une adresse email et une date de naissance exacts\u00a0: votre nom figure sur les certificats de signature. Le compte s’ouvre quand vous confirmez votre adresse par le lien reçu.",
        "Vous choisissez un mot de passe que vous n’utilisez pas ailleurs et vous ne le communiquez à personne. Prévenez l’organisation si vous pensez que quelqu’un d’autre s’en sert\u00a0: les sessions ouvertes se ferment depuis les paramètres, et un changement de mot de passe ferme toutes les autres.",
        "Vous pouvez quitter le service à tout moment et effacer votre compte. Les preuves des documents déjà signés sont conservées, comme le dit la politique de confidentialité.",
      ],
    },
    {
      id: "signature",
      title: "4. Ce que vous signez et ce que vaut la signature",
      blocks: [
        "Avant de signer, vous voyez le document entier\u00a0: ce qui est affiché est exactement ce qui est signé. Signer demande un geste volontaire, après avoir coché «\u00a0J’ai lu le document et j’accepte de le signer électroniquement.\u00a0» Vous pouvez refuser.",
        "La signature produite est une signature électronique simple, au sens du règlement (UE) n°\u00a0910/2014 (eIDAS), article\u00a03, point\u00a010. Elle n’est ni avancée ni qualifiée, et le service n’est pas un prestataire de services de confiance qualifié.",
        "Son effet juridique et sa recevabilité comme preuve en justice ne peuvent être refusés au seul motif qu’elle est électronique ou qu’elle n’est pas qualifiée (même règlement, article\u00a025, paragraphe\u00a01). En droit français, elle se fonde sur les articles\u00a01366 et 1367 du code civil. La présomption de fiabilité de l’article\u00a01367 est réservée à la signature qualifiée\u00a0: en cas de contestation, il revient à qui s’en prévaut de montrer la fiabilité du procédé, et c’est à cela que sert le dossier de preuve.",
        "Certains actes demandent davantage\u00a0: acte authentique, signature avancée ou qualifiée imposée par un texte, acte sous signature privée relatif au droit de la famille et des successions (article\u00a01175 du code civil). L’expéditeur vérifie que la signature simple convient à son document.",
      ],
      links: [{ to: "/politique-de-certification", label: "Politique de certification" }],
    },
    {
      id: "preuve",
      title: "5. La preuve",
      blocks: [
        "Pour chaque signature, le service enregistre qui a signé, quand, par quel moyen la personne a été reconnue, les empreintes SHA-256 des documents et les étapes de la demande. Le fichier signé suit le format PAdES\u00a0: toute modification ultérieure se voit dans un lecteur de PDF.",
        "Expéditeurs et signataires conviennent, comme le permet l’article\u00a01356 du code civil, que ces enregistrements font preuve entre eux jusqu’à preuve contraire. Cette convention ne prive personne du droit de les contester, et ne vaut pas contre les règles impératives qui protègent les consommateurs.",
      ],
    },
    {
      id: "usage",
      title: "6. Ce que vous vous engagez à ne pas faire",
      blocks: [
        {
          list: [
            "envoyer un document que vous n’avez pas le droit de communiquer, ou dont le contenu est illicite\u202f;",
            "signer à la place d’une autre personne, ou vous faire passer pour elle\u202f;",
            "donner l’adresse d’une personne pour la faire démarcher, ou lui envoyer des demandes qu’elle n’attend pas\u202f;",
            "chercher à contourner les protections du service, ou à le rendre indisponible.",
          ],
        },
        "L’organisation peut suspendre un compte qui manque à ces règles. Les documents déjà signés restent vérifiables.",
      ],
    },
    {
      id: "disponibilite",
      title: "7. Disponibilité et responsabilité",
      blocks: [
        "L’organisation fait fonctionner le service avec soin, sans promettre qu’il ne s’interrompt jamais. Une signature enregistrée n’est pas perdue par une interruption\u00a0: le scellement reprend de lui-même.",
        "Le service ne relit pas les documents et ne donne pas de conseil juridique. L’expéditeur répond du contenu de ce qu’il envoie et de l’exactitude des coordonnées des destinataires. Rien ici n’exclut une responsabilité que la loi interdit d’exclure.",
      ],
    },
    {
      id: "droit",
      title: "8. Changements et droit applicable",
      blocks: [
        "L’organisation peut modifier ces conditions. La version applicable à une signature est celle qui était publiée le jour où elle a été faite.",
        "Le droit français s’applique, sans priver un consommateur de la protection des lois de son pays de résidence. Les données personnelles sont l’objet d’une page à part.",
      ],
      links: [{ to: "/confidentialite", label: "Politique de confidentialité" }],
    },
  ],
};

export function ConditionsPage() {
  return <LegalPage text={CONDITIONS} identityTitle="Mentions légales" />;
}
