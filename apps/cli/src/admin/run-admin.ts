import { administration, resetFactors } from "../../../server/src/features/accounts/public.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";

type AdminOutcome = { readonly code: 0 | 1 | 64; readonly lines: readonly string[] };

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe admin <commande>",
  "  invite [administrateur]   donne une adresse qui permet de s’inscrire une fois, pendant sept jours",
  "  promote <email>           fait d’un compte, à l’adresse confirmée, un administrateur",
  "  list                      montre les administrateurs",
  "  reset-factors <nom>       retire clés d’accès, application et codes de secours d’un compte (nom ou email)",
];

export async function runAdmin(
  platform: Platform,
  [name = "", word, ...more]: readonly string[],
): Promise<AdminOutcome> {
  if (more.length === 0) {
    if (name === "invite" && (word === undefined || word === "administrateur"))
      return {
        code: 0,
        lines: [await administration.invite(platform, { administrator: word !== undefined })],
      };
    if (name === "promote" && word !== undefined)
      return (await administration.promote(platform, word))
        ? { code: 0, lines: [`${word} est administrateur.`] }
        : {
            code: 1,
            lines: [
              `Aucun compte activé n’a cette adresse, confirmée par la personne\u00a0: ${word}`,
              "À faire\u00a0: qu’elle se connecte, puis ouvre le lien d’une enveloppe reçue par email, ou y demande son code. Recommencez ensuite.",
            ],
          };
    if (name === "reset-factors" && word !== undefined)
      return (await resetFactors(platform, word))
        ? { code: 0, lines: [`${word} se connecte de nouveau avec son mot de passe seul.`] }
        : { code: 1, lines: [`Aucun compte activé n’a ce nom ou cette adresse\u00a0: ${word}`] };
    if (name === "list" && word === undefined) {
      const found = await administration.list(platform);
      return { code: 0, lines: found.length > 0 ? found : ["Aucun administrateur."] };
    }
  }
  return { code: 64, lines: USAGE };
}
