import * as z from "zod/mini";
import { siteOrigin } from "../api-keys.ts";
import { instantSchema } from "../schema.ts";

/** Minutes during which an embedded address opens, once. */
export const EMBED_MINUTES = 10;

/** `POST envelopes/{id}/recipients/{recipientId}/embed/`. `return_url`: of the same site. */
export const embedRequest = z
  .strictObject({ origin: siteOrigin, return_url: z.optional(z.url().check(z.maxLength(500))) })
  .check(
    z.refine(
      ({ origin, return_url: back }) =>
        back === undefined || back === origin || back.startsWith(`${origin}/`),
      { path: ["return_url"], error: "Une page du même site" },
    ),
  );
export type EmbedRequest = z.infer<typeof embedRequest>;
/** `url`: for a frame, opens once. */
export const embedAnswer = z.object({ url: z.string(), expires_at: instantSchema });
export type EmbedAnswer = z.infer<typeof embedAnswer>;
/** Of an opened address. `token`: for `X-Signature-Token`. */
export const openedEmbed = z.object({
  token: z.string(),
  origin: z.string(),
  return_url: z.nullable(z.string()),
});
export type OpenedEmbed = z.infer<typeof openedEmbed>;
