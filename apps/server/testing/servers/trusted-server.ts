import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { issueAuthority, issueServer } from "../../src/platform/tls/issue-local-certificates.ts";

export type TrustedServer = { readonly port: number; close(): Promise<void> };

/** For a server on loopback, under an authority this process trusts from now on. */
export async function issueTrusted({
  names = ["localhost", "127.0.0.1"],
  now = new Date(),
  isTrusted = true,
}: Issue = {}): Promise<{ readonly key: string; readonly cert: string }> {
  const authority = await issueAuthority(now, 30);
  const tls = await issueServer({ authority, names, now, days: 2 });
  if (isTrusted) setDefaultCACertificates([...getCACertificates("default"), authority.cert]);
  return tls;
}

type Issue = {
  readonly names?: readonly string[];
  readonly now?: Date;
  readonly isTrusted?: boolean;
};

export async function startTrustedServer(
  listener: RequestListener,
  issue: Issue = {},
): Promise<TrustedServer> {
  const tls = await issueTrusted(issue);
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
