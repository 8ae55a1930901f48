import { addressOf, emailFault } from "@paraphe/contracts";
import { administration, resetFactors } from "../../../server/src/features/accounts/public.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";

type AdminOutcome = { readonly code: 0 | 1 | 64; readonly lines: readonly string[] };

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe admin <commande>",
  "  setup                             donne une autre adresse de premier démarrage, pendant vingt-quatre heures",
  "  invite [email] [administrateur]   donne une adresse, ou l’envoie, qui permet de s’inscrire une fois, pendant sept jours",
  "  promote <email> [propriétaire]    fait d’un compte, à l’adresse confirmée, un administrateur ou un propriétaire",
  "  list                              montre les administrateurs",
  "  reset-factors <nom>               retire clés d’accès, application et codes de secours d’un compte (nom ou email)",
];

const MISUSED: AdminOutcome = { code: 64, lines: USAGE };

export async function runAdmin(
  platform: Platform,
  [name = "", ...words]: readonly string[],
): Promise<AdminOutcome> {
  if (name === "setup" && words.length === 0) return setUp(platform);
  if (name === "invite") return invite(platform, words);
  if (name === "promote") return promote(platform, words);
  if (name === "reset-factors") return removeFactors(platform, words);
  if (name !== "list" || words.length > 0) return MISUSED;
  const found = await administration.list(platform);
  return { code: 0, lines: found.length > 0 ? found : ["Aucun administrateur."] };
}

async function setUp(platform: Platform): Promise<AdminOutcome> {
  const address = await administration.setUp(platform);
  return address === null
    ? {
        code: 1,
        lines: [
          "Le service a déjà un administrateur\u00a0: paraphe admin list le montre.",
          "À faire\u00a0: paraphe admin invite administrateur, pour en ajouter un.",
        ],
      }
    : { code: 0, lines: [address] };
}

async function invite(platform: Platform, words: readonly string[]): Promise<AdminOutcome> {
  const administrator = words.at(-1) === "administrateur";
  const [email, ...more] = administrator ? words.slice(0, -1) : words;
  if (more.length > 0) return MISUSED;
  if (email === undefined)
    return { code: 0, lines: [await administration.invite(platform, { administrator })] };
  const fault = emailFault(email);
  if (fault !== null) return { code: 64, lines: [`${fault}\u00a0: ${email}`, ...USAGE] };
  if (platform.settings.mailDisabled)
    return {
      code: 1,
      lines: [
        "Ce service n’envoie aucun email (MAIL=none). Sans email, la commande donne l’adresse.",
      ],
    };
  await administration.mailInvitation(platform, { administrator, email: addressOf(email) });
  return { code: 0, lines: [`Invitation pour ${email}\u00a0: le service l’envoie.`] };
}

async function promote(
  platform: Platform,
  [email, word, ...more]: readonly string[],
): Promise<AdminOutcome> {
  const isOwner = word === "propriétaire" || word === "proprietaire";
  if (email === undefined || more.length > 0 || (word !== undefined && !isOwner)) return MISUSED;
  const role = isOwner ? "owner" : "administrator";
  return (await administration.promote(platform, email, role))
    ? { code: 0, lines: [`${email} est ${isOwner ? "propriétaire" : "administrateur"}.`] }
    : {
        code: 1,
        lines: [
          `Aucun compte activé n’a cette adresse, confirmée par la personne\u00a0: ${email}`,
          "À faire\u00a0: qu’elle se connecte, puis ouvre le lien d’une enveloppe reçue par email, ou y demande son code. Recommencez ensuite.",
        ],
      };
}

async function removeFactors(
  platform: Platform,
  [who, ...more]: readonly string[],
): Promise<AdminOutcome> {
  if (who === undefined || more.length > 0) return MISUSED;
  return (await resetFactors(platform, who))
    ? { code: 0, lines: [`${who} se connecte de nouveau avec son mot de passe seul.`] }
    : { code: 1, lines: [`Aucun compte activé n’a ce nom ou cette adresse\u00a0: ${who}`] };
}
