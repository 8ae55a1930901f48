import type { NotificationChoice } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callMessage } from "../../../lib/call-message.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../use-session.ts";
import { saveChannels } from "./settings-calls.ts";
import type { usePush } from "./use-push.ts";

const NAMES = ["email", "sms", "push", "quiet_hours", "daily_summary"] as const;

/** Gives the choice as it is shown and as it is kept; keeping « Push » subscribes this browser, giving it up ends that. */
export function useChannels(initial: NotificationChoice, push: ReturnType<typeof usePush>) {
  const client = useQueryClient();
  const [kept, setKept] = useState(initial);
  const [values, setValues] = useState(initial);
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string>();
  const dirty = NAMES.some((name) => values[name] !== kept[name]);

  const put = async () => {
    const saved = await saveChannels(values);
    const { email, sms, push: pushed } = saved;
    client.setQueryData(sessionQuery.queryKey, (user) => (user ? { ...user, notifications: { email, sms, push: pushed } } : user));
    // What waited may have left with the choice.
    void client.invalidateQueries({ queryKey: ["channels"] });
    setKept(saved);
    setValues(saved);
    showToast("ok", "Préférences enregistrées");
    if (kept.push && !saved.push && push.state === "on") await push.disable();
  };
  const save = async (): Promise<void> => {
    setSaving(true);
    setFailure(undefined);
    try {
      // The person is asked first, while their press still counts as one; without their leave nothing is kept.
      const reaches = !values.push || kept.push || push.state === "on" || (await push.enable());
      if (reaches) await put();
      else setValues({ ...values, push: false });
    } catch (error) {
      setFailure(callMessage(error, "Impossible d’enregistrer les préférences"));
    }
    setSaving(false);
  };
  const cancel = () => {
    setFailure(undefined);
    setValues(kept);
  };
  return { values, kept, choose: setValues, cancel, save, saving, failure, dirty };
}
