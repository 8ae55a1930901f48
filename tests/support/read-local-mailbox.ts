import { createApiClient } from "./api-client.ts";
import type { MailReader, ReceivedMail } from "./start-mail-server.ts";

const WAIT_MS = 30_000;
type Message = {
  id: string;
  destination: string;
  subject: string;
  text: string;
  html: string | null;
  message_id: string | null;
};

/** The service's local mailbox, closed to forwarded calls, as a mail reader. */
export function readLocalMailbox(
  url: string,
): Pick<MailReader, "waitFor"> & { takeAll(address: string): Promise<void> } {
  const client = createApiClient(url);
  const taken = new Set<string>();
  const load = async (address: string): Promise<readonly Message[]> =>
    (
      await client.get(
        `/boite-aux-lettres/messages.json?destination=${encodeURIComponent(address)}`,
        { forwarded: "none" },
      )
    ).json?.results ?? [];
  const toMail = ({ destination, subject, text, html, message_id }: Message): ReceivedMail => ({
    to: [destination],
    subject,
    text,
    html: html ?? "",
    messageId: message_id ?? "",
    attachments: [],
  });
  return {
    async takeAll(address) {
      for (const { id } of await load(address)) taken.add(id);
    },
    async waitFor(address, accepts) {
      const until = Date.now() + WAIT_MS;
      while (Date.now() < until) {
        const found = (await load(address)).find(
          (message) => !taken.has(message.id) && accepts(toMail(message)),
        );
        if (found) {
          taken.add(found.id);
          return toMail(found);
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(
        `no such message to ${address} came to the local mailbox within ${WAIT_MS} ms`,
      );
    },
  };
}
