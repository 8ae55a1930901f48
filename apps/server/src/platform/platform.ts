import type { Database, Reads } from "./database/database.ts";
import type { Listen, Presence } from "./database/lasting-connection.ts";
import type { FileStore } from "./files/file-store.ts";
import type { Hsm } from "./hsm/hsm.ts";
import type { ImageSandbox } from "./images/create-image-sandbox.ts";
import type { Log } from "./logs/log.ts";
import type { MailTransport, PushTransport, SmsTransport } from "./message-transports.ts";
import type { PdfSandbox } from "./pdf-sandbox/pdf-sandbox.ts";
import type { Precedence } from "./concurrency.ts";
import type { Queue } from "./queue/create-queue.ts";
import type { SecretBox } from "./secrets/secret-box.ts";
import type { Settings } from "./settings/settings.ts";

/** Technical services for every feature, without business rules. */
export type Platform = {
  readonly settings: Settings;
  readonly db: Database;
  /** Serves lists and pages, on a replica if any. */
  readonly reads: Reads;
  readonly listen: Listen;
  readonly presence: Presence;
  readonly queue: Queue;
  readonly precedence: Precedence;
  readonly files: FileStore;
  readonly sandbox: PdfSandbox;
  readonly images: ImageSandbox;
  readonly mail: MailTransport;
  readonly sms: SmsTransport;
  readonly push: PushTransport;
  readonly secrets: SecretBox;
  readonly hsm: Hsm | null;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
  /** UUID v7 (RFC 9562 §5.7). */
  readonly newId: () => string;
  readonly log: Log;
};

export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
