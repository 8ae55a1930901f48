import { LEGAL_VERSIONS, UNSAVED_EDITS_DAYS } from "@paraphe/contracts";
import { LegalPage, type LegalText } from "./legal-page.tsx";

/** GDPR art. 13 and 14; the facts follow the server's tables, cookies and jobs. */
export const PRIVACY: LegalText = {
  title: "Politique de confidentialité",
  lede: "Quelles données le service conserve, pourquoi, combien de temps, et comment exercer vos droits.",
  since: LEGAL_VERSIONS.privacy.since,
  sections: [
    {
      id: "responsable",
      title: "1. Qui est responsable de vos données",
      blocks: [
        "L’organisation qui exploite ce service, à l’adresse affichée par votre navigateur, est responsable du traitement de vos données au sens du règlement (UE) 2016/679 (RGPD). Quand un expéditeur vous envoie un document à signer, il décide de son contenu et de ses destinataires\u00a0: il en est responsable de son côté.",
        "Si vous êtes invité à signer, votre nom, votre adresse email et, le cas échéant, votre téléphone nous viennent de l’expéditeur de la demande (RGPD, article\u00a014, paragraphe\u00a02, point\u00a0f)\u202f; le reste vient de vous.",
        "Pour toute question ou pour exercer vos droits, adressez-vous à l’organisation ou à son délégué à la protection des données, aux coordonnées données en tête de cette page ou, à défaut, sur son site principal. Un invité peut aussi répondre à l’expéditeur de la demande.",
      ],
    },
    {
      id: "donnees",
      title: "2. Ce qui est conservé, pourquoi et combien de temps",
      blocks: [
        "Pour ouvrir un compte, le nom d’utilisateur, l’email, le mot de passe, le prénom, le nom et la date de naissance sont obligatoires\u00a0: sans eux, le compte ne peut pas être créé. Le téléphone, le genre, l’adresse et la photo sont facultatifs\u202f; sans téléphone vérifié, aucun SMS ne vous est envoyé. Pour signer, le nom et l’email sont nécessaires\u00a0: sans eux, la signature ne peut pas être recueillie. Aucune n’est vendue, aucune ne sert à la publicité, aucune décision n’est prise par une machine seule.",
      ],
      hasTable: true,
    },
    {
      id: "preuve",
      title: "3. Pourquoi une preuve survit à l’effacement d’un compte",
      blocks: [
        "Un document signé engage plusieurs personnes. Le droit à l’effacement ne s’étend pas à ce qui est nécessaire à la constatation, à l’exercice ou à la défense de droits en justice (RGPD, article\u00a017, paragraphe\u00a03, point\u00a0e). La durée est de dix ans après la dernière signature, à moins que l’expéditeur ne supprime l’enveloppe plus tôt. Passé ce délai, documents et preuves sont effacés\u00a0: il n’en reste que des dates et des empreintes.",
        "Quand un compte est effacé, le profil, les sessions, les liens, les préférences, l’image de profil et les brouillons disparaissent. Les preuves conservées gardent ce que dit la ligne «\u00a0Enveloppes terminées\u00a0» du tableau, et rien d’autre.",
      ],
    },
    {
      id: "acces",
      title: "4. Qui voit vos données",
      blocks: [
        {
          list: [
            "l’expéditeur et les autres parties d’un même document, pour ce qui les concerne\u202f;",
            "les personnes habilitées de l’organisation, pour faire fonctionner le service\u202f;",
            "une personne qui scanne le QR code d’un document imprimé\u00a0: les noms des signataires et les dates, jamais une adresse, un téléphone ni une adresse IP\u202f; le document signé aussi, sauf si son expéditeur a choisi de ne pas le montrer\u202f;",
            "une autorité ou un tribunal, quand la loi y oblige.",
          ],
        },
        "Le logiciel ne fait appel à aucun sous-traitant\u00a0: documents, preuves et clés restent sur les serveurs de l’organisation. Si elle confie l’hébergement, l’envoi des emails ou des SMS à un prestataire, elle l’indique et le lie par contrat (RGPD, article\u00a028). Les notifications du navigateur, si vous les activez, passent chiffrées par le service de l’éditeur de votre navigateur. Hors de ces notifications, le logiciel n’envoie rien de lui-même hors de l’Union européenne.",
      ],
    },
    {
      id: "cookies",
      title: "5. Cookies et mémoire du navigateur",
      blocks: [
        "Ne sont déposés que des cookies strictement nécessaires au service que vous demandez. Ils sont dispensés de consentement (loi n°\u00a078-17 du 6 janvier 1978, article\u00a082)\u00a0: il n’y a donc pas de bandeau. Il n’y a ni mesure d’audience, ni traceur, ni pixel dans les emails.",
        {
          list: [
            "__Host-access_token et __Host-refresh_token\u00a0: votre session, illisibles par les scripts\u202f; 15\u00a0minutes, et 12\u00a0heures au plus ou 30\u00a0jours avec «\u00a0Rester connecté\u00a0»\u202f;",
            "csrftoken et __Host-csrf\u00a0: protègent vos actions contre les demandes venues d’un autre site\u202f;",
            "un cookie d’invité (__Host-guest…), après un code vérifié\u00a0: une heure, pour un seul document\u202f;",
            `la mémoire du navigateur\u00a0: le thème, la taille du texte, le contraste et les animations choisis, ce que vous préférez pour signer, le jour d’une demande de prolongation, l’identifiant du compte qui y reçoit des notifications si vous les activez\u202f; tant que l’onglet est ouvert, vos réponses en cours, le début d’une enveloppe et l’heure d’une demande de lien\u202f; les modifications d’un brouillon qui n’ont pas encore pu être enregistrées, jusqu’à ce qu’elles le soient ou que vous vous déconnectiez, ${UNSAVED_EDITS_DAYS}\u00a0jours au plus.`,
          ],
        },
      ],
    },
    {
      id: "securite",
      title: "6. Comment elles sont protégées",
      blocks: [
        "Les échanges sont chiffrés. Les mots de passe ne sont conservés que sous une forme qui ne permet pas de les retrouver (Argon2id), les jetons et les liens seulement par leur empreinte. La clé de chaque signature est créée pour elle et détruite aussitôt. L’historique de chaque enveloppe est chaîné\u00a0: une ligne modifiée ou retirée se voit.",
        "En cas de violation présentant un risque élevé pour vous, l’organisation vous en informe (RGPD, article\u00a034).",
      ],
    },
    {
      id: "droits",
      title: "7. Vos droits",
      blocks: [
        {
          list: [
            "accéder à vos données et en recevoir une copie (article\u00a015)\u202f;",
            "les faire rectifier (article\u00a016)\u00a0: depuis «\u00a0Mon compte\u00a0», adresse email comprise\u202f;",
            "les faire effacer (article\u00a017), dans les limites dites plus haut\u202f;",
            "faire limiter un traitement (article\u00a018), l’organisation prévenant ceux à qui elle les a transmises (article\u00a019)\u202f;",
            "les emporter dans un format ouvert (article\u00a020)\u202f;",
            "vous opposer à un traitement fondé sur l’intérêt légitime (article\u00a021)\u202f;",
            "retirer à tout moment un consentement\u00a0: notifications du navigateur, signatures enregistrées, depuis «\u00a0Paramètres\u00a0» (article\u00a07, paragraphe\u00a03), sans effet sur ce qui a été fait avant\u202f;",
            "donner des directives sur le sort de vos données après votre décès (loi n°\u00a078-17, article\u00a085).",
          ],
        },
        "Avec un compte, la copie et l’effacement se demandent depuis «\u00a0Paramètres\u00a0», sans délai. Sinon, écrivez à l’organisation\u00a0: elle répond dans le mois.",
        "Si sa réponse ne vous convient pas, vous pouvez saisir la CNIL\u00a0: 3, place de Fontenoy, TSA 80715, 75334 Paris Cedex 07, ou www.cnil.fr.",
      ],
      links: [{ to: "/conditions", label: "Conditions d’utilisation" }],
    },
  ],
};

export function PrivacyPage() {
  return <LegalPage text={PRIVACY} identityTitle="Responsable du traitement" />;
}
