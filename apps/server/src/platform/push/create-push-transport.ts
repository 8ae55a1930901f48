import { createCipheriv, createECDH, createPrivateKey, hkdfSync, sign } from "node:crypto";
import { toBase64Url } from "@paraphe/kernel/bytes";
import { reachOf } from "../addresses.ts";
import type { Clock } from "../platform.ts";
import type { Database } from "../database/database.ts";
import { ForbiddenAddressError, guardedPost } from "../guarded-call.ts";
import {
  isMailboxShown,
  type MailboxDeps,
  createMailboxPush,
} from "../mailbox/mailbox-transports.ts";
import type { PushMessage, PushOutcome, PushTarget, PushTransport } from "../message-transports.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import type { Settings } from "../settings/settings.ts";

const RECORD_SIZE = 4_096;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 16 + 4 + 1 + 65;
/** RFC 8291 §4: 4 096 bytes, one for the padding's delimiter. */
const MAXIMUM_PLAINTEXT = RECORD_SIZE - HEADER_LENGTH - TAG_LENGTH - 1;
/** RFC 8188 §2: the last record's delimiter. */
const LAST_RECORD = 2;

/**
 * Writes `aes128gcm` in one record. `salt` (16 bytes) and `senderPrivateKey` (32) must be fresh.
 * Errors: throws for a key off the curve or a long text.
 * Source: RFC 8291 §3.4; RFC 8188 §2.1.
 */
export function encryptPayload(
  plaintext: Uint8Array,
  target: Pick<PushTarget, "publicKey" | "authSecret">,
  fresh: { readonly salt: Uint8Array; readonly senderPrivateKey: Uint8Array },
): Uint8Array {
  if (plaintext.length > MAXIMUM_PLAINTEXT)
    throw new RangeError("The message is too long for a push service");
  const sender = createECDH("prime256v1");
  sender.setPrivateKey(fresh.senderPrivateKey);
  const senderPublicKey = sender.getPublicKey();
  const shared = sender.computeSecret(target.publicKey);
  const ikm = derive(shared, target.authSecret, {
    info: [text("WebPush: info\0"), target.publicKey, senderPublicKey],
    length: 32,
  });
  const key = derive(ikm, fresh.salt, {
    info: [text("Content-Encoding: aes128gcm\0")],
    length: 16,
  });
  const nonce = derive(ikm, fresh.salt, { info: [text("Content-Encoding: nonce\0")], length: 12 });
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const record = [
    cipher.update(plaintext),
    cipher.update(Uint8Array.of(LAST_RECORD)),
    cipher.final(),
    cipher.getAuthTag(),
  ];
  return new Uint8Array(Buffer.concat([header(fresh.salt, senderPublicKey), ...record]));
}

/**
 * RFC 8188 §2.1: salt ‖ record size ‖ key id length ‖ key id, the sender's public key (RFC 8291
 * §4).
 */
function header(salt: Uint8Array, senderPublicKey: Uint8Array): Uint8Array {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_SIZE);
  return Buffer.concat([salt, size, Uint8Array.of(senderPublicKey.length), senderPublicKey]);
}

function derive(
  secret: Uint8Array,
  salt: Uint8Array,
  output: { readonly info: readonly Uint8Array[]; readonly length: number },
): Uint8Array {
  return new Uint8Array(
    hkdfSync("sha256", secret, salt, Buffer.concat(output.info), output.length),
  );
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

/** RFC 8292. Shape: `publicKey` an uncompressed P-256 point, `privateKey` its 32-byte scalar. */
type VapidKeys = { readonly publicKey: Uint8Array; readonly privateKey: Uint8Array };

/** RFC 8292 §2 allows 24 hours; half leaves room for clock differences. */
const LIFETIME_S = 12 * 3_600;

function makeVapidKeys(random: Uint8Array): VapidKeys {
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(random);
  return { publicKey: new Uint8Array(ecdh.getPublicKey()), privateKey: random };
}

/**
 * Writes an `Authorization` header.
 * Source: RFC 8292 §2 (claims), §3 (the `vapid` scheme); RFC 7518 §3.4 (r ‖ s).
 */
function vapidAuthorization(
  keys: VapidKeys,
  request: { readonly endpoint: string; readonly subject: string; readonly now: Date },
): string {
  const claims = {
    aud: new URL(request.endpoint).origin,
    exp: Math.floor(request.now.getTime() / 1_000) + LIFETIME_S,
    sub: request.subject,
  };
  const signed = `${base64url(JSON.stringify({ typ: "JWT", alg: "ES256" }))}.${base64url(JSON.stringify(claims))}`;
  const signature = sign("sha256", Buffer.from(signed), {
    key: privateKeyOf(keys),
    dsaEncoding: "ieee-p1363",
  });
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${toBase64Url(keys.publicKey)}`;
}

function privateKeyOf(keys: VapidKeys) {
  const [x, y] = [keys.publicKey.subarray(1, 33), keys.publicKey.subarray(33, 65)].map((part) =>
    toBase64Url(part),
  );
  return createPrivateKey({
    key: {
      kty: "EC",
      crv: "P-256",
      x,
      y,
      d: toBase64Url(keys.privateKey),
    } as never,
    format: "jwk",
  });
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}

type VapidKeyDeps = {
  readonly db: Database;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
};

const CONTEXT = "vapid-key";

/** Subscriptions are bound to these keys (RFC 8292 §4.1). The first process wins. */
async function loadOrMakeVapidKeys(deps: VapidKeyDeps): Promise<VapidKeys> {
  if ((await loadVapidKeys(deps.db)) === null) {
    const made = makeVapidKeys(deps.random(32));
    const privateKeyWrapped = deps.secrets.wrap(made.privateKey, CONTEXT);
    await insertVapidKeys(deps.db, {
      publicKey: made.publicKey,
      privateKeyWrapped,
      createdAt: deps.clock(),
    });
  }
  const kept = await loadVapidKeys(deps.db);
  if (kept === null) throw new Error("The key for push services was written and is not there");
  return {
    publicKey: kept.publicKey,
    privateKey: deps.secrets.unwrap(kept.privateKeyWrapped, CONTEXT),
  };
}

type PushSettings = Pick<Settings, "production" | "publicUrl" | "smtpUrl" | "sms" | "vapidSubject">;
type PushDeps = VapidKeyDeps & MailboxDeps;

/** A developer's mailbox shows messages, even without a push service. */
export function createPushTransport(settings: PushSettings, deps: PushDeps): PushTransport {
  let keys: Promise<VapidKeys> | null = null;
  const vapidKeys = () => {
    keys ??= loadOrMakeVapidKeys(deps).catch((error: unknown) => {
      keys = null;
      throw error;
    });
    return keys;
  };
  const reach = { mayReach: reachOf(settings), vapidKeys, subject: settings.vapidSubject };
  const service: PushTransport = {
    publicKey: async () => (await vapidKeys()).publicKey,
    deliver: (message) => pushTo(message, { ...reach, ...deps }),
  };
  return isMailboxShown(settings)
    ? createMailboxPush(deps, { service, publicUrl: settings.publicUrl })
    : service;
}

type Pushing = PushDeps & {
  readonly mayReach: (ip: string) => boolean;
  readonly vapidKeys: () => Promise<VapidKeys>;
  readonly subject: string;
};

/**
 * Gives only the status: the owner reads it, and nobody may read another machine through this one.
 */
async function pushTo(message: PushMessage, pushing: Pushing): Promise<PushOutcome> {
  const keys = await pushing.vapidKeys();
  const fresh = { salt: pushing.random(16), senderPrivateKey: pushing.random(32) };
  const { endpoint } = message.target;
  try {
    const { status } = await guardedPost({
      url: endpoint,
      headers: {
        "content-type": "application/octet-stream",
        "content-encoding": "aes128gcm",
        ttl: message.ttlS,
        urgency: "normal",
        authorization: vapidAuthorization(keys, {
          endpoint,
          subject: pushing.subject,
          now: pushing.clock(),
        }),
      },
      body: encryptPayload(
        new TextEncoder().encode(JSON.stringify(message.content)),
        message.target,
        fresh,
      ),
      mayReach: pushing.mayReach,
    });
    return { state: stateOf(status), serverAnswer: String(status) };
  } catch (error) {
    if (error instanceof ForbiddenAddressError)
      return { state: "refused", serverAnswer: error.message };
    return { state: "deferred", serverAnswer: "Le service de notification ne répond pas." };
  }
}

/**
 * RFC 8030 §7.3: 404 (and 410) end a subscription; §8.4: 429. Any other 4xx or redirection is
 * final.
 */
function stateOf(status: number): PushOutcome["state"] {
  if (status >= 200 && status < 300) return "accepted";
  if (status === 404 || status === 410) return "gone";
  return status >= 500 || status === 408 || status === 425 || status === 429
    ? "deferred"
    : "refused";
}

type StoredVapidKeys = {
  readonly publicKey: Uint8Array;
  readonly privateKeyWrapped: Uint8Array;
};

async function loadVapidKeys(db: Database): Promise<StoredVapidKeys | null> {
  const row = await db
    .selectFrom("vapid_keys")
    .select(["public_key", "private_key_wrapped"])
    .executeTakeFirst();
  return row
    ? {
        publicKey: new Uint8Array(row.public_key),
        privateKeyWrapped: new Uint8Array(row.private_key_wrapped),
      }
    : null;
}

async function insertVapidKeys(
  db: Database,
  keys: StoredVapidKeys & { readonly createdAt: Date },
): Promise<void> {
  await db
    .insertInto("vapid_keys")
    .values({
      id: 1,
      public_key: keys.publicKey,
      private_key_wrapped: keys.privateKeyWrapped,
      created_at: keys.createdAt,
    })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}
