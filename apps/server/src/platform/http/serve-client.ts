import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import { problem } from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { CLIENT_FOLDER } from "./client-folder.ts";
import { METHODS, sendProblem } from "./problem-reply.ts";
import { requestPath } from "./request-facts.ts";

const FACES = [
  {
    family: "Instrument Sans",
    weight: "400 700",
    file: /^instrument-sans-latin-wght-normal-[\w-]+\.woff2$/,
  },
  { family: "Spectral", weight: "500", file: /^spectral-latin-500-normal-[\w-]+\.woff2$/ },
] as const;

/** Names change with each build; without fonts, the system's serve. */
export function clientFontFaces(folder = CLIENT_FOLDER): string {
  const assets = join(folder, "assets");
  const names = existsSync(assets) ? readdirSync(assets) : [];
  return FACES.flatMap(({ family, weight, file }) => {
    const name = names.find((candidate) => file.test(candidate));
    if (name === undefined) return [];
    return `@font-face{font-family:"${family}";font-weight:${weight};font-display:swap;src:url(/assets/${name}) format("woff2")}`;
  }).join("");
}

/** The guest's and verifier's pages stay small (architecture §1). */
const ENTRIES: readonly { readonly pattern: RegExp; readonly page: string }[] = [
  { pattern: /^\/sign\/|^\/signature\/guest\/success\/?$/, page: "sign.html" },
  { pattern: /^\/verify\/|^\/journal-de-transparence\/?$/, page: "verify.html" },
  { pattern: /^\/verifier\/?$/, page: "verifier.html" },
  {
    pattern:
      /^\/(login|register|premier-demarrage|invitation|password-reset|reset-password|dashboard|signature|settings|auth|profile|conditions|confidentialite)?(\/|$)/,
    page: "index.html",
  },
];

/** It needs no other request (W3C Service Workers, « Service-Worker-Allowed »). */
const WORKER_HEADERS = {
  "service-worker-allowed": "/",
  "content-security-policy": "default-src 'none'; img-src 'self'; frame-ancestors 'none'",
};

/** Any site may load the element; it holds no secret. */
const ELEMENT_HEADERS = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};

/** Source: security §1, line 23. The viewer's layers need style attributes. `by`: may frame it. */
export const pagePolicy = (by = "'none'"): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${by}`,
  ].join("; ");

/** Script and style by hash; only a header sets frame-ancestors (CSP Level 3 §6.4.2). */
function policyOf(path: string): string | null {
  if (!existsSync(path)) return null;
  const policy = /<meta http-equiv="content-security-policy" content="([^"]+)"/.exec(
    readFileSync(path, "utf8"),
  )?.[1];
  return policy === undefined ? null : `${policy}; frame-ancestors 'none'`;
}

/**
 * Hashed files are immutable, pages revalidated; other addresses get the client's page with 404.
 */
export function serveClient(app: FastifyInstance, folder = CLIENT_FOLDER): void {
  const built = existsSync(join(folder, "index.html"));
  const verifier = join(folder, "verifier.html");
  const verifierPolicy = policyOf(verifier);
  if (built) {
    app.register(fastifyStatic, {
      root: folder,
      serve: false,
      preCompressed: true,
      setHeaders(reply, path) {
        const hashed = path.startsWith(join(folder, "assets"));
        reply.header("cache-control", hashed ? "public, max-age=31536000, immutable" : "no-cache");
        if (path.startsWith(join(folder, "sw.js"))) reply.headers(WORKER_HEADERS);
        if (path.startsWith(join(folder, "embed.js"))) reply.headers(ELEMENT_HEADERS);
        if (path.startsWith(verifier) && verifierPolicy !== null)
          reply.header("content-security-policy", verifierPolicy);
      },
    });
    // A route for each of 1,200 files took a seventh of the start's CPU.
    app.get("/assets/*", (request, reply) => reply.sendFile(requestPath(request).slice(1)));
    for (const name of readdirSync(folder))
      if (/^[\w-]+\.[a-z]+$/.test(name)) app.get(`/${name}`, (_, reply) => reply.sendFile(name));
  }
  // Fastify would ask for a content type first (RFC 10008 §2); no route takes the method.
  app.addHook("onRequest", async (request, reply) =>
    request.method === "QUERY" ? refuseAddress(app, request, reply) : undefined,
  );
  app.setNotFoundHandler((request, reply) => {
    if (wantsPage(request))
      return built ? sendPage(request, reply) : sendProblem(reply, problem("service_unavailable"));
    return refuseAddress(app, request, reply);
  });
}

function refuseAddress(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const methods = methodsAt(app, request);
  // An absent file of /assets has a route.
  if (methods.length === 0 || methods.includes(request.method))
    return sendProblem(reply, problem("not_found"));
  return sendProblem(reply.header("allow", methods.join(", ")), problem("method_not_allowed"));
}

/** RFC 9110 §15.5.6: 405 lists them. */
function methodsAt(app: FastifyInstance, request: FastifyRequest): readonly string[] {
  const url = request.url.split("?", 1)[0] ?? "/";
  const methods = METHODS.filter((method) => app.findRoute({ method, url }) !== null);
  if (methods.length > 0) return methods;
  const path = requestPath(request);
  return ENTRIES.some(({ pattern }) => pattern.test(path)) ? ["GET", "HEAD"] : [];
}

/** False for the API, PKI, built files and service worker. */
function wantsPage(request: FastifyRequest): boolean {
  return (
    (request.method === "GET" || request.method === "HEAD") &&
    !/^\/((api|pki|assets)(\/|$)|sw\.js$)/.test(requestPath(request))
  );
}

function sendPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = requestPath(request);
  const entry = ENTRIES.find(({ pattern }) => pattern.test(path));
  return reply.code(entry ? 200 : 404).sendFile(entry?.page ?? "index.html");
}
