import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from "node:crypto";
import type { PushTarget } from "../../src/platform/message-transports.ts";
import { startTrustedServer } from "./trusted-server.ts";

type ReceivedPush = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As the service worker gets it. */
  readonly text: string;
  /** Of the sender's JWT, verified under the key beside it. */
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
  readonly senderKey: string;
};

/** Answers in place of the next 201. */
type PushAnswer = {
  readonly status: number;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
};

/** A browser with its own keys. */
export type TestBrowserPush = {
  readonly target: PushTarget;
  readonly json: { endpoint: string; keys: { p256dh: string; auth: string } };
};

export type PushReceiver = {
  readonly received: ReceivedPush[];
  readonly answers: PushAnswer[];
  readonly port: number;
  /** Counts all requests, refused ones too. */
  requests(): number;
  subscribe(host?: string): TestBrowserPush;
  close(): Promise<void>;
};

/**
 * A push service on loopback, by https under an authority this process trusts from now on; decrypts
 * as a browser (RFC 8291).
 */
export async function startPushReceiver(): Promise<PushReceiver> {
  const browsers = new Map<string, { privateKey: Uint8Array; authSecret: Uint8Array }>();
  const received: ReceivedPush[] = [];
  const answers: PushAnswer[] = [];
  let requests = 0;
  const { port, close } = await startTrustedServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    requests += 1;
    const answer = answers.shift() ?? { status: 201 };
    const path = request.url ?? "";
    const keys = browsers.get(path);
    if (answer.status < 300 && keys) {
      const text = decrypt(Buffer.concat(parts), keys);
      received.push({
        path,
        headers: request.headers,
        text,
        ...readVapid(request.headers.authorization ?? ""),
      });
    }
    setTimeout(
      () => response.writeHead(keys ? answer.status : 404, answer.headers).end(answer.body ?? ""),
      answer.delayMs ?? 0,
    );
  });
  return {
    received,
    answers,
    port,
    requests: () => requests,
    subscribe(host = "localhost") {
      const ecdh = createECDH("prime256v1");
      ecdh.generateKeys();
      const authSecret = new Uint8Array(randomBytes(16));
      const path = `/push/${randomBytes(12).toString("base64url")}`;
      browsers.set(path, { privateKey: new Uint8Array(ecdh.getPrivateKey()), authSecret });
      const target = {
        endpoint: `https://${host}:${port}${path}`,
        publicKey: new Uint8Array(ecdh.getPublicKey()),
        authSecret,
      };
      return {
        target,
        json: {
          endpoint: target.endpoint,
          keys: { p256dh: base64url(target.publicKey), auth: base64url(authSecret) },
        },
      };
    },
    close,
  };
}

/** RFC 8291 §3.4 and RFC 8188 §2.1, the receiver's side. */
export function decrypt(
  body: Uint8Array,
  keys: { privateKey: Uint8Array; authSecret: Uint8Array },
): string {
  const bytes = Buffer.from(body);
  const [salt, keyLength] = [bytes.subarray(0, 16), bytes.readUInt8(20)];
  const senderKey = bytes.subarray(21, 21 + keyLength);
  const record = bytes.subarray(21 + keyLength);
  if (record.length > bytes.readUInt32BE(16)) throw new Error("more than one record");
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(keys.privateKey);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), senderKey]);
  const ikm = Buffer.from(
    hkdfSync("sha256", ecdh.computeSecret(senderKey), keys.authSecret, info, 32),
  );
  const key = Buffer.from(hkdfSync("sha256", ikm, salt, "Content-Encoding: aes128gcm\0", 16));
  const nonce = Buffer.from(hkdfSync("sha256", ikm, salt, "Content-Encoding: nonce\0", 12));
  const decipher = createDecipheriv("aes-128-gcm", key, nonce).setAuthTag(record.subarray(-16));
  const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const delimiter = plain.findLastIndex((byte) => byte !== 0);
  if (plain[delimiter] !== 2) throw new Error("not the last record");
  return plain.subarray(0, delimiter).toString("utf8");
}

/** RFC 8292 §2–3; throws for a wrong signature. */
function readVapid(authorization: string): Pick<ReceivedPush, "claims" | "senderKey"> {
  const [, header = "", claims = "", signature = "", senderKey = ""] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const point = Buffer.from(senderKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString("base64url"),
  );
  const key = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y } as never, format: "jwk" });
  const sound = verify(
    "sha256",
    Buffer.from(`${header}.${claims}`),
    { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!sound || JSON.parse(Buffer.from(header, "base64url").toString()).alg !== "ES256")
    throw new Error("the sender is not who it says");
  return { claims: JSON.parse(Buffer.from(claims, "base64url").toString()), senderKey };
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
