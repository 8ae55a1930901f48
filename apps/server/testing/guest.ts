import type { TestApp } from "./app.ts";
import { type Answer, openBrowser } from "./browser.ts";
import { ENVELOPES } from "./envelope.ts";
import { linkIn, mailFor } from "./mailbox.ts";

export const TYPED = {
  fields: [],
  signature: { kind: "typed", text: "Paul Morel", font: "caveat" },
  consent: true,
};

/** A guest in a new browser, by the mailed link. */
export type TestGuest = {
  readonly token: string;
  readonly envelopeId: string;
  get(call: string): Promise<Answer>;
  post(call: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  askCode(): Promise<string>;
  confirm(): Promise<void>;
  /** For calls that a test makes itself. */
  readonly cookies: ReadonlyMap<string, { readonly value: string; readonly line: string }>;
};

export function openGuest(
  test: TestApp,
  link: { readonly envelopeId: string; readonly token: string; readonly email: string },
): TestGuest {
  const browser = openBrowser(test.app);
  const headers = { "x-signature-token": link.token };
  const address = (call: string) => `${ENVELOPES}${link.envelopeId}/${call}`;
  const guest: TestGuest = {
    token: link.token,
    envelopeId: link.envelopeId,
    cookies: browser.cookies,
    get: (call) => browser.get(address(call), { headers }),
    post: (call, body = {}, more = {}) =>
      browser.send("POST", address(call), { body, headers: { ...headers, ...more } }),
    async askCode() {
      const answer = await guest.post("send_otp/");
      if (answer.status !== 200) throw new Error(`no code was sent: ${answer.text}`);
      return codeIn(test, link.email);
    },
    async confirm() {
      const answer = await guest.post("verify_otp/", { otp: await guest.askCode() });
      if (answer.status !== 200) throw new Error(`the code was refused: ${answer.text}`);
    },
  };
  return guest;
}

export async function openMailedGuest(
  test: TestApp,
  envelopeId: string,
  email: string,
): Promise<TestGuest> {
  const start = `${test.platform.settings.publicUrl}/sign/${envelopeId}?token=`;
  const mail = (await mailFor(test.platform, email)).find((message) =>
    message.content.text.includes(start),
  );
  const token = new URL(linkIn(mail, start)).searchParams.get("token") ?? "";
  return openGuest(test, { envelopeId, token, email });
}

export async function openConfirmedGuest(
  test: TestApp,
  envelopeId: string,
  email: string,
): Promise<TestGuest> {
  const guest = await openMailedGuest(test, envelopeId, email);
  await guest.confirm();
  return guest;
}

export async function codeIn(test: TestApp, email: string): Promise<string> {
  const mail = (await mailFor(test.platform, email)).find((message) =>
    message.subject.includes(" est votre code d"),
  );
  const code = mail?.subject.replace(/\D/g, "") ?? "";
  if (code.length !== 6) throw new Error("No code was mailed");
  return code;
}

/** Signs by the mailed link and code, and waits for the seal and its messages. */
export async function signAsGuest(test: TestApp, envelopeId: string, email: string): Promise<void> {
  const guest = await openMailedGuest(test, envelopeId, email);
  await guest.confirm();
  const answer = await guest.post("sign/", TYPED);
  if (answer.status !== 200 && answer.status !== 202)
    throw new Error(`the signature was refused: ${answer.text}`);
  for (let tries = 0; (await guest.get("guest/")).body.recipient.signed !== true; tries += 1) {
    if (tries === 300)
      throw new Error(
        `the signature was not sealed in time: ${answer.text} ${JSON.stringify(test.platform.logged)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await test.settle();
}
