import type {
  ProviderKind,
  ProviderList,
  ProviderRequest,
  ProviderSettings,
} from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, useEffect, useState, type ReactNode } from "react";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { loadPart } from "../../lib/api/load-part.ts";
import { formatDay, formatShortInstant } from "../../lib/format/format-dates.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Badge } from "../../ui/badge/badge.tsx";
import { Button, buttonLook } from "../../ui/button/button.tsx";
import { Card } from "../../ui/card/card.tsx";
import { Checkbox } from "../../ui/checkbox/checkbox.tsx";
import { CopyField } from "../../ui/copy-field/copy-field.tsx";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { SelectField, TextField } from "../../ui/field/field.tsx";
import { PasswordField } from "../../ui/field/password-field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { Switch } from "../../ui/switch/switch.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { followTrials, type TrialResult } from "../accounts/login/provider-calls.ts";
import { vouchedWords } from "../accounts/login/provider-return-page.tsx";
import { LeaveGuard } from "../accounts/settings/leave-guard.tsx";
import { SaveBar } from "../accounts/settings/save-bar.tsx";
import { SettingRow } from "../accounts/settings/setting-row.tsx";
import { FormSkeleton, LoadFailure } from "../accounts/settings/settings-layout.tsx";
import { sessionQuery } from "../accounts/use-session.ts";
import { providersQuery, removeProvider, saveProvider } from "./organisation-calls.ts";
import styles from "./organisation.module.css";

const FAILED = "Impossible d’enregistrer l’organisation";

export function SignInCards({ organisation }: { readonly organisation: string | undefined }) {
  const { data, error, refetch } = useQuery(providersQuery);
  const trial = useTrial();
  if (data === undefined)
    return error === null ? (
      <FormSkeleton lines={6} label="Chargement des moyens de connexion…" />
    ) : (
      <LoadFailure
        error={error}
        fallback="Impossible de charger les moyens de connexion"
        onRetry={() => void refetch()}
      />
    );
  return (
    <>
      <OidcCard list={data} trial={trial} organisation={organisation} />
      <ProConnectCard list={data} trial={trial} />
    </>
  );
}

function useTrial(): TrialResult | undefined {
  const [trial, setTrial] = useState<TrialResult>();
  const client = useQueryClient();
  useEffect(
    () =>
      followTrials((result) => {
        setTrial(result);
        void client.invalidateQueries({ queryKey: providersQuery.queryKey });
      }),
    [client],
  );
  return trial;
}

type Values = {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly label: string;
  readonly domains: string;
  readonly arrival_role: string;
  readonly role_claim: string;
  readonly is_only_way: boolean;
};
type Faults = Partial<Record<keyof Values, string>>;

function valuesOf(list: ProviderList, kind: ProviderKind, fresh: Partial<Values>): Values {
  const stored = list[kind];
  return {
    issuer: stored?.issuer ?? fresh.issuer ?? "",
    client_id: stored?.client_id ?? "",
    client_secret: "",
    label: stored?.label ?? fresh.label ?? "",
    domains: stored?.domains.join(", ") ?? "",
    arrival_role: stored?.arrival_role ?? "member",
    role_claim: stored?.role_claim ?? "",
    is_only_way: stored?.is_only_way ?? false,
  };
}

/** `failure`: a refusal that belongs to no field. */
function useProviderForm(list: ProviderList, kind: ProviderKind, fresh: Partial<Values>) {
  const client = useQueryClient();
  const kept = valuesOf(list, kind, fresh);
  const [values, setValues] = useState(kept);
  const [faults, setFaults] = useState<Faults>({});
  const [failure, setFailure] = useState<string>();
  const [saving, setSaving] = useState(false);
  const stored = list[kind];
  const dirty = (Object.keys(kept) as (keyof Values)[]).some((name) => values[name] !== kept[name]);
  const show = (next: ProviderList) => {
    setFaults({});
    setFailure(undefined);
    client.setQueryData(providersQuery.queryKey, next);
    setValues(valuesOf(next, kind, fresh));
    // The session carries the ways to sign in.
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const attempt = async (work: () => Promise<ProviderList | undefined>, done: string) => {
    setSaving(true);
    setFailure(undefined);
    try {
      const next = await work();
      if (next === undefined) return;
      show(next);
      showToast("ok", done);
    } catch (error) {
      const errors = error instanceof ApiError ? Object.entries(error.fieldErrors) : [];
      if (errors.length > 0) setFaults(faultsOf(errors.map(([name, [text]]) => [name, text])));
      else setFailure(callMessage(error, FAILED));
    } finally {
      setSaving(false);
    }
  };
  const save = () =>
    attempt(async () => {
      const checked = await checkValues(values, stored);
      setFaults(checked.faults);
      return checked.request && saveProvider(kind, checked.request);
    }, "Organisation enregistrée");
  const remove = () => attempt(() => removeProvider(kind), "Moyen de connexion retiré");
  const change = (part: Partial<Values>) => {
    setFaults({});
    setValues({ ...values, ...part });
  };
  return {
    kind,
    stored,
    values,
    faults,
    failure,
    saving,
    dirty,
    change,
    save,
    remove,
    reset: () => show(list),
  };
}

async function checkValues(
  values: Values,
  stored: ProviderSettings | null,
): Promise<{ readonly request?: ProviderRequest; readonly faults: Faults }> {
  const { providerRules } = await loadPart(() => import("./organisation-rules.ts"));
  const parsed = providerRules.safeParse(requestOf(values, stored?.version ?? 0));
  const lacksSecret = stored === null && values.client_secret === "";
  if (parsed.success && !lacksSecret) return { request: parsed.data, faults: {} };
  const issues = parsed.error?.issues ?? [];
  const found = faultsOf(issues.map(({ path, message }) => [String(path[0]), message]));
  return { faults: lacksSecret ? { ...found, client_secret: "Secret requis" } : found };
}

type Form = ReturnType<typeof useProviderForm>;

function faultsOf(found: readonly (readonly [string, string | undefined])[]): Faults {
  return Object.fromEntries(
    found.map(([name, message]) => [name.split(".")[0] ?? name, message ?? ""]).toReversed(),
  );
}

function requestOf(values: Values, version: number): unknown {
  const { client_secret: secret, domains, role_claim: claim, ...rest } = values;
  return {
    ...rest,
    ...(secret === "" ? {} : { client_secret: secret }),
    domains: domains.split(/[\s,;]+/).filter(Boolean),
    role_claim: claim === "" ? null : claim,
    version,
  };
}

type CardProps = { readonly list: ProviderList; readonly trial: TrialResult | undefined };

function OidcCard({
  list,
  trial,
  organisation,
}: CardProps & { readonly organisation: string | undefined }) {
  const label = organisation === undefined ? "Compte de l’organisation" : `Compte ${organisation}`;
  const form = useProviderForm(list, "oidc", { label: label.slice(0, 60) });
  const { stored, values, faults, change } = form;
  return (
    <ProviderFormFrame
      form={form}
      trial={trial}
      title="Compte de l’organisation (OpenID Connect)"
      about="Les comptes se créent à la première connexion, et leurs sessions se ferment avec celles du fournisseur"
    >
      <ClientFields
        form={form}
        list={list}
        help="Keycloak, Microsoft Entra, Google Workspace, Okta…"
      />
      <div className="cols2">
        <TextField
          label="Texte du bouton"
          required
          error={faults.label}
          value={values.label}
          onChange={(event) => change({ label: event.target.value })}
        />
        <SelectField
          label="Rôle d’après l’attribut"
          help="Valeurs : paraphe-administrator, paraphe-member, paraphe-reader."
          value={values.role_claim}
          onChange={(event) => change({ role_claim: event.target.value })}
        >
          <option value="">Aucun</option>
          <option value="groups">groups</option>
          <option value="roles">roles</option>
        </SelectField>
      </div>
      <ArrivalFields form={form} />
      <Checkbox
        checked={values.is_only_way}
        disabled={stored?.tested_at === null || stored === null}
        onChange={(event) => change({ is_only_way: event.target.checked })}
        label={
          <>
            Seul moyen de connexion pour les adresses de ces domaines
            <small className={styles["under"]}>
              {stored?.tested_at
                ? "Gardez un propriétaire avec une clé d’accès, en cas de panne du fournisseur."
                : "Une connexion d’essai doit d’abord réussir."}
            </small>
          </>
        }
      />
    </ProviderFormFrame>
  );
}

/** The address of ProConnect's production service. */
const PROCONNECT = "https://auth.agentconnect.gouv.fr/api/v2";

function ProConnectCard({ list, trial }: CardProps) {
  const form = useProviderForm(list, "proconnect", { issuer: PROCONNECT, label: "ProConnect" });
  const [opened, setOpened] = useState(false);
  const [asked, setAsked] = useState(false);
  const isOn = form.stored !== null || opened;
  const toggle = () => (form.stored === null ? setOpened(!opened) : setAsked(true));
  const row = (
    <SettingRow
      title="Proposer « S’identifier avec ProConnect »"
      titleId="titre-proposer"
      control={<Switch aria-labelledby="titre-proposer" checked={isOn} onChange={toggle} />}
    >
      <p>
        Pour les agents publics et les professionnels. Demande un enregistrement auprès de la DINUM.
      </p>
    </SettingRow>
  );
  return (
    <>
      {isOn ? (
        <ProviderFormFrame form={form} trial={trial} title="ProConnect" withoutRemoval>
          {row}
          <ClientFields
            form={form}
            list={list}
            help="Celle de la production ; l’environnement d’intégration a la sienne."
          />
          <ArrivalFields form={form} />
        </ProviderFormFrame>
      ) : (
        <Card id="titre-proconnect" title="ProConnect">
          {row}
        </Card>
      )}
      {asked && (
        <RemovalDialog
          form={form}
          onClose={() => {
            setAsked(false);
            setOpened(false);
          }}
        />
      )}
    </>
  );
}

type FrameProps = {
  readonly form: Form;
  readonly trial: TrialResult | undefined;
  readonly title: string;
  readonly about?: string;
  readonly withoutRemoval?: boolean;
  readonly children: ReactNode;
};

function ProviderFormFrame({ form, trial, title, about, withoutRemoval, children }: FrameProps) {
  const { kind, stored, dirty, saving, failure } = form;
  const [asked, setAsked] = useState(false);
  const id = `titre-${kind}`;
  const failed = stored?.trial_failure;
  const kept = failed ? { provider: kind, sentence: failed.sentence } : undefined;
  const shown = trial?.provider === kind ? trial : kept;
  return (
    <form
      className="card"
      noValidate
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        void form.save();
      }}
    >
      <div className="card__head">
        <div className="grow">
          <h2 className="h2" id={id}>
            {title}
          </h2>
          {about !== undefined && <p className="muted small">{about}</p>}
        </div>
        {stored?.tested_at && <Badge tone="completed">Actif</Badge>}
      </div>
      <div className="card__body stack stack--lg">
        {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
        {shown && <TrialReport trial={shown} />}
        {children}
        <p className="muted small">{standingWords(form)}</p>
      </div>
      <SaveBar isSecond dirty={dirty} saving={saving} onCancel={form.reset}>
        {stored !== null && !dirty && (
          <a
            className={buttonLook({ size: "sm" })}
            href={`/auth/${kind}/essai`}
            target="_blank"
            rel="noopener"
            title="Essayer la connexion - nouvelle fenêtre"
          >
            <Icon name="external" size="sm" />
            Essayer la connexion
          </a>
        )}
        {stored !== null && !withoutRemoval && (
          <Button size="sm" onClick={() => setAsked(true)}>
            Retirer
          </Button>
        )}
      </SaveBar>
      <LeaveGuard dirty={dirty && !saving} />
      {asked && <RemovalDialog form={form} onClose={() => setAsked(false)} />}
    </form>
  );
}

function standingWords({ kind, stored }: Form): string {
  if (stored === null)
    return "Enregistrez, puis essayez la connexion\u00a0: elle s’ouvre dans sa fenêtre, et le résultat s’affiche ici, en clair.";
  const button = kind === "proconnect" ? "S’identifier avec ProConnect" : stored.label;
  const shown = `vos membres voient le bouton «\u00a0${button}\u00a0» sous leur mot de passe, après «\u00a0ou avec un autre compte\u00a0»`;
  if (stored.trial_failure !== null)
    return `Dernier essai le ${formatShortInstant(stored.trial_failure.at)}, sans succès. À la connexion, ${shown}.`;
  return stored.tested_at === null
    ? `Pas encore essayée. À la connexion, ${shown}\u00a0: essayez-la sans attendre.`
    : `À la connexion, ${shown}.`;
}

function TrialReport({ trial }: { readonly trial: TrialResult }) {
  return "trial" in trial ? (
    <Alert tone="success" title="L’essai a réussi">
      <p>{vouchedWords(trial.trial)}</p>
    </Alert>
  ) : (
    <Alert tone="danger" title="L’essai n’a pas abouti">
      <p>{trial.sentence}</p>
    </Alert>
  );
}

function RemovalDialog({ form, onClose }: { readonly form: Form; readonly onClose: () => void }) {
  return (
    <ConfirmDialog
      title="Retirer ce moyen de connexion ?"
      message="Les sessions ouvertes le restent. Les comptes créés ainsi se connecteront avec un mot de passe, à demander par « Mot de passe oublié ? »."
      confirmLabel="Retirer"
      tone="danger"
      busy={form.saving}
      onConfirm={() => void form.remove().then(onClose)}
      onCancel={onClose}
    />
  );
}

type FieldsProps = { readonly form: Form };

const GUIDES: Readonly<Record<ProviderKind, readonly (readonly [string, string])[]>> = {
  oidc: [
    [
      "Keycloak",
      "«\u00a0Clients\u00a0», «\u00a0Créer un client\u00a0», type OpenID Connect, avec «\u00a0Authentification du client\u00a0». L’adresse de retour va dans «\u00a0URI de redirection valides\u00a0». Adresse du fournisseur\u00a0: https://votre-serveur/realms/votre-royaume. Identifiant\u00a0: «\u00a0Client ID\u00a0». Secret\u00a0: onglet «\u00a0Identifiants\u00a0» (Credentials). L’adresse de déconnexion va dans «\u00a0Backchannel logout URL\u00a0» du client. Rôles\u00a0: dans une portée du client, un mappeur «\u00a0Group Membership\u00a0» nommé groups, sans le chemin complet (Full group path).",
    ],
    [
      "Microsoft Entra",
      "«\u00a0Inscriptions d’applications\u00a0», «\u00a0Nouvelle inscription\u00a0». L’adresse de retour est une URI de redirection de type Web. Adresse du fournisseur\u00a0: https://login.microsoftonline.com/ID-de-l’annuaire/v2.0. Identifiant\u00a0: «\u00a0ID d’application (client)\u00a0». Secret\u00a0: «\u00a0Certificats et secrets\u00a0», colonne Valeur.",
    ],
    [
      "Google",
      "Console Google Cloud, «\u00a0API et services\u00a0», «\u00a0Identifiants\u00a0», «\u00a0ID client OAuth\u00a0» de type Application Web. L’adresse de retour va dans «\u00a0URI de redirection autorisés\u00a0». Adresse du fournisseur\u00a0: https://accounts.google.com. Identifiant et secret s’affichent à la création.",
    ],
  ],
  proconnect: [
    [
      "Inscription",
      "Déclarez votre service dans l’espace partenaires, partenaires.proconnect.gouv.fr, avec les deux adresses ci-dessus. La DINUM l’ouvre ensuite en production.",
    ],
    [
      "Valeurs",
      "Identifiant et secret y sont affichés («\u00a0client ID\u00a0», «\u00a0client secret\u00a0»). L’adresse du fournisseur est déjà remplie pour la production.",
    ],
    ["Signature", "Demandez des informations signées (userinfo en RS256 ou ES256)."],
  ],
};

function Guide({ kind }: { readonly kind: ProviderKind }) {
  return (
    <details className={styles["guide"]}>
      <summary>Où trouver les trois valeurs à saisir ici</summary>
      <dl>
        {GUIDES[kind].map(([name, words]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{words}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
}

function ClientFields({
  form: { kind, stored, values, faults, change },
  list,
  help,
}: FieldsProps & { readonly list: ProviderList; readonly help: string }) {
  const saved = stored && formatDay(stored.secret_saved_at);
  return (
    <>
      <CopyField
        label="Adresse de retour, à déclarer chez le fournisseur"
        value={list.addresses[kind].return}
      />
      <CopyField
        label="Adresse de déconnexion (back-channel logout), si le fournisseur en prévient"
        value={list.addresses[kind].logout}
      />
      <Guide kind={kind} />
      <TextField
        label="Adresse du fournisseur"
        required
        type="url"
        spellCheck={false}
        help={help}
        error={faults.issuer}
        value={values.issuer}
        onChange={(event) => change({ issuer: event.target.value })}
      />
      <div className="cols2">
        <TextField
          label="Identifiant du client"
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={faults.client_id}
          value={values.client_id}
          onChange={(event) => change({ client_id: event.target.value })}
        />
        <PasswordField
          label="Secret du client"
          secret="le secret"
          required={stored === null}
          autoComplete="new-password"
          help={saved ? `Enregistré le ${saved}. Laissez vide pour le garder.` : undefined}
          error={faults.client_secret}
          value={values.client_secret}
          onChange={(event) => change({ client_secret: event.target.value })}
        />
      </div>
    </>
  );
}

function ArrivalFields({ form: { values, faults, change } }: FieldsProps) {
  return (
    <div className="cols2">
      <TextField
        label="Domaines des nouveaux comptes"
        optional
        autoCapitalize="none"
        spellCheck={false}
        placeholder="cabinet-aubry.fr"
        help="Séparés par des virgules. Vide : seuls les comptes déjà là se relient."
        error={faults.domains}
        value={values.domains}
        onChange={(event) => change({ domains: event.target.value })}
      />
      <SelectField
        label="Rôle à l’arrivée"
        value={values.arrival_role}
        onChange={(event) => change({ arrival_role: event.target.value })}
      >
        <option value="member">Membre</option>
        <option value="reader">Lecteur</option>
      </SelectField>
    </div>
  );
}
