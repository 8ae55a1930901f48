import type { Multipart, MultipartFile } from "@fastify/multipart";
import {
  failure,
  MAX_DOCUMENTS,
  MAX_ENVELOPE_SIZE_BYTES,
  MAX_FILE_SIZE_BYTES,
  type Problem,
  problem,
  problemSentence,
  type Result,
  success,
} from "@paraphe/contracts";
import type { FastifyRequest } from "fastify";
import { LEAST_PACE, type LeastPace, letGo, SilentSenderError, watchPace } from "./body-room.ts";

export type MultipartLimits = {
  readonly files: number;
  readonly fileSizeBytes: number;
  readonly totalSizeBytes: number;
  readonly fields: number;
  readonly fieldSizeBytes: number;
  readonly trickle: LeastPace;
};

type Bounds = MultipartLimits & { readonly tooLarge: "envelope_too_large" | "batch_too_large" };

type ReceivedFile = {
  readonly field: string;
  readonly name: string;
  readonly bytes: Uint8Array;
};
export type ReceivedForm = {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly ReceivedFile[];
};

/** Source: security §1, line 50. */
const ENVELOPE_LIMITS: MultipartLimits = {
  files: MAX_DOCUMENTS,
  fileSizeBytes: MAX_FILE_SIZE_BYTES,
  totalSizeBytes: MAX_ENVELOPE_SIZE_BYTES,
  fields: 20,
  fieldSizeBytes: 256 * 1024,
  trickle: LEAST_PACE,
};

const LONGEST_FIELD_NAME = 100;

/**
 * Reads into memory: an over-long field is refused, never cut; `fileSizeBytes` is inclusive.
 * Errors: `malformed_request`, `body_too_slow`, `file_too_large`, `envelope_too_large`,
 * `request_too_large`, `unsupported_media_type`; `service_unavailable` when forms need too much
 * memory. A refused body is read to its end, so that the answer arrives.
 */
export async function readMultipart(
  request: FastifyRequest,
  limits: Partial<MultipartLimits> = {},
): Promise<Result<ReceivedForm>> {
  const files: ReceivedFile[] = [];
  const bounds = { ...ENVELOPE_LIMITS, tooLarge: "envelope_too_large", ...limits } as const;
  const sink: Sink = {
    hasRoom: (bytes) => request.bodyRoom?.take(bytes) !== false,
    refused() {
      files.length = 0;
    },
    async take(file) {
      files.push(file);
      return null;
    },
  };
  const fields = await readForm(request, bounds, sink);
  if (!fields.ok) return fields;
  const form = { fields: fields.value, files };
  await request.idempotency?.claim(formParts(form));
  return success(form);
}

/** Errors: `validation` for another field, no file, or two. */
export function readOnlyFile({ files }: Pick<ReceivedForm, "files">): Result<ReceivedFile> {
  const invalid = (field: string, message: string) =>
    failure<Problem>(problem("validation", { errors: { [field]: [message] } }));
  const stray = files.find((file) => file.field !== "file");
  if (stray !== undefined) return invalid(stray.field, "Champ inconnu");
  const [file, second] = files;
  if (file === undefined) return invalid("file", "Au moins un fichier");
  return second === undefined ? success(file) : invalid("file", "Un seul fichier à la fois");
}

type StreamedFile = {
  readonly field: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: Uint8Array;
};
export type StreamedForm = {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly StreamedFile[];
};
export type Streaming = {
  readonly limits: MultipartLimits;
  /** Called before the next file is read; gives its SHA-256, or the refusal. */
  readonly keep: (file: ReceivedFile) => Promise<Result<Uint8Array>>;
};

/**
 * Reads as `readMultipart` with one file in memory at a time, and `batch_too_large`. The caller
 * removes a failed body's stored files.
 */
export async function streamMultipart(
  request: FastifyRequest,
  { limits, keep }: Streaming,
): Promise<Result<StreamedForm>> {
  const files: StreamedFile[] = [];
  const isRoomTaken = request.bodyRoom?.take(limits.fileSizeBytes) !== false;
  const sink: Sink = {
    hasRoom: () => isRoomTaken,
    refused() {},
    async take(file) {
      const kept = await keep(file);
      if (!kept.ok) return kept.error;
      files.push({
        field: file.field,
        name: file.name,
        sizeBytes: file.bytes.length,
        sha256: kept.value,
      });
      return null;
    },
  };
  const fields = await readForm(request, { ...limits, tooLarge: "batch_too_large" }, sink);
  if (!fields.ok) return fields;
  const form = { fields: fields.value, files };
  await request.idempotency?.claim(streamedParts(form));
  return success(form);
}

type Sink = {
  hasRoom(bytes: number): boolean;
  refused(): void;
  take(file: ReceivedFile): Promise<Problem | null>;
};

async function readForm(
  request: FastifyRequest,
  bounds: Bounds,
  sink: Sink,
): Promise<Result<Readonly<Record<string, string>>>> {
  if (!request.isMultipart()) return failure(problem("unsupported_media_type"));
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > bounds.totalSizeBytes + bounds.fields * bounds.fieldSizeBytes + 1024 * 1024) {
    return failure(
      problem(bounds.tooLarge === "batch_too_large" ? bounds.tooLarge : "request_too_large", {
        params: { limit: bounds.totalSizeBytes.toLocaleString("fr-FR") },
      }),
    );
  }
  const pace = paceOf(request, bounds.trickle);
  const collected = collect(request, bounds, {
    ...sink,
    take: (file) => sink.take(file).finally(pace.refresh),
  });
  collected.catch(() => {});
  try {
    return await Promise.race([collected, pace.lost]);
  } catch (error) {
    const refusal = refusalOf(error, bounds);
    if (refusal) return failure(refusal);
    throw error;
  } finally {
    pace.stop();
  }
}

async function collect(
  request: FastifyRequest,
  bounds: Bounds,
  sink: Sink,
): Promise<Result<Readonly<Record<string, string>>>> {
  const fields: Record<string, string> = Object.create(null);
  let taken = 0;
  let room = bounds.totalSizeBytes;
  let refusal: Problem | null = null;
  // One more passes, so that the refusal has our code.
  const parts = request.parts({
    limits: {
      files: bounds.files + 1,
      fields: bounds.fields + 1,
      fileSize: bounds.fileSizeBytes + 1,
      fieldSize: bounds.fieldSizeBytes + 1,
      fieldNameSize: LONGEST_FIELD_NAME + 1,
      headerPairs: 20,
      parts: bounds.files + bounds.fields + 2,
    },
  });
  for await (const part of parts as AsyncIterable<Multipart>) {
    if (part.type === "field") {
      refusal ??= checkField(part, fields, bounds);
      if (request.bodyRoom?.take(Buffer.byteLength(String(part.value))) === false)
        refusal ??= problem("service_unavailable");
      if (!refusal) fields[part.fieldname] = String(part.value);
      continue;
    }
    const bytes = await readFilePart(part, {
      sink,
      room: refusal ? 0 : Math.min(room, bounds.fileSizeBytes) + 1,
    });
    if (bytes === null) {
      refusal ??= problem("service_unavailable");
      sink.refused();
      continue;
    }
    const member = bounds.files === 1 ? part.fieldname : `${part.fieldname}.${taken}`;
    refusal ??= checkText(member, part.filename, UNREADABLE_NAME);
    if (bytes.length > bounds.fileSizeBytes)
      refusal ??= problem("file_too_large", {
        errors: { [member]: [problemSentence(problem("file_too_large"))] },
        extensions: { file_name: part.filename, file_index: taken },
      });
    refusal ??= bytes.length > room || taken === bounds.files ? problem(bounds.tooLarge) : null;
    refusal ??= await sink.take({ field: part.fieldname, name: part.filename, bytes });
    if (refusal) continue;
    room -= bytes.length;
    taken += 1;
  }
  refusal ??= (await request.readmit?.()) ?? null;
  return refusal ? failure(refusal) : success({ ...fields });
}

function checkField(
  part: Exclude<Multipart, MultipartFile>,
  fields: Readonly<Record<string, string>>,
  bounds: MultipartLimits,
): Problem | null {
  const known = Object.keys(fields);
  if (part.fieldname.length > LONGEST_FIELD_NAME) return problem("malformed_request");
  if (
    part.fieldnameTruncated ||
    part.valueTruncated ||
    Buffer.byteLength(String(part.value)) > bounds.fieldSizeBytes
  )
    return problem("malformed_request");
  if (known.length === bounds.fields || typeof part.value !== "string")
    return problem("malformed_request");
  if (known.includes(part.fieldname))
    return problem("validation", {
      errors: { [part.fieldname]: ["Ce champ est envoyé deux fois"] },
    });
  return checkText(part.fieldname, part.value, UNREADABLE_TEXT);
}

export const UNREADABLE_TEXT = "Ce texte n’est pas lisible\u00a0: envoyez-le en UTF-8";
const UNREADABLE_NAME =
  "Ce nom de fichier n’est pas lisible\u00a0: renommez le fichier, ou envoyez son nom en UTF-8";

/** U+FFFD stands for what is not UTF-8; windows-1252 read as Latin-1 has C1 controls. */
export const isGarbled = (text: string): boolean => /[\u0080-\u009f\ufffd]/.test(text);

function checkText(field: string, text: string, message: string): Problem | null {
  if (isGarbled(field)) return problem("malformed_request");
  return isGarbled(text) ? problem("validation", { errors: { [field]: [message] } }) : null;
}

async function readFilePart(
  part: MultipartFile,
  { sink, room }: { sink: Sink; room: number },
): Promise<Uint8Array | null> {
  let chunks: Uint8Array[] | null = [];
  let length = 0;
  for await (const chunk of part.file as AsyncIterable<Uint8Array>) {
    const kept = chunk.subarray(0, Math.max(0, room - length));
    length += chunk.length;
    if (kept.length === 0 || chunks === null) continue;
    if (!sink.hasRoom(kept.length)) chunks = null;
    else chunks.push(kept);
  }
  if (chunks === null) return null;
  const whole = Buffer.concat(chunks);
  return new Uint8Array(whole.buffer, whole.byteOffset, whole.length);
}

/** Rejects a stopped or slow body; the connection closes after the answer. */
function paceOf(
  request: FastifyRequest,
  least: LeastPace,
): { readonly lost: Promise<never>; refresh(): void; stop(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const pace = watchPace(least, (error) => {
    reject(error);
    request.raw.unpipe();
    letGo(request);
  });
  request.raw.on("data", pace.heard);
  return {
    lost: promise,
    refresh: pace.refresh,
    stop() {
      pace.stop();
      request.raw.off("data", pace.heard);
    },
  };
}

function refusalOf(error: unknown, bounds: Bounds): Problem | null {
  if (!(error instanceof Error)) return null;
  const code = "code" in error ? String(error.code) : "";
  if (code === "FST_FILES_LIMIT") return problem(bounds.tooLarge);
  if (code === "FST_REQ_FILE_TOO_LARGE") return problem("file_too_large");
  if (error instanceof SilentSenderError) return problem("body_too_slow");
  if (
    code.startsWith("FST_") ||
    /multipart|boundary|part terminated|malformed/i.test(error.message)
  )
    return problem("malformed_request");
  return null;
}

function* formParts(form: ReceivedForm): Iterable<string | Uint8Array> {
  for (const [name, value] of Object.entries(form.fields)) yield `${name}\0${value}\0`;
  for (const file of form.files) {
    yield `${file.field}\0${file.name}\0${file.bytes.length}\0`;
    yield file.bytes;
  }
}

function* streamedParts(form: StreamedForm): Iterable<string | Uint8Array> {
  for (const [name, value] of Object.entries(form.fields)) yield `${name}\0${value}\0`;
  for (const file of form.files) {
    yield `${file.field}\0${file.name}\0${file.sizeBytes}\0`;
    yield file.sha256;
  }
}
