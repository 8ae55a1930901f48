import {
  IDLE_HOURS,
  type OrganisationMember,
  type OrganisationSettings,
  PASSWORD_LENGTHS,
  SECOND_FACTOR_GRACE_DAYS,
} from "@paraphe/contracts";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { formatLongDayMonth } from "@paraphe/kernel/french-dates";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { SelectField } from "../../ui/field/field.tsx";
import { Switch } from "../../ui/switch/switch.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { LeaveGuard } from "../accounts/settings/leave-guard.tsx";
import { SaveBar } from "../accounts/settings/save-bar.tsx";
import { SettingRow } from "../accounts/settings/setting-row.tsx";
import { sessionQuery } from "../accounts/use-session.ts";
import { membersQuery } from "./members/member-calls.ts";
import { saveAccess, settingsQuery } from "./organisation-calls.ts";
import { SaveFailure } from "./save-failure.tsx";

type Settings = { readonly settings: OrganisationSettings };
type Values = {
  readonly second_factor: boolean;
  readonly confirms_signatures: boolean;
  readonly password_min_length: number | null;
  readonly idle_hours: number | null;
};

function valuesOf({ access }: OrganisationSettings): Values {
  const { second_factor_by, confirms_signatures, password_min_length, idle_hours } = access;
  return {
    second_factor: second_factor_by !== null,
    confirms_signatures,
    password_min_length,
    idle_hours,
  };
}

function useAccessForm({ settings }: Settings) {
  const client = useQueryClient();
  const kept = valuesOf(settings);
  const [values, setValues] = useState(kept);
  const [failure, setFailure] = useState<unknown>();
  const [saving, setSaving] = useState(false);
  const dirty = (Object.keys(kept) as (keyof Values)[]).some((name) => values[name] !== kept[name]);
  const show = (saved: OrganisationSettings) => {
    setFailure(undefined);
    client.setQueryData(settingsQuery.queryKey, saved);
    setValues(valuesOf(saved));
  };
  const save = async () => {
    setFailure(undefined);
    setSaving(true);
    try {
      show(await saveAccess({ ...values, version: settings.version }));
      showToast("ok", "Organisation enregistrée");
      // The session carries the day and the minimum length of passwords.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    } catch (error) {
      setFailure(error);
    } finally {
      setSaving(false);
    }
  };
  const change = (part: Partial<Values>) => setValues({ ...values, ...part });
  return { values, change, failure, saving, dirty, save, show };
}

export function AccessCard({ settings }: Settings) {
  const { values, change, failure, saving, dirty, save, show } = useAccessForm({ settings });
  return (
    <form
      className="card"
      noValidate
      aria-labelledby="titre-acces"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="card__head">
        <h2 className="h2 grow" id="titre-acces">
          Second facteur et sessions
        </h2>
      </div>
      <div className="card__body">
        <SaveFailure error={failure} onReread={show} />
        <FactorRows {...{ settings, values, change }} />
        <LimitRows {...{ settings, values, change }} />
      </div>
      <SaveBar dirty={dirty} saving={saving} onCancel={() => show(settings)} />
      <LeaveGuard dirty={dirty && !saving} />
    </form>
  );
}

const chosen = (value: string) => (value === "" ? null : Number(value));

function LimitRows({ settings, values, change }: RowsProps) {
  const { service_password_min_length: least } = settings.access;
  const lengths = PASSWORD_LENGTHS.filter((length) => length > least);
  return (
    <>
      <SettingRow
        title={"Mot de passe\u00a0: longueur minimale"}
        stacked
        control={
          <SelectField
            label="Mot de passe, longueur minimale"
            hideLabel
            size="sm"
            value={values.password_min_length ?? ""}
            onChange={({ target }) => change({ password_min_length: chosen(target.value) })}
          >
            <option value="">{`${least} caractères`}</option>
            {lengths.map((length) => (
              <option key={length} value={length}>{`${length} caractères`}</option>
            ))}
          </SelectField>
        }
      >
        <p>Appliquée au prochain changement.</p>
      </SettingRow>
      <SettingRow
        title="Fermer une session inactive après"
        stacked
        control={
          <SelectField
            label="Fermer une session inactive après"
            hideLabel
            size="sm"
            value={values.idle_hours ?? ""}
            onChange={({ target }) => change({ idle_hours: chosen(target.value) })}
          >
            {IDLE_HOURS.map((hours) => (
              <Fragment key={hours}>
                {hours === FIRST_ABOVE_DEFAULT && <option value="">2 heures</option>}
                <option value={hours}>{IDLE_WORDS[hours]}</option>
              </Fragment>
            ))}
          </SelectField>
        }
      >
        {values.idle_hours === null && (
          <p>
            14 jours avec «{"\u00a0"}Rester connecté{"\u00a0"}».
          </p>
        )}
      </SettingRow>
    </>
  );
}

/** The default of two hours is listed before this choice. */
const FIRST_ABOVE_DEFAULT = 8;
const IDLE_WORDS: Readonly<Record<(typeof IDLE_HOURS)[number], string>> = {
  1: "1 heure",
  8: "8 heures",
  168: "7 jours",
  720: "30 jours",
};

type RowsProps = Settings & Pick<ReturnType<typeof useAccessForm>, "values" | "change">;

function FactorRows({ settings, values, change }: RowsProps) {
  const { data } = useQuery(membersQuery);
  return (
    <>
      <SettingRow
        title="Exiger une clé d’accès ou une application d’authentification"
        titleId="titre-exiger"
        control={
          <Switch
            aria-labelledby="titre-exiger"
            checked={values.second_factor}
            onChange={({ target }) => change({ second_factor: target.checked })}
          />
        }
      >
        {data !== undefined && (
          <p>{whoLacksOne(data.members, settings.access.second_factor_by, new Date())}</p>
        )}
      </SettingRow>
      <SettingRow
        title="La redemander avant chaque signature"
        titleId="titre-redemander"
        control={
          <Switch
            aria-labelledby="titre-redemander"
            checked={values.confirms_signatures}
            onChange={({ target }) => change({ confirms_signatures: target.checked })}
          />
        }
      >
        <p>
          La preuve le dira{"\u00a0"}: «{"\u00a0"}confirmée par clé d’accès{"\u00a0"}».
        </p>
      </SettingRow>
    </>
  );
}

/** `by`: the announced day; null for the day that saving will announce. */
export function whoLacksOne(
  members: readonly Pick<OrganisationMember, "has_second_factor">[],
  by: string | null,
  now: Date,
): string {
  const all = members.length;
  const having = members.filter((member) => member.has_second_factor === true).length;
  if (having === all)
    return all === 1 ? "Le seul membre en a une." : `Les ${all} membres en ont une.`;
  const day = by ?? addDays(parisDay(now), SECOND_FACTOR_GRACE_DAYS);
  const isOver = by !== null && new Date(by) <= now;
  const rest = all - having;
  const until = isOver
    ? `en ${rest === 1 ? "ajoutera" : "ajouteront"} une à la prochaine visite`
    : `${rest === 1 ? "aura" : "auront"} jusqu’au ${formatLongDayMonth(by === null ? `${day}T12:00:00Z` : by)}`;
  if (having === 0)
    return all === 1
      ? `Le seul membre n’en a pas et ${until}.`
      : `Aucun membre n’en a. Tous ${until}.`;
  const have =
    having === 1 ? `1 membre sur ${all} en a une.` : `${having} membres sur ${all} en ont une.`;
  return `${have} ${rest === 1 ? "L’autre" : `Les ${rest} autres`} ${until}.`;
}
