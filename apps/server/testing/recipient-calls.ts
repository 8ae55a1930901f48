import type { TestApp } from "./app.ts";
import type { Answer, TestBrowser } from "./browser.ts";
import { ENVELOPES } from "./envelope.ts";

export type AskedEnvelope = {
  readonly id: string;
  readonly recipients: readonly { readonly id: string }[];
};

export function recipientPath(envelope: AskedEnvelope, index = 0): string {
  return `${ENVELOPES}${envelope.id}/recipients/${envelope.recipients[index]?.id ?? ""}/`;
}

/**
 * Calls concern the first recipient; each comes a moment after the last, although the clock stands
 * still.
 */
export function recipientCalls(service: TestApp, sender: () => TestBrowser) {
  const later = () => service.platform.clock.advance({ seconds: 0.001 });
  return {
    correct: (envelope: AskedEnvelope, body: object, who = sender()): Promise<Answer> => {
      later();
      return who.send("PATCH", recipientPath(envelope), { body });
    },
    resend: (envelope: AskedEnvelope, body: object = {}, who = sender()): Promise<Answer> => {
      later();
      return who.post(`${recipientPath(envelope)}resend/`, body);
    },
  };
}
