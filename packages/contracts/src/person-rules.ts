import { MAX_NAME_LENGTH, MAX_TITLE_LENGTH } from "./constants.ts";
import { isReadable, plainText } from "./plain-text.ts";
import { type NamedText, wordsFault } from "./words-fault.ts";

/**
 * What a person's name, address and number must be, without a validation library: the schemas are made of these rules, and a page that checks what
 * is typed loads nothing else.
 */

/** Gives a line as it is kept: trimmed, NFC, whole characters, without what ends a line, hides or turns its words. */
export function lineOf(text: string): string {
  return plainText(text).trim();
}

type NamedLine = { readonly kind: NamedText; readonly maximum: number; readonly required: string };

/** Gives what is wrong with a person's name; null when it can be kept. */
export function nameFault(text: string): string | null {
  return namedLineFault(text, { kind: "nom", maximum: MAX_NAME_LENGTH, required: "Nom requis" });
}

/** Gives what is wrong with a title; null when it can be kept. */
export function titleFault(text: string): string | null {
  return namedLineFault(text, { kind: "titre", maximum: MAX_TITLE_LENGTH, required: "Titre requis" });
}

function namedLineFault(text: string, { kind, maximum, required }: NamedLine): string | null {
  const line = lineOf(text);
  if (line.length > maximum) return `${maximum} caractères au maximum`;
  return isReadable(line) ? wordsFault(line, kind) : required;
}

/** Of browsers and Node alike, though of no ECMAScript library. */
const { URL: Url } = globalThis as unknown as { readonly URL: new (address: string) => { readonly hostname: string } };

/** Gives an address in a domain with accents as mail carries it: its labels in ASCII (IDNA, RFC 5891). Any other text is given back. */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  if (at < 1 || !/[^\u0000-\u007f]/.test(domain) || !/^[\p{L}\p{N}\p{M}.-]+$/u.test(domain)) return address;
  try {
    return `${address.slice(0, at)}@${new Url(`http://${domain}`).hostname}`;
  } catch {
    return address;
  }
}

/** In letters. RFC 5321 §4.5.3.1.3 less its two brackets, and §4.5.3.1.1: no server has to take longer ones. */
export const MAX_ADDRESS_LENGTH = 254;
export const MAX_LOCAL_PART = 64;
/** A dot-string (RFC 5321 §4.1.2) of what mail is really sent to: letters, digits and `_ ' + -`, in a domain of at least two labels. */
export const EMAIL_PATTERN = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

/** Gives an address as it is kept: trimmed, its domain in ASCII. */
export function addressOf(text: string): string {
  return asciiAddress(text.normalize("NFC").trim());
}

/** Gives what is wrong with an email address; null when mail can be sent to it. */
export function emailFault(text: string): string | null {
  const address = addressOf(text);
  if (address === "") return "Email requis";
  const isRight = address.length <= MAX_ADDRESS_LENGTH && address.lastIndexOf("@") <= MAX_LOCAL_PART && EMAIL_PATTERN.test(address);
  return isRight ? null : "Email invalide";
}

/** E.164, or nothing. */
export const PHONE_PATTERN = /^(\+[1-9]\d{6,14})?$/;

/** Writes a number bare: its + written 00 as well (ITU-T E.123 §4: the prefix dialled in Europe), or a French national one; spaces, dots and hyphens are dropped. */
export function bareNumber(text: string): string {
  return text
    .replace(/[\s.\-()\u00a0\u202f]/g, "")
    .replace(/^00(?=[1-9])/, "+")
    .replace(/^0(?=[1-9]\d{8}$)/, "+33");
}

/** Gives a number as it is kept; empty when there is none, null when it is no number. */
export function phoneOf(text: string): string | null {
  const number = bareNumber(text);
  return PHONE_PATTERN.test(number) ? number : null;
}
