import { consentText, isToCopy, type Role, visibleText } from "@paraphe/contracts";
import { type ComponentProps, useId, useState } from "react";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { TextArea, TextField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { ProgressBar } from "../../../ui/progress/progress.tsx";
import { deedOf } from "../request-standing.ts";
import { SEALING } from "../sign-outcome.ts";
import styles from "../desk-actions.module.css";
import { fieldTitle, keyboardOf, mustBeFilled } from "./field-walk.ts";
import { LaterMention, LaterVisa } from "./later-parts.tsx";
import { type AnswerStripProps, Strip, takeFocus } from "./strip.tsx";
import type { Desk } from "./use-desk.ts";
import type { FieldWalk } from "./use-field-walk.ts";
import type { VisaActionsProps } from "./visa-actions.tsx";

type DeskActionsProps = {
  readonly desk: Desk;
  readonly walk: Pick<
    FieldWalk,
    "next" | "nextWords" | "pass" | "answered" | "leave" | "isToRead" | "goTo" | "currentId"
  >;
  readonly role: Role;
  readonly step: Pick<VisaActionsProps, "step" | "onOpen">;
  readonly place: "head" | "side" | "dock";
  readonly onDecline: () => void;
  readonly onRedoMark: () => void;
};

export function DeskActions(props: DeskActionsProps) {
  const { desk, walk, role, place, onDecline, onRedoMark } = props;
  const isComplete = desk.remaining.length === 0;
  if (role === "viewer")
    return place === "head" ? null : (
      <p className="muted">Vous recevez ce document en copie : il n’y a rien à signer.</p>
    );
  if (role === "visa")
    return place === "head" ? null : <LaterVisa {...props.step} {...{ desk, onDecline }} />;
  if (place === "head") return <HeadActions {...{ desk, walk, onDecline }} />;
  if (place === "dock" && walk.answered)
    return (
      <AnswerStrip
        key={walk.answered.id}
        {...{ desk, walk }}
        field={walk.answered}
        meter={<Meter {...{ desk, walk }} />}
      />
    );
  if (place === "dock" && (!isComplete || walk.pass || walk.isToRead))
    return <DockWalk {...props} />;
  return (
    <div className={styles.consent}>
      {place === "dock" ? <DockLine {...props} /> : null}
      {place === "dock" ? <OptionalLink {...{ desk, walk }} /> : null}
      <Act
        desk={desk}
        verb={
          desk.delegation ? "Signer par délégation" : role === "approver" ? "Approuver" : "Signer"
        }
        place={place}
        onRedoMark={onRedoMark}
      />
      {place === "dock" ? null : <OtherActs {...props} />}
      {place === "dock" ? null : (
        <p className="muted small">{`${SEALED}${desk.isMailed ? " Vous recevrez l’exemplaire signé par email." : ""}`}</p>
      )}
    </div>
  );
}

type Walk = Pick<DeskActionsProps, "desk" | "walk" | "onDecline">;

function HeadActions({ desk, walk, onDecline }: Walk) {
  const isDone = desk.remaining.length === 0 && !walk.isToRead;
  return (
    <div className={styles.head}>
      <Meter {...{ desk, walk }} />
      {isDone && !walk.pass ? <OptionalLink {...{ desk, walk }} /> : null}
      <Button disabled={desk.isBusy} onClick={onDecline}>
        Refuser
      </Button>
      {isDone && !walk.pass ? null : (
        // The primary button is then the one that signs.
        <NextButtons walk={walk} variant={isDone ? undefined : "primary"} />
      )}
    </div>
  );
}

/** Shown once nothing is left but optional fields. */
function OptionalLink({ desk, walk }: Pick<DeskActionsProps, "desk" | "walk">) {
  const count = desk.offered.length;
  if (count === 0) return null;
  return (
    <LinkAction disabled={desk.isBusy} onClick={walk.next}>
      {count === 1 ? "Voir le champ facultatif" : `Voir les ${count} champs facultatifs`}
    </LinkAction>
  );
}

function DockWalk(props: DockProps) {
  const { walk } = props;
  return (
    <>
      <DockLine {...props} />
      <div className={styles.walk}>
        <NextButtons walk={walk} variant="primary" size="lg" />
      </div>
    </>
  );
}

type DockProps = Walk & Pick<DeskActionsProps, "role" | "step">;

/** What a circuit lets a signer do instead. */
function OtherActs({ desk, step }: Pick<DeskActionsProps, "desk" | "step">) {
  return step.step ? <LaterVisa {...step} desk={desk} /> : null;
}

function DockLine({ desk, walk, role, step, onDecline }: DockProps) {
  return (
    <>
      <div className={styles.dockLine}>
        <Meter {...{ desk, walk }} />
        <LinkAction disabled={desk.isBusy} onClick={onDecline}>
          {`Refuser ${deedOf(role)}`}
        </LinkAction>
      </div>
      <OtherActs {...{ desk, step }} />
    </>
  );
}

/** On a phone on its side, the reason below the button may be out of sight. */
function showReason(reason: HTMLElement | null): void {
  reason?.scrollIntoView?.({ block: "nearest" });
}

function NextButtons({
  walk,
  ...look
}: Pick<DeskActionsProps, "walk"> & Pick<ComponentProps<typeof Button>, "variant" | "size">) {
  if (walk.nextWords === null) return null;
  return (
    <>
      {walk.pass ? (
        <Button size={look.size} onClick={walk.pass}>
          Passer
        </Button>
      ) : null}
      <Button {...look} className="grow" data-next="" onClick={walk.next}>
        {walk.nextWords}
        <Icon name="arrow-right" size="sm" />
      </Button>
    </>
  );
}

function Meter({ desk, walk }: Pick<DeskActionsProps, "desk" | "walk">) {
  const all = desk.counted.length;
  const left = desk.remaining.length;
  if (all === 0) return null;
  if (left === 0)
    return (
      <span className={styles.done} role="status">
        <Icon name="check" size="sm" />
        Tout est rempli
      </span>
    );
  return (
    <span className={styles.meter}>
      <span className="num" role="status">
        {walk.currentId === null
          ? plural(left, "champ à remplir", "champs à remplir")
          : plural(left, "champ restant", "champs restants")}
      </span>
      <span className={styles.bar}>
        <ProgressBar
          percent={(100 * (all - left)) / all}
          label={`${plural(all - left, "champ rempli", "champs remplis")} sur ${all}`}
        />
      </span>
    </span>
  );
}

type ActProps = {
  readonly desk: Desk;
  readonly verb: string;
  readonly place: DeskActionsProps["place"];
  readonly onRedoMark: () => void;
};

const SEALED = "La signature est horodatée et scellée.";

function Act({ desk, verb, place, onRedoMark }: ActProps) {
  const reasonId = useId();
  const [isPressed, setIsPressed] = useState(false);
  const { isBusy } = desk;
  const reason = missingToSign(desk);
  // In the dock the button keeps its place.
  const below = reason ?? (place === "dock" ? SEALED : null);
  const needsMark = desk.phase.kind === "failed" ? desk.phase.needsMark : null;
  const press = () => {
    if (needsMark) return onRedoMark();
    setIsPressed(true);
    return reason ? undefined : void desk.sign();
  };
  return (
    <>
      <PhaseAlert phase={desk.phase} />
      <Checkbox
        label={desk.delegation?.consent ?? consentText(desk.documentCount)}
        data-next=""
        checked={desk.consent}
        disabled={isBusy}
        onChange={(event) => desk.setConsent(event.target.checked)}
      />
      {desk.by === null ? null : (
        <Checkbox
          label="Signer avec le cachet de l’organisation"
          checked={desk.by === "hsm"}
          disabled={isBusy}
          onChange={(event) => desk.setBy(event.target.checked ? "hsm" : "person")}
        />
      )}
      {/* Never disabled: a press too early says what is missing. */}
      <Button
        variant="primary"
        size="lg"
        block
        className={styles.act}
        loading={isBusy}
        loadingLabel="Signature en cours…"
        aria-disabled={reason !== null || undefined}
        aria-describedby={reason ? reasonId : undefined}
        onClick={press}
      >
        <Icon name="pen" size="sm" />
        {needsMark ? REDO[needsMark] : desk.phase.kind === "failed" ? "Réessayer" : verb}
      </Button>
      {below ? (
        <p
          id={reasonId}
          ref={isPressed && reason ? showReason : undefined}
          className={isPressed && reason ? styles.reason : "muted small"}
          role={isPressed && reason ? "alert" : undefined}
        >
          {below}
        </p>
      ) : null}
    </>
  );
}

function missingToSign({ remaining, consent }: Desk): string | null {
  if (remaining.length > 0)
    return remaining.length === 1
      ? "Remplissez d’abord le champ restant."
      : `Remplissez d’abord les ${remaining.length} champs restants.`;
  return consent ? null : "Cochez la case de consentement avant de signer.";
}

function PhaseAlert({ phase }: { readonly phase: Desk["phase"] }) {
  if (phase.kind === "failed") return <Alert tone="danger">{phase.message}</Alert>;
  if (phase.kind !== "sealing") return null;
  return <Alert tone="info">{SEALING}</Alert>;
}

const REDO = { signature: "Refaire ma signature", initials: "Refaire mon paraphe" } as const;

/** Shows the answer on the page as it is typed. */
function AnswerStrip(props: AnswerStripProps) {
  return isToCopy(props.field) ? <LaterMention {...props} /> : <TextStrip {...props} />;
}

function TextStrip({ field, desk, walk, meter }: AnswerStripProps) {
  const [isMissing, setIsMissing] = useState(false);
  const isLong = field.height > MANY_LINES;
  const next = (form: HTMLFormElement) => {
    if (mustBeFilled(field) && visibleText(desk.values[field.id] ?? "").trim() === "") {
      setIsMissing(true);
      form.querySelector<HTMLElement>("input, textarea")?.focus();
    } else walk.leave(field);
  };
  const control = {
    label: fieldTitle(field),
    value: desk.values[field.id] ?? "",
    error: isMissing ? "Remplissez ce champ pour continuer." : desk.errors[field.id],
    optional: !field.required,
    required: field.required,
    inputMode: keyboardOf(field),
    enterKeyHint: "next",
    maxLength: 2000,
    ref: takeFocus,
    onKeyDown: ({ key }: { readonly key: string }) =>
      key === "Escape" ? walk.goTo(field) : undefined,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      setIsMissing(false);
      desk.setValue(field.id, target.value);
    },
  } as const;
  return (
    <Strip {...{ field, desk, walk, meter }} onNext={next}>
      {isLong ? <TextArea {...control} rows={3} /> : <TextField {...control} />}
    </Strip>
  );
}

/** Height of a multi-line field, as a fraction of the page. */
const MANY_LINES = 0.06;
