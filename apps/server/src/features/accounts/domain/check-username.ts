/**
 * Latin letters as Europe and Vietnam write them, digits, and `. _ + -`. Letters of other scripts (Cyrillic а for a), the dotless ı, ĸ and the
 * like are left out because they pass for others: one name must not be readable as another's. No `@`: an e-mail address is never a username.
 * Source: UTS #39 §4 (single script), narrowed.
 */
const ALLOWED = /^[A-Za-z0-9À-ÖØ-öø-įĴ-ķĹ-žȘ-țƠơƯưẠ-ỹ._+-]+$/u;
const EDGES = /^[._+-]|[._+-]$/;
/**
 * A name that a mail program would make a link of, at the sight of it. « jean.martin » is a name like another; whatever else passes for a site is
 * shown unlinked in mails.
 */
const SITE = /(?:^|[._+-])www\.|\.(?:app|biz|click|club|cn|com|dev|eu|fr|icu|info|io|link|net|online|org|ru|shop|site|store|top|xyz)$/i;

/** Gives what is wrong with a username, or null. */
export function checkUsername(username: string): string | null {
  const name = username.normalize("NFKC");
  if (/\s/.test(name)) return "Le nom d’utilisateur ne peut pas contenir d’espace";
  if (!ALLOWED.test(name)) return "Lettres latines, chiffres, point, tiret et « _ » seulement";
  if (EDGES.test(name)) return "Le nom d’utilisateur commence et finit par une lettre ou un chiffre";
  if (SITE.test(name)) return "Le nom d’utilisateur ne peut pas être une adresse de site";
  return null;
}
