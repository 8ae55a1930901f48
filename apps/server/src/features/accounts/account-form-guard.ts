import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import type { FastifyRequest } from "fastify";
import { readMultipart } from "../../platform/http/read-multipart.ts";

export type AccountForm = { readonly values: Readonly<Record<string, unknown>>; readonly avatarFile: Uint8Array | null };

/** A field is read far beyond its own limit, so that the refusal names it. */
const LIMITS = { files: 1, totalSizeBytes: 10 * 1024 * 1024, fields: 12, fieldSizeBytes: 65_536 } as const;

const TOO_LARGE = "L’image est trop lourde\u00a0: 10\u00a0Mo au maximum.";

/** Reads a JSON body, or a multipart one whose only file is `avatar`; an empty file part is no file. */
export async function readAccountForm(request: FastifyRequest): Promise<Result<AccountForm>> {
  if (!request.isMultipart()) {
    const { body } = request;
    const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
    return isObject ? success({ values: body as Record<string, unknown>, avatarFile: null }) : failure(problem("malformed_request"));
  }
  const form = await readMultipart(request, LIMITS);
  if (!form.ok) return failure(aboutPicture(form.error));
  const foreign = form.value.files.find((file) => file.field !== "avatar");
  if (foreign) return failure(problem("validation", { errors: { [foreign.field]: ["Champ inconnu"] } }));
  const file = form.value.files[0];
  return success({ values: form.value.fields, avatarFile: file && file.bytes.length > 0 ? file.bytes : null });
}

/** Says under its field that a picture is too large, for nothing else in a profile is; the sentence about an envelope is none here. */
function aboutPicture(refusal: Problem): Problem {
  const errors = { avatar: [TOO_LARGE] };
  if (refusal.code === "envelope_too_large") return problem("request_too_large", { errors });
  return refusal.code === "file_too_large" ? { ...refusal, errors } : refusal;
}
