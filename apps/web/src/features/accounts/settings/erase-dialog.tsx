import {
  eraseAccountRequest,
  type EraseAccountRequest,
  EVIDENCE_RETENTION_YEARS,
} from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { PasswordField } from "../../../ui/field/password-field.tsx";
import { TextLink } from "../../../ui/link/link-action.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { describeNotifying } from "../../envelopes/reached-words.ts";
import { useLeave } from "../use-session.ts";
import { eraseAccount } from "./settings-calls.ts";
import styles from "./settings.module.css";

/** `titles` names only the first envelopes. */
type OpenEnvelopeFacts = {
  readonly sentence: string;
  readonly count: number;
  readonly titles: readonly string[];
};

/** Undefined when the erasure was refused for another reason. */
function readOpenEnvelopes(error: unknown): OpenEnvelopeFacts | undefined {
  if (!(error instanceof ApiError) || error.code !== "open_envelopes") return undefined;
  const body = (error.details.body ?? {}) as { open_count?: unknown; open_envelopes?: unknown };
  const named = Array.isArray(body.open_envelopes)
    ? (body.open_envelopes as { title?: unknown }[])
    : [];
  const titles = named.map(({ title }) => title).filter((title) => typeof title === "string");
  return {
    sentence: error.details.sentence ?? "Des enveloppes attendent encore des signatures.",
    count: typeof body.open_count === "number" ? body.open_count : titles.length,
    titles,
  };
}

type Props = OpenEnvelopeFacts & {
  readonly cancel: boolean;
  readonly onCancel: (cancel: boolean) => void;
};

const NAMED = 5;

function OpenEnvelopes({ sentence, count, titles, cancel, onCancel }: Props) {
  const others = count - Math.min(NAMED, titles.length);
  return (
    <>
      <Alert tone="warning">
        <p>{sentence}</p>
        <ul className={styles["kept"]}>
          {titles.slice(0, NAMED).map((title, index) => (
            <li key={`${index}-${title}`}>{title}</li>
          ))}
          {others > 0 && <li>{`et ${plural(others, "autre")}`}</li>}
        </ul>
      </Alert>
      <Checkbox
        label={
          count > 1
            ? `Annuler aussi ces ${count} enveloppes. ${describeNotifying("Leurs destinataires seront prévenus.", "leurs destinataires")}`
            : `Annuler aussi cette enveloppe. ${describeNotifying("Ses destinataires seront prévenus.", "ses destinataires")}`
        }
        checked={cancel}
        onChange={(event) => onCancel(event.target.checked)}
      />
    </>
  );
}

function useEraseAccount(onWrongPassword: () => void) {
  const leave = useLeave();
  const [missing, setMissing] = useState<string>();
  const [open, setOpen] = useState<OpenEnvelopeFacts>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: eraseAccount,
    onSuccess: () => {
      leave();
      showToast("ok", "Votre compte est supprimé");
    },
    onError: (refusal) => {
      setOpen(readOpenEnvelopes(refusal));
      if (passwordRefusal(refusal) !== undefined) onWrongPassword();
    },
  });
  const erase = (request: EraseAccountRequest) => {
    const fault = eraseAccountRequest.safeParse(request).error?.issues[0]?.message;
    setMissing(fault);
    if (fault === undefined) mutate(request);
    else onWrongPassword();
  };
  const passwordError = missing ?? passwordRefusal(error);
  const explained = error === null || open !== undefined || passwordError !== undefined;
  return {
    erase,
    busy: isPending,
    open,
    passwordError,
    failure:
      explained || isPending ? undefined : callMessage(error, "Impossible de supprimer le compte"),
  };
}

function passwordRefusal(error: unknown): string | undefined {
  return error instanceof ApiError ? error.fieldErrors["password"]?.join(" ") : undefined;
}

export function EraseDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useId();
  const field = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState("");
  const [cancelOpen, setCancelOpen] = useState(false);
  const erasure = useEraseAccount(() => field.current?.focus());
  return (
    <Dialog
      title={"Supprimer votre compte\u202f?"}
      role="alertdialog"
      withoutClose
      sheet
      locked={erasure.busy}
      onClose={onClose}
      initialFocus={field}
      actions={
        <>
          <Button onClick={onClose} blocked={erasure.busy}>
            Annuler
          </Button>
          <Button type="submit" form={form} variant="danger" loading={erasure.busy}>
            Supprimer mon compte
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          erasure.erase({ password, cancel_open: cancelOpen });
        }}
      >
        <WhatGoesAndStays />
        {erasure.open && (
          <OpenEnvelopes {...erasure.open} cancel={cancelOpen} onCancel={setCancelOpen} />
        )}
        {erasure.failure !== undefined && <Alert tone="danger">{erasure.failure}</Alert>}
        <PasswordField
          ref={field}
          label="Mot de passe"
          help="Pour confirmer que c’est bien vous."
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={erasure.passwordError}
        />
      </form>
    </Dialog>
  );
}

function WhatGoesAndStays() {
  return (
    <>
      <div>
        <p>
          <b>{"Effacés, définitivement\u00a0:"}</b>
        </p>
        <ul className={styles["kept"]}>
          <li>votre profil, votre photo et vos préférences</li>
          <li>vos sessions et vos abonnements aux notifications</li>
          <li>vos brouillons et votre corbeille, avec leurs fichiers</li>
        </ul>
      </div>
      <div>
        <p>
          <b>{"Conservées\u00a0:"}</b>
        </p>
        <ul className={styles["kept"]}>
          <li>
            {`les enveloppes terminées et leurs preuves, ${EVIDENCE_RETENTION_YEARS}\u00a0ans après la dernière signature\u00a0: elles permettent à chaque partie de prouver qui a signé quoi, et quand`}
          </li>
        </ul>
      </div>
      <p className="small">
        <TextLink
          to="/confidentialite"
          target="_blank"
          rel="noopener"
          title="Ce qui est conservé, et pourquoi (nouvelle fenêtre)"
        >
          Ce qui est conservé, et pourquoi
        </TextLink>
      </p>
    </>
  );
}
