import type { Envelope } from "@paraphe/contracts";
import { createTestApp, type TestApp } from "./app.ts";
import type { TestBrowser } from "./browser.ts";
import { createSent, PAUL } from "./envelope.ts";
import { openMailedGuest, type TestGuest } from "./guest.ts";
import { createMember, type Member, signIn } from "./member.ts";

/** A service without rate limits. */
export type SenderApp = {
  readonly test: TestApp;
  readonly member: Member;
  readonly owner: TestBrowser;
};
export async function openSenderApp(): Promise<SenderApp> {
  const test = await createTestApp({ settings: { rateLimits: "off" } });
  const member = await createMember(test.platform);
  return { test, member, owner: await signIn(test, member) };
}

/**
 * A new session (the clock moves in tests), an envelope sent to Paul and Éloïse, and Paul by his
 * link.
 */
export type SentToGuest = {
  readonly owner: TestBrowser;
  readonly envelope: Envelope;
  readonly guest: TestGuest;
};
export async function sendToGuest({
  test,
  member,
}: Pick<SenderApp, "test" | "member">): Promise<SentToGuest> {
  const owner = await signIn(test, member);
  const envelope = await createSent(owner);
  return { owner, envelope, guest: await openMailedGuest(test, envelope.id, PAUL.email) };
}
