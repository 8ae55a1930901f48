import type { Fonts } from "../pdf/types.ts";

/** A rectangle of a page as it is displayed. Units: points from its top left corner. */
export type Frame = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** A QR code: rows of modules from the top, `true` for dark. Its frame is a square, without the quiet zone around it. */
export type PrintedCode = { readonly modules: readonly (readonly boolean[])[]; readonly frame: Frame };

/** Lines printed in a frame, wrapped and shrunk to it. `size` is the largest. Units: points. */
export type PrintedText = {
  readonly lines: readonly string[];
  readonly frame: Frame;
  readonly size: number;
  /** `title` is the family of headings. */
  readonly face?: "text" | "title";
  readonly tone?: "ink" | "soft" | "accent";
  readonly vertical?: "top" | "middle";
};

/** A filled rectangle: the lines of a page that was added. */
export type PrintedRule = { readonly frame: Frame; readonly tone: "line" | "accent" };

export type PrintedMarks = {
  readonly codes: readonly PrintedCode[];
  readonly texts: readonly PrintedText[];
  readonly rules?: readonly PrintedRule[];
};

/** What is printed on a page of the file. `pageNumber` from 1. */
export type MarkedPage = PrintedMarks & {
  readonly pageNumber: number;
  /** The size its own content keeps: 1 for all of it. Smaller, it makes room along `margin`. */
  readonly scale: number;
  readonly margin: "bottom" | "right";
};

/** A page that is added behind the others. Units: points. */
export type AddedPage = PrintedMarks & { readonly width: number; readonly height: number };

export type PrintMarksOptions = {
  readonly pages: readonly MarkedPage[];
  readonly added: readonly AddedPage[];
  /** `text` is tried in order; `title` before it, for headings. */
  readonly fonts: Pick<Fonts, "text"> & { readonly title: Uint8Array };
};
