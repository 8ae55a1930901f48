import type { OrganisationSettings } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "react-router";
import { Card } from "../../ui/card/card.tsx";
import { RequiredNote } from "../../ui/field/field.tsx";
import { KeyValue } from "../../ui/key-value/key-value.tsx";
import { lazyPart } from "../../ui/lazy-step/lazy-step.tsx";
import { TextLink } from "../../ui/link/link-action.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { LeaveGuard } from "../accounts/settings/leave-guard.tsx";
import { SaveBar } from "../accounts/settings/save-bar.tsx";
import {
  FormSkeleton,
  LoadFailure,
  ORGANISATION,
  SettingsLayout,
} from "../accounts/settings/settings-layout.tsx";
import { fullName, useSession } from "../accounts/use-session.ts";
import { IdentityFields, useIdentityForm } from "./identity-fields.tsx";
import { settingsQuery } from "./organisation-calls.ts";
import { RegistrationFields, useRegistrationForm } from "./registration-fields.tsx";
import { SaveFailure } from "./save-failure.tsx";
import { LinkTabs } from "../../ui/tabs/link-tabs.tsx";

const TABS = [
  { to: ORGANISATION.to, label: "Identité" },
  { to: `${ORGANISATION.to}/couleurs`, label: "Couleurs" },
  { to: `${ORGANISATION.to}/inscription`, label: "Inscription" },
  { to: `${ORGANISATION.to}/connexion`, label: "Connexion" },
] as const;

const SignInCards = lazyPart(
  async () => (await import("./sign-in-cards.tsx")).SignInCards,
  <FormSkeleton lines={6} label="Chargement des moyens de connexion…" />,
);

const AccessCard = lazyPart(
  async () => (await import("./access-card.tsx")).AccessCard,
  <FormSkeleton lines={4} label="Chargement du second facteur et des sessions…" />,
);

const ColoursCards = lazyPart(
  async () => (await import("./colours-cards.tsx")).ColoursCards,
  <FormSkeleton lines={4} label="Chargement des couleurs…" />,
);

export function OrganisationPage() {
  const { pathname } = useLocation();
  const { data, error, refetch } = useQuery(settingsQuery);
  const tab = TABS.find(({ to }) => to === pathname.replace(/\/$/, "")) ?? TABS[0];
  return (
    <SettingsLayout title={ORGANISATION.label} lede={data?.identity?.name ?? "Votre organisation"}>
      <LinkTabs label="Réglages de l’organisation" current={tab.to} tabs={TABS} />
      {data === undefined && error === null && (
        <FormSkeleton lines={4} label="Chargement de l’organisation…" />
      )}
      {data === undefined && error !== null && (
        <LoadFailure
          error={error}
          fallback="Impossible de charger l’organisation"
          onRetry={() => void refetch()}
        />
      )}
      {data !== undefined && <TabCards tab={tab.label} settings={data} />}
    </SettingsLayout>
  );
}

type Props = { readonly settings: OrganisationSettings };

function TabCards({ tab, settings }: Props & { readonly tab: (typeof TABS)[number]["label"] }) {
  if (tab === "Couleurs") return <ColoursCards settings={settings} />;
  if (tab === "Connexion")
    return (
      <>
        <AccessCard settings={settings} />
        <SignInCards organisation={settings.identity?.name} />
      </>
    );
  if (tab === "Inscription") return <RegistrationCard settings={settings} />;
  return <IdentityCards settings={settings} />;
}

function IdentityCards({ settings }: Props) {
  const { form, failure, save, show } = useIdentityForm(settings);
  const { isDirty, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async (identity) => {
    if (await save(identity)) showToast("ok", "Organisation enregistrée");
  });
  return (
    <>
      <form
        className="card"
        noValidate
        aria-labelledby="titre-identite"
        onSubmit={(event) => void submit(event)}
      >
        <div className="card__head">
          <div className="grow">
            <h2 className="h2" id="titre-identite">
              Identité légale
            </h2>
            <p className="muted small">
              Reprise dans les certificats, les mentions légales et la page de confidentialité
            </p>
          </div>
        </div>
        <div className="card__body stack stack--lg">
          <SaveFailure error={failure} onReread={show} />
          <RequiredNote fields="most" />
          <IdentityFields form={form} />
        </div>
        <SaveBar dirty={isDirty} saving={isSubmitting} onCancel={() => show(settings)} />
        <LeaveGuard dirty={isDirty && !isSubmitting} />
      </form>
      {settings.identity !== null && <WhereShown name={settings.identity.name} />}
    </>
  );
}

function WhereShown({ name }: { readonly name: string }) {
  const session = useSession();
  const sender = session.state === "member" ? fullName(session.user) : "";
  return (
    <Card id="titre-ou" title="Où ces mots paraissent">
      <KeyValue
        entries={[
          ["Certificats", `O = ${name}`],
          ["Emails", `${sender} via ${name}`],
          [
            "Pages publiques",
            <>
              <TextLink to="/conditions#mentions-legales">Mentions légales</TextLink>,{" "}
              <TextLink to="/confidentialite">Confidentialité</TextLink>
            </>,
          ],
        ]}
      />
    </Card>
  );
}

function RegistrationCard({ settings }: Props) {
  const { values, change, fault, failure, saving, dirty, save, show } =
    useRegistrationForm(settings);
  return (
    <form
      className="card"
      noValidate
      aria-labelledby="titre-inscription"
      onSubmit={(event) => {
        event.preventDefault();
        void save().then((saved) => saved && showToast("ok", "Organisation enregistrée"));
      }}
    >
      <div className="card__head">
        <h2 className="h2 grow" id="titre-inscription">
          Qui peut créer un compte
        </h2>
      </div>
      <div className="card__body stack stack--lg">
        <SaveFailure error={failure} onReread={show} />
        <RegistrationFields values={values} change={change} fault={fault} />
      </div>
      <SaveBar dirty={dirty} saving={saving} onCancel={() => show(settings)} />
      <LeaveGuard dirty={dirty && !saving} />
    </form>
  );
}
