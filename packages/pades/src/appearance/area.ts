/** A rectangle of an appearance. Units: points from the bottom-left corner, upright as displayed. */
export type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** Ink of marks and values: a dark blue that stays legible when printed in grey. */
export const INK = "0.06 0.12 0.36";
