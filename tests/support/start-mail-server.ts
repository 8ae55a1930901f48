import { once } from "node:events";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
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

export type MailReader = {
  /** Newest accepted mail to this address, after those taken by earlier calls. */
  waitFor(address: string, accepts: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  /** `waitFor` then gives later mails alone. */
  takeAll(): void;
};

export type MailServer = MailReader & {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  close(): Promise<void>;
};

/** The server refuses this domain. */
export const NOBODYS_DOMAIN = "nulle-part.exemple.fr";
const UNKNOWN_USER = { responseCode: 550, words: "5.1.1 User unknown" };

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
      bytes:
        typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content),
    })),
  };
}

const fileOf = (folder: string, index: number) => join(folder, `${index}.mail`);

/** Renamed once whole: other processes read it. */
function writeMail(folder: string, index: number, mail: ReceivedMail): void {
  const path = fileOf(folder, index);
  writeFileSync(`${path}.part`, serialize(mail));
  renameSync(`${path}.part`, path);
}

/** Mails that another process's mail server writes here. */
export function readMailFolder(folder: string): MailReader {
  const mails: ReceivedMail[] = [];
  return createMailReader(() => {
    while (existsSync(fileOf(folder, mails.length)))
      mails.push(deserialize(readFileSync(fileOf(folder, mails.length))) as ReceivedMail);
    return mails;
  });
}

function createMailReader(receivedMails: () => readonly ReceivedMail[]): MailReader {
  const taken = new Set<ReceivedMail>();
  return {
    async waitFor(address, accepts) {
      const until = Date.now() + WAIT_MS;
      for (;;) {
        const mails = receivedMails();
        const found = mails.findLast(
          (mail) => !taken.has(mail) && mail.to.includes(address) && accepts(mail),
        );
        if (found) {
          taken.add(found);
          return found;
        }
        if (Date.now() > until)
          throw new Error(
            `no such mail within ${WAIT_MS} ms; received: ${mails.map(({ subject }) => subject).join(" | ")}`,
          );
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    takeAll() {
      for (const mail of receivedMails()) taken.add(mail);
    },
  };
}

/** A real SMTP server on loopback; `folder` also stores each mail for `readMailFolder`. */
export async function startMailServer({
  folder,
}: {
  readonly folder?: string;
} = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const store = async (bytes: Uint8Array, session: SMTPServerSession): Promise<Error | null> => {
    try {
      const to = session.envelope.rcptTo.map(({ address }) => address);
      const mail = await readMail(bytes, to);
      mails.push(mail);
      if (folder !== undefined) writeMail(folder, mails.length - 1, mail);
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    onRcptTo({ address }, _session, done) {
      const { words, responseCode } = UNKNOWN_USER;
      done(
        address.endsWith(`@${NOBODYS_DOMAIN}`)
          ? Object.assign(new Error(words), { responseCode })
          : null,
      );
    },
    onData(stream, session, done) {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", async () => {
        done(await store(Buffer.concat(chunks), session));
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    ...createMailReader(() => mails),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

export function linkIn(mail: ReceivedMail, accepts: RegExp): URL {
  const found = [...mail.text.matchAll(/https:\/\/[^\s<>"]+/g)]
    .map(([link]) => link)
    .find((link) => accepts.test(link));
  if (!found) throw new Error(`no link like ${accepts} in « ${mail.subject} »`);
  return new URL(found);
}

const CODE = /^(\d{3})\s?(\d{3})\s/;

export function isCode(mail: ReceivedMail): boolean {
  return CODE.test(mail.subject);
}

export function codeIn(mail: ReceivedMail): string {
  const [, first, last] = CODE.exec(mail.subject) ?? [];
  if (!first || !last) throw new Error(`no code in « ${mail.subject} »`);
  return first + last;
}
