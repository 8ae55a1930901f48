import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** WebAuthn §6.1: flags of authenticator data. */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_KEY = 0x40;

const base64Url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest();

/** RFC 8949 §3: the head of an item. */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value);
  if (value < 256) return Buffer.of((major << 5) | 24, value);
  return Buffer.of((major << 5) | 25, value >> 8, value & 255);
}

type Item = number | string | Uint8Array | ReadonlyMap<number | string, Item>;

function cbor(item: Item): Buffer {
  if (typeof item === "number") return item < 0 ? head(1, -1 - item) : head(0, item);
  if (typeof item === "string") return Buffer.concat([head(3, item.length), Buffer.from(item)]);
  if (item instanceof Uint8Array) return Buffer.concat([head(2, item.length), item]);
  const entries = [...item].flatMap(([key, value]) => [cbor(key), cbor(value)]);
  return Buffer.concat([head(5, item.size), ...entries]);
}

type Ceremony = {
  readonly challenge: string;
  readonly origin?: string;
  readonly host?: string;
  readonly verified?: boolean;
};

/** A security key in software (ES256, no attestation), whose counter and origin a test sets. */
export type Authenticator = {
  readonly id: string;
  counter: number;
  create(ceremony: Ceremony): object;
  get(ceremony: Ceremony & { readonly userHandle?: string }): object;
};

export function createAuthenticator(publicUrl: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credential = randomBytes(32);
  const home = new URL(publicUrl);
  const key: Authenticator = {
    id: base64Url(credential),
    counter: 0,
    create(ceremony) {
      const attested = [
        Buffer.alloc(16),
        Buffer.of(0, credential.length),
        credential,
        cose(publicKey),
      ];
      const data = Buffer.concat([authenticatorData(ceremony, WITH_KEY), ...attested]);
      const attestationObject = cbor(
        new Map<string, Item>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", data],
        ]),
      );
      return answer({
        clientDataJSON: base64Url(clientData("webauthn.create", ceremony)),
        attestationObject: base64Url(attestationObject),
        transports: ["internal"],
      });
    },
    get(ceremony) {
      key.counter += 1;
      const data = authenticatorData(ceremony, 0);
      const client = clientData("webauthn.get", ceremony);
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey);
      return answer({
        clientDataJSON: base64Url(client),
        authenticatorData: base64Url(data),
        signature: base64Url(signature),
        ...(ceremony.userHandle === undefined ? {} : { userHandle: ceremony.userHandle }),
      });
    },
  };

  function answer(response: object): object {
    const { id } = key;
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }

  function clientData(type: string, { challenge, origin = home.origin }: Ceremony): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  function authenticatorData(
    { host = home.hostname, verified = true }: Ceremony,
    more: number,
  ): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(key.counter);
    const flags = PRESENT | (verified ? VERIFIED : 0) | more;
    return Buffer.concat([sha256(host), Buffer.of(flags), counter]);
  }
  return key;
}

/** RFC 9053 §7.1.1: an EC2 key for ES256. */
function cose(publicKey: KeyObject): Buffer {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  return cbor(
    new Map<number, Item>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]),
  );
}
