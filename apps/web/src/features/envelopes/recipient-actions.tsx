import type { Envelope, Recipient } from "@paraphe/contracts";
import { useState } from "react";
import { ofName } from "../../lib/of-name.ts";
import { useServiceRules } from "../../lib/service-rules.ts";
import { buttonLook } from "../../ui/button/button-look.ts";
import { Button } from "../../ui/button/button.tsx";
import { lazyDialog } from "../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { Menu, type MenuEntry } from "../../ui/menu/menu.tsx";
import { isCorrectable } from "./recipient-state.ts";
import { useResend } from "./use-resend.ts";

const CorrectDialog = lazyDialog(async () => (await import("./correct-dialog.tsx")).CorrectDialog);

type Props = {
  readonly envelope: Envelope;
  readonly recipient: Recipient;
  /** Something failed: what mends it is in plain sight. */
  readonly failed: boolean;
  /** Called when an action is begun: the controls may be others once it is done. */
  readonly onAct: () => void;
};

/** What the sender can do for somebody who has not answered: send again, correct the address. */
export function RecipientActions({ envelope, recipient, failed, onAct }: Props) {
  const [correcting, setCorrecting] = useState(false);
  const resend = useResend(envelope.id, recipient);
  const { mail } = useServiceRules();
  if (!isCorrectable(envelope, recipient)) return null;

  const send = (channel: "email" | "sms") => {
    onAct();
    resend.mutate(channel);
  };
  const correct = () => {
    onAct();
    setCorrecting(true);
  };
  const isAwaited = recipient.role !== "viewer" && recipient.status !== "waiting";
  const entries: readonly MenuEntry[] = [
    ...(isAwaited && mail
      ? [
          {
            id: "email",
            label: "Renvoyer par email",
            icon: "mail",
            onAction: () => send("email"),
          } as const,
        ]
      : []),
    ...(isAwaited && recipient.phone_number !== null
      ? [
          {
            id: "sms",
            label: "Renvoyer par SMS",
            icon: "phone",
            onAction: () => send("sms"),
          } as const,
        ]
      : []),
    { id: "correct", label: "Corriger l’adresse", icon: "edit", onAction: correct },
  ];
  const label = `Actions pour ${recipient.full_name}`;
  return (
    <>
      {failed ? (
        <FailedActions
          recipient={recipient}
          onResend={isAwaited && mail ? () => send("email") : undefined}
          onText={
            isAwaited && !mail && recipient.phone_number !== null ? () => send("sms") : undefined
          }
          onCorrect={correct}
          busy={resend.isPending}
        />
      ) : (
        <Menu
          label={label}
          triggerLabel={label}
          triggerClassName={buttonLook({ variant: "ghost", size: "sm", square: true })}
          trigger={<Icon name="dots" />}
          entries={entries}
        />
      )}
      {correcting && (
        <CorrectDialog
          envelopeId={envelope.id}
          recipient={recipient}
          onClose={() => setCorrecting(false)}
        />
      )}
    </>
  );
}

type FailedProps = {
  readonly recipient: Recipient;
  readonly onResend: (() => void) | undefined;
  /** Where no mail leaves. */
  readonly onText: (() => void) | undefined;
  readonly onCorrect: () => void;
  readonly busy: boolean;
};

function FailedActions({ recipient, onResend, onText, onCorrect, busy }: FailedProps) {
  const whose = <span className="sr"> {ofName(recipient.full_name)}</span>;
  return (
    <div className="row">
      <Button size="sm" onClick={onCorrect}>
        Corriger l’adresse{whose}
      </Button>
      {onResend && (
        <Button size="sm" variant="ghost" loading={busy} onClick={onResend}>
          Renvoyer<span className="sr"> à {recipient.full_name}</span>
        </Button>
      )}
      {onText && (
        <Button size="sm" variant="ghost" loading={busy} onClick={onText}>
          Envoyer par SMS<span className="sr"> à {recipient.full_name}</span>
        </Button>
      )}
    </div>
  );
}
