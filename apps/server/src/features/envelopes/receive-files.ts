import { type CorrectionAnswer, failure, problem, type Result, success } from "@paraphe/contracts";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import { compareCopy, type ReceivedDocument, receiveDocument } from "../documents/public.ts";
import { admit } from "./change-envelope.ts";
import type { Actor, EnvelopeCommand } from "./domain/viewer.ts";
import { loadEnvelope } from "./store.ts";

/** Gives a person's share of the PDF sandbox: one task at a time, dropped when they leave. */
export function pdfAccess<P extends Pick<Platform, "sandbox">>(
  platform: P,
  { actor, haste }: { readonly actor: Actor; readonly haste: "urgent" | "patient" },
): Omit<P, "sandbox"> & PdfAccess {
  const caller = {
    key: `user:${actor.user.id}`,
    haste,
    ...(actor.gone === undefined ? {} : { signal: actor.gone }),
  };
  return { ...platform, sandbox: platform.sandbox.askedBy(caller) };
}

export type UploadedFile = { readonly name: string; readonly bytes: Uint8Array };

/**
 * Controls files up to the first refusal; stores none.
 * Errors: that file's refusal, with `file_index` (from 0).
 */
export async function receiveFiles(
  platform: PdfAccess,
  files: readonly UploadedFile[],
): Promise<Result<readonly ReceivedDocument[]>> {
  const received: ReceivedDocument[] = [];
  for (const [index, file] of files.entries()) {
    const outcome = await receiveDocument(platform, file);
    if (!outcome.ok)
      return failure({
        ...outcome.error,
        extensions: { ...outcome.error.extensions, file_index: index },
      });
    received.push(outcome.value);
  }
  return success(received);
}

type DocumentToCompare = EnvelopeCommand & { readonly documentId: string; readonly from: number };

/**
 * Compares a draft document's corrected copy with its upload, for the owner.
 * Errors: those of `admit` and `compareCopy`; `not_found` without a copy to accept.
 */
export async function compareDocument(
  platform: Platform,
  { envelopeId, documentId, actor, from }: DocumentToCompare,
): Promise<Result<CorrectionAnswer>> {
  const owned = admit(await loadEnvelope(platform.db, envelopeId), {
    user: actor.user,
    action: "update",
  });
  if (!owned.ok) return owned;
  const document = owned.value.documents.find(
    ({ id, control, normalisedAccepted }) =>
      id === documentId && control.result === "fixable" && !normalisedAccepted,
  );
  if (document === undefined) return failure(problem("not_found"));
  const bytes = await platform.files.get(document.original.sha256);
  return compareCopy(pdfAccess(platform, { actor, haste: "patient" }), {
    name: document.name,
    bytes,
    pageCount: document.pageCount,
    from,
  });
}

const JSON_FIELDS = new Set([
  "recipients",
  "fields",
  "remove_documents",
  "order",
  "accept_normalised",
  "document_names",
  "reminders",
  "proof_only",
]);
/** A form has no `null`: an empty text clears these. */
const CLEARABLE = new Set(["message", "deadline_at"]);

/** Errors: `validation` for a field that is not JSON. */
export function readEnvelopeForm(
  fields: Readonly<Record<string, string>>,
): Result<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(fields)) {
    if (!JSON_FIELDS.has(name)) {
      body[name] = CLEARABLE.has(name) && text.trim() === "" ? null : text;
      continue;
    }
    const value = parseJson(text);
    if (value === undefined)
      return failure(problem("validation", { errors: { [name]: ["Valeur illisible"] } }));
    body[name] = value;
  }
  return success(body);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === "__proto__") throw new SyntaxError("A key that would reach a prototype");
      return value;
    });
  } catch {
    return undefined;
  }
}
