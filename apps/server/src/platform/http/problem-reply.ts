import {
  type Problem,
  type ProblemCode,
  PROBLEMS,
  problemSentence,
  programSentence,
  type Result,
  isId,
  problem,
  failure,
  success,
} from "@paraphe/contracts";
import type { FastifyReply, FastifyRequest, FastifyInstance } from "fastify";
import { CSRF_SECRET_COOKIE } from "./csrf-cookies.ts";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { outageOf, sqlState } from "../error-code.ts";
import type { Platform } from "../platform.ts";
import { validatorCompiler } from "fastify-type-provider-zod";
import * as z from "zod/mini";

/** RFC 9110 §10.2.3. */
const DEFAULT_RETRY_AFTER_S: Readonly<Partial<Record<ProblemCode, number>>> = {
  service_unavailable: 5,
  timestamp_unavailable: 30,
  hsm_unavailable: 60,
  too_many_requests: 60,
};

/** Logs each, except a repeated idempotent answer. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const shown: Problem =
    ABOUT_SESSIONS.has(problem.code) && isProgram(reply.request)
      ? { ...problem, code: "bearer_not_taken" }
      : problem;
  reply.server.noteRefusal?.(reply.request, shown.code);
  return writeProblem(reply, shown);
}

const ABOUT_SESSIONS: ReadonlySet<ProblemCode> = new Set(["session_expired", "csrf_failed"]);

/**
 * A bearer token without our cookie has no session to lose; a proxy may add one to a browser's
 * call.
 */
function isProgram({ headers, cookies }: FastifyRequest): boolean {
  return (
    /^bearer\b/i.test(headers.authorization ?? "") && cookies[CSRF_SECRET_COOKIE] === undefined
  );
}

/** Every browser sends one or the other (Fetch Metadata §2.4). */
const isUnknown = ({ headers, cookies }: FastifyRequest): boolean =>
  headers["sec-fetch-site"] === undefined && cookies[CSRF_SECRET_COOKIE] === undefined;

export function writeProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const retryAfterS = problem.retryAfterS ?? DEFAULT_RETRY_AFTER_S[problem.code];
  if (retryAfterS !== undefined)
    reply.header("retry-after", String(Math.max(1, Math.ceil(retryAfterS))));
  const challenge = challengeOf(problem);
  if (challenge !== null) reply.header("www-authenticate", challenge);
  const isForPrograms =
    isProgram(reply.request) || (ABOUT_SESSIONS.has(problem.code) && isUnknown(reply.request));
  const sentence = isForPrograms ? programSentence : problemSentence;
  const types = reply.request.routeOptions.schema?.consumes?.join(" ou ");
  const limit = (reply.request.routeOptions.bodyLimit ?? 0).toLocaleString("fr-FR");
  const params = { limit, ...(types === undefined ? {} : { types }), ...problem.params };
  const body = {
    ...presentProblem({ ...problem, params }, sentence),
    request_id: reply.request.id,
  };
  return reply
    .removeHeader("content-disposition")
    .removeHeader("etag")
    .code(PROBLEMS[problem.code].status)
    .type("application/problem+json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(body);
}

/** RFC 6750 §3. */
export function challengeOf({ code, params }: Problem): string | null {
  if (code === "session_expired") return "Bearer";
  if (/^(key_(unknown|expired)|bearer_not_taken)$/.test(code))
    return 'Bearer error="invalid_token"';
  if (code === "key_not_for_programs") return 'Bearer error="insufficient_scope"';
  return code === "key_scope"
    ? `Bearer error="insufficient_scope", scope="${params?.["scope"] ?? ""}"`
    : null;
}

export function sendResult<T>(
  reply: FastifyReply,
  result: Result<T, Problem>,
  options: { status?: number; present?: (value: T) => unknown } = {},
): FastifyReply {
  if (!result.ok) return sendProblem(reply, result.error);
  return reply
    .code(options.status ?? 200)
    .send(options.present ? options.present(result.value) : result.value);
}

/** Answers on the socket what Node's parser refuses, such as two lengths. */
export function answerUnparsed({
  newId,
}: Pick<Platform, "newId">): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket) => {
    // An answer written here would be read as part of the previous one.
    if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) {
      socket.destroy(error);
      return;
    }
    const refusal = problem(UNPARSED[error.code ?? ""] ?? "malformed_request");
    const { status } = PROBLEMS[refusal.code];
    const isForPrograms = /^authorization: *bearer /im.test(error.rawPacket?.toString() ?? "");
    const shown = presentProblem(refusal, isForPrograms ? programSentence : problemSentence);
    const body = JSON.stringify({ ...shown, request_id: newId() });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...(status === 405 ? [`allow: ${METHODS.join(", ")}`] : []),
      "content-type: application/problem+json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  };
}

const UNPARSED: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "body_too_slow",
  HPE_INVALID_METHOD: "method_not_allowed",
};
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

const FRAMEWORK_PROBLEMS: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: problem("unsupported_media_type"),
  FST_ERR_CTP_BODY_TOO_LARGE: problem("request_too_large"),
  FST_INVALID_MULTIPART_CONTENT_TYPE: problem("unsupported_media_type"),
  FST_REQ_FILE_TOO_LARGE: problem("file_too_large"),
  FST_FILES_LIMIT: problem("envelope_too_large"),
  FORBIDDEN_NAME: problem("malformed_request", {
    errors: {
      non_field_errors: [
        "Les noms «\u00a0__proto__\u00a0» et «\u00a0constructor.prototype\u00a0» ne sont pas acceptés.",
      ],
    },
  }),
};

/** `unexpected`: a bug or outage to log. */
export function errorProblem(error: unknown): { problem: Problem; unexpected: boolean } {
  const known = knownProblem(error);
  if (known) return { problem: known, unexpected: false };
  return { problem: problem(outageOf(error) ?? "internal"), unexpected: true };
}

function knownProblem(error: unknown): Problem | null {
  if (typeof error !== "object" || error === null) return null;
  if ("message" in error && error.message === "aborted" && sqlState(error) === "ECONNRESET")
    return problem("body_too_slow");
  // A malformed id is unknown: 404 (contract §2).
  if ("validationContext" in error && error.validationContext === "params")
    return problem("not_found");
  if ("validation" in error && Array.isArray(error.validation))
    return validationProblem(error.validation.map(issueOf));
  const named = FRAMEWORK_PROBLEMS[sqlState(error)];
  if (named) return named;
  const status = "statusCode" in error ? Number(error.statusCode) : 0;
  if (status === 408) return problem("body_too_slow");
  if (status === 413) return problem("request_too_large");
  if (status === 415) return problem("unsupported_media_type");
  if (status === 429) return problem("too_many_requests");
  if (status === 503) return problem("service_unavailable");
  return status >= 400 && status < 500 ? problem("malformed_request") : null;
}

/** Turns `/recipients/0/email` back into a Zod issue. */
function issueOf(entry: {
  keyword: string;
  instancePath: string;
  message?: string;
  params?: { keys?: string[]; expected?: string; values?: unknown[] };
}) {
  return {
    code: entry.keyword,
    path: entry.instancePath.split("/").filter(Boolean),
    message: entry.message ?? "Valeur invalide",
    keys: entry.params?.keys ?? [],
    expected: entry.params?.expected,
    values: entry.params?.values,
  };
}

type Find = (request: FastifyRequest, id: string) => Promise<Result<unknown>>;
type Refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Problem,
) => Promise<FastifyReply>;

/**
 * Checks visibility before any refusal of the content, which would reveal that the id exists
 * (contract §7). Gives the function for routes that read their own body.
 */
export function visibilityFirst(scope: FastifyInstance, find: Find): Refuse {
  const refuse: Refuse = async (request, reply, refusal) => {
    const { id } = request.params as { readonly id: string };
    if (!isId(id)) return sendProblem(reply, problem("not_found"));
    const seen = await find(request, id);
    return sendProblem(reply, seen.ok ? refusal : seen.error);
  };
  scope.setErrorHandler(async (error, request, reply) => {
    const { problem: refusal, unexpected } = errorProblem(error);
    const isOfOne =
      "id" in (request.params as object) && request.user !== null && refusal.code !== "not_found";
    if (unexpected || !isOfOne) throw error;
    return refuse(request, reply, refusal);
  });
  return refuse;
}

type Issue = {
  readonly code?: string | undefined;
  readonly expected?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[] | undefined;
};

z.config({
  customError(issue) {
    if (issue.code === "invalid_type" && issue.input === undefined) return "Champ requis";
    if (issue.code === "invalid_type") return EXPECTED[issue.expected] ?? "Valeur invalide";
    if (issue.code === "unrecognized_keys") return "Champ inconnu";
    if (issue.code === "too_small")
      return issue.origin === "string"
        ? `${issue.minimum} caractères au minimum`
        : `Au moins ${issue.minimum}`;
    if (issue.code === "too_big")
      return issue.origin === "string"
        ? `${issue.maximum} caractères au maximum`
        : `Au plus ${issue.maximum}`;
    if (issue.code === "invalid_format" && FORMATS[issue.format]) return FORMATS[issue.format];
    const choices = issue.code === "invalid_value" ? issue.values : issue["options"];
    if (Array.isArray(choices)) return oneOf(choices);
    return "Valeur invalide";
  },
});

const EXPECTED: Readonly<Record<string, string>> = {
  string: "Du texte est attendu",
  number: "Un nombre est attendu",
  int: "Un nombre entier est attendu",
  boolean: "«\u00a0true\u00a0» ou «\u00a0false\u00a0» est attendu",
  array: "Une liste est attendue",
  object: "Un objet est attendu",
};

const FORMATS: Readonly<Record<string, string>> = {
  date: "Date attendue\u00a0: 2026-12-31",
  datetime: "Date et heure attendues\u00a0: 2026-12-31T18:00:00+01:00",
};

const oneOf = (choices: readonly unknown[]): string =>
  `Au choix\u00a0: ${choices.map((choice) => (choice === "" ? '""' : String(choice))).join(", ")}`;

/** A schema says what it needs to whoever left it out: « Titre requis ». */
function wordsOf({ code, expected, values = [], path, message }: Issue, input: unknown): string {
  const given = path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | null)?.[key],
    input,
  );
  if (given === undefined || given === null || given === "") return message;
  if (code === "invalid_value" && values.length > 1) return oneOf(values);
  return code === "invalid_type" && expected === "string"
    ? (EXPECTED["string"] ?? message)
    : message;
}

export const compileValidator: typeof validatorCompiler = (route) => {
  const validate = validatorCompiler(route);
  return (data: unknown) => {
    const outcome = validate(data);
    const entries = typeof outcome === "object" && "error" in outcome ? outcome.error : [];
    for (const entry of Array.isArray(entries) ? entries : [])
      entry.message = wordsOf(issueOf(entry), data);
    return outcome;
  };
};

export const MAX_FAULTS = 20;

/**
 * Gives `validation` with the first faults: field (`recipients.0.email`) → messages; of the whole
 * body under `non_field_errors`.
 */
function validationProblem(issues: readonly Issue[]): Problem {
  const errors = new Map<string, string[]>();
  for (const { path, message } of issues
    .slice(0, MAX_FAULTS)
    .flatMap(faultsOf)
    .slice(0, MAX_FAULTS)) {
    const field =
      path.map((key) => String(key).slice(0, MAX_SHOWN_KEY)).join(".") || "non_field_errors";
    errors.set(field, [...(errors.get(field) ?? []), message]);
  }
  return problem("validation", { errors: Object.fromEntries(errors) });
}

const MAX_SHOWN_KEY = 100;

function faultsOf({
  code,
  path,
  keys = [],
  message,
}: Issue): readonly Pick<Issue, "path" | "message">[] {
  if (code !== "unrecognized_keys") return [{ path, message }];
  return keys.slice(0, MAX_FAULTS).map((key) => ({ path: [...path, key], message }));
}

export function parseInput<T extends z.ZodMiniType>(
  schema: T,
  input: unknown,
): Result<z.output<T>> {
  const outcome = z.safeParse(schema, input);
  if (outcome.success) return success(outcome.data);
  const issues = outcome.error.issues as readonly Issue[];
  return failure(
    validationProblem(issues.map((issue) => ({ ...issue, message: wordsOf(issue, input) }))),
  );
}

/** `application/problem+json` (RFC 9457 §3.1; contract §2). */
export function presentProblem(value: Problem, sentence = problemSentence) {
  const { status } = PROBLEMS[value.code];
  return {
    type: "about:blank",
    title: PROBLEM_TITLES[status] ?? "Erreur",
    status,
    detail: sentence(value),
    code: value.code,
    ...(value.errors ? { errors: value.errors } : {}),
    ...value.extensions,
  };
}

const PROBLEM_TITLES: Readonly<Record<number, string>> = {
  400: "Demande incorrecte",
  401: "Connexion requise",
  403: "Action refusée",
  404: "Introuvable",
  405: "Méthode refusée",
  409: "Conflit",
  410: "Lien fermé",
  413: "Trop volumineux",
  415: "Format refusé",
  422: "Document refusé",
  429: "Trop de demandes",
  500: "Erreur interne",
  503: "Service indisponible",
  507: "Stockage plein",
};
