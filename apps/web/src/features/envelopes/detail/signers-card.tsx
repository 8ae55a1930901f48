import type { Envelope, Recipient } from "@paraphe/contracts";
import { ofName } from "@paraphe/kernel/french-words";
import { type RefObject, useEffect, useRef, useState } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { formatPercent, plural } from "../../../lib/format/format-numbers.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { Avatar } from "../../../ui/avatar/avatar.tsx";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Menu, type MenuEntry } from "../../../ui/menu/menu.tsx";
import { ProgressBar } from "../../../ui/progress/progress.tsx";
import styles from "../detail.module.css";
import { isCorrectable, isFixedBy, lastFailure, recipientState } from "../recipient-state.ts";
import { answersOf } from "../status-badge.tsx";
import { useResend } from "./remind-button.tsx";

/** Moves the focus to the row when its pressed button disappears (WCAG 2.4.3). */
function useRowFocus(shown: unknown): {
  readonly row: RefObject<HTMLLIElement | null>;
  readonly onAct: () => void;
} {
  const row = useRef<HTMLLIElement>(null);
  const acted = useRef(false);
  useEffect(() => {
    const { activeElement, body } = document;
    if (!acted.current || (activeElement !== null && activeElement !== body)) return;
    acted.current = false;
    row.current?.focus();
  }, [shown]);
  return {
    row,
    onAct: () => {
      acted.current = true;
    },
  };
}

const ICONS = { signed: "check", waiting: "clock", declined: "cancel", none: undefined } as const;
type SignersProps = {
  readonly envelope: Envelope;
  readonly recipient: Recipient;
  readonly color: number;
};

function SignerRow({ envelope, recipient, color }: SignersProps) {
  const state = recipientState(recipient, envelope);
  const icon = ICONS[state.tone];
  const failure = lastFailure(recipient.deliveries);
  const { row, onAct } = useRowFocus(recipient);
  return (
    <li className={styles["signer"]} ref={row} tabIndex={-1}>
      <div className={styles["person"]}>
        <Avatar name={recipient.full_name} color={color} />
        <div>
          <b>{recipient.full_name}</b>
          {recipient.email !== "" && <small>{recipient.email}</small>}
        </div>
      </div>
      <div className={styles["state"]}>
        <span className={classNames(styles["mark"], styles[state.tone])}>
          {icon && <Icon name={icon} />}
          {state.label}
        </span>
        {failure === undefined && state.notes !== undefined && (
          <div className={styles["notes"]}>
            {state.notes.map((note) => (
              <p className="num" key={note}>
                {note}
              </p>
            ))}
          </div>
        )}
      </div>
      {failure === undefined && (
        <div className={styles["menu"]}>
          <RecipientActions
            envelope={envelope}
            recipient={recipient}
            failed={false}
            onAct={onAct}
          />
        </div>
      )}
      {failure !== undefined && (
        <div className={styles["delivery"]}>
          <p className={classNames(styles["mark"], styles["declined"])}>
            <Icon name="warning" />
            {failure}
          </p>
          <RecipientActions envelope={envelope} recipient={recipient} failed onAct={onAct} />
        </div>
      )}
    </li>
  );
}

export function SignersCard({ envelope }: { readonly envelope: Envelope }) {
  const { signed, total, percent, word } = answersOf(envelope);
  return (
    <section className="card" aria-labelledby="signataires">
      <div className="card__head">
        <h2 className="h2 grow" id="signataires">
          Signataires
        </h2>
        {envelope.flow === "sequential" && (
          <span className="ink2 small">Signature dans l’ordre</span>
        )}
      </div>
      <div className="card__body stack">
        {total === 0 ? (
          <p className="muted">Aucun signataire</p>
        ) : (
          <div>
            <div className={styles["percent"]}>
              <b className="num">{`${plural(signed, word)} sur ${total}`}</b>
              <span className="num ink2">{formatPercent(percent)}</span>
            </div>
            <ProgressBar
              percent={percent}
              size="lg"
              label={`Progression : ${formatPercent(percent)}`}
            />
          </div>
        )}
        <ol>
          {envelope.recipients.map((recipient, index) => (
            <SignerRow
              key={recipient.id}
              envelope={envelope}
              recipient={recipient}
              color={index + 1}
            />
          ))}
        </ol>
      </div>
    </section>
  );
}

const CorrectDialog = lazyDialog(async () => (await import("./correct-dialog.tsx")).CorrectDialog);

type ActionsProps = {
  readonly envelope: Envelope;
  readonly recipient: Recipient;
  /** Something failed: the remedy is in plain sight. */
  readonly failed: boolean;
  /** Called when an action begins, because it may change the controls. */
  readonly onAct: () => void;
};

export function RecipientActions({ envelope, recipient, failed, onAct }: ActionsProps) {
  const [correcting, setCorrecting] = useState(false);
  const resend = useResend(envelope.id, recipient);
  const { mail, sms } = useServiceRules();
  if (!isCorrectable(envelope, recipient)) return null;

  const send = (channel: "email" | "sms") => {
    onAct();
    resend.mutate(channel);
  };
  const isFixed = isFixedIn(envelope, recipient);
  const correct = {
    label: isFixed ? "Corriger le téléphone" : "Corriger l’adresse",
    onAction: () => {
      onAct();
      setCorrecting(true);
    },
  };
  const isAwaited = recipient.role !== "viewer" && recipient.status !== "waiting";
  const ways = {
    email: isAwaited && mail ? () => send("email") : undefined,
    sms: isAwaited && recipient.phone_number !== null ? () => send("sms") : undefined,
    correct: isFixed && !sms ? undefined : correct,
  };
  const entries = menuEntries(ways);
  if (!failed && entries.length === 0) return null;
  const label = `Actions pour ${recipient.full_name}`;
  return (
    <>
      {failed ? (
        <FailedActions
          recipient={recipient}
          onResend={ways.email}
          onText={mail ? undefined : ways.sms}
          correct={ways.correct}
          busy={resend.isPending}
        />
      ) : (
        <Menu
          label={label}
          triggerLabel={label}
          triggerClassName={buttonLook({ variant: "ghost", size: "sm", square: true })}
          trigger={<Icon name="dots" />}
          {...{ entries }}
        />
      )}
      {correcting && (
        <CorrectDialog
          envelopeId={envelope.id}
          {...{ recipient, isFixed }}
          onClose={() => setCorrecting(false)}
        />
      )}
    </>
  );
}

export function isFixedIn({ circuit }: Envelope, recipient: Recipient): boolean {
  return circuit?.imposed === true && isFixedBy(circuit, recipient);
}

type Correct = { readonly label: string; readonly onAction: () => void };
type Ways = {
  readonly email: (() => void) | undefined;
  readonly sms: (() => void) | undefined;
  readonly correct: Correct | undefined;
};

function menuEntries({ email, sms, correct }: Ways): readonly MenuEntry[] {
  return [
    ...(email
      ? [
          {
            id: "email",
            label: "Renvoyer l’invitation par email",
            icon: "mail",
            onAction: email,
          } as const,
        ]
      : []),
    ...(sms
      ? [
          {
            id: "sms",
            label: "Renvoyer l’invitation par SMS",
            icon: "phone",
            onAction: sms,
          } as const,
        ]
      : []),
    ...(correct ? [{ ...correct, id: "correct", icon: "edit" } as const] : []),
  ];
}

type FailedProps = {
  readonly recipient: Recipient;
  readonly onResend: (() => void) | undefined;
  readonly onText: (() => void) | undefined;
  readonly correct: Correct | undefined;
  readonly busy: boolean;
};

function FailedActions({ recipient, onResend, onText, correct, busy }: FailedProps) {
  const whose = <span className="sr"> {ofName(recipient.full_name)}</span>;
  return (
    <div className="row">
      {correct && (
        <Button size="sm" onClick={correct.onAction}>
          {correct.label}
          {whose}
        </Button>
      )}
      {onResend && (
        <Button size="sm" variant="ghost" loading={busy} onClick={onResend}>
          Renvoyer l’invitation<span className="sr"> à {recipient.full_name}</span>
        </Button>
      )}
      {onText && (
        <Button size="sm" variant="ghost" loading={busy} onClick={onText}>
          Envoyer l’invitation par SMS<span className="sr"> à {recipient.full_name}</span>
        </Button>
      )}
    </div>
  );
}
