import type { Print } from "@paraphe/contracts";
import encodeQR from "qr";
import type { Platform } from "../../../platform/platform.ts";
import { signPrint } from "../../trust/public.ts";
import type { PrintRow } from "./store.ts";

/** Gives a print as its owner sees it. The QR code is drawn at level Q, a quarter of it may be worn or stained, in its margin of four modules (ISO/IEC 18004 §5.3.8). */
export function presentPrint(platform: Pick<Platform, "secrets" | "settings">, print: PrintRow): Print {
  const sig = signPrint(platform, print);
  const verifyUrl = verifyUrlOf(platform, print);
  return {
    id: print.id,
    envelope: print.envelopeId,
    qr_type: print.qrType,
    sig,
    verify_url: verifyUrl,
    qr_svg: encodeQR(verifyUrl, "svg", { ecc: "quartile", border: 4 }),
    document_url: printUrl(print.id, "document", { sig }),
    printable_url: printUrl(print.id, "printable", { sig }),
    proof_url: printUrl(print.id, "proof", { sig }),
    created_at: print.createdAt.toISOString(),
  };
}

/** Gives the address of the page that proves a print's document. */
export function verifyUrlOf(platform: Pick<Platform, "secrets" | "settings">, print: PrintRow): string {
  return `${platform.settings.publicUrl}/verify/${print.id}?sig=${signPrint(platform, print)}`;
}

/** Gives the address of one of a print's calls, on this origin. */
export function printUrl(
  printId: string,
  call: "document" | "printable" | "proof" | "verify",
  query: Readonly<Record<string, string>>,
): string {
  const search = new URLSearchParams(query).toString();
  return `/api/signature/prints/${printId}/${call}/${search === "" ? "" : `?${search}`}`;
}
