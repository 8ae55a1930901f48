import { useEffect, useRef, useState } from "react";
import type { FieldErrors } from "react-hook-form";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { RequiredNote } from "../../ui/field/field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { AvatarPicker } from "./avatar-picker.tsx";
import { ProfileFields, type ProfileForm } from "./profile-fields.tsx";
import { REGISTER_DEFAULTS, type RegisterForm, type RegisterValues } from "./register-form.ts";

type ValidationSummaryProps = {
  readonly errors: FieldErrors<RegisterValues>;
  readonly onGoTo: (field: keyof RegisterValues) => void;
};

/** Every error of the form, each a link to its field; takes the focus when it appears. */
function ValidationSummary({ errors, onGoTo }: ValidationSummaryProps) {
  const alert = useRef<HTMLDivElement>(null);
  // In the order of the form, whatever the order they were found in.
  const fields = Object.keys(REGISTER_DEFAULTS) as (keyof RegisterValues)[];
  const entries = fields.flatMap((field) =>
    errors[field] ? [[field, errors[field]] as const] : [],
  );
  const shown = entries.length > 0;
  useEffect(() => {
    if (shown) alert.current?.focus();
  }, [shown]);
  if (!shown) return null;
  return (
    <Alert tone="danger" title="Erreurs de validation" ref={alert}>
      <ul>
        {entries.map(([field, error]) => (
          <li key={field}>
            <a
              href={`#inscription-${field}`}
              onClick={(event) => {
                event.preventDefault();
                onGoTo(field);
              }}
            >
              {error.message}
            </a>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

type RegisterProfileStepProps = {
  readonly form: RegisterForm;
  readonly avatar: File | undefined;
  readonly onAvatar: (file: File | undefined) => void;
  readonly failure: string | undefined;
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly onGoTo: (field: keyof RegisterValues) => void;
  readonly onSubmit: (values: RegisterValues) => void;
};

/** Step 2, 'Profil': whose name will be on the certificates. Its title takes the focus, the page goes back to its top. */
export function RegisterProfileStep({
  form,
  avatar,
  onAvatar,
  failure,
  busy,
  onBack,
  onGoTo,
  onSubmit,
}: RegisterProfileStepProps) {
  const { handleSubmit, formState, watch } = form;
  const { errors, isValid } = formState;
  const [tried, setTried] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  const name = watch(["first_name", "last_name"]).join(" ").trim() || watch("username");

  useEffect(() => {
    window.scrollTo(0, 0);
    title.current?.focus({ preventScroll: true });
  }, []);

  const submit = handleSubmit(
    (values) => {
      setTried(true);
      onSubmit(values);
    },
    () => setTried(true),
  );
  return (
    <div className="stack">
      <div>
        <h1 className="h1" tabIndex={-1} ref={title}>
          Profil
        </h1>
        <p className="lede">Votre nom figure sur les certificats de signature.</p>
        <RequiredNote fields="most" />
      </div>
      {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
      {tried && <ValidationSummary errors={errors} onGoTo={onGoTo} />}
      <form className="stack" noValidate onSubmit={(event) => void submit(event)}>
        <AvatarPicker name={name} file={avatar} onFile={onAvatar} />
        {/* Its form has these fields, and those of step 1, which this part leaves alone. */}
        <ProfileFields form={form as unknown as ProfileForm} idPrefix="inscription" />
        <div className="row row--nw">
          <Button size="lg" onClick={onBack}>
            <Icon name="chevron-left" />
            Précédent
          </Button>
          <Button
            type="submit"
            variant="primary"
            size="lg"
            className="grow"
            loading={busy}
            blocked={!isValid}
          >
            Créer mon compte
          </Button>
        </div>
        <Agreement />
      </form>
    </div>
  );
}

/** What one agrees to, each page in a tab of its own: the form would be lost otherwise. */
function Agreement() {
  return (
    <p className="muted small">
      En créant un compte, vous acceptez les{" "}
      <a
        href="/conditions"
        target="_blank"
        rel="noopener"
        title="conditions d’utilisation (nouvelle fenêtre)"
      >
        conditions d’utilisation
      </a>{" "}
      et la{" "}
      <a
        href="/confidentialite"
        target="_blank"
        rel="noopener"
        title="politique de confidentialité (nouvelle fenêtre)"
      >
        politique de confidentialité
      </a>
      .
    </p>
  );
}
