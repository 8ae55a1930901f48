import {
  KEY_SCOPES,
  problem,
  PROBLEMS,
  type ProblemCode,
  programSentence,
} from "@paraphe/contracts";
import { beforeAll, describe, expect, test } from "vitest";
import { type ApiDocument, renderApi } from "../../../../../packages/sdk/generate-api.ts";
import { OPERATIONS } from "./api-operations.ts";
import { PROPERTIES } from "./api-properties.ts";
import { API_EXAMPLES, EXAMPLE_IDS } from "./api-operations.ts";
import { ACCESS } from "../../../testing/access-table.ts";
import { openProven } from "../../../testing/proven-envelope.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";

type Json = Readonly<Record<string, unknown>>;
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Json[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<Record<string, Json>>;
};
type Document = {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
};

const service = useTestApp();
let document: Document;
let operations: readonly (readonly [call: string, operation: Operation])[];

beforeAll(async () => {
  document = (await service.app.inject("/api/openapi.json")).json();
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );
});

const operation = (call: string): Operation => {
  const found = operations.find(([name]) => name === call);
  if (found === undefined) throw new Error(`the document lacks ${call}`);
  return found[1];
};

function codesAt({ responses }: Operation, status: string): readonly string[] {
  const name = String(responses[status]?.["$ref"]).replace("#/components/responses/", "");
  const content = document.components["responses"]?.[name]?.["content"] as {
    readonly "application/problem+json": { readonly schema: { readonly allOf: readonly Json[] } };
  };
  const { properties } = content["application/problem+json"].schema.allOf[1] as {
    readonly properties: { readonly code: { readonly enum: readonly string[] } };
  };
  return properties.code.enum;
}

const isForAnybody = (one: object): boolean => Object.keys(one).every((name) => name === "csrf");

describe("the API document", () => {
  test("has every route of the API, and no other", () => {
    const routes = Object.keys(ACCESS)
      .filter((route) => route.includes(" /api/"))
      .map((route) => route.replaceAll(/:(\w+)/g, "{$1}"));
    const calls = operations.map(([call]) => call.replace(/\/$/, ""));
    expect(calls.toSorted()).toEqual(routes.toSorted());
  });

  test("gives the types of the SDK, in its committed file", async () => {
    const rendered = renderApi(document as unknown as ApiDocument);
    const path = "../../../../../packages/sdk/src/api.generated.ts";
    await expect(rendered).toMatchFileSnapshot(path);
  });

  test("names each operation once, with a summary and a tag of the page", () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const tags = document.tags.map(({ name }) => name);
    for (const [call, { operationId, summary, tags: own }] of operations) {
      expect([call, operationId]).toEqual([call, expect.stringMatching(/^[a-z]+[A-Za-z]*$/)]);
      expect([call, summary.length > 4, own.length === 1 && tags.includes(own[0] ?? "")]).toEqual([
        call,
        true,
        true,
      ]);
    }
  });

  test("says who may call, and which scope a key needs", () => {
    for (const [call, { security }] of operations) {
      expect([call, Array.isArray(security)]).toEqual([call, true]);
      // A public read needs no CSRF token; a change by a browser does.
      if (!call.startsWith("GET"))
        expect([call, security.some((one) => "csrf" in one || "signatureToken" in one)]).toEqual([
          call,
          true,
        ]);
    }
    const scopes = new Set(
      operations.flatMap(([, { security }]) => security.flatMap((one) => one["key"] ?? [])),
    );
    expect([...scopes].toSorted()).toEqual(Object.keys(KEY_SCOPES).toSorted());
    expect(operation("POST /api/signature/envelopes/{id}/send/").security).toEqual([
      { session: [], csrf: [] },
      { key: ["envelopes:send"] },
    ]);
    expect(operation("GET /api/signature/envelopes/{id}/guest/").security).toEqual([
      { signatureToken: [] },
    ]);
    expect(operation("POST /api/signature/me/keys/").security).toEqual([{ session: [], csrf: [] }]);
  });

  test("it asks for a session wherever the access table does", () => {
    for (const [call, { security }] of operations) {
      // The refresh cookie alone admits this call.
      if (call === "POST /api/token/refresh/") continue;
      const row = ACCESS[call.replaceAll(/\{(\w+)\}/g, ":$1").replace(/\/$/, "")];
      const isPublic = security.length === 0 || security.some(isForAnybody);
      if (row?.anonymous === "session_expired")
        expect([call, security.some((one) => "session" in one)]).toEqual([call, true]);
      if (row?.anonymous === "allowed") expect([call, isPublic]).toEqual([call, true]);
    }
  });

  test("it lists every refusal by status and code", () => {
    for (const [call, one] of operations) {
      const statuses = Object.keys(one.responses);
      expect([call, statuses]).toEqual([
        call,
        expect.arrayContaining(["400", "429", "500", "503"]),
      ]);
      for (const status of statuses.filter((name) => name >= "400" && name !== "416"))
        for (const code of codesAt(one, status))
          expect([call, code, PROBLEMS[code as ProblemCode]?.status]).toEqual([
            call,
            code,
            Number(status),
          ]);
    }
    expect(codesAt(operation("POST /api/signature/envelopes/{id}/send/"), "409")).toEqual(
      expect.arrayContaining(["invalid_state", "not_ready_to_send", "version_conflict"]),
    );
  });

  test("it has everything that it refers to, and refers to everything that it has", () => {
    const text = JSON.stringify(document);
    const names = new Set(
      [...text.matchAll(/"#\/components\/(\w+\/[^"]+)"/g)].map(([, name]) => name),
    );
    const kinds = ["schemas", "responses", "parameters", "headers"];
    const had = kinds.flatMap((kind) =>
      Object.keys(document.components[kind] ?? {}).map((name) => `${kind}/${name}`),
    );
    expect([...names].toSorted()).toEqual(had.toSorted());
  });

  test("it describes every property and parameter, and no description is unused", () => {
    const used = new Set<string>();
    const lacking: string[] = [];
    const note = (place: string, { description }: Json) => {
      if (typeof description === "string" && description.length > 3) used.add(description);
      else lacking.push(place);
    };
    const visit = (part: unknown, place: string): void => {
      if (part === null || typeof part !== "object") return;
      for (const [key, value] of Object.entries(part)) {
        // A refusal's schema narrows the code of one that is described.
        if (key === "example" || key === "allOf") continue;
        if (key === "properties")
          for (const [name, member] of Object.entries(value as Record<string, Json>))
            note(`${place}.${name}`, member);
        visit(value, `${place}.${key}`);
      }
    };
    visit(document.components["schemas"], "schemas");
    for (const [call, one] of operations) {
      for (const parameter of (one.parameters ?? []).filter((each) => "schema" in each))
        note(`${call} ${String(parameter["name"])}`, parameter);
      visit([one.requestBody, one.responses], call);
    }
    expect(lacking).toEqual([]);
    const unused = Object.entries(PROPERTIES).filter(([, text]) => !used.has(text));
    expect(unused.map(([name]) => name)).toEqual([]);
  });

  test("says the longest text that is taken, not what is read before composition", () => {
    const longest = (schema: string, ...path: readonly string[]) =>
      path.reduce<unknown>(
        (at, key) => (at as Json)[key],
        document.components["schemas"]?.[schema]?.["properties"],
      );
    const file = ["files", "items", "anyOf", "1", "properties", "name", "maxLength"];
    expect([
      longest("NewEnvelopeRequest", "title", "maxLength"),
      longest("NewEnvelopeRequest", "message", "anyOf", "0", "maxLength"),
      longest("NewEnvelopeRequest", ...file),
      longest("RecipientRequest", "full_name", "maxLength"),
      longest("RecipientRequest", "email", "maxLength"),
      longest("NewFieldRequest", "label", "anyOf", "0", "maxLength"),
      longest("RecipientRequest", "phone_number", "anyOf", "0", "maxLength"),
      longest("RegisterRequest", "password", "minLength"),
      longest("RegisterRequest", "password", "maxLength"),
    ]).toEqual([200, 2_000, 200, 150, 254, 200, 32, 5, 128]);
  });

  test("gives the headers of answers", () => {
    const headers = (call: string, status: string) => {
      const { $ref = "", ...own } = operation(call).responses[status] ?? {};
      const name = String($ref).split("/").at(-1) ?? "";
      const answer = document.components["responses"]?.[name] ?? own;
      return Object.keys(answer["headers"] ?? {});
    };
    const file = "GET /api/signature/envelopes/{id}/documents/{document_id}/file/";
    const send = "POST /api/signature/envelopes/{id}/send/";
    expect(headers(file, "206")).toEqual(["Content-Disposition", "ETag", "Content-Range"]);
    expect(headers(file, "416")).toEqual(["Content-Disposition", "ETag", "Content-Range"]);
    expect(headers("GET /api/signature/envelopes/{id}/evidence/", "200")).toEqual([
      "Content-Disposition",
    ]);
    expect(headers(send, "200")).toEqual(["Idempotency-Replayed"]);
    const selfSign = "POST /api/signature/self-sign/";
    for (const status of ["200", "201"])
      expect(headers(selfSign, status)).toContain("X-Envelope-Id");
    expect(headers(send, "401")).toEqual(["WWW-Authenticate"]);
    expect(headers(send, "403")).toEqual(["WWW-Authenticate"]);
    expect(headers(send, "409")).toEqual(["Retry-After"]);
    expect(headers(send, "429")).toEqual(["Retry-After"]);
    expect(headers("GET /api/signature/envelopes/", "200")).toEqual([]);
  });

  test("describes a name by its place, in English", () => {
    const words = (call: string, name: string) =>
      operation(call).parameters?.find((one) => one["name"] === name)?.["description"];
    const rank = PROPERTIES["order"];
    expect(words("GET /api/signature/mailings/{id}/rows/", "order")).not.toBe(rank);
    const form = operation("PATCH /api/signature/envelopes/{id}/").requestBody?.content[
      "multipart/form-data"
    ]?.schema as { readonly properties: Readonly<Record<string, Json>> };
    expect(form.properties["order"]?.["description"]).toBe(PROPERTIES["updateEnvelope.order"]);
    for (const act of ["view", "sign_authenticated", "decline", "visa", "send-back", "reassign"])
      expect(words(`POST /api/signature/envelopes/{id}/${act}/`, "recipient")).toEqual(
        expect.stringContaining("session"),
      );
    const all = [...JSON.stringify(document).matchAll(/"description":"([^"]*)"/g)];
    for (const [, text = ""] of all)
      expect(text.replace(/«[^»]*»|Paramètres/g, "")).not.toMatch(/[éèêàçù]/);
  });

  test("says of each call with a key what it does, in a sentence of its own", () => {
    const withKey = operations
      .map(([, one]) => one)
      .filter(({ security }) => security.some((one) => "key" in one));
    const ids = withKey.map(({ operationId }) => operationId);
    expect(Object.keys(OPERATIONS).toSorted()).toEqual([...ids, "deleteMyKey"].toSorted());
    for (const { operationId, description } of withKey)
      expect([operationId, description]).toEqual([operationId, OPERATIONS[operationId]]);
    for (const [, name = ""] of JSON.stringify(OPERATIONS).matchAll(/`([a-z]+[A-Z]\w*)`/g))
      expect(ids).toContain(name);
  });

  test("names first what a key may call, and marks the others", async () => {
    const takesKey = ({ security }: Operation) => security.some((one) => "key" in one);
    const firstWithout = document.tags.findIndex(
      ({ name }) => !operations.some(([, one]) => one.tags[0] === name && takesKey(one)),
    );
    for (const { name } of document.tags.slice(firstWithout))
      expect(operations.filter(([, one]) => one.tags[0] === name && takesKey(one))).toEqual([]);
    const { body } = await service.app.inject("/api/docs/");
    const places = operations.map(([, one]) => ({
      at: body.indexOf(`id="${one.operationId}"`),
      tag: one.tags[0],
      isMarked: body.includes(`id="${one.operationId}" class="keyless"`),
      takesKey: takesKey(one),
    }));
    for (const one of places) {
      expect(one.isMarked).toBe(!one.takesKey);
      for (const other of places)
        if (one.tag === other.tag && one.takesKey && !other.takesKey)
          expect(one.at).toBeLessThan(other.at);
    }
  });

  test("takes a new envelope as a form or as JSON", () => {
    const { content } = operation("POST /api/signature/envelopes/").requestBody ?? { content: {} };
    expect(Object.keys(content)).toEqual(["application/json", "multipart/form-data"]);
    const form = content["multipart/form-data"]?.schema as {
      readonly properties: Readonly<Record<string, Json>>;
      readonly required: readonly string[];
    };
    expect(form.required).toEqual(["title", "files"]);
    expect(form.properties["files"]).toMatchObject({ items: { format: "binary" } });
    expect(form.properties["recipients"]).toMatchObject({ contentMediaType: "application/json" });
  });

  test("it never answers a key's call with a sentence about a page", () => {
    const codes = operations
      .filter(([, { security }]) => security.some((one) => "key" in one))
      .flatMap(([, one]) =>
        Object.keys(one.responses)
          .filter((status) => status >= "400" && status !== "416")
          .flatMap((status) => codesAt(one, status)),
      );
    for (const code of new Set(codes))
      if (!/csrf/.test(code))
        expect([code, programSentence(problem(code as ProblemCode))]).toEqual([
          code,
          expect.not.stringMatching(/Rechargez|cette page/i),
        ]);
  });

  test("has every method of an address: any other is 405, which names them", async () => {
    const pattern = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    for (const path of Object.keys(document.paths)) {
      const url = path.replaceAll(/\{\w+\}/g, "01990000-0000-7000-8000-00000000abcd");
      const taken = Object.entries(document.paths)
        .filter(([other]) => pattern(other).test(path))
        .flatMap(([, methods]) => Object.keys(methods).map((method) => method.toUpperCase()));
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
        if (taken.includes(method)) continue;
        const answer = await service.app.inject({ method, url });
        const allowed = String(answer.headers.allow).split(", ");
        expect([method, path, answer.statusCode, allowed]).toEqual([
          method,
          path,
          405,
          expect.arrayContaining(taken),
        ]);
      }
      const get = document.paths[path]?.["get"];
      if (!get?.security.some((one) => "key" in one)) continue;
      const { statusCode } = await service.app.inject({ method: "HEAD", url });
      expect([path, statusCode === 405]).toEqual([path, get.operationId === "streamEvents"]);
    }
  });

  test("is a page without script, which names every call", async () => {
    const page = await service.app.inject("/api/docs/");
    expect([page.statusCode, page.headers["content-type"]]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(page.headers["content-security-policy"]).not.toContain("style-src 'unsafe-inline'");
    expect(page.body).not.toMatch(/<script|<style|style=|https?:\/\/(?!localhost)/);
    for (const [, { operationId }] of operations)
      expect(page.body).toContain(`id="${operationId}"`);
    expect(page.body).toContain("No Content; headers <code>Idempotency-Replayed</code>");
    expect(page.body).toContain("Partial Content; headers <code>Content-Disposition</code>");
    const anchors = [...page.body.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(anchors.filter((id) => !page.body.includes(`id="${id}"`))).toEqual([]);
    expect((await service.app.inject("/api/docs/style.css")).statusCode).toBe(200);
  });
});

test("each example is accepted, in the order given, from a program", {
  timeout: 120_000,
}, async () => {
  const proven = await openProven();
  const { app, platform } = proven.test;
  const asked = {
    name: "Exemples",
    scopes: Object.keys(KEY_SCOPES),
    days: null,
    origins: ["http://localhost:3000"],
  };
  const { secret } = (await proven.owner.post("/api/signature/me/keys/", asked)).body;
  const ids = new Map<string, string>();
  const calls = new Map(operations.map(([call, { operationId }]) => [operationId, call]));
  for (const [operationId, example] of Object.entries(API_EXAMPLES)) {
    const [method = "", path = ""] = (calls.get(operationId) ?? "").split(" ");
    const envelope =
      operationId === "generatePrint" ? proven.envelope.id : (ids.get("createEnvelope") ?? "");
    const filled = (text: string) =>
      text
        .replace("templates/{id}", `templates/${ids.get("createTemplate")}`)
        .replace("mailings/{id}", `mailings/${ids.get("createMailing")}`)
        .replace("{line}", "3")
        .replaceAll(EXAMPLE_IDS.template, ids.get("createTemplate") ?? "")
        .replace("{id}", envelope)
        .replace("{recipientId}", ids.get("recipient") ?? "")
        .replaceAll(EXAMPLE_IDS.envelope, envelope)
        .replaceAll(EXAMPLE_IDS.recipient, ids.get("recipient") ?? "");
    if (operationId === "resendInvitation") platform.clock.advance({ hours: 2 });
    const answer = await app.inject({
      method: method as "POST",
      url: filled(path),
      payload: JSON.parse(filled(JSON.stringify(example))),
      headers: { authorization: `Bearer ${secret}` },
    });
    expect([operationId, answer.statusCode < 300, answer.body.slice(0, 300)]).toEqual([
      operationId,
      true,
      expect.any(String),
    ]);
    ids.set(operationId, answer.json().id);
    if (operationId === "createEnvelope") ids.set("recipient", answer.json().recipients[0].id);
  }
  await proven.test.close();
});
