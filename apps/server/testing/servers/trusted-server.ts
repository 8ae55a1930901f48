import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { issueAuthority, issueServer } from "../../src/platform/tls/issue-local-certificates.ts";

export type TrustedServer = { readonly port: number; close(): Promise<void> };

/** For a server on loopback, under an authority this process trusts from now on. */
export async function issueTrusted(): Promise<{ readonly key: string; readonly cert: string }> {
  const authority = await issueAuthority(new Date(), 30);
  const names = ["localhost", "127.0.0.1"];
  const tls = await issueServer({ authority, names, now: new Date(), days: 2 });
  setDefaultCACertificates([...getCACertificates("default"), authority.cert]);
  return tls;
}

export async function startTrustedServer(listener: RequestListener): Promise<TrustedServer> {
  const tls = await issueTrusted();
  const server = createServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
