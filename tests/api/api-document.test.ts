import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { KEY_SCOPES } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDraft, createSent } from "../../apps/server/testing/envelope.ts";
import { signIn } from "../../apps/server/testing/member.ts";
import { openProven, type Proven } from "../../apps/server/testing/proven-envelope.ts";

const CACHE = resolve(".cache/interop");
const LINTERS = join(CACHE, "api-linters/node_modules");
const SCHEMATHESIS = join(CACHE, "schemathesis/bin/schemathesis");

/** Under CI a missing tool fails the tests. */
function missing(path: string): boolean {
  if (existsSync(path)) return false;
  if (process.env["CI"]) throw new Error(`${path} is missing, and CI is set: npm test -- tools`);
  return true;
}

type Finding = { readonly severity: string | number; readonly message: string };
type Parameter = { readonly name: string; readonly in: string; schema: unknown };
type Operation = {
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
};
type Document = { readonly paths: Record<string, Record<string, Operation>> };

let proven: Proven;
let document: Document;

beforeAll(async () => {
  proven = await openProven();
  document = (await proven.test.app.inject("/api/openapi.json")).json();
});
afterAll(() => proven.test.close());

describe.skipIf(missing(LINTERS))("the API document", () => {
  const load = createRequire(join(LINTERS, "none.js"));

  test("has no error for Redocly", async () => {
    const { createConfig, lintFromString } = load("@redocly/openapi-core") as {
      createConfig(rules: object): Promise<unknown>;
      lintFromString(asked: object): Promise<readonly (Finding & { ruleId: string })[]>;
    };
    // Paths end in a slash (contract §2).
    const rules = { "no-path-trailing-slash": "off" };
    const config = await createConfig({ extends: ["recommended"], rules });
    const source = JSON.stringify(document);
    const found = await lintFromString({ source, absoluteRef: "/openapi.json", config });
    const errors = found.filter(({ severity }) => severity === "error");
    expect(errors.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    // The linter must refuse a broken document.
    const broken = JSON.stringify({ ...document, paths: { "/api/x/": { get: {} } } });
    const wrong = await lintFromString({ source: broken, absoluteRef: "/openapi.json", config });
    expect(wrong.some(({ severity }) => severity === "error")).toBe(true);
  });

  test("has no error for Spectral", { timeout: 180_000 }, async () => {
    const { Spectral } = load("@stoplight/spectral-core") as {
      Spectral: new () => {
        setRuleset(rules: object): void;
        run(source: string): Promise<readonly (Finding & { code: string; path: string[] })[]>;
      };
    };
    const { oas } = load("@stoplight/spectral-rulesets") as { oas: object };
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [oas] });
    const errors = (await spectral.run(JSON.stringify(document))).filter(
      ({ severity }) => severity === 0,
    );
    expect(
      errors.map(({ code, message, path }) => `${code}: ${message} (${path.join("/")})`),
    ).toEqual([]);
  });
});

/** Ids that exist, for each kind of address. */
async function realIds(): Promise<Readonly<Record<string, readonly string[]>>> {
  const owner = await signIn(proven.test, proven.member);
  const [draft, sent] = [await createDraft(owner), await createSent(owner)];
  const saved = { envelope: draft.id, name: "Bail" };
  const template = (await owner.post("/api/signature/templates/", saved)).body.id;
  const envelopes = [draft.id, sent.id, proven.envelope.id];
  return {
    envelopes,
    documents: [draft, sent, proven.envelope].flatMap(({ documents }) =>
      documents.map(({ id }) => id),
    ),
    recipients: sent.recipients.map(({ id }) => id),
    prints: [proven.print.id],
    templates: [template],
  };
}

const UNKNOWN = "01990000-0000-7000-8000-00000000abcd";

/** The document with the ids of this service, without calls that no key may make. */
function withIds(ids: Readonly<Record<string, readonly string[]>>): object {
  const paths = Object.entries(document.paths).flatMap(([path, methods]) => {
    // With another method this would be an envelope of that name: 404.
    if (path.endsWith("/envelopes/counts/")) return [];
    // An answer without an end.
    if (path.endsWith("/events/stream/")) return [];
    const open = Object.entries(methods).filter(
      ([, { security }]) => security.length === 0 || security.some((one) => "key" in one),
    );
    const named = open.map(([method, operation]) => [
      method,
      {
        ...operation,
        parameters: (operation.parameters ?? []).map((parameter) => {
          if (parameter.in !== "path" || parameter.name === "position") return parameter;
          const [, kind = ""] = new RegExp(`/([\\w-]+)/\\{${parameter.name}\\}`).exec(path) ?? [];
          const real = ids[kind];
          return real === undefined
            ? parameter
            : { ...parameter, schema: { enum: [...real, UNKNOWN] } };
        }),
      },
    ]);
    return named.length === 0 ? [] : [[path, Object.fromEntries(named)] as const];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "response_headers_conformance",
  "unsupported_method",
  "negative_data_rejection",
];

/** With its own statuses, 413: a form of too many files is refused before it is read whole. */
const REFUSED = `[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, "5xx"]
`;

describe.skipIf(missing(SCHEMATHESIS))("Schemathesis, with a key and real ids,", () => {
  test("meets no answer that the document lacks", { timeout: 240_000 }, async () => {
    const { app, member, platform } = { ...proven.test, member: proven.member };
    const owner = await signIn(proven.test, member);
    const asked = { name: "Essais", scopes: Object.keys(KEY_SCOPES), days: null };
    const { secret } = (await owner.post("/api/signature/me/keys/", asked)).body;
    const folder = await mkdtemp(join(tmpdir(), "paraphe-api-"));
    const file = join(folder, "openapi.json");
    await writeFile(file, JSON.stringify(withIds(await realIds())));
    await writeFile(join(folder, "schemathesis.toml"), REFUSED);
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    const words = ["run", file, "--url", url, "-H", `Authorization: Bearer ${secret}`];
    const options = {
      checks: CHECKS.join(","),
      phases: "examples,coverage,fuzzing",
      "max-time": "75",
      "max-examples": "10",
      "suppress-health-check": "all",
      warnings: "off",
      "request-timeout": "30",
      seed: "1",
    };
    const more = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn(SCHEMATHESIS, [...words, ...more, "--no-shrink"], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: "1", COLUMNS: "200" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise<number | null>((done) => child.once("close", done));
    const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const code = await ended;
    await rm(folder, { recursive: true });
    expect(`${code}\n${output}${complaints}`).toMatch(/^0\n/);
    expect(output).toMatch(/\d+ generated/);
    expect(platform.logged.filter(({ level }) => level === "error")).toEqual([]);
  });
});
