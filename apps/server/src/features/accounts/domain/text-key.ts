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
