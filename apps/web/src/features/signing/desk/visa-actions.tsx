import type { SignPage } from "@paraphe/contracts";
import { andList } from "@paraphe/kernel/french-words";
import { useRef, useState } from "react";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { SelectField, TextArea, TextField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import type { SignOutcome } from "../sign-outcome.ts";
import type { SigningCalls } from "../signing-calls.ts";
import styles from "../desk-actions.module.css";
import type { Desk } from "./use-desk.ts";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";

export type StepDialogKind = "visa" | "send-back" | "reassign";

export type VisaActionsProps = {
  readonly calls: Pick<SigningCalls, "post" | "PersonInput">;
  readonly step: SignPage["step"];
  readonly desk: Pick<Desk, "isBusy">;
  readonly onOpen: (kind: StepDialogKind) => void;
  readonly onOutcome: (outcome: SignOutcome) => void;
  /** Only for an approver: a signer refuses elsewhere on the page. */
  readonly onDecline?: () => void;
};

/** The visa, and what whoever has the step may do instead. */
export function VisaActions({
  step,
  desk: { isBusy },
  onOpen,
  onDecline,
}: Omit<VisaActionsProps, "calls" | "onOutcome">) {
  return (
    <div className={styles.consent}>
      {step?.returned ? <Alert tone="info">{step.returned}</Alert> : null}
      {onDecline ? (
        <>
          <p>Vous relisez et approuvez ce document, sans le signer.</p>
          <Button variant="primary" size="lg" block onClick={() => onOpen("visa")}>
            <Icon name="check" size="sm" />
            Donner mon visa
          </Button>
        </>
      ) : null}
      <div className="row">
        {step && step.returns.length > 0 ? (
          <Button size="sm" disabled={isBusy} onClick={() => onOpen("send-back")}>
            Renvoyer…
          </Button>
        ) : null}
        {step?.may_reassign ? (
          <Button size="sm" variant="ghost" disabled={isBusy} onClick={() => onOpen("reassign")}>
            Confier à…
          </Button>
        ) : null}
        {onDecline ? (
          <LinkAction disabled={isBusy} onClick={onDecline}>
            Refuser
          </LinkAction>
        ) : null}
      </div>
    </div>
  );
}

type StepDialogProps = Pick<VisaActionsProps, "calls" | "step" | "onOutcome"> & {
  readonly kind: StepDialogKind;
  readonly signedCount?: number;
  readonly onClose: () => void;
};

export function StepDialog({
  kind,
  calls,
  step,
  signedCount = 0,
  onOutcome,
  onClose,
}: StepDialogProps) {
  const [{ isBusy, error }, setActing] = useState(AT_REST);
  const act = stepAct((outcome) => {
    if (kind === "visa") onClose();
    onOutcome(outcome);
  }, setActing);
  if (kind === "visa")
    return (
      <VisaDialog
        {...{ isBusy, error, onClose }}
        onGive={() => void act(() => calls.post("visa/", {}))}
      />
    );
  if (kind === "reassign")
    return (
      <ReassignDialog
        {...{ isBusy, error, onClose }}
        PersonInput={calls.PersonInput}
        onGive={(body) => void act(() => calls.post("reassign/", body), given(body.full_name))}
      />
    );
  const returns = step?.returns ?? [];
  return (
    <SendBackDialog
      {...{ isBusy, error, onClose, returns, signedCount }}
      onSend={(body) =>
        void act(() => calls.post("send-back/", body), sentBack(returns, body.order))
      }
    />
  );
}

type StepActing = { readonly isBusy: boolean; readonly error: string | null };
const AT_REST: StepActing = { isBusy: false, error: null };

const ended = (
  kind: "closed" | "waiting",
  title: string,
  text: string,
): SignOutcome & { readonly kind: "ended" } => ({
  kind: "ended",
  standing: { kind, title, text, isDone: true },
});

const sentBack = (returns: Returns, order: number) =>
  ended(
    "waiting",
    "Document renvoyé",
    `Il revient à ${andList(returns.find((one) => one.order === order)?.names ?? [])}, avec votre motif. Un message vous préviendra quand ce sera de nouveau votre tour.`,
  );

const given = (name: string) =>
  ended(
    "closed",
    `Étape confiée à ${name}`,
    "Cette personne reçoit le document à votre place. Rien n’a été signé à votre nom.",
  );

type Sending = {
  readonly isBusy: boolean;
  readonly error: string | null;
  readonly onClose: () => void;
};

function VisaDialog({ isBusy, error, onGive, onClose }: Sending & { readonly onGive: () => void }) {
  return (
    <Dialog
      title={"Donner votre visa\u202f?"}
      sheet
      locked={isBusy}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} blocked={isBusy}>
            Revenir
          </Button>
          <Button variant="primary" loading={isBusy} onClick={onGive}>
            Donner mon visa
          </Button>
        </>
      }
    >
      <p>
        Vous approuvez ce document tel que vous l’avez lu, sans le signer. Un visa donné ne se
        retire pas, et l’historique le dit. Il vous sera redemandé si une étape suivante renvoie le
        document.
      </p>
      {error ? <Alert tone="danger">{error}</Alert> : null}
    </Dialog>
  );
}

type Returns = NonNullable<SignPage["step"]>["returns"];
type SendBackProps = Sending & {
  readonly returns: Returns;
  readonly signedCount: number;
  readonly onSend: (body: { readonly order: number; readonly reason: string }) => void;
};

const DEEDS = {
  preparer: "qui a préparé",
  signer: "signature",
  approver: "approbation",
  visa: "visa",
  viewer: "copie",
};

function returnWords(returns: Returns, signedCount: number): string {
  const orStep = returns.some(({ role }) => role !== "preparer")
    ? "à une étape précédente, ou "
    : "";
  const lost =
    signedCount > 0 ? " Les signatures déjà données sur cette version sont annulées." : "";
  return `Il revient ${orStep}à qui l’a préparé, pour correction, avec votre motif.${lost}`;
}

function SendBackDialog(props: SendBackProps) {
  const { returns, signedCount, isBusy, error, onSend, onClose } = props;
  const first = useRef<HTMLTextAreaElement>(null);
  const [order, setOrder] = useState(returns.length === 1 ? returns[0]?.order : undefined);
  const [reason, setReason] = useState("");
  const [isAsked, setIsAsked] = useState(false);
  const isMissing = isAsked && reason.trim() === "";
  const press = () => {
    setIsAsked(true);
    if (reason.trim() !== "" && order !== undefined) onSend({ order, reason: reason.trim() });
  };
  return (
    <Dialog
      title={"Renvoyer ce document\u202f?"}
      sheet
      locked={isBusy}
      initialFocus={first}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} blocked={isBusy}>
            Revenir
          </Button>
          <Button variant="danger" loading={isBusy} onClick={press}>
            Renvoyer
          </Button>
        </>
      }
    >
      <p>{returnWords(returns, signedCount)}</p>
      <SelectField
        label="Renvoyer à"
        value={String(order ?? "")}
        error={isAsked && order === undefined ? "Choisissez à qui renvoyer" : undefined}
        onChange={(event) => setOrder(Number(event.target.value))}
      >
        {order === undefined && <option value="">Choisissez</option>}
        {returns.map((one) => (
          <option key={one.order} value={one.order}>
            {`${andList(one.names)}, ${DEEDS[one.role]}`}
          </option>
        ))}
      </SelectField>
      <TextArea
        label="Motif"
        required
        ref={first}
        rows={3}
        maxLength={500}
        value={reason}
        error={isMissing ? "Indiquez le motif du renvoi" : undefined}
        help="Visible par les personnes du circuit, conservé dans l’historique. 500 caractères au plus."
        onChange={(event) => setReason(event.target.value)}
      />
      {error ? <Alert tone="danger">{error}</Alert> : null}
    </Dialog>
  );
}

type Given = { readonly email: string; readonly full_name: string; readonly reason: string | null };
type ReassignProps = Sending & {
  readonly PersonInput: SigningCalls["PersonInput"];
  readonly onGive: (body: Given) => void;
};

const NOBODY = { fullName: "", email: "", word: "" };
const ASKED = {
  fullName: { label: "Nom", fault: "Nom requis" },
  email: { label: "Email", fault: "Indiquez une adresse email" },
} as const;

function ReassignDialog({ isBusy, error, PersonInput, onGive, onClose }: ReassignProps) {
  const [given, setGiven] = useState(NOBODY);
  const [isAsked, setIsAsked] = useState(false);
  const [name, email] = [given.fullName.trim(), given.email.trim()];
  const press = () => {
    setIsAsked(true);
    if (name === "" || email === "") return;
    onGive({ email, full_name: name, reason: given.word.trim() || null });
  };
  const set = (change: Partial<typeof NOBODY>) => setGiven({ ...given, ...change });
  return (
    <Dialog
      title={"Confier cette étape\u202f?"}
      sheet
      locked={isBusy}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} blocked={isBusy}>
            Revenir
          </Button>
          <Button variant="primary" loading={isBusy} onClick={press}>
            Confier l’étape
          </Button>
        </>
      }
    >
      <p>
        Cette personne reçoit le document à votre place. Votre lien ne servira plus, et l’historique
        le dit.
      </p>
      {(["fullName", "email"] as const).map((part) => (
        <PersonLine key={part} {...{ part, given, isAsked, PersonInput, set }} />
      ))}
      <TextArea
        label="Un mot"
        optional
        rows={2}
        maxLength={500}
        value={given.word}
        onChange={({ target }) => set({ word: target.value })}
      />
      {error ? <Alert tone="danger">{error}</Alert> : null}
    </Dialog>
  );
}

type PersonLineProps = Pick<ReassignProps, "PersonInput"> & {
  readonly part: keyof typeof ASKED;
  readonly given: typeof NOBODY;
  readonly isAsked: boolean;
  readonly set: (change: Partial<typeof NOBODY>) => void;
};

function PersonLine({ part, given, isAsked, PersonInput, set }: PersonLineProps) {
  const { label, fault } = ASKED[part];
  const value = given[part];
  const error = isAsked && value.trim() === "" ? fault : undefined;
  return PersonInput ? (
    <PersonInput
      {...{ part, value, error }}
      taken={() => []}
      onChange={({ phoneNumber: _number, ...change }) => set(change)}
      onLeave={() => undefined}
    />
  ) : (
    <TextField
      {...{ label, value, error }}
      type={part === "email" ? "email" : "text"}
      required
      autoComplete="off"
      onChange={({ target }) => set({ [part]: target.value })}
    />
  );
}

/**
 * The request is read again after a visa, or where somebody acted first; `ended`: nothing more is
 * asked here.
 */
function stepAct(onOutcome: VisaActionsProps["onOutcome"], set: (acting: StepActing) => void) {
  return async (call: () => Promise<unknown>, ended?: SignOutcome) => {
    set({ isBusy: true, error: null });
    try {
      await call();
      onOutcome(ended ?? { kind: "reload", message: null });
    } catch (cause) {
      set(AT_REST);
      if (cause instanceof ApiError && cause.code === "otp_required")
        return onOutcome({ kind: "code" });
      const isSealing = cause instanceof ApiError && cause.code === "signature_in_progress";
      if (cause instanceof ApiError && [404, 409, 410].includes(cause.status) && !isSealing)
        return onOutcome({ kind: "reload", message: cause.message });
      const fault = cause instanceof ApiError ? Object.values(cause.fieldErrors)[0]?.[0] : null;
      const error = fault ?? callMessage(cause, "Rien n’est enregistré. Réessayez.");
      set({ isBusy: false, error });
    }
  };
}
