/**
 * The form under which a username or an e-mail address is compared: NFKC, lower case.
 * Two spellings with one key are one person. The invisible joiners (U+2060) that a mail shows a username with are none of its letters.
 */
export function textKey(text: string): string {
  return text.replaceAll("\u2060", "").normalize("NFKC").toLowerCase().normalize("NFKC").trim();
}

/** The key of an e-mail address. What accounts and recipients are matched by. */
export function emailKey(email: string): string {
  return textKey(email);
}

/** The key of a username. */
export function usernameKey(username: string): string {
  return textKey(username);
}

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
const SITE =
  /(?:^|[._+-])www\.|\.(?:app|biz|click|club|cn|com|dev|eu|fr|icu|info|io|link|net|online|org|ru|shop|site|store|top|xyz)$/i;

/** Gives what is wrong with a username, or null. */
export function checkUsername(username: string): string | null {
  const name = username.normalize("NFKC");
  if (/\s/.test(name)) return "Le nom d’utilisateur ne peut pas contenir d’espace";
  if (!ALLOWED.test(name)) return "Lettres latines, chiffres, point, tiret et « _ » seulement";
  if (EDGES.test(name))
    return "Le nom d’utilisateur commence et finit par une lettre ou un chiffre";
  if (SITE.test(name)) return "Le nom d’utilisateur ne peut pas être une adresse de site";
  return null;
}

/** Gives what is wrong with a birth date, or null: in the past, and of somebody alive. */
export function checkBirthDate(date: string, now: Date): string | null {
  const today = now.toISOString().slice(0, 10);
  if (date > today) return "La date de naissance doit être dans le passé";
  return Number(date.slice(0, 4)) < now.getUTCFullYear() - 130 ? "Date invalide" : null;
}

/** Gives an e-mail address that its owner recognises and nobody else learns: `c•••@exemple.fr`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  if (at < 1) return "•••";
  const [first = ""] = email.slice(0, at);
  return `${first}•••${email.slice(at)}`;
}

/** Gives the end of a phone number only: `•• •• •• 45 67`. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, "").slice(-4);
  return `•• •• •• ${digits.slice(0, 2)} ${digits.slice(2)}`.trim();
}

/** The first that matches names the browser: those built on Chrome or Safari say so too, further on. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*Safari\//, "Safari"],
];
/** iPads and Android devices say « Macintosh » or « Linux » too: they come first. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "sur iPhone"],
  [/\biPad\b/, "sur iPad"],
  [/\bAndroid\b/, "sous Android"],
  [/\bWindows\b/, "sous Windows"],
  [/\bCrOS\b/, "sous ChromeOS"],
  [/\b(?:Macintosh|Mac OS X)\b/, "sous macOS"],
  [/\bLinux\b/, "sous Linux"],
];

/** Gives a device's short French name from what its browser says of itself: « Firefox sous Windows ». Nothing of the text itself is repeated. */
export function deviceName(userAgent: string): string {
  const browser =
    BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? "Navigateur inconnu";
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  return system === undefined ? browser : `${browser} ${system}`;
}
