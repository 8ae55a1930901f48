import {
  contrastOf,
  DARK_SURFACE,
  LEAST_CONTRAST,
  nearestReadable,
  type OrganisationSettings,
  paletteOf,
  shownContrast,
} from "@paraphe/contracts";
import { type FormEvent, type ReactNode, useId, useRef } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Field, TextArea, TextField } from "../../ui/field/field.tsx";
import { FileInput } from "../../ui/field/file-input.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { LeaveGuard } from "../accounts/settings/leave-guard.tsx";
import { SaveBar } from "../accounts/settings/save-bar.tsx";
import { OWN_COLOUR, useAppearanceForm, useMailsForm } from "./colours-forms.ts";
import { ColoursPreview } from "./colours-preview.tsx";
import styles from "./colours.module.css";
import { SaveFailure } from "./save-failure.tsx";

type Props = { readonly settings: OrganisationSettings };

export function ColoursCards({ settings }: Props) {
  const appearance = useAppearanceForm(settings);
  const mails = useMailsForm(settings);
  const { identity } = settings;
  if (identity === null)
    return (
      <Alert tone="info">
        Nommez d’abord l’organisation, à l’onglet «{"\u00a0"}Identité{"\u00a0"}».
      </Alert>
    );
  const isLeft = (form: { dirty: boolean; saving: boolean }) => form.dirty && !form.saving;
  return (
    <>
      <SettingsForm
        id="titre-couleurs"
        title="Logo et couleur"
        form={appearance}
        reason={appearance.isRefused ? refusalOf(appearance) : undefined}
        onCancel={() => appearance.show(settings)}
      >
        <div className={classNames("cols2", styles["parts"])}>
          <LogoField form={appearance} />
          <ColourField form={appearance} />
        </div>
      </SettingsForm>
      <ColoursPreview
        identity={identity}
        address={settings.mails.address}
        logo={appearance.logo?.address ?? null}
        colour={appearance.shown}
        isKept={appearance.isRefused}
        mails={mails.values}
      />
      <SettingsForm
        id="titre-emails"
        title="Emails"
        form={mails}
        isSecond
        onCancel={() => mails.show(settings)}
      >
        <MailFields form={mails} identity={identity} />
      </SettingsForm>
      <LeaveGuard dirty={isLeft(appearance) || isLeft(mails)} />
    </>
  );
}

type AppearanceForm = ReturnType<typeof useAppearanceForm>;
type MailsForm = ReturnType<typeof useMailsForm>;

const HEXADECIMAL = "Écrivez une couleur en hexadécimal, par exemple #6B1F3A.";

function refusalOf({ colour }: AppearanceForm): string {
  return colour === null ? HEXADECIMAL : "Choisissez une couleur plus foncée pour enregistrer.";
}

type SettingsFormProps = {
  readonly id: string;
  readonly title: string;
  readonly form: Pick<AppearanceForm, "dirty" | "saving" | "failure" | "show" | "save">;
  readonly reason?: string | undefined;
  readonly isSecond?: boolean;
  readonly onCancel: () => void;
  readonly children: ReactNode;
};

function SettingsForm({ form, onCancel, children, ...rest }: SettingsFormProps) {
  const { id, title, reason, isSecond } = rest;
  const { dirty, saving, failure, show, save } = form;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save().then((saved) => saved && showToast("ok", "Organisation enregistrée"));
  };
  return (
    <form className="card" noValidate aria-labelledby={id} onSubmit={submit}>
      <div className="card__head">
        <h2 className="h2 grow" id={id}>
          {title}
        </h2>
      </div>
      <div className="card__body stack stack--lg">
        <SaveFailure error={failure} onReread={show} />
        {children}
      </div>
      <SaveBar
        dirty={dirty}
        saving={saving}
        blocked={reason !== undefined}
        reason={reason}
        isSecond={isSecond ?? false}
        onCancel={onCancel}
      />
    </form>
  );
}

function LogoField({ form }: { readonly form: AppearanceForm }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const error = form.errors["logo"];
  return (
    <div className={styles["field"]} role="group" aria-labelledby={id}>
      <span className={styles["label"]} id={id}>
        Logo
      </span>
      <div className="row">
        {form.logo !== null && (
          <span className={styles["plate"]}>
            <img src={form.logo.address} alt="Logo de l’organisation" />
          </span>
        )}
        <Button
          ref={button}
          size="sm"
          aria-describedby={`${id}-aide`}
          onClick={() => input.current?.click()}
        >
          {form.logo === null ? "Choisir un logo" : "Changer"}
        </Button>
        {form.logo !== null && (
          <Button
            size="sm"
            variant="ghost"
            onClick={() => {
              form.remove();
              button.current?.focus();
            }}
          >
            Retirer
          </Button>
        )}
      </div>
      <p className="muted small" id={`${id}-aide`}>
        SVG ou PNG, 1{"\u00a0"}Mo au plus. Fond transparent conseillé.
      </p>
      {error !== undefined && (
        <p className={styles["error"]} role="alert">
          <Icon name="alert" />
          {error}
        </p>
      )}
      <FileInput
        ref={input}
        label="Fichier du logo"
        accept="image/svg+xml,image/png"
        onTake={([file]) => void form.choose(file)}
      />
    </div>
  );
}

function ColourField({ form }: { readonly form: AppearanceForm }) {
  const id = useId();
  const { typed, type, colour, shown } = form;
  return (
    <div className={styles["field"]}>
      <Field
        id={id}
        label="Couleur des boutons"
        error={form.errors["colour"] ?? (colour === null ? HEXADECIMAL : undefined)}
      >
        {(control) => (
          <div className={styles["colour"]}>
            <input
              type="color"
              className={styles["swatch"]}
              aria-label="Ouvrir le nuancier"
              value={colour ?? shown}
              onChange={(event) => type(event.target.value.toUpperCase())}
            />
            <input
              {...control}
              spellCheck={false}
              autoComplete="off"
              placeholder={OWN_COLOUR.toUpperCase()}
              value={typed}
              onChange={(event) => type(event.target.value)}
            />
          </div>
        )}
      </Field>
      {colour !== null && <Ratios colour={colour} />}
      {colour !== null && form.isRefused && (
        <Nearest
          colour={nearestReadable(colour)}
          onTake={(near) => {
            type(near.toUpperCase());
            document.getElementById(id)?.focus();
          }}
        />
      )}
    </div>
  );
}

/** Contrast with white text and, in the dark theme, of the tint that replaces the colour. */
function Ratios({ colour }: { readonly colour: string }) {
  const ratio = contrastOf(colour, "#ffffff");
  const isGood = ratio >= LEAST_CONTRAST;
  const tint = paletteOf(colour, { theme: "dark" }).accent;
  return (
    <div role="status" className={styles["ratios"]}>
      <Ratio
        ground={colour}
        ink="#ffffff"
        ratio={ratio}
        words={
          isGood
            ? "Texte blanc lisible sur cette couleur (4,5 au moins)"
            : "Trop clair pour du texte blanc\u00a0: il faut 4,5 au moins"
        }
      />
      {isGood && (
        <Ratio
          ground={DARK_SURFACE}
          ink={tint}
          ratio={contrastOf(tint, DARK_SURFACE)}
          words="Teinte du thème sombre, sur son fond"
        />
      )}
    </div>
  );
}

type RatioProps = {
  readonly ground: string;
  readonly ink: string;
  readonly ratio: number;
  readonly words: string;
};

function Ratio({ ground, ink, ratio, words }: RatioProps) {
  const isGood = ratio >= LEAST_CONTRAST;
  return (
    <div className={styles["ratio"]}>
      <span className={styles["sample"]} style={{ background: ground, color: ink }} aria-hidden />
      <span>
        <b>{`${shownContrast(ratio)}\u00a0:\u00a01`}</b> <span className="muted">{words}</span>
      </span>
      <span className={styles[isGood ? "good" : "refused"]}>
        <Icon name={isGood ? "check" : "alert"} size="sm" />
        {isGood ? "Bon" : "Refusé"}
      </span>
    </div>
  );
}

type NearestProps = { readonly colour: string; readonly onTake: (colour: string) => void };

function Nearest({ colour, onTake }: NearestProps) {
  return (
    <div className={styles["nearest"]}>
      <span className={styles["near"]} style={{ background: colour }} aria-hidden />
      <span>
        La plus proche qui convient{"\u00a0"}:{" "}
        <span className={styles["typed"]}>{colour.toUpperCase()}</span>
      </span>
      <Button size="sm" onClick={() => onTake(colour)}>
        Prendre celle-ci
      </Button>
    </div>
  );
}

type MailFieldsProps = {
  readonly form: MailsForm;
  readonly identity: NonNullable<OrganisationSettings["identity"]>;
};

function MailFields({ form, identity }: MailFieldsProps) {
  const { values, change, errors } = form;
  return (
    <>
      <div className="cols2">
        <TextField
          label="Nom de l’expéditeur"
          optional
          placeholder={identity.name}
          error={errors["sender_name"]}
          value={values.sender_name}
          onChange={(event) => change({ sender_name: event.target.value })}
        />
        <TextField
          label="Réponses à"
          optional
          type="email"
          autoComplete="off"
          placeholder={identity.contact_email}
          help="Une demande de signature garde l’adresse de la personne qui l’envoie."
          error={errors["reply_to"]}
          value={values.reply_to}
          onChange={(event) => change({ reply_to: event.target.value })}
        />
      </div>
      <TextArea
        label="Pied des emails"
        optional
        placeholder={`${identity.name}, ${identity.address}`}
        error={errors["footer"]}
        value={values.footer}
        onChange={(event) => change({ footer: event.target.value })}
      />
    </>
  );
}
