import { listMailboxMessages, type MailboxMessage } from "../src/platform/mailbox/store.ts";
import type { TestPlatform } from "./platform.ts";

/** Runs the queued jobs, then gives what arrived for an address, newest first. */
export async function mailFor(
  platform: TestPlatform,
  destination: string,
): Promise<readonly MailboxMessage[]> {
  // What arrives now is newer than what arrived at the last look, though the clock stands still.
  platform.clock.advance({ seconds: 0.001 });
  await platform.settle();
  return listMailboxMessages(platform.db, { destination, limit: 100 });
}

/** Gives the first address of a message's text that begins like this. */
export function linkIn(message: MailboxMessage | undefined, start: string): string {
  const found = message?.content.text.split(/\s/).find((word) => word.startsWith(start));
  if (found === undefined) throw new Error(`No link starting with ${start} in the message`);
  return found;
}
