import type { Envelope } from "@paraphe/contracts";
import { isCalendarDay } from "@paraphe/kernel/paris-days";
import { useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { formatWeekday, parisDay } from "../../../lib/format/format-dates.ts";
import { DateField } from "../../../ui/date-field/date-field.tsx";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { Segmented } from "../../../ui/segmented/segmented.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { envelopeCalls, useFreshDetail } from "../envelope-calls.ts";
import {
  deadlineFault,
  deadlineInstant,
  endOfParisDay,
  lastDeadlineDay,
} from "../prepare/documents/deadline.ts";
import { describeNotifying } from "../reached-words.ts";

type DeadlineChoice = "7" | "14" | "30" | "date" | "none";
type Option = { readonly value: DeadlineChoice; readonly label: string };
type Dated = Pick<Envelope, "status" | "deadline_at">;

function deadlineChoices({ status, deadline_at }: Dated): readonly Option[] {
  const date: Option = { value: "date", label: "Une date" };
  if (deadline_at === null) {
    const lengths = (["7", "14", "30"] as const).map(
      (value): Option => ({ value, label: `${value}\u00a0jours` }),
    );
    return [...lengths, date];
  }
  const more = (["7", "30"] as const).map(
    (value): Option => ({ value, label: `+\u00a0${value}\u00a0jours` }),
  );
  return [
    ...more,
    date,
    ...(status === "expired" ? [] : [{ value: "none", label: "Aucune" } as const]),
  ];
}

function deadlineWords({ status }: Dated): { readonly title: string; readonly action: string } {
  return status === "expired"
    ? { title: "Prolonger l’échéance", action: "Prolonger" }
    : { title: "Modifier l’échéance", action: "Enregistrer" };
}

function telling({ status }: Dated, choice: DeadlineChoice): string {
  if (choice === "none") return "Les liens déjà envoyés restent valables. Personne n’est prévenu.";
  const told =
    status === "expired"
      ? "Les liens déjà envoyés fonctionneront à nouveau, et les personnes attendues seront prévenues."
      : "Les personnes attendues seront prévenues de la nouvelle échéance.";
  return describeNotifying(told, "les personnes attendues");
}

/** `YYYY-MM-DD` in Paris, counted from today once the deadline has passed. */
export function extendedDay(
  deadline: string | null,
  { days, now }: { readonly days: number; readonly now: Date },
): string {
  const from = deadline !== null && Date.parse(deadline) > now.getTime() ? deadline : now;
  const day = new Date(`${parisDay(from)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}

type Props = { readonly envelope: Envelope; readonly onClose: () => void };

export function DeadlineDialog({ envelope, onClose }: Props) {
  const choices = deadlineChoices(envelope);
  const [choice, setChoice] = useState<DeadlineChoice>("7");
  const [date, setDate] = useState("");
  const [fault, setFault] = useState<string>();
  const { save, failure, isBusy } = useSaveDeadline(envelope, onClose);
  const now = new Date();
  const day = dayOf(choice, { envelope, date, now });
  const words = deadlineWords(envelope);
  const box = useRef<HTMLInputElement>(null);
  // A complete but impossible date is refused at once; a half-typed one, on submission.
  const wrongDay = choice === "date" && day ? deadlineFault(day, now) : undefined;

  const submit = async () => {
    const wrong = day === null ? undefined : day === "" ? "Date invalide" : deadlineFault(day, now);
    const refused = wrong !== undefined && choice === "date" ? wrong : await save(day, choice);
    setFault(refused);
    if (refused !== undefined) box.current?.focus();
  };
  const change = (apply: () => void) => {
    apply();
    setFault(undefined);
  };
  return (
    <FormDialog
      {...{ isBusy, failure, onClose }}
      title={words.title}
      sheet
      action={words.action}
      closing="Fermer"
      onSubmit={() => void submit()}
    >
      <p>{telling(envelope, choice)}</p>
      <Segmented
        label="Nouvelle échéance"
        value={choice}
        options={choices}
        onChange={(value) => change(() => setChoice(value))}
      />
      {choice === "date" && (
        <DateField
          ref={box}
          label="Nouvelle échéance"
          min={
            envelope.status === "expired"
              ? extendedDay(envelope.deadline_at, { days: 0, now })
              : parisDay(now)
          }
          max={lastDeadlineDay(now)}
          value={date}
          error={fault ?? wrongDay}
          onChange={(value) => change(() => setDate(value))}
        />
      )}
      <p role="status">
        <Outcome day={wrongDay === undefined ? day : ""} current={envelope.deadline_at} />
      </p>
    </FormDialog>
  );
}

/** `YYYY-MM-DD`; empty while invalid, null for no deadline. */
function dayOf(
  choice: DeadlineChoice,
  { envelope, date, now }: { envelope: Envelope; date: string; now: Date },
): string | null {
  if (choice === "none") return null;
  if (choice === "date") return isCalendarDay(date) ? date : "";
  return extendedDay(envelope.deadline_at, { days: Number(choice), now });
}

/** Saves the day; returns a refusal of the field. The dialog shows any other failure. */
function useSaveDeadline(envelope: Envelope, onClose: () => void) {
  const show = useFreshDetail();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const save = async (day: string | null, choice: DeadlineChoice): Promise<string | undefined> => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      const instant = day === null ? null : deadlineInstant(day, new Date());
      const isExpired = envelope.status === "expired" && instant !== null;
      show(
        await (isExpired
          ? envelopeCalls.extend(envelope.id, instant)
          : envelopeCalls.changeDeadline(envelope.id, instant)),
      );
      showToast(
        "ok",
        instant === null
          ? "Échéance retirée"
          : `Nouvelle échéance\u00a0: ${formatWeekday(instant)}`,
      );
      onClose();
    } catch (error) {
      setIsBusy(false);
      const refused =
        error instanceof ApiError ? error.fieldErrors["deadline_at"]?.join(" ") : undefined;
      if (refused !== undefined && choice === "date") return refused;
      setFailure(refused ?? callMessage(error, "L’échéance n’a pas été changée. Réessayez."));
    }
    return undefined;
  };
  return { save, failure, isBusy };
}

function Outcome({
  day,
  current,
}: {
  readonly day: string | null;
  readonly current: string | null;
}) {
  const before = current === null ? "aucune" : formatWeekday(`${parisDay(current)}T12:00:00Z`);
  if (day === null)
    return (
      <>
        L’enveloppe attendra les signatures sans limite de temps (échéance actuelle&nbsp;: {before}
        ).
      </>
    );
  if (day === "") return null;
  return (
    <>
      À signer au plus tard le <b>{formatWeekday(endOfParisDay(day))}</b> à 23&nbsp;h&nbsp;59
      (échéance actuelle&nbsp;: {before}).
    </>
  );
}
