type Json = Readonly<Record<string, unknown>>;
type Operation = Json & {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [string];
  readonly security: readonly Json[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Json>> };
  readonly responses: Readonly<Record<string, Json>>;
};
export type ApiDocument = Json & {
  readonly info: Json;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
};

type Call = { readonly method: string; readonly path: string; readonly operation: Operation };

/**
 * Renders the API document as one page without script
 * (`docs/adr/0055-serve-programs-without-libraries.md`).
 */
export function renderApiPage(document: ApiDocument): string {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({ method, path, operation })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    calls: calls
      .filter(({ operation }) => operation.tags[0] === tag.name)
      .toSorted((a, b) => Number(takesKey(b)) - Number(takesKey(a))),
  }));
  const { description = "" } = document.info;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Paraphe: API reference</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/api/docs/style.css">
</head>
<body>
<nav aria-label="Calls">
<p><a href="/api/openapi.json">openapi.json</a></p>
${groups.map(({ name, calls }) => `<h2>${escapeHtml(name)}</h2><ul>${calls.map(linkTo).join("")}</ul>`).join("\n")}
<h2>Schemas</h2>
<ul>${Object.keys(document.components["schemas"] ?? {})
    .map(linkToSchema)
    .join("")}</ul>
</nav>
<main>
<h1>Paraphe API</h1>
${String(description)
  .split("\n\n")
  .map((text) => `<p>${marked(text)}</p>`)
  .join("\n")}
<h2 id="credentials">Credentials</h2>
<dl>${Object.entries(document.components["securitySchemes"] ?? {})
    .map(credential)
    .join("")}</dl>
${groups
  .map(
    ({ name, description: about, calls }) =>
      `<h2>${escapeHtml(name)}</h2>\n<p>${marked(about)}</p>\n${calls.map((call) => section(document, call)).join("\n")}`,
  )
  .join("\n")}
<h2>Schemas</h2>
${Object.entries(document.components["schemas"] ?? {})
  .map(schemaSection)
  .join("\n")}
</main>
</body>
</html>
`;
}

const takesKey = ({ operation: { security } }: Call): boolean =>
  security.some((one) => "key" in one);
const NO_KEY = " <small>(no key)</small>";

const marked = (text: unknown): string =>
  escapeHtml(String(text)).replace(/`([^`]+)`/g, "<code>$1</code>");

const linkTo = (call: Call): string =>
  `<li><a href="#${call.operation.operationId}">${escapeHtml(call.operation.summary)}</a> <small>${call.method.toUpperCase()}</small>${takesKey(call) ? "" : NO_KEY}</li>`;
const linkToSchema = (name: string): string =>
  `<li><a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a></li>`;
const credential = ([name, scheme]: readonly [string, Json]): string =>
  `<dt id="by-${name}"><code>${name}</code></dt><dd>${marked(scheme["description"])}</dd>`;

function section(document: ApiDocument, call: Call): string {
  const { method, path, operation } = call;
  const parameters = (operation.parameters ?? []).map((one) => resolve(document, one));
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  return `<section id="${operation.operationId}"${takesKey(call) ? "" : ' class="keyless"'}>
<h3>${escapeHtml(operation.summary)}${takesKey(call) ? "" : NO_KEY}</h3>
<p><code class="call"><b>${method.toUpperCase()}</b> ${escapeHtml(path)}</code> <small>${operation.operationId}</small></p>
${operation.description === undefined ? "" : `<p>${marked(operation.description)}</p>`}
<p>By ${operation.security.length === 0 ? "anybody" : operation.security.map(credentials).join(", or ")}.</p>
${parameters.length === 0 ? "" : `<table><caption>Parameters</caption>${parameters.map(parameterRow).join("")}</table>`}
${bodies.map(([type, body]) => `<details><summary>Body: ${escapeHtml(type)}</summary>${shown(body["schema"] as Json)}${exampleOf(body)}</details>`).join("")}
<table><caption>Answers</caption>${Object.entries(operation.responses)
    .map(([status, answer]) => answerRow(status, resolve(document, answer)))
    .join("")}</table>
</section>`;
}

function exampleOf({ example }: Json): string {
  return example === undefined
    ? ""
    : `<p>Example</p><pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`;
}

function resolve(document: ApiDocument, part: Json): Json {
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(refOf(part)) ?? [];
  return document.components[kind]?.[name] ?? part;
}

function credentials(one: Json): string {
  const names = Object.entries(one).map(
    ([name, scopes]) =>
      `<a href="#by-${name}">${name}</a>${(scopes as string[]).map((scope) => ` <code>${scope}</code>`).join("")}`,
  );
  return names.length === 0 ? "anybody" : names.join(" and ");
}

const parameterRow = ({ name, in: place, required, description = "", schema }: Json): string =>
  `<tr><th scope="row"><code>${escapeHtml(String(name))}</code> <small>${String(place)}${required ? ", required" : ""}</small></th><td>${shown(schema as Json)} ${marked(description)}</td></tr>`;

function answerRow(status: string, answer: Json): string {
  const content = Object.entries((answer["content"] ?? {}) as Record<string, Json>);
  const bodies = content
    .filter(([type]) => !type.includes("problem"))
    .map(([type, body]) => `<small>${escapeHtml(type)}</small> ${shown(body["schema"] as Json)}`);
  const headers = Object.keys((answer["headers"] ?? {}) as Json).map((name) => `\`${name}\``);
  const words = `${String(answer["description"])}${headers.length > 0 ? `; headers ${headers.join(", ")}` : ""}`;
  return `<tr><th scope="row">${status}</th><td>${marked(words)} ${bodies.join("<br>")}</td></tr>`;
}

const schemaSection = ([name, schema]: readonly [string, Json]): string =>
  `<section id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3>${shown(schema)}</section>`;

const refOf = ({ $ref: ref }: Json): string => (typeof ref === "string" ? ref : "");
const wordsOf = (type: unknown): string =>
  ([type].flat() as unknown[]).filter((word) => typeof word === "string").join(" | ") || "anything";

function shown(schema: Json): string {
  const ref = /^#\/components\/schemas\/(.+)$/.exec(refOf(schema))?.[1];
  if (ref !== undefined) return `<a href="#schema-${escapeHtml(ref)}">${escapeHtml(ref)}</a>`;
  const about =
    schema["description"] === undefined ? "" : `<p>${marked(schema["description"])}</p>`;
  const options = ["anyOf", "oneOf", "allOf"].flatMap((key) => (schema[key] ?? []) as Json[]);
  if (options.length > 0) return `${options.map(shown).join(" <i>or</i> ")}${about}`;
  if (schema["properties"] !== undefined) return `${about}${membersOf(schema)}`;
  if (schema["items"] !== undefined && schema["items"] !== false)
    return `list of ${shown(schema["items"] as Json)}${about}`;
  const words = ["const", "enum"].flatMap((key) =>
    schema[key] === undefined ? [] : [schema[key]].flat().map((word) => JSON.stringify(word)),
  );
  const bounds = ["format", "minimum", "maximum", "minLength", "maxLength", "pattern", "default"]
    .filter((key) => schema[key] !== undefined)
    .map((key) => `${key} ${JSON.stringify(schema[key])}`);
  const kind = words.length > 0 ? words.join(" | ") : wordsOf(schema["type"]);
  return `<code>${escapeHtml([kind, ...bounds].join(", "))}</code>${about}`;
}

function membersOf({ properties, required = [] }: Json): string {
  const rows = Object.entries(properties as Record<string, Json>).map(
    ([name, member]) =>
      `<tr><th scope="row"><code>${escapeHtml(name)}</code>${(required as string[]).includes(name) ? "" : " <small>optional</small>"}</th><td>${shown(member)}</td></tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

export const API_PAGE_STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;overflow-wrap:anywhere;display:grid;grid-template-columns:minmax(14rem,20rem) minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;box-sizing:border-box;border-right:1px solid #8884}
nav ul{list-style:none;padding:0;margin:0}
nav h2{font-size:1rem;margin:1rem 0 .25rem}
main{padding:1rem 2rem;max-width:70rem}
section{border-top:1px solid #8884;padding:.5rem 0 1rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
caption{text-align:left;font-weight:600}
th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border:1px solid #8884;overflow-wrap:anywhere;font-weight:400}
th{width:14rem}
pre{overflow:auto;padding:.5rem;border:1px solid #8884}
.call{font-size:1.05em}
a:focus-visible,summary:focus-visible{outline:3px solid Highlight;outline-offset:2px}
@media(max-width:48rem){body{display:block}nav{position:static;height:auto;max-height:40vh;border:0}th{width:auto}section>table:not(:has(table))>tbody>tr>th{min-width:5rem}main{padding:1rem}}
`;

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
