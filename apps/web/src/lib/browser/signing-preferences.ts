import type { Hand, Print } from "@paraphe/contracts";

export type PagePlace = `${"haut" | "milieu" | "bas"}-${"gauche" | "centre" | "droite"}`;
/** `free`: on blank space; `last`: the way used last. */
export type SigningPreferences = {
  readonly place: "free" | PagePlace;
  readonly method: "last" | "draw" | "type" | "import" | "saved";
  readonly hand: Hand;
  /** Where a printed copy bears its code; `none`: the signed file itself. */
  readonly print: PrintChoice;
  /** Auto-signature adds the date under the signature. */
  readonly date: boolean;
  /** A new envelope's public page shows the proof without the document. */
  readonly proofOnly: boolean;
};
export type PrintChoice = Print["qr_type"] | "none";

const HANDS: readonly Hand[] = [
  "caveat",
  "la-belle-aurore",
  "playwrite-fr-moderne",
  "herr-von-muellerhoff",
];
const KEY = "paraphe.signing";
const USUAL: SigningPreferences = {
  place: "free",
  method: "last",
  hand: "caveat",
  print: "page",
  date: false,
  proofOnly: false,
};
const listeners = new Set<() => void>();
let current: { readonly stored: string | null; readonly value: SigningPreferences } | undefined;

/** The same object until the next choice, here or in another tab. */
export function readSigningPreferences(): SigningPreferences {
  const stored = read();
  if (current?.stored !== stored || current === undefined)
    current = { stored, value: parse(stored) };
  return current.value;
}

export function chooseSigningPreferences(change: Partial<SigningPreferences>): void {
  const value = { ...readSigningPreferences(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(value));
  } catch (cause) {
    // Storage may be refused by the browser: nothing is remembered.
    if (!(cause instanceof DOMException)) throw cause;
  }
  listeners.forEach((listener) => listener());
}

export function onSigningPreferences(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch (cause) {
    if (cause instanceof DOMException) return null;
    throw cause;
  }
}

function parse(stored: string | null): SigningPreferences {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? "null");
  } catch {
    return USUAL;
  }
  if (typeof value !== "object" || value === null) return USUAL;
  const { place, method, hand, print, date, proofOnly } = { ...USUAL, ...value };
  return {
    place: /^(haut|milieu|bas)-(gauche|centre|droite)$/.test(String(place)) ? place : USUAL.place,
    method: ["draw", "type", "import", "saved"].includes(method) ? method : USUAL.method,
    hand: HANDS.includes(hand) ? hand : USUAL.hand,
    print: ["page", "last", "certificate", "none"].includes(print) ? print : USUAL.print,
    date: Boolean(date),
    proofOnly: Boolean(proofOnly),
  };
}
