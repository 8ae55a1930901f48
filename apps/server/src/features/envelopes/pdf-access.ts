import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Actor } from "./domain/command.ts";

/** Gives what a person's own files get of the PDF sandbox: one task at a time, and none once the person is gone. */
export function pdfAccess<P extends Pick<Platform, "sandbox">>(
  platform: P,
  { actor, haste }: { readonly actor: Actor; readonly haste: "urgent" | "patient" },
): Omit<P, "sandbox"> & PdfAccess {
  const caller = { key: `user:${actor.user.id}`, haste, ...(actor.gone === undefined ? {} : { signal: actor.gone }) };
  return { ...platform, sandbox: platform.sandbox.askedBy(caller) };
}
