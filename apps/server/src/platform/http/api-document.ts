import * as contracts from "@paraphe/contracts";
import * as webhooks from "@paraphe/contracts/webhooks";
import {
  KEY_SCOPES,
  PROBLEMS,
  type ProblemCode,
  problem,
  programSentence,
} from "@paraphe/contracts";
import { STATUS_CODES } from "node:http";
import type { FastifyInstance } from "fastify";
import * as z from "zod/mini";
import { API_PAGE_STYLE, type ApiDocument, renderApiPage } from "./api-docs-page.ts";
import {
  API_EXAMPLES,
  API_TAGS,
  operationIdOf,
  OPERATIONS,
  summaryOf,
  tagOf,
} from "./api-operations.ts";
import { PROPERTIES } from "./api-properties.ts";
import {
  ANSWER_HEADERS,
  type ApiRoute,
  headersOf,
  headersOfRefusal,
  PROBLEM_SCHEMA,
  refusalsOf,
  type ScopeOf,
  withHeaders,
} from "./api-refusals.ts";
import { presentProblem } from "./problem-reply.ts";
import { admissionsOf } from "./request-guard.ts";

declare module "fastify" {
  interface FastifyInstance {
    readonly apiRoutes: readonly ApiRoute[];
  }
  interface FastifySchema {
    reads?: readonly ("If-Match" | "Range" | "Accept")[];
    files?: Readonly<Record<string, "one" | "many" | "optional">>;
  }
}

type Json = Readonly<Record<string, unknown>>;
const JSON_TYPE = "application/json";
const FORM_TYPE = "multipart/form-data";
const PROBLEM_TYPE = "application/problem+json";
const SCHEMAS = "#/components/schemas/";

/**
 * Serves `GET /api/openapi.json`, made from the schemas that validate, the hooks that admit and the
 * table of problems. Source: OpenAPI 3.1.
 */
export function describeApi(
  app: FastifyInstance,
  { publicUrl, scopeOf }: { readonly publicUrl: string; readonly scopeOf: ScopeOf },
): void {
  const routes: ApiRoute[] = [];
  app.decorate("apiRoutes", routes);
  app.addHook("onRoute", ({ url, method, schema = {}, onRequest, preHandler }) => {
    if (!url.startsWith("/api/") || schema.hide) return;
    const path = url.replaceAll(/:(\w+)/g, "{$1}");
    const hooks = [onRequest, preHandler].flat();
    for (const one of [method].flat().filter((name) => name !== "HEAD" && name !== "OPTIONS"))
      routes.push({
        method: one,
        pattern: url,
        path,
        id: operationIdOf(one, path),
        schema,
        admissions: admissionsOf(hooks, one),
        scope: scopeOf(one, url),
      });
  });
  const document = once(() => buildDocument(routes, publicUrl) as ApiDocument);
  const text = once(() => JSON.stringify(document()));
  const page = once(() => renderApiPage(document()));
  app.register(async (scope) => {
    const schema = { response: { 200: z.record(z.string(), z.unknown()) } };
    scope.get("/api/openapi.json", { schema }, async (_request, reply) => {
      return reply.type("application/json; charset=utf-8").serializer(String).send(text());
    });
    const html = { schema: { produces: ["text/html"] } };
    scope.get("/api/docs/", html, async (_request, reply) =>
      reply.type("text/html; charset=utf-8").header("cache-control", "no-cache").send(page()),
    );
    const css = { schema: { produces: ["text/css"] } };
    scope.get("/api/docs/style.css", css, async (_request, reply) =>
      reply
        .type("text/css; charset=utf-8")
        .header("cache-control", "public, max-age=3600")
        .send(API_PAGE_STYLE),
    );
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

const NAMED_TYPES = new Set(["object", "union", "enum", "array"]);

function contractSchemas(): ReadonlyMap<string, z.core.$ZodType> {
  const named = new Map<string, z.core.$ZodType>();
  const seen = new Set<unknown>();
  for (const [name, value] of Object.entries({ ...contracts, ...webhooks })) {
    if (!(value instanceof z.core.$ZodType) || seen.has(value)) continue;
    if (!NAMED_TYPES.has(value._zod.def.type)) continue;
    seen.add(value);
    const short = name.replace(/^\w/, (letter) => letter.toUpperCase()).replace(/Schema$/, "");
    named.set(named.has(short) ? `${short}Schema` : short, value);
  }
  return named;
}

type Direction = "input" | "output";
type Named = {
  describe(direction: Direction, schema: unknown): Json;
  resolve(shape: Json): Json;
  readonly schemas: Readonly<Record<string, Json>>;
};

type Override = { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema };

/** `items: false` is JSON Schema 2020-12, unknown to readers of OpenAPI. */
function override({ zodSchema, jsonSchema }: Override): void {
  if (jsonSchema.items === false) jsonSchema.items = {};
  if (jsonSchema.maxLength !== undefined)
    jsonSchema.maxLength = Math.min(jsonSchema.maxLength, longestOf(zodSchema));
}

function longestOf(schema: z.core.$ZodType): number {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "pipe") return Math.min(longestOf(def.in), longestOf(def.out));
  const bounds = (def.checks ?? []).flatMap(({ _zod: { def: check } }) =>
    "maximum" in check ? [Number(check.maximum)] : [],
  );
  return Math.min(...bounds);
}

/** A schema of the contracts becomes a reference, one of a route stands inline. */
function nameSchemas(routes: readonly ApiRoute[]): Named {
  const registries = { input: z.registry<{ id: string }>(), output: z.registry<{ id: string }>() };
  const add = (direction: Direction, id: string, schema: unknown) => {
    if (schema instanceof z.core.$ZodType && !registries[direction].has(schema))
      registries[direction].add(schema, { id });
  };
  for (const [id, schema] of contractSchemas())
    for (const direction of ["input", "output"] as const) add(direction, id, schema);
  for (const { id, schema } of routes) {
    for (const part of ["body", "params", "querystring"] as const)
      add("input", `${id}.${part}`, schema[part]);
    for (const [status, answer] of Object.entries(schema.response ?? {}))
      add("output", `${id}.${status}`, answer);
  }
  const refOf = {
    input: (id: string) => `${SCHEMAS}${id}Input`,
    output: (id: string) => `${SCHEMAS}${id}`,
  };
  const convert = (direction: Direction) =>
    z.toJSONSchema(registries[direction], {
      io: direction,
      uri: refOf[direction],
      unrepresentable: "any",
      override,
    }).schemas;
  const converted = { input: convert("input"), output: convert("output") };
  const plain = (direction: Direction, id: string): Json => {
    const { $schema: _dialect, $id: _id, ...schema } = converted[direction][id] ?? {};
    return schema;
  };
  const schemas = Object.fromEntries(
    [...contractSchemas().keys()].flatMap((id) => [
      [id, plain("output", id)],
      [`${id}Input`, plain("input", id)],
    ]),
  );
  return {
    schemas,
    resolve: (shape) =>
      typeof shape["$ref"] === "string"
        ? (schemas[shape["$ref"].slice(SCHEMAS.length)] ?? {})
        : shape,
    describe(direction, schema) {
      const id = registries[direction].get(schema as z.core.$ZodType)?.id ?? "";
      return id.includes(".") ? plain(direction, id) : { $ref: refOf[direction](id) };
    },
  };
}

const REF = /"\$ref":"#\/components\/schemas\/([^"]+)"/g;

/** A schema that is only sent needs no suffix. */
function keepUsed(document: Json, schemas: Readonly<Record<string, Json>>): Json {
  const used = new Set<string>();
  const visit = (part: unknown) => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(REF)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(schemas[name] ?? {});
    }
  };
  visit(document);
  const shortOf = (name: string) => {
    const short = name.replace(/Input$/, "");
    return used.has(short) ? name : short;
  };
  const kept = [...used].toSorted().map((name) => [name, schemas[name]] as const);
  const components = { ...(document["components"] as Json) };
  const whole = {
    ...document,
    components: {
      ...components,
      schemas: Object.fromEntries(kept.map(([name, schema]) => [shortOf(name), schema])),
    },
  };
  return JSON.parse(
    JSON.stringify(whole).replaceAll(
      REF,
      (_, name: string) => `"$ref":"${SCHEMAS}${shortOf(name)}"`,
    ),
  );
}

const DESCRIPTION = `Electronic signature: envelopes, recipients, proofs.

A program calls with a key (\`Authorization: Bearer pk_live_…\`), a page with a session and its CSRF token, a guest with
the mailed link's token. \`@paraphe/sdk\` and the command \`paraphe send\` are clients; assistants find tools at
\`/api/mcp/\` (Model Context Protocol). Sentences for people are French; \`code\` of a refusal is for programs and never changes.

A key may send \`HEAD\` wherever it may send \`GET\`, except to \`streamEvents\`. A method that an address lacks answers 405 \`method_not_allowed\`, and \`Allow\` names
those that it has. Every answer has \`X-Request-Id\`; with limits on, \`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\` count the
calls of one network.`;

export function buildDocument(routes: readonly ApiRoute[], publicUrl: string): Json {
  const named = nameSchemas(routes);
  const refusals = shareRefusals();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(route, named, refusals),
    };
  const withKey = (tag: string) =>
    routes.filter(({ path, scope }) => scope !== null && tagOf(path) === tag).length;
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Paraphe",
      version: "1",
      description: DESCRIPTION,
      contact: { name: "Paraphe", url: publicUrl },
      license: { name: "EUPL-1.2", url: "https://spdx.org/licenses/EUPL-1.2.html" },
    },
    servers: [{ url: publicUrl, description: "This service" }],
    tags: API_TAGS.toSorted((a, b) => withKey(b.name) - withKey(a.name)),
    security: [],
    paths,
    webhooks: { event: { post: webhookOf(named) } },
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: HEADERS,
      headers: ANSWER_HEADERS,
      responses: refusals.responses,
    },
  };
  return explain(keepUsed(document, { ...named.schemas, Problem: PROBLEM_SCHEMA }));
}

type Members = Readonly<Record<string, Json>>;

function explain({ paths, components, webhooks: hooks, ...document }: Json): Json {
  const calls = (methods: unknown) =>
    mapMembers(methods as Members, (_, call) => {
      const of = String(call["operationId"]);
      const parameters = (call["parameters"] as readonly Json[] | undefined)?.map((one) =>
        "schema" in one ? { ...one, ...describe(one, [of, String(one["name"])]) } : one,
      );
      return { ...describeIn(call, of), ...(parameters === undefined ? {} : { parameters }) };
    });
  const { schemas, ...others } = components as Readonly<Record<string, Members>>;
  return {
    ...document,
    paths: mapMembers(paths as Members, (_, methods) => calls(methods)),
    webhooks: hooks,
    components: {
      ...others,
      schemas: mapMembers(schemas ?? {}, (name, schema) => describeIn(schema, name)),
    },
  };
}

const mapMembers = <T>(members: Readonly<Record<string, T>>, change: (name: string, one: T) => T) =>
  Object.fromEntries(Object.entries(members).map(([name, one]) => [name, change(name, one)]));

const describe = ({ description }: Json, [holder, name]: readonly [string, string]): Json => ({
  description: description ?? PROPERTIES[`${holder}.${name}`] ?? PROPERTIES[name],
});

/** `holder`: the schema or call, further down the property. */
function describeIn<T>(part: T, holder: string): T {
  if (Array.isArray(part)) return part.map((one: unknown) => describeIn(one, holder)) as T;
  if (part === null || typeof part !== "object") return part;
  const described = Object.entries(part).map(([key, value]: [string, unknown]) => {
    if (key === "example") return [key, value];
    if (key !== "properties") return [key, describeIn(value, holder)];
    const members = mapMembers(value as Members, (name, member) => ({
      ...describeIn(member, name),
      ...describe(member, [holder, name]),
    }));
    return [key, members];
  });
  return Object.fromEntries(described) as T;
}

const webhookOf = (named: Named): Json => ({
  operationId: "receiveEvent",
  summary: "Receive event",
  description: "What an address of `me/webhooks/` gets, signed by Standard Webhooks 1.0.0.",
  tags: ["Webhooks"],
  security: [],
  requestBody: {
    required: true,
    content: { [JSON_TYPE]: { schema: named.describe("output", webhooks.webhookEvent) } },
  },
  responses: { "2XX": { description: "Taken; anything else is tried again." } },
});

const SECURITY_SCHEMES = {
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-access_token",
    description: "The session of a person, set by `POST /api/token/`.",
  },
  csrf: {
    type: "apiKey",
    in: "header",
    name: "X-CSRFToken",
    description: "The value of the cookie `csrftoken`, which `GET /api/verify-token/` sets.",
  },
  key: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "pk_live_…",
    description: `A key of Paramètres → Programmes (RFC 6750). Scopes: ${Object.keys(KEY_SCOPES).join(", ")}.`,
  },
  signatureToken: {
    type: "apiKey",
    in: "header",
    name: "X-Signature-Token",
    description: "The token of a mailed link.",
  },
} as const;

const HEADERS = {
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    description:
      "The same key and body get the first answer again, for 24 hours, with `Idempotency-Replayed`.",
    schema: { type: "string", pattern: "^[!-~]{1,200}$" },
    example: "b7c4e1d2-5f0a-4c1e-9a53-2f6f1f0f7f10",
  },
  "If-Match": {
    name: "If-Match",
    in: "header",
    description:
      "The `version` that was read, in quotes (a weak tag or none is taken), or `*` for any; 409 `version_conflict` when it has changed, 400 for anything else.",
    schema: { type: "string" },
    example: '"3"',
  },
  Range: {
    name: "Range",
    in: "header",
    description: "One range of bytes; any other value is ignored (RFC 9110 §14.2).",
    schema: { type: "string" },
    example: "bytes=0-1023",
  },
  Accept: {
    name: "Accept",
    in: "header",
    description: "`application/pdf` answers with the file.",
    schema: { type: "string" },
    example: "application/pdf",
  },
} as const;

function operationOf(route: ApiRoute, named: Named, refusals: Refusals): Json {
  const { id, path } = route;
  const parameters = parametersOf(route, named);
  const requestBody = bodyOf(route, named);
  const description = OPERATIONS[id];
  return {
    operationId: id,
    summary: summaryOf(id),
    ...(description === undefined ? {} : { description }),
    tags: [tagOf(path)],
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody === null ? {} : { requestBody }),
    responses: { ...successesOf(route, named), ...refusals.answersOf(route) },
  };
}

function securityOf({ method, admissions, scope }: ApiRoute): readonly Json[] {
  const csrf = method === "GET" ? {} : { csrf: [] };
  const session = { session: [], ...csrf };
  const key = scope === null ? [] : [{ key: scope === "any" ? [] : [scope] }];
  const link = { signatureToken: [] };
  const by = admissions.find((one) => one.by !== undefined)?.by;
  if (by === "member") return [session, ...key];
  if (by === "visitor") return [csrf, session, ...key];
  if (by === "link") return [link];
  if (by === "signer") return [link, session, ...key];
  if (by === "reader") return [{}, link, session, ...key];
  return method === "GET" ? [] : [csrf];
}

function parametersOf({ method, schema }: ApiRoute, named: Named): readonly Json[] {
  const fromSchema = (part: unknown, place: "path" | "query") => {
    const { properties = {}, required = [] } = (
      part === undefined ? {} : named.resolve(named.describe("input", part))
    ) as ObjectShape;
    return Object.entries(properties).map(([name, { description, ...shape }]) => ({
      name,
      in: place,
      ...(description === undefined ? {} : { description }),
      ...(place === "path" || required.includes(name) ? { required: true } : {}),
      schema: shape,
    }));
  };
  const headers = [
    ...(method === "POST" ? (["Idempotency-Key"] as const) : []),
    ...(schema.reads ?? []),
  ];
  return [
    ...fromSchema(schema.params, "path"),
    ...fromSchema(schema.querystring, "query"),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

type ObjectShape = {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
};

function bodyOf({ id, schema }: ApiRoute, named: Named): Json | null {
  if (schema.body === undefined && schema.files === undefined) return null;
  const shape = schema.body === undefined ? {} : named.describe("input", schema.body);
  const types = schema.consumes ?? [JSON_TYPE];
  const example = API_EXAMPLES[id];
  const content = types.map((type) => {
    if (type === FORM_TYPE)
      return [type, { schema: formOf(named.resolve(shape), schema.files ?? {}) }];
    if (type !== JSON_TYPE) return [type, { schema: BINARY }];
    return [type, { schema: shape, ...(example === undefined ? {} : { example }) }];
  });
  const { required = [] } = named.resolve(shape) as ObjectShape;
  const isNeeded = types.includes(FORM_TYPE) || required.length > 0;
  return { required: isNeeded, content: Object.fromEntries(content) };
}

const BINARY = { type: "string", format: "binary" };

/** A form has texts and files: any other member is JSON in a text. */
function formOf(shape: Json, files: NonNullable<ApiRoute["schema"]["files"]>): Json {
  const { properties = {}, required = [] } = shape as ObjectShape;
  const members = Object.entries(properties).map(([name, member]) => [
    name,
    isText(member)
      ? member
      : { type: "string", contentMediaType: JSON_TYPE, contentSchema: member },
  ]);
  const parts = Object.entries(files).map(([name, count]) => [
    name,
    count === "many" ? { type: "array", items: BINARY, minItems: 1 } : BINARY,
  ]);
  const needed = Object.keys(files).filter((name) => files[name] !== "optional");
  return {
    type: "object",
    properties: Object.fromEntries([...members, ...parts]),
    required: [...new Set([...required, ...needed])],
    additionalProperties: false,
  };
}

function isText({ type, enum: words, anyOf = [], $ref, format }: Json): boolean {
  if ($ref !== undefined) return false;
  if (type === "string" || format === "binary") return true;
  if (Array.isArray(type)) return type.every((one) => one === "string" || one === "null");
  if (Array.isArray(words)) return words.every((word) => typeof word === "string");
  return (
    Array.isArray(anyOf) &&
    anyOf.length > 0 &&
    anyOf.every((one) => isText(one as Json) || (one as Json)["type"] === "null")
  );
}

function successesOf(route: ApiRoute, named: Named): Json {
  const { schema } = route;
  const answers: Record<string, Json> = {};
  for (const [status, answer] of Object.entries(
    (schema.response ?? {}) as Record<string, unknown>,
  )) {
    const isEmpty =
      answer instanceof z.core.$ZodType && /^(undefined|null|void)$/.test(answer._zod.def.type);
    answers[status] = {
      description: STATUS_CODES[Number(status)] ?? status,
      ...(isEmpty
        ? {}
        : { content: { [JSON_TYPE]: { schema: named.describe("output", answer) } } }),
    };
  }
  const files = (schema.produces ?? []).filter((type) => type !== JSON_TYPE);
  const content = Object.fromEntries(files.map((type) => [type, { schema: BINARY }]));
  if (files.length > 0) answers["200"] = { description: "OK", content };
  if (schema.reads?.includes("Range")) {
    answers["206"] = { description: "Partial Content", content };
    answers["416"] = { description: "Range Not Satisfiable" };
  }
  if (Object.keys(answers).length === 0) answers["204"] = { description: "No Content" };
  return mapMembers(answers, (status, answer) => ({
    ...answer,
    ...withHeaders(headersOf(route, status)),
  }));
}

type Refusals = { answersOf(route: ApiRoute): Json; readonly responses: Record<string, Json> };

function shareRefusals(): Refusals {
  const responses: Record<string, Json> = {};
  const names = new Map<string, string>();
  const nameOf = (status: number, codes: readonly ProblemCode[]): string => {
    const key = codes.join(" ");
    const known = names.get(key);
    if (known !== undefined) return known;
    const before = Object.keys(responses).filter((name) => name.startsWith(`Refusal${status}`));
    const name = `Refusal${status}.${before.length + 1}`;
    names.set(key, name);
    responses[name] = refusalOf(status, codes);
    return name;
  };
  return {
    responses,
    answersOf(route) {
      const byStatus = new Map<number, ProblemCode[]>();
      for (const code of refusalsOf(route)) {
        const { status } = PROBLEMS[code];
        byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
      }
      return Object.fromEntries(
        [...byStatus].map(([status, codes]) => [
          String(status),
          { $ref: `#/components/responses/${nameOf(status, codes)}` },
        ]),
      );
    },
  };
}

function refusalOf(status: number, codes: readonly ProblemCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    ...withHeaders(headersOfRefusal(status, codes)),
    content: {
      [PROBLEM_TYPE]: {
        schema: {
          allOf: [{ $ref: `${SCHEMAS}Problem` }, { properties: { code: { enum: codes } } }],
        },
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            {
              value: { ...presentProblem(problem(code), programSentence), request_id: EXAMPLE_ID },
            },
          ]),
        ),
      },
    },
  };
}

const EXAMPLE_ID = "01990000-0000-7000-8000-000000000001";
