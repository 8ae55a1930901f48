/** `strong`, `mono`: few words, compared characters. */
export type Face = "text" | "strong" | "title" | "mono";

export type Line = string | { readonly text: string; readonly face: Face };

/** From the top. Widths: shares of the line. */
export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: Line; readonly tone?: "soft" | "accent" }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | {
      readonly kind: "notice";
      readonly tone: "good" | "caution" | "bad";
      readonly title: string;
      readonly text: string;
    }
  | {
      readonly kind: "facts";
      readonly rows: readonly { readonly label: string; readonly values: readonly Line[] }[];
    }
  | {
      readonly kind: "table";
      readonly columns: readonly { readonly title: string; readonly share: number }[];
      readonly rows: readonly (readonly (readonly Line[])[])[];
    };

/** Source: ISO 19005-3 §6.8; ISO 32000-2 §7.11.3, table 43 (AFRelationship). */
export type Attachment = {
  readonly name: string;
  readonly mediaType: string;
  readonly description: string;
  readonly relationship: "Source" | "Data" | "Alternative" | "Supplement";
  readonly bytes: Uint8Array;
};

/** A4, with attached files. Shape: `lang` is a BCP 47 tag; `footer` precedes page numbers. */
export type DocumentModel = {
  readonly title: string;
  readonly subject: string;
  readonly author: string;
  readonly lang: string;
  readonly madeAt: Date;
  readonly footer: string;
  readonly blocks: readonly Block[];
  readonly attachments: readonly Attachment[];
};
