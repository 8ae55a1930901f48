import { ASKED, type Role } from "@paraphe/contracts";
import { uncapitalised } from "@paraphe/kernel/french-words";

/**
 * These take 160 characters in an SMS; any other text 70.
 * Source: 3GPP TS 23.038 §6.2.1; the extension table counts double (§6.2.1.1).
 */
const BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const EXTENSION = "^{}\\[~]|€";

const REPLACEMENTS: Readonly<Record<string, string>> = {
  œ: "oe",
  Œ: "OE",
  ç: "c",
  "’": "'",
  "‘": "'",
  ʼ: "'",
  "«": '"',
  "»": '"',
  "“": '"',
  "”": '"',
  "„": '"',
  "–": "-",
  "—": "-",
  "‑": "-",
  "…": "...",
  "\u00a0": " ",
  "\u202f": " ",
  "\u2009": " ",
  "\t": " ",
  đ: "d",
  Đ: "D",
  ł: "l",
  Ł: "L",
  ı: "i",
  ð: "d",
  Ð: "D",
  þ: "th",
  Þ: "Th",
  ħ: "h",
  Ħ: "H",
  ŋ: "n",
  Ŋ: "N",
  ŧ: "t",
  Ŧ: "T",
  ẞ: "SS",
  // « n° 12 » becomes « no 12 ».
  "°": "o",
  "·": ".",
  "•": "-",
  "−": "-",
  "×": "x",
  "÷": "/",
  "⁄": "/",
  "©": "(c)",
  "®": "(R)",
  "‹": "'",
  "›": "'",
  "‚": ",",
  "′": "'",
  "″": '"',
  "\u2010": "-",
  "\u2012": "-",
  "\u2015": "-",
  "\u2002": " ",
  "\u2003": " ",
  "\u200b": "",
  "\u200d": "",
  "\u2060": "",
  "\ufeff": "",
  "\u00ad": "",
};

export function gsmLength(text: string): number {
  return Array.from(text).reduce(
    (length, character) => length + (EXTENSION.includes(character) ? 2 : 1),
    0,
  );
}

export function isGsmText(text: string): boolean {
  return Array.from(text).every(
    (character) => BASIC.includes(character) || EXTENSION.includes(character),
  );
}

/** Gives the closest letters, else « ? ». */
export function toGsmText(text: string): string {
  return Array.from(text.normalize("NFC"), gsmCharacter).join("");
}

/** Counts septets and ends in three dots. */
export function cutGsmText(text: string, maximum: number): string {
  if (gsmLength(text) <= maximum) return text;
  let cut = "";
  for (const character of text) {
    if (gsmLength(cut + character) > maximum - 3) break;
    cut += character;
  }
  return `${cut.trimEnd()}...`;
}

function gsmCharacter(character: string): string {
  if (isGsmText(character)) return character;
  const replacement = REPLACEMENTS[character];
  if (replacement !== undefined) return replacement;
  // Makes ½ 1/2 and ﬁ fi, and drops accents.
  const plain = Array.from(
    character.normalize("NFKD").replace(/\p{M}+/gu, ""),
    (part) => REPLACEMENTS[part] ?? part,
  ).join("");
  if (plain.length > 0 && isGsmText(plain)) return plain;
  const capital = plain.toUpperCase();
  return capital.length > 0 && isGsmText(capital) ? capital : "?";
}

/** An SMS without concatenation (3GPP TS 23.040 §9.2.3.24). */
const MAXIMUM = 160;

/** Shortens the variable to fit one SMS. */
export function fit(sentence: (variable: string) => string, variable: string): string {
  const room = MAXIMUM - gsmLength(toGsmText(sentence("")));
  return toGsmText(sentence(room < 4 ? "" : cutGsmText(toGsmText(variable), room)));
}

type Asking = {
  readonly role: Role;
  readonly senderName: string;
  readonly envelopeTitle: string;
  readonly behalf?: { readonly name: string };
  readonly link: string;
};
/** A title cut shorter than this is left out. */
const SHORTEST_TITLE = 8;

export function ask(before: string, { link, behalf, role, ...who }: Asking): string {
  const whose = behalf === undefined ? "" : ` pour ${cutGsmText(toGsmText(behalf.name), 30)}`;
  const after = ` : ${uncapitalised(ASKED[role])}${whose}. ${link}`;
  return toGsmText(
    `${before}${namesOf(who, MAXIMUM - gsmLength(toGsmText(before + after)))}${after}`,
  );
}

function namesOf(
  { senderName, envelopeTitle }: Omit<Asking, "link" | "behalf" | "role">,
  room: number,
): string {
  const sender = toGsmText(senderName);
  const title = toGsmText(envelopeTitle).replaceAll('"', "'");
  const left = room - gsmLength(`${sender}, ""`);
  if (left >= Math.min(SHORTEST_TITLE, gsmLength(title)))
    return `${sender}, "${cutGsmText(title, left)}"`;
  return room < 4 ? "" : cutGsmText(sender, room);
}

export function name(fullName: string): string {
  return cutGsmText(toGsmText(fullName), 60);
}
