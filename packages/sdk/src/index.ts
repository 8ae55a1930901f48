export type * from "./api.generated.ts";
export {
  type CallOptions,
  createParaphe,
  type DownloadedFile,
  type Paraphe,
  ParapheConnectionError,
  ParapheError,
  type ParapheOptions,
} from "./client.ts";
export { verifyWebhook, type WebhookMessage, WebhookSignatureError } from "./verify-webhook.ts";
