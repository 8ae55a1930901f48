import { type CorrectionAnswer, failure, problem, type Result, success } from "@paraphe/contracts";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import { compareCopy, type ReceivedDocument, receiveDocument } from "../documents/public.ts";
import { admit } from "./change-envelope.ts";
import type { Actor, EnvelopeCommand } from "./domain/viewer.ts";
import { loadEnvelope } from "./store.ts";

/** Gives what a person's own files get of the PDF sandbox: one task at a time, and none once the person is gone. */
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
 * Controls uploaded files, one after the other up to the first that is refused; stores none.
 * Errors: that file's refusal, with its place in the list (`file_index`, from 0).
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
 * Says where the corrected copy of a draft's document would look otherwise than what was uploaded, for its owner.
 * Errors: those of `admit` and `compareCopy`; `not_found`, of a document without a copy to accept too.
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

/** Fields of a multipart form that hold JSON. */
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
/** Fields that an empty text clears: a form has no `null`. */
const CLEARABLE = new Set(["message", "deadline_at"]);

/**
 * Gives the body that a multipart form stands for: its JSON fields read, empty ones that may be cleared null.
 * Errors: `validation` for a field that is not JSON.
 */
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
