import type { Envelope, SaveTemplateRequest, Template, Templates, UseTemplateRequest } from "@paraphe/contracts";
import { api } from "../../../lib/api.ts";

const TEMPLATES = "/api/signature/templates/";
/** Each file is controlled again. */
const USE_TIMEOUT_MS = 60_000;

/** The calls of one's templates. */
export const templateCalls = {
  list: () => api.get<Templates>(TEMPLATES),
  save: (body: SaveTemplateRequest) => api.post<Template>(TEMPLATES, { body }),
  rename: (id: string, name: string) => api.patch<Template>(`${TEMPLATES}${id}/`, { body: { name } }),
  remove: (id: string) => api.delete<void>(`${TEMPLATES}${id}/`),
  /** The key makes a second press harmless. */
  use: (id: string, body: UseTemplateRequest, idempotencyKey: string) =>
    api.post<Envelope>(`${TEMPLATES}${id}/use/`, { body, idempotencyKey, timeoutMs: USE_TIMEOUT_MS }),
};
