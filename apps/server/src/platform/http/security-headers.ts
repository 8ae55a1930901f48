import { problem } from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply } from "fastify";
import { sendProblem } from "./problem-reply.ts";
import { requestPath } from "./request-facts.ts";

/** Source: security §1, line 23. The viewer's text and field layers need style attributes. */
const APP_CONTENT_SECURITY_POLICY = [
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
  "frame-ancestors 'none'",
].join("; ");

/** Addresses with a token or a signature, which must not leak as a referrer. */
const SECRET_ADDRESSES =
  /^\/(sign|auth|signature\/guest|verify|reset-password|api\/signature\/activate)(\/|$)/;

/** A header that the route sets wins. Source: OWASP ASVS 5.0 §3.4. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    setSecurityHeaders(
      reply,
      SECRET_ADDRESSES.test(requestPath(request)) ? "no-referrer" : "strict-origin",
    );
  });
  app.addHook("onSend", async (request, reply, payload) => {
    const type = String(reply.getHeader("content-type") ?? "");
    const policy = type.startsWith("text/html")
      ? APP_CONTENT_SECURITY_POLICY
      : "default-src 'none'; frame-ancestors 'none'";
    if (!reply.hasHeader("content-security-policy") && !type.startsWith("application/pdf"))
      reply.header("content-security-policy", policy);
    if (type.startsWith("application/pdf") && !reply.hasHeader("content-security-policy"))
      reply.header("content-security-policy", "frame-ancestors 'self'");
    if (requestPath(request).startsWith("/api/") && !reply.hasHeader("cache-control"))
      reply.header("cache-control", "private, no-store");
    return payload;
  });
}

/** Runs before any hook; the address is not repeated: it may contain a token. */
export function answerUnreadableAddress(reply: FastifyReply): FastifyReply {
  setSecurityHeaders(reply, "no-referrer");
  reply.headers({
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "private, no-store",
  });
  return sendProblem(reply, problem("malformed_request"));
}

function setSecurityHeaders(
  reply: FastifyReply,
  referrerPolicy: "no-referrer" | "strict-origin",
): void {
  reply.headers({
    "strict-transport-security": "max-age=63072000; includeSubDomains",
    "x-content-type-options": "nosniff",
    "referrer-policy": referrerPolicy,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "x-request-id": reply.request.id,
  });
}
