import { once } from "node:events";
import type { AddressInfo } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerSession } from "smtp-server";

export type ReceivedMail = {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly attachments: readonly { readonly name: string; readonly bytes: Uint8Array }[];
};

export type MailServer = {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Waits for the newest mail to this address that passes, received after the mails already taken by an earlier call with the same address. */
  waitFor(address: string, accepts: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  /** Takes all that has come: `waitFor` answers with later mails alone. */
  takeAll(): void;
  close(): Promise<void>;
};

const WAIT_MS = 30_000;

async function readMail(bytes: Uint8Array, to: readonly string[]): Promise<ReceivedMail> {
  const { subject, text, html, messageId, attachments } = await PostalMime.parse(bytes);
  return {
    to,
    subject: subject ?? "",
    text: text ?? "",
    html: html ?? "",
    messageId: messageId ?? "",
    attachments: attachments.map(({ filename, content }) => ({
      name: filename ?? "",
      bytes: typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content),
    })),
  };
}

/** Starts a real SMTP server on loopback that keeps what it takes: everything, but what is for the addresses that it says no to. */
export async function startMailServer(refusals: Readonly<Record<string, { code: number; words: string }>> = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const taken = new Set<ReceivedMail>();
  const keep = async (bytes: Uint8Array, session: SMTPServerSession): Promise<Error | null> => {
    try {
      const to = session.envelope.rcptTo.map(({ address }) => address);
      mails.push(await readMail(bytes, to));
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    onRcptTo({ address }, _session, done) {
      const refusal = refusals[address];
      done(refusal === undefined ? null : Object.assign(new Error(refusal.words), { responseCode: refusal.code }));
    },
    onData(stream, session, done) {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", async () => {
        done(await keep(Buffer.concat(chunks), session));
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    async waitFor(address, accepts) {
      const until = Date.now() + WAIT_MS;
      for (;;) {
        const found = mails.findLast((mail) => !taken.has(mail) && mail.to.includes(address) && accepts(mail));
        if (found) {
          taken.add(found);
          return found;
        }
        if (Date.now() > until)
          throw new Error(`no such mail within ${WAIT_MS} ms; received: ${mails.map(({ subject }) => subject).join(" | ")}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    takeAll() {
      for (const mail of mails) taken.add(mail);
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
