export const LEGAL_FORMS = [
  "SAS",
  "SASU",
  "SARL",
  "EURL",
  "SA",
  "SCI",
  "SCP",
  "SELARL",
  "SELAS",
  "Entreprise individuelle",
  "Société coopérative",
  "Association",
  "Fondation",
  "Commune",
  "Intercommunalité",
  "Département",
  "Région",
  "Établissement public",
  "Service de l’État",
  "Autre",
] as const;

/** La Poste has more offices than the key allows for. */
const LA_POSTE = "356000000";

/**
 * Requires 14 digits, spaces allowed; null if valid.
 * Source: Insee: the key of ISO/IEC 7812-1 (Luhn); for La Poste, a sum of digits divisible by 5.
 */
export function siretFault(text: string): string | null {
  const siret = bareSiret(text);
  if (!/^(?!0{9})\d{14}$/.test(siret)) return "Un SIRET a 14 chiffres.";
  const digits = Array.from(siret, Number);
  const isPost = siret.startsWith(LA_POSTE) && sumOf(digits) % 5 === 0;
  return isPost || luhnSum(digits) % 10 === 0
    ? null
    : "Ce numéro n’est pas un SIRET\u00a0: le dernier chiffre ne correspond pas.";
}

export function bareSiret(text: string): string {
  return text.replace(/[\s\u00a0\u202f.]/g, "");
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

/** Luhn: every second digit from the right counts twice. */
function luhnSum(digits: readonly number[]): number {
  return sumOf(
    digits.map((digit, index) => {
      const weighed = (digits.length - index) % 2 === 0 ? digit * 2 : digit;
      return weighed > 9 ? weighed - 9 : weighed;
    }),
  );
}

/** Gives `812 345 678 00012`. */
export function formatSiret(siret: string): string {
  return siret.replace(/^(\d{3})(\d{3})(\d{3})(\d{5})$/, "$1\u00a0$2\u00a0$3\u00a0$4");
}

/** Anybody may have an address at these. */
const PUBLIC_MAIL = new Set(
  (
    "aliceadsl.fr aol.com aol.fr bbox.fr club-internet.fr free.fr gmail.com gmx.com gmx.fr googlemail.com " +
    "hotmail.com hotmail.fr icloud.com laposte.net live.com live.fr mac.com mail.com mail.ru mailo.com me.com " +
    "msn.com neuf.fr numericable.fr orange.fr outlook.com outlook.fr pm.me proton.me protonmail.com sfr.fr " +
    "tutanota.com wanadoo.fr yahoo.com yahoo.fr yandex.com ymail.com zoho.com"
  ).split(" "),
);
const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** Null for a domain whose addresses may register. */
export function domainFault(domain: string): string | null {
  if (!DOMAIN.test(domain)) return `«\u00a0${domain.slice(0, 40)}\u00a0» n’est pas un domaine.`;
  return PUBLIC_MAIL.has(domain)
    ? `${domain} est une messagerie publique\u00a0: tout le monde peut y avoir une adresse.`
    : null;
}
