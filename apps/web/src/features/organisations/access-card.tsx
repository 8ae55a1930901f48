import {
  FACTOR_DAY_FAULT,
  IDLE_HOURS,
  type OrganisationMember,
  type OrganisationSettings,
  PASSWORD_LENGTHS,
  SECOND_FACTOR_GRACE_DAYS,
} from "@paraphe/contracts";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { formatLongDay } from "@paraphe/kernel/french-dates";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { DateField } from "../../ui/date-field/date-field.tsx";
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
  readonly second_factor_on: string;
  readonly confirms_signatures: boolean;
  readonly password_min_length: number | null;
  readonly idle_hours: number | null;
};

function valuesOf({ access }: OrganisationSettings): Values {
  const { second_factor_by, confirms_signatures, password_min_length, idle_hours } = access;
  return {
    second_factor: second_factor_by !== null,
    second_factor_on:
      second_factor_by === null
        ? addDays(parisDay(new Date()), SECOND_FACTOR_GRACE_DAYS)
        : parisDay(new Date(second_factor_by)),
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
  const [dayFault, setDayFault] = useState<string>();
  const [saving, setSaving] = useState(false);
  const dirty = (Object.keys(kept) as (keyof Values)[]).some((name) => values[name] !== kept[name]);
  const show = (saved: OrganisationSettings) => {
    setFailure(undefined);
    setDayFault(undefined);
    client.setQueryData(settingsQuery.queryKey, saved);
    setValues(valuesOf(saved));
  };
  const save = async () => {
    setFailure(undefined);
    const { second_factor_on: day, ...others } = values;
    const isNew = values.second_factor && (day !== kept.second_factor_on || !kept.second_factor);
    if (isNew && !isFactorDay(day)) return setDayFault(FACTOR_DAY_FAULT);
    setSaving(true);
    try {
      const from = isNew ? { second_factor_on: day } : {};
      show(await saveAccess({ ...others, ...from, version: settings.version }));
      showToast("ok", "Organisation enregistrée");
      // The session carries the day and the minimum length of passwords.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    } catch (error) {
      setFailure(error);
    } finally {
      setSaving(false);
    }
  };
  const change = (part: Partial<Values>) => {
    setDayFault(undefined);
    setValues({ ...values, ...part });
  };
  return { values, kept, change, failure, dayFault, saving, dirty, save, show };
}

export function AccessCard({ settings }: Settings) {
  const form = useAccessForm({ settings });
  const { failure, saving, dirty, save, show } = form;
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
        <FactorRows {...form} />
        <LimitRows settings={settings} {...form} />
      </div>
      <SaveBar dirty={dirty} saving={saving} onCancel={() => show(settings)} />
      <LeaveGuard dirty={dirty && !saving} />
    </form>
  );
}

const chosen = (value: string) => (value === "" ? null : Number(value));

function isFactorDay(day: string): boolean {
  const today = parisDay(new Date());
  return /^\d{4}-\d{2}-\d{2}$/u.test(day) && day > today && day <= addDays(today, 365);
}

type Form = ReturnType<typeof useAccessForm>;

function LimitRows({ settings, values, change }: Settings & Pick<Form, "values" | "change">) {
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

type FactorProps = Pick<Form, "values" | "kept" | "change" | "dayFault">;

const askedDay = (day: string, kept: Form["kept"]) =>
  isFactorDay(day) ? day : kept.second_factor_on;

const EACH_SIGNATURE =
  "Dès l’enregistrement\u00a0: les membres signent et approuvent dans leur compte seulement, et ajoutent d’abord l’une des deux. Un visa ne la demande pas. La preuve le dira\u00a0: «\u00a0confirmée par clé d’accès\u00a0».";

function FactorRows({ values, kept, change, dayFault }: FactorProps) {
  const { data } = useQuery(membersQuery);
  const { second_factor_on: day } = values;
  const asked = values.second_factor ? askedDay(day, kept) : null;
  return (
    <>
      <SettingRow
        title="Exiger une clé d’accès ou une application d’authentification"
        titleId="titre-exiger"
        control={
          <Switch
            aria-labelledby="titre-exiger"
            checked={values.second_factor}
            onChange={({ target }) =>
              change({
                second_factor: target.checked,
                second_factor_on: target.checked ? day : kept.second_factor_on,
              })
            }
          />
        }
      >
        {data !== undefined && <p>{whoLacksOne(data.members, asked, new Date())}</p>}
      </SettingRow>
      {values.second_factor && (
        <SettingRow
          title="À ajouter avant le"
          stacked
          control={
            <DateField
              label="À ajouter avant le"
              hideLabel
              required
              shortYear
              min={addDays(parisDay(new Date()), 1)}
              value={day}
              error={dayFault}
              onChange={(next) => change({ second_factor_on: next })}
            />
          }
        />
      )}
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
        <p>{EACH_SIGNATURE}</p>
      </SettingRow>
    </>
  );
}

const havingWords = (having: number, all: number) =>
  having === 1 ? `1 membre sur ${all} en a une.` : `${having} membres sur ${all} en ont une.`;

/** `day`: by when it is required; null when it is not. */
export function whoLacksOne(
  members: readonly Pick<OrganisationMember, "has_second_factor">[],
  day: string | null,
  now: Date,
): string {
  const all = members.length;
  const having = members.filter((member) => member.has_second_factor === true).length;
  if (having === all)
    return all === 1 ? "Le seul membre en a une." : `Les ${all} membres en ont une.`;
  if (day === null) return having === 0 ? "Aucun membre n’en a." : havingWords(having, all);
  const isOver = day <= parisDay(now);
  const rest = all - having;
  const until = isOver
    ? `en ${rest === 1 ? "ajoutera" : "ajouteront"} une à la prochaine visite`
    : `${rest === 1 ? "doit" : "doivent"} en ajouter une avant le ${formatLongDay(`${day}T12:00:00Z`)}`;
  if (having === 0)
    return all === 1
      ? `Le seul membre n’en a pas et ${until}.`
      : `Aucun membre n’en a. Tous ${until}.`;
  return `${havingWords(having, all)} ${rest === 1 ? "L’autre" : `Les ${rest} autres`} ${until}.`;
}
