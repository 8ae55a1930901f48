import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

export type ReceivedMail = {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly raw: string;
  readonly mail: Email;
};

/** A refusal at `RCPT TO` or after the data. */
export type SmtpAnswer = {
  readonly at: "rcpt" | "data";
  readonly code: number;
  readonly words: string;
} | null;

export type TestSmtpServer = {
  readonly url: string;
  /** Oldest first. */
  readonly received: ReceivedMail[];
  /** For the next messages, in turn; then all are accepted. */
  readonly answers: SmtpAnswer[];
  /** Addresses that are answered once their promise resolves. */
  readonly slow: Map<string, Promise<void>>;
  /** Counts messages, accepted or not. */
  readonly offered: () => number;
  close(): Promise<void>;
};

export async function startSmtpServer(): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  const answers: SmtpAnswer[] = [];
  const slow = new Map<string, Promise<void>>();
  let offered = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    logger: false,
    // Does not wait for idle clients.
    closeTimeout: 50,
    onRcptTo({ address }, _session, done) {
      offered += 1;
      if (answers[0]?.at === "rcpt") done(refusal(answers.shift()));
      else void Promise.resolve(slow.get(address)).then(() => done());
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const answer = answers.shift() ?? null;
        if (answer !== null) return done(refusal(answer));
        const raw = Buffer.concat(chunks);
        PostalMime.parse(raw).then((mail) => {
          const { mailFrom, rcptTo } = session.envelope;
          received.push({
            envelope: {
              from: mailFrom === false ? "" : mailFrom.address,
              to: rcptTo.map((to) => to.address),
            },
            raw: raw.toString("latin1"),
            mail,
          });
          done(null, "2.0.0 pris en charge");
        }, done);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    answers,
    slow,
    offered: () => offered,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function refusal(answer: SmtpAnswer | undefined): Error {
  return Object.assign(new Error(answer?.words ?? ""), { responseCode: answer?.code ?? 451 });
}
