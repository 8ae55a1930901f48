import { slugify } from "../../lib/slugify.ts";

type Named = { readonly title: string; readonly isSigned: boolean };

/** Gives the name a downloaded envelope is saved under; several documents come as one zip (specification §7). */
export function signedFileName({ title, isSigned }: Named, mediaType: string): string {
  const extension = mediaType.includes("zip") ? "zip" : "pdf";
  return `${slugify(title)}${isSigned ? "_signe" : ""}.${extension}`;
}
