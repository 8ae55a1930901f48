/** What is printed on a copy, as the core draws it. Units: points from the top left corner of the page as displayed. */
export type Frame = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
export type PrintedCode = { readonly modules: readonly (readonly boolean[])[]; readonly frame: Frame };
export type PrintedText = {
  readonly lines: readonly string[];
  readonly frame: Frame;
  readonly size: number;
  readonly face?: "text" | "title";
  readonly tone?: "ink" | "soft" | "accent";
  readonly vertical?: "top" | "middle";
};
export type PrintedRule = { readonly frame: Frame; readonly tone: "line" | "accent" };
export type PageMarks = {
  readonly codes: readonly PrintedCode[];
  readonly texts: readonly PrintedText[];
  readonly rules?: readonly PrintedRule[];
};
export type MarkedPage = PageMarks & { readonly pageNumber: number; readonly scale: number; readonly margin: "bottom" | "right" };
export type AddedPage = PageMarks & { readonly width: number; readonly height: number };
