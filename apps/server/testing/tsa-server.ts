import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { answerTimestampRequest } from "@paraphe/pades";
import { createTrust, type TrustPlatform } from "../src/features/trust/public.ts";
import { openLivingAuthorities } from "../src/features/trust/authorities.ts";
import { TIMESTAMP_POLICY_OID } from "../src/features/trust/make-authority.ts";
import { createTestDatabase } from "./database.ts";
import { testTrustPlatform } from "./platform.ts";

/** An external time-stamping authority on loopback: away, slow, or silent on demand. */
export type TestTsa = {
  readonly url: string;
  /** DER; its tokens do not carry it. */
  readonly root: Uint8Array;
  behave(how: {
    readonly away?: boolean;
    readonly awayAfter?: number;
    readonly delayMs?: number;
    readonly until?: Promise<void>;
  }): void;
  readonly asked: () => number;
  close(): Promise<void>;
};

/** `carries`: its certificate alone, or with its issuers'. */
export async function openTestTsa({
  now,
  carries = "chain",
}: {
  readonly now?: Date;
  readonly carries?: "chain" | "certificate";
} = {}): Promise<TestTsa> {
  const database = await createTestDatabase();
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Its certificates name this server's OCSP responder.
  const platform = testTrustPlatform(database, {
    settings: {
      publicUrl: url,
      pki: { organization: "Horloge Tierce", country: "FR", keyType: "P-256" },
    },
    ...(now === undefined ? {} : { now }),
  });
  const trust = await createTrust(platform);
  const answer = carries === "chain" ? trust.answerTimestamp : await answerBare(platform);
  let behaviour: Parameters<TestTsa["behave"]>[0] = {};
  let askedSince = 0;
  let asked = 0;
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    const isOcsp = request.url === "/pki/ocsp";
    if (!isOcsp) asked += 1;
    if (!isOcsp) askedSince += 1;
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (behaviour.away || askedSince > (behaviour.awayAfter ?? Number.POSITIVE_INFINITY))
        response.destroy();
      else if (isOcsp)
        void trust
          .answerOcsp(new Uint8Array(Buffer.concat(parts)))
          .then((answer) =>
            response.writeHead(200, { "content-type": "application/ocsp-response" }).end(answer),
          );
      else
        void Promise.all([sleep(behaviour.delayMs ?? 0), behaviour.until])
          .then(() => answer(new Uint8Array(Buffer.concat(parts))))
          .then((answer) =>
            response.writeHead(200, { "content-type": "application/timestamp-reply" }).end(answer),
          );
    });
  });
  return {
    url: `${url}/`,
    root: trust.certificates.root,
    behave: (how) => {
      behaviour = how;
      askedSince = 0;
    },
    asked: () => asked,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await database.drop();
    },
  };
}

/** Answers with the authority's own certificate only. */
export async function answerBare(
  platform: TrustPlatform,
): Promise<(request: Uint8Array) => Promise<Uint8Array>> {
  const { signer } = (await openLivingAuthorities(platform)).last().tsa;
  return (request) =>
    answerTimestampRequest(request, {
      signer,
      policyOid: TIMESTAMP_POLICY_OID,
      serialNumber: platform.random(16),
      now: platform.clock(),
      includeChain: "certificate",
    });
}
