import type { Contact } from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, useEffect, useId, useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { formatDay } from "../../../lib/format/format-dates.ts";
import { formatCount } from "../../../lib/format/format-numbers.ts";
import { formatPhone } from "../../../lib/format/slugify.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox, Radio } from "../../../ui/checkbox/checkbox.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { contactCalls, contactsKey, doublesQuery, type Pair } from "./contact-calls.ts";
import { valuesOf } from "./contact-dialog.tsx";
import styles from "./contacts.module.css";

type Props = { readonly onClose: () => void };

export function DoublesDialog({ pair, onClose }: Props & { readonly pair: Pair | undefined }) {
  return pair === undefined ? (
    <AllDoubles onClose={onClose} />
  ) : (
    <Compare {...{ pair, onClose }} onDone={onClose} />
  );
}

function AllDoubles({ onClose }: Props) {
  const { data, isFetching } = useQuery(doublesQuery);
  const [total] = useState(data?.count ?? 0);
  const pair = data?.results[0];
  const left = data?.count ?? 0;
  const isOver = pair === undefined && !isFetching;
  useEffect(() => {
    if (isOver) onClose();
  }, [isOver, onClose]);
  if (pair === undefined) return null;
  const place = { index: Math.max(1, total - left + 1), total: Math.max(total, left) };
  return <Compare key={`${pair.first.id}${pair.second.id}`} {...{ pair, place, onClose }} />;
}

const PARTS = [
  { name: "full_name", label: "Nom" },
  { name: "email", label: "Email" },
  { name: "phone_number", label: "Téléphone" },
  { name: "company", label: "Société" },
] as const;
type Part = (typeof PARTS)[number]["name"];
type Side = "first" | "second";

function shown(contact: Contact, part: Part): string {
  const value = contact[part] ?? "";
  return part === "phone_number" && value !== "" ? formatPhone(value) : value;
}

function cameWords({ origin, last_sent_at, created_at }: Contact): string {
  if (last_sent_at !== null) return `Envoyé le ${formatDay(last_sent_at)}`;
  return `${origin === "imported" ? "Importé" : "Ajouté"} le ${formatDay(created_at)}`;
}

type CompareProps = {
  readonly pair: Pair;
  readonly place?: { readonly index: number; readonly total: number };
  readonly onDone?: () => void;
  readonly onClose: () => void;
};

function useAnswer(onDone: (() => void) | undefined) {
  const client = useQueryClient();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState<"merge" | "separate">();
  const run = async (kind: "merge" | "separate", call: () => Promise<unknown>, done: string) => {
    setFailure(undefined);
    setBusy(kind);
    try {
      await call();
      onDone?.();
      showToast("ok", done);
      void client.invalidateQueries({ queryKey: ["suggestions"] });
      await client.invalidateQueries({ queryKey: contactsKey });
    } catch (error) {
      setFailure(callMessage(error, "Les contacts n’ont pas changé. Réessayez dans un instant."));
    }
    setBusy(undefined);
  };
  return { failure, busy, run };
}

function Compare({ pair, place, onDone, onClose }: CompareProps) {
  const { failure, busy, run } = useAnswer(onDone);
  const [sides, setSides] = useState<Readonly<Record<Part, Side>>>(() => chosenFirst(pair));
  const [keepsBoth, setKeepsBoth] = useState(true);
  const other = pair[sides.email === "first" ? "second" : "first"].email;
  const { second, lost } = secondOf(pair, { email: pair[sides.email].email, other, keepsBoth });
  const merge = () =>
    run("merge", () => contactCalls.merge(mergeOf(pair, { sides, second })), "Contacts fusionnés");
  const separate = () =>
    run(
      "separate",
      () => contactCalls.separate(pair.first.id, pair.second.id),
      "Deux personnes\u00a0: la question ne reviendra pas",
    );
  return (
    <Dialog
      title={
        <>
          {"Le même contact\u202f? "}
          {place && (
            <span className="muted num">{`${formatCount(place.index)} sur ${formatCount(place.total)}`}</span>
          )}
        </>
      }
      size="lg"
      sheet
      locked={busy !== undefined}
      onClose={onClose}
      actions={<Answers {...{ busy, merge, separate }} />}
    >
      <div className="stack">
        {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
        <p>Choisissez ce qu’il faut garder. Les enveloppes des deux restent.</p>
        <Columns
          {...{ pair, sides }}
          onSide={(part, side) => setSides({ ...sides, [part]: side })}
        />
        <Checkbox
          label={`Garder ${other} comme seconde adresse`}
          checked={keepsBoth}
          onChange={(event) => setKeepsBoth(event.target.checked)}
        />
        {lost.length > 0 && (
          <p className="muted small break">{`Un contact a deux adresses au plus\u00a0: ${lost.join(", ")} partira.`}</p>
        )}
      </div>
    </Dialog>
  );
}

type AnswersProps = {
  readonly busy: "merge" | "separate" | undefined;
  readonly merge: () => Promise<void>;
  readonly separate: () => Promise<void>;
};

function Answers({ busy, merge, separate }: AnswersProps) {
  return (
    <>
      <Button
        variant="ghost"
        loading={busy === "separate"}
        blocked={busy === "merge"}
        onClick={() => void separate()}
      >
        Ce sont deux personnes
      </Button>
      <Button
        variant="primary"
        loading={busy === "merge"}
        blocked={busy === "separate"}
        onClick={() => void merge()}
      >
        Fusionner
      </Button>
    </>
  );
}

type Addresses = {
  readonly email: string;
  readonly other: string;
  readonly keepsBoth: boolean;
};

/** The merged contact's second address, and the addresses for which it has no place. */
function secondOf({ first, second }: Pair, { email, other, keepsBoth }: Addresses) {
  const former = [first.second_email, second.second_email].filter(
    (address) => address !== null && address !== email && address !== other,
  ) as readonly string[];
  const [kept = "", ...lost] = keepsBoth ? [other, ...former] : former;
  return { second: kept, lost };
}

/** Chooses the side that has a value, the first where both do. */
function chosenFirst({ first }: Pair): Readonly<Record<Part, Side>> {
  const side = (part: Part): Side => (shown(first, part) === "" ? "second" : "first");
  return {
    full_name: side("full_name"),
    email: side("email"),
    phone_number: side("phone_number"),
    company: side("company"),
  };
}

function mergeOf(
  pair: Pair,
  { sides, second }: { readonly sides: Readonly<Record<Part, Side>>; readonly second: string },
) {
  const part = (name: Part) => valuesOf(pair[sides[name]])[name];
  return {
    first: pair.first.id,
    second: pair.second.id,
    contact: {
      full_name: part("full_name"),
      email: part("email"),
      second_email: second,
      phone_number: part("phone_number"),
      company: part("company"),
    },
  };
}

type ColumnsProps = {
  readonly pair: Pair;
  readonly sides: Readonly<Record<Part, Side>>;
  readonly onSide: (part: Part, side: Side) => void;
};

function Columns({ pair, sides, onSide }: ColumnsProps) {
  const id = useId();
  return (
    <div className={styles["diff"]}>
      <div className={styles["corner"]} />
      <div className={styles["came"]}>{cameWords(pair.first)}</div>
      <div className={styles["came"]}>{cameWords(pair.second)}</div>
      {PARTS.map(({ name, label }) => {
        const [one, two] = [shown(pair.first, name), shown(pair.second, name)];
        return (
          <Fragment key={name}>
            <div className={styles["part"]} id={`${id}-${name}`}>
              {label}
            </div>
            {one === two ? (
              <div className={styles["both"]}>{one || <span className="muted">aucun</span>}</div>
            ) : (
              <div className={styles["sides"]} role="radiogroup" aria-labelledby={`${id}-${name}`}>
                {(["first", "second"] as const).map((side) => (
                  <Radio
                    key={side}
                    name={`${id}-${name}`}
                    checked={sides[name] === side}
                    onChange={() => onSide(name, side)}
                    label={shown(pair[side], name) || <span className="muted">aucun</span>}
                  />
                ))}
              </div>
            )}
          </Fragment>
        );
      })}
    </div>
  );
}
