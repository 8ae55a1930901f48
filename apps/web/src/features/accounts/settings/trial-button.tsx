import { useState } from "react";
import { callMessage } from "../../../lib/call-message.ts";
import { Button } from "../../../ui/button/button.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { sendTrial } from "./settings-calls.ts";

const NAMES = { email: "email", sms: "SMS", push: "push" } as const;

/** Sends a message by each channel that was kept, to see that it arrives. */
export function TrialButton() {
  const [sending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    setSending(true);
    try {
      const { channels } = await sendTrial();
      showToast("ok", `Notification d’essai envoyée par ${channels.map((name) => NAMES[name]).join(", ")}`);
    } catch (error) {
      showToast("err", callMessage(error, "Impossible d’envoyer la notification d’essai"));
    }
    setSending(false);
  };
  return (
    <Button loading={sending} onClick={() => void send()}>
      Envoyer une notification d’essai
    </Button>
  );
}
