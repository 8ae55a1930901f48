/** Renders the types and calls of `src/api.generated.ts` from the API document. */

type Json = { readonly [name: string]: unknown };
type Parameter = {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Json;
};
type Content = Readonly<Record<string, { readonly schema: Json }>>;
type Answer = { readonly $ref?: string; readonly content?: Content };
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
};
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
};

type Call = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly scope: string | null;
};

const JSON_TYPE = "application/json";
const PDF_TYPE = "application/pdf";
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

/** Calls that a key may make, and those of the public log. */
function callsOf({ paths }: ApiDocument): readonly Call[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): Call[] => {
      const key = operation.security.find((one) => "key" in one)?.["key"];
      const isStream = Object.keys(successOf(operation).content).includes("text/event-stream");
      // Spoken by libraries of its own.
      if (path === "/api/mcp/") return [];
      if (isStream || (key === undefined && !operation.tags.includes("Transparency"))) return [];
      return [{ method: method.toUpperCase(), path, operation, scope: key?.[0] ?? null }];
    }),
  );
  return all.toSorted((a, b) => (a.operation.operationId < b.operation.operationId ? -1 : 1));
}

function successOf({ responses }: Operation): {
  readonly status: string;
  readonly content: Content;
} {
  const [status, answer] = Object.entries(responses).find(([one]) => one.startsWith("2")) ?? [];
  return { status: status ?? "204", content: answer?.content ?? {} };
}

const quote = (text: string): string => JSON.stringify(text);
const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text);
const memberName = (text: string): string => (isName(text) ? text : quote(text));
const comment = (text: unknown, indent: string): string =>
  typeof text === "string" ? `${indent}/** ${text.replaceAll("*/", "* /")} */\n` : "";

/** TypeScript of a JSON Schema (2020-12), as the document's schemas use it. */
function typeOf(schema: Json, indent = ""): string {
  const { $ref, type, anyOf, oneOf, allOf } = schema;
  const several = (list: unknown, sign: string) =>
    (list as readonly Json[]).map((one) => typeOf(one, indent)).join(sign);
  if (typeof $ref === "string") return nameOf($ref);
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"]))
    return schema["enum"].map((one) => JSON.stringify(one)).join(" | ");
  if (anyOf !== undefined || oneOf !== undefined) return several(anyOf ?? oneOf, " | ");
  // Further patterns of a text have no type of their own.
  if (allOf !== undefined && type === undefined) return several(allOf, " & ");
  if (schema["contentEncoding"] === "base64") return "FileContent";
  if (Array.isArray(type))
    return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(" | ");
  if (type === "array") return arrayOf(schema, indent);
  if (type === "object" || "properties" in schema) return objectOf(schema, indent);
  if (type === "integer") return "number";
  return typeof type === "string" ? type : "unknown";
}

function arrayOf({ prefixItems, items }: Json, indent: string): string {
  if (Array.isArray(prefixItems))
    return `readonly [${prefixItems.map((one) => typeOf(one as Json, indent)).join(", ")}]`;
  const element = typeOf((items ?? {}) as Json, indent);
  const isOne =
    !/[|&]/.test(element) || (/^\{[^]*\}$/.test(element) && !("anyOf" in (items as Json)));
  return `readonly ${isOne ? element : `(${element})`}[]`;
}

function objectOf(schema: Json, indent: string): string {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const more = schema["additionalProperties"];
  if (properties.length === 0) {
    if (more === false) return "Readonly<Record<string, never>>";
    return `Readonly<Record<string, ${typeOf((more ?? {}) as Json, indent)}>>`;
  }
  const inner = `${indent}  `;
  const members = properties.map(
    ([name, member]) =>
      `${comment(member["description"], inner)}${inner}readonly ${memberName(name)}${required.has(name) ? "" : "?"}: ${typeOf(member, inner)};\n`,
  );
  return `{\n${members.join("")}${indent}}`;
}

type Places = { readonly path: readonly Parameter[]; readonly query: readonly Parameter[] };

function placesOf({ parameters = [] }: Operation): Places {
  const at = (place: string) => parameters.filter((one) => one.in === place);
  return { path: at("path"), query: at("query") };
}

const parametersType = (parameters: readonly Parameter[]): string =>
  objectOf(
    {
      properties: Object.fromEntries(
        parameters.map(({ name = "", schema = {} }) => [name, schema]),
      ),
      required: parameters.flatMap(({ name = "", required }) => (required ? [name] : [])),
    },
    "    ",
  );

/**
 * Parameters and members of the body are one object, so that no name may stand in both.
 * Errors: throws for such a name.
 */
function inputOf({ operation }: Call, document: ApiDocument): string {
  const { path, query } = placesOf(operation);
  const body = operation.requestBody?.content[JSON_TYPE]?.schema;
  const names = [...path, ...query].map(({ name = "" }) => name);
  const shape =
    typeof body?.["$ref"] === "string" ? document.components.schemas[nameOf(body["$ref"])] : body;
  for (const name of Object.keys((shape?.["properties"] ?? {}) as object))
    if (names.includes(name))
      throw new Error(`${operation.operationId} has a parameter and a member ${name}`);
  const takesFile = operation.requestBody?.content[PDF_TYPE] !== undefined;
  const parts = [
    ...(takesFile ? ["{ readonly file: FileContent }"] : []),
    ...(names.length > 0 ? [parametersType([...path, ...query])] : []),
    ...(body === undefined ? [] : [typeOf(body, "    ")]),
  ];
  return parts.length === 0 ? "NoInput" : parts.join(" & ");
}

function outputOf(operation: Operation): string {
  const { content } = successOf(operation);
  const json = content[JSON_TYPE]?.schema;
  if (json !== undefined) return typeOf(json, "    ");
  return Object.keys(content).length > 0 ? "Response" : "void";
}

/** The type of a row where pages are asked for by number. */
function rowOf({ operation }: Call, { components }: ApiDocument): string | null {
  const answer = successOf(operation).content[JSON_TYPE]?.schema ?? {};
  const shape =
    typeof answer["$ref"] === "string" ? components.schemas[nameOf(answer["$ref"])] : answer;
  const { results } = (shape?.["properties"] ?? {}) as Readonly<Record<string, Json>>;
  const isPaged = placesOf(operation).query.some(({ name }) => name === "page");
  return isPaged && results !== undefined ? typeOf(results["items"] as Json, "    ") : null;
}

function renderOperation(call: Call, document: ApiDocument): string {
  const { operation, scope, method, path } = call;
  const row = rowOf(call, document);
  const needs = scope === null ? "" : ` Scope: \`${scope}\`.`;
  return [
    comment(`${operation.summary}: \`${method} ${path}\`.${needs}`, "  "),
    `  readonly ${operation.operationId}: {\n`,
    `    readonly input: ${inputOf(call, document)};\n`,
    `    readonly output: ${outputOf(operation)};\n`,
    row === null ? "" : `    readonly row: ${row};\n`,
    "  };\n",
  ].join("");
}

/** One line: how the client makes the call. */
function renderCall({ method, path, operation }: Call): string {
  const { query } = placesOf(operation);
  const { content } = successOf(operation);
  const isFile = Object.keys(content).length > 0 && content[JSON_TYPE] === undefined;
  const rest = {
    method,
    path,
    query: query.map(({ name }) => name),
    hasBody: operation.requestBody?.content[JSON_TYPE] !== undefined,
    isFile,
    ...(operation.requestBody?.content[PDF_TYPE] === undefined ? {} : { takesFile: true }),
  };
  return `  ${operation.operationId}: ${JSON.stringify(rest)},\n`;
}

/** Codes of the refusals that these calls may get. */
function codesOf(calls: readonly Call[], { components }: ApiDocument): readonly string[] {
  const codes = new Set<string>();
  for (const { operation } of calls)
    for (const { $ref } of Object.values(operation.responses)) {
      const content = $ref === undefined ? undefined : components.responses[nameOf($ref)]?.content;
      const [, own] = (content?.["application/problem+json"]?.schema["allOf"] ?? []) as Json[];
      const code = (own?.["properties"] as { readonly code?: { readonly enum: string[] } })?.code;
      for (const one of code?.enum ?? []) codes.add(one);
    }
  return [...codes].toSorted();
}

const REF = /"\$ref":"#\/components\/schemas\/([^"]+)"/g;

function schemasOf(calls: readonly Call[], { components }: ApiDocument): readonly string[] {
  const used = new Set<string>(["Problem", "WebhookEvent"]);
  const visit = (part: unknown) => {
    for (const [, name = ""] of JSON.stringify(part ?? {}).matchAll(REF)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(components.schemas[name]);
    }
  };
  for (const name of used) visit(components.schemas[name]);
  for (const { operation } of calls)
    visit([
      operation.parameters,
      operation.requestBody?.content[JSON_TYPE],
      successOf(operation).content[JSON_TYPE],
    ]);
  return [...used].toSorted();
}

export function renderApi(document: ApiDocument): string {
  const calls = callsOf(document);
  const types = schemasOf(calls, document).map((name) => {
    const schema = document.components.schemas[name] ?? {};
    return `${comment(schema["description"], "")}export type ${name} = ${typeOf(schema)};\n`;
  });
  return [
    "// Generated from /api/openapi.json by generate-api.ts; `vitest run api-document -u` renews it.\n",
    "\n/** A file's bytes; a text is base64. */\nexport type FileContent = string | Uint8Array | Blob;\n",
    "type NoInput = { readonly [name in never]: never };\n\n",
    types.join("\n"),
    "\n/** Codes of refusals; a newer service may have more. */\nexport type ProblemCode =\n",
    codesOf(calls, document)
      .map((code) => `  | ${quote(code)}`)
      .join("\n"),
    ";\n\nexport type Operations = {\n",
    calls.map((call) => renderOperation(call, document)).join(""),
    "};\n\nexport type CallRule = {\n  readonly method: string;\n  readonly path: string;\n",
    "  readonly query: readonly string[];\n  readonly hasBody: boolean;\n  readonly isFile: boolean;\n  readonly takesFile?: boolean;\n};\n\n",
    "export const CALLS: { readonly [name in keyof Operations]: CallRule } = {\n",
    calls.map(renderCall).join(""),
    "};\n",
  ].join("");
}
