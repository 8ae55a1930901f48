import type { OrganisationSettings, User } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon, type IconName } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { FullLoader } from "../../../ui/skeleton/skeleton.tsx";
import { Stepper } from "../../../ui/stepper/stepper.tsx";
import { SuccessStroke } from "../../../ui/success-stroke/success-stroke.tsx";
import { AuthLayout } from "../../accounts/auth-layout.tsx";
import { ServiceAway } from "../../accounts/protected-route.tsx";
import { LeaveGuard } from "../../accounts/settings/leave-guard.tsx";
import { fullName } from "../../accounts/use-session.ts";
import { IdentityFields, useIdentityForm } from "../identity-fields.tsx";
import { settingsQuery } from "../organisation-calls.ts";
import styles from "../organisation.module.css";
import { RegistrationFields, useRegistrationForm } from "../registration-fields.tsx";
import { SaveFailure } from "../save-failure.tsx";

/** A reload opens the first step that was not saved. */
export function OrganisationSteps({ user }: { readonly user: User }) {
  const { data, error, refetch } = useQuery(settingsQuery);
  if (error !== null && data === undefined) return <ServiceAway onRetry={() => void refetch()} />;
  return data === undefined ? <FullLoader /> : <Steps user={user} settings={data} />;
}

const STEPS = ["Vous", "Organisation", "Inscription"] as const;

export function FirstStartStepper({ current }: { readonly current: number }) {
  return <Stepper steps={STEPS} current={current} />;
}

type Step = "account" | "organisation" | "registration" | "ready";

function nextStep({ identity, registration }: OrganisationSettings): Step {
  if (identity === null) return "organisation";
  return registration.is_chosen ? "ready" : "registration";
}

function Steps({ user, settings }: { user: User; settings: OrganisationSettings }) {
  const [step, setStep] = useState<Step>(() => nextStep(settings));
  // Both forms live here, so that going back keeps what was typed.
  const identity = useIdentityForm(settings);
  const registration = useRegistrationForm(settings, { isFirst: true });
  if (step === "account")
    return (
      <Frame key={step} current={0} title="Bienvenue" lede="Votre compte est créé.">
        <p>
          <b className="break">{fullName(user)}</b>, {user.email}
        </p>
        <Button variant="primary" size="lg" block onClick={() => setStep("organisation")}>
          Continuer
        </Button>
      </Frame>
    );
  if (step === "organisation")
    return (
      <OrganisationStep
        key={step}
        {...identity}
        onBack={() => setStep("account")}
        onSaved={() => setStep("registration")}
      />
    );
  if (step === "registration")
    return (
      <RegistrationStep
        key={step}
        {...registration}
        onBack={() => setStep("organisation")}
        onSaved={() => setStep("ready")}
      />
    );
  return <Ready settings={settings} />;
}

type FrameProps = {
  readonly current: number;
  readonly title: string;
  readonly lede: string;
  readonly children: ReactNode;
};

function Frame({ current, title, lede, children }: FrameProps) {
  return (
    <AuthLayout isWide>
      <FirstStartStepper current={current} />
      <div>
        <PageHeading title={title}>{title}</PageHeading>
        <p className="lede">{lede}</p>
      </div>
      {children}
    </AuthLayout>
  );
}

type Moves = { readonly onBack: () => void; readonly onSaved: () => void };

function OrganisationStep({
  form,
  failure,
  save,
  show,
  onBack,
  onSaved,
}: ReturnType<typeof useIdentityForm> & Moves) {
  const { isDirty, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async (values) => {
    if (await save(values)) onSaved();
  });
  return (
    <Frame
      current={1}
      title="Votre organisation"
      lede="Son nom paraît sur les certificats, les emails et les mentions légales."
    >
      <SaveFailure error={failure} onReread={show} />
      <form
        className="stack stack--lg"
        noValidate
        aria-label="Votre organisation"
        onSubmit={(event) => void submit(event)}
      >
        <IdentityFields form={form} isFirst />
        <StepButtons label="Continuer" saving={isSubmitting} onBack={onBack} />
      </form>
      <LeaveGuard dirty={isDirty && !isSubmitting} />
    </Frame>
  );
}

function RegistrationStep({
  values,
  change,
  fault,
  failure,
  saving,
  save,
  show,
  onBack,
  onSaved,
}: ReturnType<typeof useRegistrationForm> & Moves) {
  return (
    <Frame
      current={2}
      title={"Qui peut créer un compte\u202f?"}
      lede="Vous pourrez changer d’avis dans les paramètres."
    >
      <SaveFailure error={failure} onReread={show} />
      <form
        className="stack stack--lg"
        noValidate
        aria-label="Inscription"
        onSubmit={(event) => {
          event.preventDefault();
          void save().then((saved) => saved && onSaved());
        }}
      >
        <RegistrationFields values={values} change={change} fault={fault} />
        <StepButtons label="Terminer" saving={saving} onBack={onBack} />
      </form>
    </Frame>
  );
}

type StepButtonsProps = {
  readonly label: string;
  readonly saving: boolean;
  readonly onBack: () => void;
};

function StepButtons({ label, saving, onBack }: StepButtonsProps) {
  return (
    <div className={styles["back"]}>
      <Button size="lg" onClick={onBack} blocked={saving}>
        Retour
      </Button>
      <Button type="submit" variant="primary" size="lg" loading={saving}>
        {label}
      </Button>
    </div>
  );
}

const NEXT: readonly (readonly [to: string, label: string, icon: IconName])[] = [
  ["/signature/upload", "Envoyer un premier document", "send"],
  ["/settings/membres", "Inviter des membres", "user"],
  ["/settings/security", "Régler la sécurité de votre compte", "lock"],
];

function Ready({ settings }: { readonly settings: OrganisationSettings }) {
  return (
    <AuthLayout isWide>
      <div className={styles["done"]}>
        <SuccessStroke />
        <PageHeading title="Tout est prêt">Tout est prêt</PageHeading>
        <p className="ink2">{settings.identity?.name} peut envoyer son premier document.</p>
      </div>
      <div className="card">
        {NEXT.map(([to, label, icon]) => (
          <Link className={styles["next"]} key={to} to={to}>
            <Icon name={icon} />
            {label}
            <Icon name="chevron-right" size="sm" />
          </Link>
        ))}
      </div>
      {settings.mailbox !== null && (
        <Alert tone="info">
          <p>
            {"Aucun serveur d’envoi n’est réglé\u00a0: les emails arrivent dans la "}
            <a href={settings.mailbox}>boîte aux lettres locale</a>.
          </p>
        </Alert>
      )}
    </AuthLayout>
  );
}
