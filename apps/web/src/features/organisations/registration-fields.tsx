import type { OrganisationSettings, RegistrationChoice } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ApiError } from "../../lib/api/api-error.ts";
import { loadPart } from "../../lib/api/load-part.ts";
import { TextField } from "../../ui/field/field.tsx";
import { sessionQuery } from "../accounts/use-session.ts";
import { saveRegistration, settingsQuery } from "./organisation-calls.ts";
import styles from "./organisation.module.css";

type Kind = RegistrationChoice["kind"];
export type RegistrationValues = { readonly kind: Kind; readonly domains: string };

function valuesOf({ registration }: OrganisationSettings): RegistrationValues {
  return { kind: registration.kind, domains: registration.domains.join(", ") };
}

const ADVISED: RegistrationValues = { kind: "closed", domains: "" };

function choiceOf({ kind, domains }: RegistrationValues): RegistrationChoice {
  const named = domains.split(/[\s,;]+/).filter(Boolean);
  return { kind, domains: kind === "domains" ? named : [] };
}

/** `isFirst`: an unmade choice starts from the advised one. `fault`: of the domains; `failure`: a refusal that belongs to no field. */
export function useRegistrationForm(settings: OrganisationSettings, { isFirst = false } = {}) {
  const client = useQueryClient();
  const [values, setValues] = useState(() =>
    isFirst && !settings.registration.is_chosen ? ADVISED : valuesOf(settings),
  );
  const [fault, setFault] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const [saving, setSaving] = useState(false);
  const kept = valuesOf(settings);
  const dirty =
    values.kind !== kept.kind || (values.kind === "domains" && values.domains !== kept.domains);
  const change = (next: RegistrationValues) => {
    setFault(undefined);
    setValues(next);
  };
  const show = (saved: OrganisationSettings) => {
    setFault(undefined);
    setFailure(undefined);
    client.setQueryData(settingsQuery.queryKey, saved);
    setValues(valuesOf(saved));
  };
  const save = async (): Promise<boolean> => {
    setFailure(undefined);
    setSaving(true);
    try {
      const { registrationRules } = await loadPart(() => import("./organisation-rules.ts"));
      const choice = registrationRules.safeParse(choiceOf(values));
      setFault(choice.error?.issues[0]?.message);
      if (!choice.success) return false;
      show(await saveRegistration({ choice: choice.data, version: settings.version }));
      // The rules of the service come with the session.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      return true;
    } catch (error) {
      const refused = error instanceof ApiError ? Object.values(error.fieldErrors)[0] : undefined;
      if (refused) setFault(refused.join(" "));
      else setFailure(error);
      return false;
    } finally {
      setSaving(false);
    }
  };
  return { values, change, fault, failure, saving, dirty, save, show };
}

const CHOICES: readonly (readonly [Kind, label: string, help: string])[] = [
  ["closed", "Sur invitation", "Conseillé. Vous invitez chaque personne."],
  [
    "domains",
    "Les adresses de certains domaines",
    "La personne confirme son adresse, puis son compte s’ouvre.",
  ],
  ["open", "Tout le monde", "À éviter hors d’un essai."],
];

type Props = Pick<ReturnType<typeof useRegistrationForm>, "values" | "change" | "fault">;

export function RegistrationFields({ values, change, fault }: Props) {
  const id = useId();
  return (
    <fieldset className={styles["choices"]}>
      <legend className="sr">Qui peut créer un compte</legend>
      {CHOICES.map(([kind, label, help]) => (
        <div className={styles["choice"]} key={kind}>
          <input
            type="radio"
            id={`${id}-${kind}`}
            name={id}
            checked={values.kind === kind}
            onChange={() => change({ ...values, kind })}
          />
          <label htmlFor={`${id}-${kind}`}>
            <b>{label}</b> <small>{help}</small>
          </label>
          {kind === "domains" && values.kind === "domains" && (
            <div className={styles["more"]}>
              <TextField
                label="Domaines"
                required
                autoCapitalize="none"
                spellCheck={false}
                placeholder="cabinet-aubry.fr"
                help="Séparés par des virgules. Les messageries publiques sont refusées."
                error={fault}
                value={values.domains}
                onChange={(event) => change({ ...values, domains: event.target.value })}
              />
            </div>
          )}
        </div>
      ))}
    </fieldset>
  );
}
