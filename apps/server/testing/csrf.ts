import { randomBytes } from "node:crypto";
import { CSRF_SECRET_COOKIE, csrfTokenOf } from "../src/platform/http/csrf-cookies.ts";
import type { Platform } from "../src/platform/platform.ts";

export function csrfOf(platform: Pick<Platform, "secrets">): {
  readonly cookie: string;
  readonly "x-csrftoken": string;
} {
  const secret = randomBytes(32).toString("base64url");
  return {
    cookie: `${CSRF_SECRET_COOKIE}=${secret}`,
    "x-csrftoken": csrfTokenOf(platform, secret),
  };
}
