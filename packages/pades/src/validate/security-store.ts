import { PdfStream } from "@libpdf/core";
import { decodedData, decodingBudget } from "../pdf/decoded-data.ts";
import { arrayAt, dictAt, follow, type OpenPdf } from "../pdf/open-pdf.ts";

/** What the document security store holds, DER. */
export type SecurityStore = {
  readonly certificates: readonly Uint8Array[];
  readonly crls: readonly Uint8Array[];
  readonly ocsps: readonly Uint8Array[];
};

/** Reads the DSS; empty lists when there is none. Source: EN 319 142-1 §5.4.2; ISO 32000-2 §12.8.4.3. */
export function readSecurityStore(open: OpenPdf): SecurityStore {
  const store = dictAt(open, open.catalog, "DSS");
  const list = (key: string): readonly Uint8Array[] => {
    const array = store ? arrayAt(open, store, key) : undefined;
    return (array?.toArray() ?? []).flatMap((item) => {
      const stream = follow(open, item);
      return stream instanceof PdfStream ? [decodedData(stream, decodingBudget(open))] : [];
    });
  };
  return { certificates: list("Certs"), crls: list("CRLs"), ocsps: list("OCSPs") };
}
