import { timingSafeEqual } from "node:crypto";
import { DOWNLOAD_LINK_S } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import type { FileGrant } from "./domain/document-access.ts";

/** Whom a download link was made for: a guest's or recipient's dies with the envelope. */
type Reader = FileGrant["reader"];
const PREFIX = "dl";
const FORM = /^dl\.(owner|recipient|guest)\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

/** Makes a token that opens one envelope's files for 5 minutes, without a session. It cannot be taken for a guest's: it holds dots. */
export function mintDownloadToken(
  platform: Pick<Platform, "secrets" | "clock">,
  link: { readonly envelopeId: string; readonly reader: Reader },
): string {
  const expires = Math.floor(platform.clock().getTime() / 1000) + DOWNLOAD_LINK_S;
  return `${PREFIX}.${link.reader}.${expires}.${seal(platform, { ...link, expires })}`;
}

/** Gives whom a download token of this envelope was made for; null when it is another's, over, or forged. */
export function readDownloadToken(platform: Pick<Platform, "secrets" | "clock">, envelopeId: string, token: string): Reader | null {
  const match = FORM.exec(token);
  if (!match) return null;
  const [, reader, expires, mac] = match as unknown as [string, Reader, string, string];
  const expected = seal(platform, { envelopeId, reader, expires: Number(expires) });
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return null;
  return Number(expires) * 1000 > platform.clock().getTime() ? reader : null;
}

function seal(
  platform: Pick<Platform, "secrets">,
  link: { readonly envelopeId: string; readonly reader: Reader; readonly expires: number },
): string {
  return Buffer.from(
    platform.secrets.hmac("document-download", Buffer.from(`${link.envelopeId}\n${link.reader}\n${link.expires}`)),
  ).toString("base64url");
}
