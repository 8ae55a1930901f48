import { MAX_PASSWORD_LENGTH, passwordLength } from "@paraphe/contracts";
import { isCommonPassword } from "./common-passwords.ts";
import { textKey } from "./text-key.ts";

/** Whose password it would be, and the shortest one that this server accepts. */
export type PasswordContext = { readonly username: string; readonly email: string; readonly minimumLength: number };

/**
 * Gives what is wrong with a password, or null. Spaces and every letter count; nothing is trimmed or cut.
 * Source: specification §5 (length), OWASP ASVS 5.0 6.2.4, 6.2.9 and 6.2.11 (what is guessed first).
 */
export function checkPassword(password: string, context: PasswordContext): string | null {
  const length = passwordLength(password);
  if (length < context.minimumLength) return `Minimum ${context.minimumLength} caractères`;
  if (length > MAX_PASSWORD_LENGTH) return `${MAX_PASSWORD_LENGTH} caractères au maximum`;
  const key = textKey(password);
  const email = textKey(context.email);
  const personal = [textKey(context.username), email, email.split("@")[0], "paraphe"];
  if (personal.includes(key)) return "Choisissez un mot de passe différent de votre nom d’utilisateur, de votre email et de « paraphe »";
  if (isCommonPassword(key)) return "Ce mot de passe est trop courant. Choisissez-en un autre";
  return null;
}
