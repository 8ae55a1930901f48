/**
 * Names with the same key are one person's: NFKC, lower case, without the joiners (U+2060) of
 * mails.
 */
export function textKey(text: string): string {
  return text.replaceAll("\u2060", "").normalize("NFKC").toLowerCase().normalize("NFKC").trim();
}

/** Accounts and recipients match by this key. */
export function emailKey(email: string): string {
  return textKey(email);
}

export function usernameKey(username: string): string {
  return textKey(username);
}

/**
 * Latin letters of Europe and Vietnam, digits, and `. _ + -`. Cyrillic а, dotless ı and ĸ are left
 * out: they look like others. No `@`: a username is no e-mail address.
 * Source: UTS #39 §4 (single script), narrowed.
 */
const ALLOWED = /^[A-Za-z0-9À-ÖØ-öø-įĴ-ķĹ-žȘ-țƠơƯưẠ-ỹ._+-]+$/u;
const EDGES = /^[._+-]|[._+-]$/;
/** Mail programs link these for sure; other names get joiners. */
const SITE =
  /(?:^|[._+-])www\.|\.(?:app|biz|click|club|cn|com|dev|eu|fr|icu|info|io|link|net|online|org|ru|shop|site|store|top|xyz)$/i;

export function checkUsername(username: string): string | null {
  const name = username.normalize("NFKC");
  if (/\s/.test(name)) return "Le nom d’utilisateur ne peut pas contenir d’espace";
  if (!ALLOWED.test(name)) return "Lettres latines, chiffres, point, tiret et « _ » seulement";
  if (EDGES.test(name))
    return "Le nom d’utilisateur commence et finit par une lettre ou un chiffre";
  if (SITE.test(name)) return "Le nom d’utilisateur ne peut pas être une adresse de site";
  return null;
}

/** Requires a past date of a living person; gives its error, or null. */
export function checkBirthDate(date: string, now: Date): string | null {
  const today = now.toISOString().slice(0, 10);
  if (date > today) return "La date de naissance doit être dans le passé";
  return Number(date.slice(0, 4)) < now.getUTCFullYear() - 130 ? "Date invalide" : null;
}

/** The order counts: browsers built on Chrome or Safari name them too. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*Safari\//, "Safari"],
];
/** The order counts: iPads and Android also say « Macintosh » or « Linux ». */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "sur iPhone"],
  [/\biPad\b/, "sur iPad"],
  [/\bAndroid\b/, "sous Android"],
  [/\bWindows\b/, "sous Windows"],
  [/\bCrOS\b/, "sous ChromeOS"],
  [/\b(?:Macintosh|Mac OS X)\b/, "sous macOS"],
  [/\bLinux\b/, "sous Linux"],
];

/** Gives « Firefox sous Windows », never the header's text. */
export function deviceName(userAgent: string): string {
  const browser =
    BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? "Navigateur inconnu";
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  return system === undefined ? browser : `${browser} ${system}`;
}
