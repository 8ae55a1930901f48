import type { AttackStage } from "./attack-stage.ts";

export type Attack = (stage: AttackStage) => Uint8Array | Promise<Uint8Array>;

/** Replaces, or throws: an attack that changes nothing proves nothing. */
export function swap(
  text: string,
  from: string | RegExp,
  to: string | ((found: string) => string),
): string {
  const swapped = typeof to === "string" ? text.replace(from, () => to) : text.replace(from, to);
  if (swapped === text) throw new Error(`nothing to replace: ${String(from)}`);
  return swapped;
}

export const EVIL_CONTENT =
  "<</Length 35>>\nstream\nBT /F1 24 Tf 72 700 Td (FAUX) Tj ET\nendstream";
